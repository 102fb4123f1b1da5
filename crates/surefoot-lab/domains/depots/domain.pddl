; Depots: hoists stack crates on pallets and on each other; trucks carry them between places, up to a weight.
(define (domain depot)
  (:requirements :typing :fluents)
  (:types
    place locatable - object
    depot distributor - place
    truck hoist surface - locatable
    crate pallet - surface)
  (:predicates
    (at ?x - locatable ?y - place)
    (on ?x - crate ?y - surface)
    (clear ?x - surface)
    (lifting ?x - hoist ?y - crate)
    (available ?x - hoist)
    (in ?x - crate ?y - truck))
  (:functions
    (weight ?c - crate)
    (current_load ?t - truck)
    (load_limit ?t - truck)
    (fuel-cost))

  (:action lift
    :parameters (?x - hoist ?y - crate ?z - surface ?p - place)
    :precondition (and
      (at ?x ?p)
      (at ?y ?p)
      (on ?y ?z)
      (clear ?y)
      (available ?x))
    :effect (and
      (lifting ?x ?y)
      (not (available ?x))
      (not (at ?y ?p))
      (not (on ?y ?z))
      (not (clear ?y))
      (clear ?z)
      (increase (fuel-cost) 1)))

  (:action drop
    :parameters (?x - hoist ?y - crate ?z - surface ?p - place)
    :precondition (and
      (at ?x ?p)
      (at ?z ?p)
      (lifting ?x ?y)
      (clear ?z))
    :effect (and
      (not (lifting ?x ?y))
      (available ?x)
      (at ?y ?p)
      (on ?y ?z)
      (clear ?y)
      (not (clear ?z))))

  (:action load
    :parameters (?x - hoist ?y - crate ?z - truck ?p - place)
    :precondition (and
      (at ?x ?p)
      (at ?z ?p)
      (lifting ?x ?y)
      (<= (+ (current_load ?z) (weight ?y)) (load_limit ?z)))
    :effect (and
      (not (lifting ?x ?y))
      (available ?x)
      (in ?y ?z)
      (increase (current_load ?z) (weight ?y))))

  (:action unload
    :parameters (?x - hoist ?y - crate ?z - truck ?p - place)
    :precondition (and
      (at ?x ?p)
      (at ?z ?p)
      (in ?y ?z)
      (available ?x))
    :effect (and
      (lifting ?x ?y)
      (not (available ?x))
      (not (in ?y ?z))
      (decrease (current_load ?z) (weight ?y))))

  ; A truck may drive to where it is.
  (:action drive
    :parameters (?x - truck ?y - place ?z - place)
    :precondition (at ?x ?y)
    :effect (and
      (not (at ?x ?y))
      (at ?x ?z)
      (increase (fuel-cost) 10)))
)
