; Problem 1 of: surefoot generate minecraft --seed 3 --size trees=4..218 --size stock=1..60 --size spare=0..2
(define (problem minecraft-3-0001)
  (:domain polycraft)
  (:init
    (= (trees_in_map) 146)
    (= (count_log_in_inventory) 0)
    (= (count_planks_in_inventory) 0)
    (= (count_stick_in_inventory) 0)
    (= (count_tree_tap_in_inventory) 0)
    (= (count_sack_polyisoprene_pellets_in_inventory) 0))
  (:goal (and (have_pogo_stick)))
)
