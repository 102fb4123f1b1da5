(define (problem monday)
  (:domain farmland)
  (:objects north middle south - farm)
  (:init
    (adj north middle) (adj middle north) (adj middle south) (adj south middle) (adj north south) (adj south north)
    (= (x north) 6) (= (x middle) 0) (= (x south) 0)
    (= (cost) 0))
  (:goal (and (>= (x middle) 1) (>= (x south) 2)))
)
