; Counters: every counter shows a value between zero and max_int, and moves by its own rate, which can be changed.
(define (domain fo-counters-rnd)
  (:requirements :typing :fluents)
  (:types counter)
  (:predicates
    (nop ?x - counter)) ; no action reads or changes it
  (:functions
    (value ?c - counter)
    (rate_value ?c - counter)
    (max_int))

  (:action increase_rate
    :parameters (?c - counter)
    :precondition (<= (+ (rate_value ?c) 1) 10)
    :effect (increase (rate_value ?c) 1))

  (:action decrement_rate
    :parameters (?c - counter)
    :precondition (>= (rate_value ?c) 1)
    :effect (decrease (rate_value ?c) 1))

  (:action increment
    :parameters (?c - counter)
    :precondition (<= (+ (value ?c) (rate_value ?c)) (max_int))
    :effect (increase (value ?c) (rate_value ?c)))

  (:action decrement
    :parameters (?c - counter)
    :precondition (>= (- (value ?c) (rate_value ?c)) 0)
    :effect (decrease (value ?c) (rate_value ?c)))
)
