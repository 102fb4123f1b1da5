; Driverlog-L: drivers walk, drive trucks and deliver packages; the times driven and walked are added up.
(define (domain driverlog)
  (:requirements :typing :fluents)
  (:types
    location locatable - object
    driver truck obj - locatable)
  (:predicates
    (at ?obj - locatable ?loc - location)
    (in ?obj1 - obj ?obj - truck)
    (driving ?d - driver ?v - truck)
    (empty ?v - truck) ; no driver in it
    (link ?x - location ?y - location) ; for trucks
    (path ?x - location ?y - location)) ; for walkers
  (:functions
    (time-to-drive ?l1 - location ?l2 - location)
    (time-to-walk ?l1 - location ?l2 - location)
    (driven)
    (walked))

  (:action walk
    :parameters (?driver - driver ?loc-from - location ?loc-to - location)
    :precondition (and
      (at ?driver ?loc-from)
      (path ?loc-from ?loc-to))
    :effect (and
      (not (at ?driver ?loc-from))
      (at ?driver ?loc-to)
      (increase (walked) (time-to-walk ?loc-from ?loc-to))))

  (:action board-truck
    :parameters (?driver - driver ?truck - truck ?loc - location)
    :precondition (and
      (at ?driver ?loc)
      (at ?truck ?loc)
      (empty ?truck))
    :effect (and
      (not (at ?driver ?loc))
      (driving ?driver ?truck)
      (not (empty ?truck))))

  (:action disembark-truck
    :parameters (?driver - driver ?truck - truck ?loc - location)
    :precondition (and
      (driving ?driver ?truck)
      (at ?truck ?loc))
    :effect (and
      (not (driving ?driver ?truck))
      (at ?driver ?loc)
      (empty ?truck)))

  (:action drive-truck
    :parameters (?truck - truck ?loc-from - location ?loc-to - location ?driver - driver)
    :precondition (and
      (driving ?driver ?truck)
      (at ?truck ?loc-from)
      (link ?loc-from ?loc-to))
    :effect (and
      (not (at ?truck ?loc-from))
      (at ?truck ?loc-to)
      (increase (driven) (time-to-drive ?loc-from ?loc-to))))

  (:action load-truck
    :parameters (?obj - obj ?truck - truck ?loc - location)
    :precondition (and
      (at ?obj ?loc)
      (at ?truck ?loc))
    :effect (and
      (not (at ?obj ?loc))
      (in ?obj ?truck)))

  (:action unload-truck
    :parameters (?obj - obj ?truck - truck ?loc - location)
    :precondition (and
      (in ?obj ?truck)
      (at ?truck ?loc))
    :effect (and
      (not (in ?obj ?truck))
      (at ?obj ?loc)))
)
