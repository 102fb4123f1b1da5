; A robot whose battery pays for distance and load; loads and distances are whole numbers.
(define (domain battery)
  (:requirements :typing :numeric-fluents)
  (:types robot place box)
  (:predicates (at ?r - robot ?p - place) (lies ?b - box ?p - place) (held ?b - box ?r - robot) (charger ?p - place))
  (:functions (battery ?r - robot) (distance ?a ?b - place) (carried ?r - robot))
  (:action move
    :parameters (?r - robot ?a ?b - place)
    :precondition (and (at ?r ?a) (>= (battery ?r) (+ (* 0.8 (distance ?a ?b)) (* 0.5 (carried ?r)) 4)))
    :effect (and (not (at ?r ?a)) (at ?r ?b)
      (decrease (battery ?r) (+ (* 0.75 (distance ?a ?b)) (* 0.25 (carried ?r)) 0.5))))
  (:action pick
    :parameters (?r - robot ?b - box ?p - place)
    :precondition (and (at ?r ?p) (lies ?b ?p) (<= (carried ?r) 2) (>= (battery ?r) 6))
    :effect (and (not (lies ?b ?p)) (held ?b ?r) (increase (carried ?r) 1) (decrease (battery ?r) 0.4)))
  (:action drop
    :parameters (?r - robot ?b - box ?p - place)
    :precondition (and (at ?r ?p) (held ?b ?r) (>= (battery ?r) 3))
    :effect (and (lies ?b ?p) (not (held ?b ?r)) (decrease (carried ?r) 1) (decrease (battery ?r) 0.3)))
  (:action charge
    :parameters (?r - robot ?p - place)
    :precondition (and (at ?r ?p) (charger ?p) (<= (battery ?r) 95))
    :effect (assign (battery ?r) (+ (* 0.9 (battery ?r)) 9.5))))
