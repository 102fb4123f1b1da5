; Satellite: satellites turn, which takes fuel, and take images with calibrated instruments, which takes memory.
(define (domain satellite)
  (:requirements :typing :equality :fluents)
  (:types satellite instrument mode direction)
  (:predicates
    (on_board ?i - instrument ?s - satellite)
    (supports ?i - instrument ?m - mode)
    (calibration_target ?i - instrument ?d - direction)
    (pointing ?s - satellite ?d - direction)
    (power_avail ?s - satellite)
    (power_on ?i - instrument)
    (calibrated ?i - instrument)
    (have_image ?d - direction ?m - mode))
  (:functions
    (fuel ?s - satellite)
    (slew_time ?a - direction ?b - direction)
    (data_capacity ?s - satellite)
    (data ?d - direction ?m - mode)
    (fuel-used)
    (data-stored))

  (:action turn_to
    :parameters (?s - satellite ?d_new - direction ?d_prev - direction)
    :precondition (and
      (pointing ?s ?d_prev)
      (not (= ?d_new ?d_prev))
      (>= (fuel ?s) (slew_time ?d_new ?d_prev)))
    :effect (and
      (not (pointing ?s ?d_prev))
      (pointing ?s ?d_new)
      (decrease (fuel ?s) (slew_time ?d_new ?d_prev))
      (increase (fuel-used) (slew_time ?d_new ?d_prev))))

  (:action switch_on
    :parameters (?i - instrument ?s - satellite)
    :precondition (and
      (on_board ?i ?s)
      (power_avail ?s))
    :effect (and
      (not (power_avail ?s))
      (power_on ?i)
      (not (calibrated ?i))))

  (:action switch_off
    :parameters (?i - instrument ?s - satellite)
    :precondition (and
      (on_board ?i ?s)
      (power_on ?i))
    :effect (and
      (not (power_on ?i))
      (power_avail ?s)))

  (:action calibrate
    :parameters (?s - satellite ?i - instrument ?d - direction)
    :precondition (and
      (on_board ?i ?s)
      (power_on ?i)
      (calibration_target ?i ?d)
      (pointing ?s ?d))
    :effect (calibrated ?i))

  (:action take_image
    :parameters (?s - satellite ?d - direction ?i - instrument ?m - mode)
    :precondition (and
      (on_board ?i ?s)
      (power_on ?i)
      (calibrated ?i)
      (supports ?i ?m)
      (pointing ?s ?d)
      (>= (data_capacity ?s) (data ?d ?m)))
    :effect (and
      (have_image ?d ?m)
      (decrease (data_capacity ?s) (data ?d ?m))
      (increase (data-stored) (data ?d ?m))))
)
