; Learned by surefoot 0.1.0 with N-SAM*.
; Every plan made with this domain can be executed in the real world, and does what it says, if:
;  - The recorded states are complete, and every recorded step succeeded and is deterministic.
;  - Preconditions are conjunctions of literals and of numeric comparisons (=, <, <=, >, >=), without negated numeric equations.
;  - Effects are unconditional: an action adds and deletes the same atoms, and changes the same functions, whenever it is taken.
;  - Conditions and effects mention only parameters of their action and constants, no parameter twice in one atom or function, and each where its type is among those declared there.
;  - Numeric conditions are linear, and a function is changed by at most one effect: an increase, a decrease or an assignment of an affine expression, or a scaling by a number.
(define (domain farmland)
  (:requirements :typing :negative-preconditions :equality :numeric-fluents)
  (:types
    farm)
  (:predicates
    (adj ?f1 ?f2 - farm))
  (:functions
    (x ?b - farm)
    (cost))

  (:action move-fast
    :parameters (?f1 ?f2 - farm)
    :precondition (and
      (adj ?f1 ?f2)
      (adj ?f2 ?f1)
      (not (= ?f1 ?f2))
      (<= (cost) 1)
      (>= (x ?f2) 0)
      (>= (cost) 0)
      (<= (x ?f2) (+ (* 2 (cost)) 1))
      (<= (+ (x ?f1) (* 4 (cost))) 20)
      (<= (+ (x ?f1) (* 7 (cost))) (+ (x ?f2) 20))
      (<= (+ (* 5 (x ?f2)) 5) (+ (x ?f1) (* 7 (cost))))
      (<= (+ (* 16 (cost)) 10) (+ (* 2 (x ?f1)) (* 5 (x ?f2))))
      (<= (+ (* 9 (x ?f2)) 5) (+ (x ?f1) (* 19 (cost)))))
    :effect (and
      (decrease (x ?f1) 4)
      (increase (x ?f2) 2)
      (increase (cost) 1)))

  (:action move-slow
    :parameters (?f1 ?f2 - farm)
    :precondition (and
      (adj ?f1 ?f2)
      (adj ?f2 ?f1)
      (not (= ?f1 ?f2))
      (<= (cost) 2)
      (>= (x ?f2) 0)
      (>= (cost) 0)
      (>= (x ?f1) 1)
      (<= (+ (x ?f1) (* 4 (cost))) 20)
      (<= (+ (x ?f2) (* 5 (cost))) 11)
      (<= (+ (x ?f1) (* 7 (cost))) 23)
      (<= (+ (* 2 (x ?f2)) 5) (* 7 (x ?f1)))
      (<= (+ (x ?f1) (x ?f2) (cost)) 20)
      (<= (+ (* 2 (x ?f1)) (* 3 (x ?f2))) (+ (cost) 43))
      (<= (+ (x ?f1) (* 3 (x ?f2))) (+ (* 2 (cost)) 29))
      (<= (+ (x ?f1) (* 4 (x ?f2))) (+ (* 2 (cost)) 35))
      (<= (+ (x ?f1) (x ?f2) (* 10 (cost))) 29)
      (<= (+ (* 22 (x ?f2)) (* 74 (cost))) (+ (* 3 (x ?f1)) 167)))
    :effect (and
      (decrease (x ?f1) 1)
      (increase (x ?f2) 1)))
)
