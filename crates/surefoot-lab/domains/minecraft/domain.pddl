; Minecraft: from trees to logs, planks, sticks, a tree tap and pellets of rubber, to a pogo stick.
(define (domain polycraft)
  (:requirements :fluents)
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
    :precondition (>= (trees_in_map) 1)
    :effect (and
      (decrease (trees_in_map) 1)
      (increase (count_log_in_inventory) 1)))

  (:action craft_plank
    :parameters ()
    :precondition (>= (count_log_in_inventory) 1)
    :effect (and
      (decrease (count_log_in_inventory) 1)
      (increase (count_planks_in_inventory) 4)))

  (:action craft_stick
    :parameters ()
    :precondition (>= (count_planks_in_inventory) 2)
    :effect (and
      (decrease (count_planks_in_inventory) 2)
      (increase (count_stick_in_inventory) 4)))

  (:action craft_tree_tap
    :parameters ()
    :precondition (and
      (>= (count_planks_in_inventory) 5)
      (>= (count_stick_in_inventory) 1))
    :effect (and
      (decrease (count_planks_in_inventory) 5)
      (decrease (count_stick_in_inventory) 1)
      (increase (count_tree_tap_in_inventory) 1)))

  ; The tap needs a tree, which stays.
  (:action place_tree_tap
    :parameters ()
    :precondition (and
      (>= (count_tree_tap_in_inventory) 1)
      (>= (trees_in_map) 1))
    :effect (and
      (decrease (count_tree_tap_in_inventory) 1)
      (increase (count_sack_polyisoprene_pellets_in_inventory) 1)))

  (:action craft_wooden_pogo
    :parameters ()
    :precondition (and
      (>= (count_planks_in_inventory) 2)
      (>= (count_stick_in_inventory) 4)
      (>= (count_sack_polyisoprene_pellets_in_inventory) 1))
    :effect (and
      (decrease (count_planks_in_inventory) 2)
      (decrease (count_stick_in_inventory) 4)
      (decrease (count_sack_polyisoprene_pellets_in_inventory) 1)
      (have_pogo_stick)))
)
