; Zenotravel: aircraft carry persons between cities, slowly, or fast with few on board; fuel burns with the distance.
(define (domain zeno-travel)
  (:requirements :typing :fluents)
  (:types
    movable city - object
    aircraft person - movable)
  (:predicates
    (at ?x - movable ?c - city)
    (in ?p - person ?a - aircraft))
  (:functions
    (distance ?c1 - city ?c2 - city)
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
      (at ?a ?c))
    :effect (and
      (not (at ?p ?c))
      (in ?p ?a)
      (increase (onboard ?a) 1)))

  (:action debark
    :parameters (?p - person ?a - aircraft ?c - city)
    :precondition (and
      (in ?p ?a)
      (at ?a ?c))
    :effect (and
      (not (in ?p ?a))
      (at ?p ?c)
      (decrease (onboard ?a) 1)))

  (:action fly
    :parameters (?a - aircraft ?c1 - city ?c2 - city)
    :precondition (and
      (at ?a ?c1)
      (>= (fuel ?a) (* (distance ?c1 ?c2) (slow-burn ?a))))
    :effect (and
      (not (at ?a ?c1))
      (at ?a ?c2)
      (decrease (fuel ?a) (* (distance ?c1 ?c2) (slow-burn ?a)))
      (increase (total-fuel-used) (* (distance ?c1 ?c2) (slow-burn ?a)))))

  (:action zoom
    :parameters (?a - aircraft ?c1 - city ?c2 - city)
    :precondition (and
      (at ?a ?c1)
      (<= (onboard ?a) (zoom-limit ?a))
      (>= (fuel ?a) (* (distance ?c1 ?c2) (fast-burn ?a))))
    :effect (and
      (not (at ?a ?c1))
      (at ?a ?c2)
      (decrease (fuel ?a) (* (distance ?c1 ?c2) (fast-burn ?a)))
      (increase (total-fuel-used) (* (distance ?c1 ?c2) (fast-burn ?a)))))

  (:action refuel
    :parameters (?a - aircraft ?c - city)
    :precondition (and
      (at ?a ?c)
      (> (capacity ?a) (fuel ?a)))
    :effect (assign (fuel ?a) (capacity ?a)))
)
