; Learned by surefoot with N-SAM.
; Every plan made with this domain can be executed in the real world, and does what it says, if:
;  - Recorded states are complete, except for values that they mark as unknown. Every step recorded as a success succeeded, except those that another line here names. Actions are deterministic.
;  - Preconditions are conjunctions of literals and of numeric comparisons (=, <, <=, >, >=), without negated numeric equations.
;  - Effects are unconditional: an action adds and deletes the same atoms, and changes the same functions, whenever it is taken.
;  - Conditions and effects mention only constants and the parameters of their action. Each argument has a type that the domain declares for its position. No atom or function has the same parameter twice.
;  - Numeric conditions are linear, and each function is changed by at most one effect of an action: an increase, a decrease or an assignment of a linear formula, or a scaling by a number.
;  - Each numeric condition of a real precondition mentions at most 2 functions.
;  - Preconditions have no negative atoms.
; Left out: go_south_west (2 distinct vectors; N-SAM needs 3).
; Left out: go_south_east (1 distinct vectors; N-SAM needs 3).
; Left out: go_south (1 distinct vectors; N-SAM needs 3).
; surefoot-model {"format":1,"safe":true,"spec":{"algorithm":"nsam","arity":2,"digits":6,"positive-preconditions":true}}
(define (domain sailing)
  (:requirements :typing :numeric-fluents)
  (:types
    boat
    person)
  (:predicates
    (saved ?t - person))
  (:functions
    (x ?b - boat)
    (y ?b - boat)
    (d ?t - person))

  (:action go_north_east
    :parameters (?b - boat)
    :precondition (and
      (<= (y ?b) (+ (x ?b) 95))
      (<= (x ?b) (+ (y ?b) 4))
      (<= (+ (x ?b) 2) (* 2 (y ?b)))
      (>= (+ (x ?b) (* 3 (y ?b)) 4) 0)
      (<= (+ (* 5 (x ?b)) (y ?b)) 105)
      (<= (+ (* 3 (x ?b)) 12) (* 8 (y ?b)))
      (<= (* 12 (y ?b)) (+ (* 2 (x ?b)) 1105))
      (<= (+ (* 42 (x ?b)) (* 4 (y ?b))) 513)
      (>= (+ (* 78 (x ?b)) (y ?b) 1011) 0)
      (<= (+ (* 113 (x ?b)) (* 11 (y ?b))) 1387))
    :effect (and
      (increase (x ?b) 1.5)
      (increase (y ?b) 1.5)))

  (:action go_north_west
    :parameters (?b - boat)
    :precondition (and
      (>= (y ?b) 0)
      (<= (+ (x ?b) (y ?b)) 98)
      (>= (+ (x ?b) (y ?b) 10) 0)
      (<= (* 3 (x ?b)) (+ (y ?b) 30))
      (<= (+ (* 5 (x ?b)) (y ?b)) 114)
      (<= (+ (* 21 (x ?b)) (* 2 (y ?b))) 291)
      (<= (* 30 (y ?b)) (+ (* 32 (x ?b)) 2785))
      (<= (+ (* 113 (x ?b)) (* 11 (y ?b))) 1573)
      (>= (+ (* 156 (x ?b)) (* 2 (y ?b)) 1791) 0))
    :effect (and
      (decrease (x ?b) 1.5)
      (increase (y ?b) 1.5)))

  (:action go_est
    :parameters (?b - boat)
    :precondition (and
      (<= (+ (* 3 (x ?b)) 45) (* 11 (y ?b)))
      (<= (y ?b) (+ (* 13 (x ?b)) 83))
      (<= (y ?b) (+ (* 27 (x ?b)) 111))
      (<= (+ (* 47 (x ?b)) (* 5 (y ?b))) 359))
    :effect (and
      (increase (x ?b) 3)))

  (:action go_west
    :parameters (?b - boat)
    :precondition (and
      (>= (+ (* 3 (x ?b)) (y ?b)) 27)
      (<= (+ (* 9 (x ?b)) (* 5 (y ?b))) 324)
      (>= (+ (* 9 (x ?b)) (* 5 (y ?b))) 120)
      (<= (+ (* 12 (x ?b)) (y ?b)) 75)
      (>= (+ (* 16 (x ?b)) (* 2 (y ?b))) 49))
    :effect (and
      (decrease (x ?b) 3)))

  (:action save_person
    :parameters (?b - boat ?t - person)
    :precondition (and
      (>= (+ (* 2 (x ?b)) 5) 0)
      (<= (+ (x ?b) (y ?b)) 98)
      (<= (d ?t) (+ (* 2 (x ?b)) 93))
      (<= (+ (* 2 (d ?t)) 1) (* 2 (y ?b)))
      (>= (+ (* 2 (x ?b)) (d ?t)) 8)
      (<= (* 3 (y ?b)) (+ (d ?t) 196))
      (<= (* 3 (y ?b)) (+ (* 2 (d ?t)) 113))
      (<= (* 3 (y ?b)) (+ (* 4 (x ?b)) 287))
      (<= (* 7 (d ?t)) (+ (* 6 (y ?b)) 83))
      (<= (* 4 (y ?b)) (+ (* 7 (d ?t)) 11))
      (<= (+ (* 8 (x ?b)) (* 3 (d ?t))) 293)
      (<= (+ (* 9 (d ?t)) 33) (* 10 (y ?b)))
      (>= (+ (* 14 (x ?b)) (* 4 (y ?b))) 67)
      (<= (+ (* 30 (d ?t)) 123) (* 34 (y ?b)))
      (<= (* 62 (y ?b)) (+ (* 83 (d ?t)) 502))
      (<= (+ (* 90 (x ?b)) (d ?t)) 316)
      (<= (+ (* 91 (x ?b)) (y ?b)) 323)
      (<= (+ (* 105 (d ?t)) 15) (* 104 (y ?b)))
      (<= (d ?t) (+ (* 134 (x ?b)) 357))
      (<= (y ?b) (+ (* 135 (x ?b)) 363)))
    :effect (and
      (saved ?t)))
)
