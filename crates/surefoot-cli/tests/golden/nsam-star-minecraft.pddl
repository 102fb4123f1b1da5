; Learned by surefoot with N-SAM*.
; Every plan made with this domain can be executed in the real world, and does what it says, if:
;  - Recorded states are complete, except for values that they mark as unknown. Every step recorded as a success succeeded, except those that another line here names. Actions are deterministic.
;  - Preconditions are conjunctions of literals and of numeric comparisons (=, <, <=, >, >=), without negated numeric equations.
;  - Effects are unconditional: an action adds and deletes the same atoms, and changes the same functions, whenever it is taken.
;  - Conditions and effects mention only constants and the parameters of their action. Each argument has a type that the domain declares for its position. No atom or function has the same parameter twice.
;  - Numeric conditions are linear, and each function is changed by at most one effect of an action: an increase, a decrease or an assignment of a linear formula, or a scaling by a number.
; surefoot-model {"format":1,"safe":true,"spec":{}}
(define (domain polycraft)
  (:requirements :negative-preconditions :numeric-fluents)
  (:predicates
    (have_pogo_stick))
  (:functions
    (trees_in_map)
    (count_log_in_inventory)
    (count_planks_in_inventory)
    (count_stick_in_inventory)
    (count_tree_tap_in_inventory)
    (count_sack_polyisoprene_pellets_in_inventory))

  (:action get_log
    :parameters ()
    :precondition (and
      (not (have_pogo_stick))
      (= (count_tree_tap_in_inventory) 0)
      (>= (count_log_in_inventory) 0)
      (>= (count_sack_polyisoprene_pellets_in_inventory) 0)
      (<= (* 3 (count_sack_polyisoprene_pellets_in_inventory)) (count_planks_in_inventory))
      (<= (* 7 (count_sack_polyisoprene_pellets_in_inventory)) (count_stick_in_inventory))
      (<= (+ (* 2 (count_planks_in_inventory)) (* 15 (count_sack_polyisoprene_pellets_in_inventory))) (+ (* 8 (count_log_in_inventory)) (* 3 (count_stick_in_inventory))))
      (<= (+ (* 2 (trees_in_map)) (* 6 (count_log_in_inventory)) (* 4 (count_planks_in_inventory)) (* 47 (count_sack_polyisoprene_pellets_in_inventory))) (+ (* 5 (count_stick_in_inventory)) 100))
      (<= (+ (* 11 (count_stick_in_inventory)) 154) (+ (* 4 (trees_in_map)) (* 4 (count_log_in_inventory)) (count_planks_in_inventory) (* 76 (count_sack_polyisoprene_pellets_in_inventory))))
      (<= (+ (* 17 (count_stick_in_inventory)) 328) (+ (* 8 (trees_in_map)) (* 8 (count_log_in_inventory)) (* 2 (count_planks_in_inventory)) (* 137 (count_sack_polyisoprene_pellets_in_inventory))))
      (<= (+ (* 51 (count_stick_in_inventory)) 779) (+ (* 19 (trees_in_map)) (* 19 (count_log_in_inventory)) (* 26 (count_planks_in_inventory)) (* 336 (count_sack_polyisoprene_pellets_in_inventory))))
      (<= (+ (* 304 (count_log_in_inventory)) (* 204 (count_stick_in_inventory)) 2736) (+ (* 76 (trees_in_map)) (* 19 (count_planks_in_inventory)) (* 1219 (count_sack_polyisoprene_pellets_in_inventory))))
      (<= (+ (* 94 (count_log_in_inventory)) (* 204 (count_stick_in_inventory)) 2946) (+ (* 76 (trees_in_map)) (* 19 (count_planks_in_inventory)) (* 1429 (count_sack_polyisoprene_pellets_in_inventory))))
      (<= (+ (* 114 (trees_in_map)) (* 114 (count_log_in_inventory)) (* 224 (count_planks_in_inventory)) (* 2649 (count_sack_polyisoprene_pellets_in_inventory))) (+ (* 279 (count_stick_in_inventory)) 5700)))
    :effect (and
      (decrease (trees_in_map) 1)
      (increase (count_log_in_inventory) 1)))

  (:action craft_plank
    :parameters ()
    :precondition (and
      (not (have_pogo_stick))
      (= (count_tree_tap_in_inventory) 0)
      (>= (count_sack_polyisoprene_pellets_in_inventory) 0)
      (>= (count_log_in_inventory) 1)
      (<= (count_sack_polyisoprene_pellets_in_inventory) (count_planks_in_inventory))
      (<= (+ (* 2 (count_log_in_inventory)) (count_planks_in_inventory) (* 3 (count_sack_polyisoprene_pellets_in_inventory))) 6)
      (<= (+ (* 2 (count_planks_in_inventory)) (* 9 (count_sack_polyisoprene_pellets_in_inventory))) (count_stick_in_inventory))
      (<= (+ (* 32 (count_log_in_inventory)) (* 8 (count_planks_in_inventory)) (* 19 (count_sack_polyisoprene_pellets_in_inventory)) 248) (+ (* 8 (trees_in_map)) (count_stick_in_inventory)))
      (>= (+ (* 8 (trees_in_map)) (* 80 (count_log_in_inventory)) (* 20 (count_planks_in_inventory)) (count_stick_in_inventory) (* 65 (count_sack_polyisoprene_pellets_in_inventory))) 472)
      (<= (+ (* 4 (trees_in_map)) (* 12 (count_log_in_inventory)) (* 3 (count_planks_in_inventory)) (* 155 (count_sack_polyisoprene_pellets_in_inventory))) (+ (* 10 (count_stick_in_inventory)) 208))
      (<= (+ (* 30 (trees_in_map)) (* 90 (count_log_in_inventory)) (* 203 (count_planks_in_inventory)) (* 1191 (count_sack_polyisoprene_pellets_in_inventory))) (+ (* 94 (count_stick_in_inventory)) 1560))
      (<= (+ (* 1948 (count_log_in_inventory)) (* 487 (count_planks_in_inventory)) (* 206 (count_stick_in_inventory)) (* 783 (count_sack_polyisoprene_pellets_in_inventory))) (+ (* 60 (trees_in_map)) 3264))
      (<= (+ (* 206 (count_stick_in_inventory)) 5248) (+ (* 60 (trees_in_map)) (* 2308 (count_log_in_inventory)) (* 577 (count_planks_in_inventory)) (* 2409 (count_sack_polyisoprene_pellets_in_inventory)))))
    :effect (and
      (decrease (count_log_in_inventory) 1)
      (increase (count_planks_in_inventory) 4)))

  (:action craft_stick
    :parameters ()
    :precondition (and
      (not (have_pogo_stick))
      (= (count_tree_tap_in_inventory) 0)
      (>= (count_sack_polyisoprene_pellets_in_inventory) 0)
      (<= (+ (* 5 (count_sack_polyisoprene_pellets_in_inventory)) 8) (+ (* 2 (count_planks_in_inventory)) (count_stick_in_inventory)))
      (<= (+ (* 2 (count_planks_in_inventory)) (* 9 (count_sack_polyisoprene_pellets_in_inventory))) (+ (count_stick_in_inventory) 8))
      (<= (+ (* 8 (count_log_in_inventory)) (* 2 (count_planks_in_inventory)) (count_stick_in_inventory) (* 3 (count_sack_polyisoprene_pellets_in_inventory))) 24)
      (<= (+ (* 3 (count_stick_in_inventory)) 8) (+ (* 8 (count_log_in_inventory)) (* 2 (count_planks_in_inventory)) (* 15 (count_sack_polyisoprene_pellets_in_inventory))))
      (<= (+ (* 8 (trees_in_map)) (* 24 (count_log_in_inventory)) (* 77 (count_sack_polyisoprene_pellets_in_inventory))) (+ (* 2 (count_planks_in_inventory)) (count_stick_in_inventory) 384))
      (<= (+ (* 14 (count_planks_in_inventory)) (* 7 (count_stick_in_inventory)) 728) (+ (* 16 (trees_in_map)) (* 88 (count_log_in_inventory)) (* 139 (count_sack_polyisoprene_pellets_in_inventory)))))
    :effect (and
      (decrease (count_planks_in_inventory) 2)
      (increase (count_stick_in_inventory) 4)))

  (:action craft_tree_tap
    :parameters ()
    :precondition (and
      (not (have_pogo_stick))
      (= (count_log_in_inventory) 0)
      (= (count_planks_in_inventory) 8)
      (= (count_tree_tap_in_inventory) 0)
      (= (count_sack_polyisoprene_pellets_in_inventory) 0)
      (>= (count_stick_in_inventory) 8)
      (<= (* 15 (trees_in_map)) (+ (* 47 (count_stick_in_inventory)) 329))
      (<= (+ (* 103 (count_stick_in_inventory)) 316) (* 30 (trees_in_map))))
    :effect (and
      (decrease (count_planks_in_inventory) 5)
      (decrease (count_stick_in_inventory) 1)
      (increase (count_tree_tap_in_inventory) 1)))

  (:action place_tree_tap
    :parameters ()
    :precondition (and
      (not (have_pogo_stick))
      (= (count_log_in_inventory) 0)
      (= (count_planks_in_inventory) 3)
      (= (count_tree_tap_in_inventory) 1)
      (= (count_sack_polyisoprene_pellets_in_inventory) 0)
      (>= (count_stick_in_inventory) 7)
      (<= (* 15 (trees_in_map)) (+ (* 47 (count_stick_in_inventory)) 376))
      (<= (+ (* 103 (count_stick_in_inventory)) 419) (* 30 (trees_in_map))))
    :effect (and
      (decrease (count_tree_tap_in_inventory) 1)
      (increase (count_sack_polyisoprene_pellets_in_inventory) 1)))

  (:action craft_wooden_pogo
    :parameters ()
    :precondition (and
      (not (have_pogo_stick))
      (= (count_log_in_inventory) 0)
      (= (count_tree_tap_in_inventory) 0)
      (= (count_sack_polyisoprene_pellets_in_inventory) 1)
      (>= (count_planks_in_inventory) 3)
      (<= (+ (* 2 (count_planks_in_inventory)) 1) (count_stick_in_inventory))
      (<= (+ (* 49 (count_stick_in_inventory)) 731) (+ (* 15 (trees_in_map)) (* 143 (count_planks_in_inventory))))
      (<= (+ (* 15 (trees_in_map)) (* 169 (count_planks_in_inventory))) (+ (* 47 (count_stick_in_inventory)) 883)))
    :effect (and
      (have_pogo_stick)
      (decrease (count_planks_in_inventory) 2)
      (decrease (count_stick_in_inventory) 4)
      (decrease (count_sack_polyisoprene_pellets_in_inventory) 1)))
)
