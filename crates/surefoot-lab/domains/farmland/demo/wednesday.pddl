(define (problem wednesday)
  (:domain farmland)
  (:objects north middle south - farm)
  (:init
    (adj north middle) (adj middle north) (adj middle south) (adj south middle) (adj north south) (adj south north)
    (= (x north) 11) (= (x middle) 0) (= (x south) 0)
    (= (cost) 0))
  (:goal (>= (x middle) 1))
)
