; Driverlog-P: drivers walk, drive trucks and deliver packages; a loaded truck burns more fuel a minute.
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
    (load ?t - truck)
    (fuel-per-minute ?t - truck)
    (fuel-used))

  (:action walk
    :parameters (?driver - driver ?loc-from - location ?loc-to - location)
    :precondition (and
      (at ?driver ?loc-from)
      (path ?loc-from ?loc-to))
    :effect (and
      (not (at ?driver ?loc-from))
      (at ?driver ?loc-to)))

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
      (increase (fuel-used) (* (fuel-per-minute ?truck) (time-to-drive ?loc-from ?loc-to)))))

  ; Effects read the state before the step: the n-th package costs n more fuel a minute, and gives as much back.
  (:action load-truck
    :parameters (?obj - obj ?truck - truck ?loc - location)
    :precondition (and
      (at ?obj ?loc)
      (at ?truck ?loc))
    :effect (and
      (not (at ?obj ?loc))
      (in ?obj ?truck)
      (increase (load ?truck) 1)
      (increase (fuel-per-minute ?truck) (+ (load ?truck) 1))))

  (:action unload-truck
    :parameters (?obj - obj ?truck - truck ?loc - location)
    :precondition (and
      (in ?obj ?truck)
      (at ?truck ?loc))
    :effect (and
      (not (in ?obj ?truck))
      (at ?obj ?loc)
      (decrease (load ?truck) 1)
      (decrease (fuel-per-minute ?truck) (load ?truck))))
)
