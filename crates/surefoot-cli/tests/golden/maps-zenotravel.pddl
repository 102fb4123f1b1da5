; Learned by surefoot with N-SAM*.
; Every plan made with this domain can be executed in the real world, and does what it says, if:
;  - Recorded states are complete, except for values that they mark as unknown. Every step recorded as a success succeeded, except those that another line here names. Actions are deterministic.
;  - Preconditions are conjunctions of literals and of numeric comparisons (=, <, <=, >, >=), without negated numeric equations.
;  - Effects are unconditional: an action adds and deletes the same atoms, and changes the same functions, whenever it is taken.
;  - Conditions and effects mention only constants and the parameters of their action. Each argument has a type that the domain declares for its position. No atom or function has the same parameter twice.
;  - Numeric conditions are linear in products of at most 2 different functions, and each function is changed by at most one effect of an action: an increase, a decrease or an assignment of an expression that is linear in such products, or a scaling by a number.
;  - The conditions and effects of board read only (onboard ?a), and products of at most 2 of these functions (a scaling reads the function that it scales). It changes no other function, except those that change in a step that surefoot learned from.
;  - The conditions and effects of debark read only (onboard ?a), and products of at most 2 of these functions (a scaling reads the function that it scales). It changes no other function, except those that change in a step that surefoot learned from.
;  - The conditions and effects of fly read only (* (distance ?c1 ?c2) (slow-burn ?a)), (fuel ?a), (total-fuel-used), and products of at most 2 of these functions (a scaling reads the function that it scales). It changes no other function, except those that change in a step that surefoot learned from.
;  - The conditions and effects of refuel read only (capacity ?a), (fuel ?a), and products of at most 2 of these functions (a scaling reads the function that it scales). It changes no other function, except those that change in a step that surefoot learned from.
;  - The conditions and effects of zoom read only (* (distance ?c1 ?c2) (fast-burn ?a)), (fuel ?a), (onboard ?a), (total-fuel-used), (zoom-limit ?a), and products of at most 2 of these functions (a scaling reads the function that it scales). It changes no other function, except those that change in a step that surefoot learned from.
;  - Whether board is applicable does not depend on (onboard ?a), nor on whether (onboard ?a) has a value.
;  - Whether debark is applicable does not depend on (onboard ?a), nor on whether (onboard ?a) has a value.
;  - Less of (* (distance ?c1 ?c2) (slow-burn ?a)) never makes fly inapplicable.
;  - More of (fuel ?a) never makes fly inapplicable.
;  - Whether fly is applicable does not depend on (total-fuel-used), nor on whether (total-fuel-used) has a value.
;  - More of (capacity ?a) never makes refuel inapplicable.
;  - Less of (fuel ?a) never makes refuel inapplicable.
;  - Less of (* (distance ?c1 ?c2) (fast-burn ?a)) never makes zoom inapplicable.
;  - More of (fuel ?a) never makes zoom inapplicable.
;  - Less of (onboard ?a) never makes zoom inapplicable.
;  - Whether zoom is applicable does not depend on (total-fuel-used), nor on whether (total-fuel-used) has a value.
;  - More of (zoom-limit ?a) never makes zoom inapplicable.
; surefoot-model {"format":1,"safe":true,"spec":{"degree":2,"facet-budget":8,"monotone":{"board":{"(onboard ?a)":"any"},"debark":{"(onboard ?a)":"any"},"fly":{"(* (distance ?c1 ?c2) (slow-burn ?a))":"less","(fuel ?a)":"more","(total-fuel-used)":"any"},"refuel":{"(capacity ?a)":"more","(fuel ?a)":"less"},"zoom":{"(* (distance ?c1 ?c2) (fast-burn ?a))":"less","(fuel ?a)":"more","(onboard ?a)":"less","(total-fuel-used)":"any","(zoom-limit ?a)":"more"}},"relevant":{"board":["(onboard ?a)"],"debark":["(onboard ?a)"],"fly":["(* (distance ?c1 ?c2) (slow-burn ?a))","(fuel ?a)","(total-fuel-used)"],"refuel":["(capacity ?a)","(fuel ?a)"],"zoom":["(* (distance ?c1 ?c2) (fast-burn ?a))","(fuel ?a)","(onboard ?a)","(total-fuel-used)","(zoom-limit ?a)"]}}}
(define (domain zeno-travel)
  (:requirements :typing :negative-preconditions :equality :numeric-fluents)
  (:types
    movable city - object
    aircraft person - movable)
  (:predicates
    (at ?x - movable ?c - city)
    (in ?p - person ?a - aircraft))
  (:functions
    (distance ?c1 ?c2 - city)
    (fuel ?a - aircraft)
    (capacity ?a - aircraft)
    (slow-burn ?a - aircraft)
    (fast-burn ?a - aircraft)
    (onboard ?a - aircraft)
    (zoom-limit ?a - aircraft)
    (total-fuel-used))

  (:action board
    :parameters (?p - person ?a - aircraft ?c - city)
    :precondition (and
      (at ?p ?c)
      (at ?a ?c)
      (not (in ?p ?a)))
    :effect (and
      (not (at ?p ?c))
      (in ?p ?a)
      (increase (onboard ?a) 1)))

  (:action debark
    :parameters (?p - person ?a - aircraft ?c - city)
    :precondition (and
      (at ?a ?c)
      (in ?p ?a)
      (not (at ?p ?c)))
    :effect (and
      (not (in ?p ?a))
      (at ?p ?c)
      (decrease (onboard ?a) 1)))

  (:action fly
    :parameters (?a - aircraft ?c1 ?c2 - city)
    :precondition (and
      (at ?a ?c1)
      (not (at ?a ?c2))
      (not (= ?c1 ?c2))
      (<= (* (distance ?c1 ?c2) (slow-burn ?a)) 4995)
      (>= (fuel ?a) 1044)
      (<= (+ (* 1347 (distance ?c1 ?c2) (slow-burn ?a)) 355140) (* 1393 (fuel ?a))))
    :effect (and
      (not (at ?a ?c1))
      (at ?a ?c2)
      (decrease (fuel ?a) (* (distance ?c1 ?c2) (slow-burn ?a)))
      (increase (total-fuel-used) (* (distance ?c1 ?c2) (slow-burn ?a)))))

  (:action zoom
    :parameters (?a - aircraft ?c1 ?c2 - city)
    :precondition (and
      (at ?a ?c1)
      (not (at ?a ?c2))
      (not (= ?c1 ?c2))
      (= (+ (* 2053968200052 (fuel ?a)) (* 586666296621 (total-fuel-used)) (* 375070718628 (fuel ?a) (onboard ?a)) 12217765852019757) (+ (* 5342809232099289 (onboard ?a)) (* 1608888435092166 (zoom-limit ?a)) (* 3206303466781 (distance ?c1 ?c2) (fast-burn ?a))))
      (= (+ (* 7968939550051155 (onboard ?a)) (* 485974492070082 (zoom-limit ?a)) (* 14655354392855 (distance ?c1 ?c2) (fast-burn ?a)) (* 375070718628 (fuel ?a) (zoom-limit ?a))) (+ (* 14515342996044 (fuel ?a)) (* 1317938157459 (total-fuel-used)) 745674726103647))
      (= (+ (* 3395534095682324139 (onboard ?a)) (* 881775373303198122 (zoom-limit ?a)) (* 3977272707953843 (distance ?c1 ?c2) (fast-burn ?a)) (* 62511786438 (fuel ?a) (total-fuel-used))) (+ (* 3940467711299760 (fuel ?a)) (* 659157170275989 (total-fuel-used)) 3755265855719243223))
      (= (+ (* 93354282942 (zoom-limit ?a)) (* 1266176195 (distance ?c1 ?c2) (fast-burn ?a)) (* 187535359314 (onboard ?a) (zoom-limit ?a))) (+ (* 1013986092 (fuel ?a)) (* 601218609915 (onboard ?a)) (* 144605907 (total-fuel-used)) 187978322391))
      (= (+ (* 10335600260862 (zoom-limit ?a)) (* 137314937042 (distance ?c1 ?c2) (fast-burn ?a)) (* 31255893219 (onboard ?a) (total-fuel-used)) 244428111637140) (+ (* 87333613146 (fuel ?a)) (* 292796988226194 (onboard ?a)) (* 57087861600 (total-fuel-used))))
      (= (+ (* 1148132920220229 (onboard ?a)) (* 3484566342913 (distance ?c1 ?c2) (fast-burn ?a)) (* 125023572876 (zoom-limit ?a) (total-fuel-used)) 1691628599742339) (+ (* 2657310687816 (fuel ?a)) (* 303968920708638 (zoom-limit ?a)) (* 1184240722065 (total-fuel-used))))
      (<= (* (distance ?c1 ?c2) (fast-burn ?a)) 1998)
      (>= (fuel ?a) 2059)
      (<= (+ (* 9 (fuel ?a)) (* 2059 (zoom-limit ?a))) (+ (* (fuel ?a) (zoom-limit ?a)) 18531))
      (<= (+ (* (fuel ?a) (zoom-limit ?a)) 122625) (+ (* 9 (fuel ?a)) (* 13625 (zoom-limit ?a))))
      (<= (+ (* 102035 (onboard ?a)) (* (fuel ?a) (onboard ?a)) (* 2 (fuel ?a) (zoom-limit ?a)) 37062) (+ (* 18 (fuel ?a)) (* 4118 (zoom-limit ?a)) (* 11566 (onboard ?a) (zoom-limit ?a))))
      (<= (+ (* 29997 (fuel ?a)) (* 201219485 (onboard ?a)) (* 6862647 (zoom-limit ?a)) (* 19274739 (onboard ?a) (zoom-limit ?a))) (+ (* 28915 (fuel ?a) (onboard ?a)) (* 3333 (fuel ?a) (zoom-limit ?a)) 61763823))
      (<= (+ (* 74097 (fuel ?a)) (* 16951747 (zoom-limit ?a)) (* 23132 (fuel ?a) (onboard ?a)) (* 47611439 (onboard ?a) (zoom-limit ?a))) (+ (* 476131739 (onboard ?a)) (* 8233 (fuel ?a) (zoom-limit ?a)) 152565723)))
    :effect (and
      (not (at ?a ?c1))
      (at ?a ?c2)
      (decrease (fuel ?a) (* (distance ?c1 ?c2) (fast-burn ?a)))
      (increase (total-fuel-used) (* (distance ?c1 ?c2) (fast-burn ?a)))))

  (:action refuel
    :parameters (?a - aircraft ?c - city)
    :precondition (and
      (at ?a ?c)
      (<= (fuel ?a) 10850)
      (>= (capacity ?a) 2059)
      (<= (+ (* 426 (fuel ?a)) 1082963) (* 701 (capacity ?a)))
      (<= (* 3873 (fuel ?a)) (+ (* 2594 (capacity ?a)) 5278040))
      (<= (+ (* 7381 (fuel ?a)) 896800) (* 6008 (capacity ?a)))
      (<= (+ (* (fuel ?a) (capacity ?a)) 22340150) (+ (* 2059 (fuel ?a)) (* 10850 (capacity ?a))))
      (<= (+ (* 1048923541 (fuel ?a)) (* 124253 (fuel ?a) (capacity ?a)) 3892039981630) (* 2426356162 (capacity ?a)))
      (<= (+ (* 5984456629 (fuel ?a)) (* 121255 (fuel ?a) (capacity ?a)) 3684152641280) (* 6159634192 (capacity ?a))))
    :effect (and
      (assign (fuel ?a) (capacity ?a))))
)
