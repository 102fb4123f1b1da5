; Rovers: rovers travel, sample soil and rock, take images, and report to a lander. All of it takes energy, which the sun gives.
(define (domain rover)
  (:requirements :typing :fluents)
  (:types rover lander waypoint store camera objective mode)
  (:predicates
    ; the terrain
    (visible ?w - waypoint ?p - waypoint)
    (can_traverse ?r - rover ?x - waypoint ?y - waypoint)
    (in_sun ?w - waypoint)
    (at_soil_sample ?w - waypoint)
    (at_rock_sample ?w - waypoint)
    (visible_from ?o - objective ?w - waypoint)
    ; the lander
    (at_lander ?x - lander ?y - waypoint)
    (channel_free ?l - lander)
    ; the rovers
    (at ?x - rover ?y - waypoint)
    (available ?r - rover)
    (equipped_for_soil_analysis ?r - rover)
    (equipped_for_rock_analysis ?r - rover)
    (equipped_for_imaging ?r - rover)
    (store_of ?s - store ?r - rover)
    (empty ?s - store)
    (full ?s - store)
    (on_board ?i - camera ?r - rover)
    (supports ?c - camera ?m - mode)
    (calibration_target ?i - camera ?o - objective)
    (calibrated ?c - camera ?r - rover)
    ; what is known, and where
    (have_soil_analysis ?r - rover ?w - waypoint)
    (have_rock_analysis ?r - rover ?w - waypoint)
    (have_image ?r - rover ?o - objective ?m - mode)
    (communicated_soil_data ?w - waypoint)
    (communicated_rock_data ?w - waypoint)
    (communicated_image_data ?o - objective ?m - mode))
  (:functions
    (energy ?r - rover)
    (recharges))

  (:action navigate
    :parameters (?x - rover ?y - waypoint ?z - waypoint)
    :precondition (and
      (at ?x ?y)
      (available ?x)
      (can_traverse ?x ?y ?z)
      (visible ?y ?z)
      (>= (energy ?x) 8))
    :effect (and
      (not (at ?x ?y))
      (at ?x ?z)
      (decrease (energy ?x) 8)))

  (:action recharge
    :parameters (?x - rover ?w - waypoint)
    :precondition (and
      (at ?x ?w)
      (in_sun ?w)
      (<= (energy ?x) 80))
    :effect (and
      (increase (energy ?x) 20)
      (increase (recharges) 1)))

  (:action sample_soil
    :parameters (?x - rover ?s - store ?p - waypoint)
    :precondition (and
      (at ?x ?p)
      (at_soil_sample ?p)
      (equipped_for_soil_analysis ?x)
      (store_of ?s ?x)
      (empty ?s)
      (>= (energy ?x) 3))
    :effect (and
      (not (at_soil_sample ?p))
      (not (empty ?s))
      (full ?s)
      (have_soil_analysis ?x ?p)
      (decrease (energy ?x) 3)))

  (:action sample_rock
    :parameters (?x - rover ?s - store ?p - waypoint)
    :precondition (and
      (at ?x ?p)
      (at_rock_sample ?p)
      (equipped_for_rock_analysis ?x)
      (store_of ?s ?x)
      (empty ?s)
      (>= (energy ?x) 5))
    :effect (and
      (not (at_rock_sample ?p))
      (not (empty ?s))
      (full ?s)
      (have_rock_analysis ?x ?p)
      (decrease (energy ?x) 5)))

  (:action drop
    :parameters (?x - rover ?y - store)
    :precondition (and
      (store_of ?y ?x)
      (full ?y))
    :effect (and
      (not (full ?y))
      (empty ?y)))

  (:action calibrate
    :parameters (?r - rover ?i - camera ?t - objective ?w - waypoint)
    :precondition (and
      (at ?r ?w)
      (equipped_for_imaging ?r)
      (on_board ?i ?r)
      (calibration_target ?i ?t)
      (visible_from ?t ?w)
      (>= (energy ?r) 2))
    :effect (and
      (calibrated ?i ?r)
      (decrease (energy ?r) 2)))

  (:action take_image
    :parameters (?r - rover ?p - waypoint ?o - objective ?i - camera ?m - mode)
    :precondition (and
      (at ?r ?p)
      (equipped_for_imaging ?r)
      (on_board ?i ?r)
      (supports ?i ?m)
      (calibrated ?i ?r)
      (visible_from ?o ?p)
      (>= (energy ?r) 1))
    :effect (and
      (not (calibrated ?i ?r))
      (have_image ?r ?o ?m)
      (decrease (energy ?r) 1)))

  ; Reporting occupies rover and channel and frees both again within the step: a deletion, then an addition, of the same atom.
  (:action communicate_soil_data
    :parameters (?r - rover ?l - lander ?p - waypoint ?x - waypoint ?y - waypoint)
    :precondition (and
      (at ?r ?x)
      (at_lander ?l ?y)
      (visible ?x ?y)
      (have_soil_analysis ?r ?p)
      (available ?r)
      (channel_free ?l)
      (>= (energy ?r) 4))
    :effect (and
      (not (available ?r))
      (not (channel_free ?l))
      (communicated_soil_data ?p)
      (available ?r)
      (channel_free ?l)
      (decrease (energy ?r) 4)))

  (:action communicate_rock_data
    :parameters (?r - rover ?l - lander ?p - waypoint ?x - waypoint ?y - waypoint)
    :precondition (and
      (at ?r ?x)
      (at_lander ?l ?y)
      (visible ?x ?y)
      (have_rock_analysis ?r ?p)
      (available ?r)
      (channel_free ?l)
      (>= (energy ?r) 4))
    :effect (and
      (not (available ?r))
      (not (channel_free ?l))
      (communicated_rock_data ?p)
      (available ?r)
      (channel_free ?l)
      (decrease (energy ?r) 4)))

  (:action communicate_image_data
    :parameters (?r - rover ?l - lander ?o - objective ?m - mode ?x - waypoint ?y - waypoint)
    :precondition (and
      (at ?r ?x)
      (at_lander ?l ?y)
      (visible ?x ?y)
      (have_image ?r ?o ?m)
      (available ?r)
      (channel_free ?l)
      (>= (energy ?r) 6))
    :effect (and
      (not (available ?r))
      (not (channel_free ?l))
      (communicated_image_data ?o ?m)
      (available ?r)
      (channel_free ?l)
      (decrease (energy ?r) 6)))
)
