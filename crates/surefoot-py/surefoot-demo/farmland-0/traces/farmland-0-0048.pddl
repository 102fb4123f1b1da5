(define (problem farmland-0-0048)
  (:domain farmland)
  (:objects
    farm0 farm1 - farm)
  (:init
    (adj farm0 farm1)
    (adj farm1 farm0)
    (= (cost) 0)
    (= (x farm0) 14)
    (= (x farm1) 0))
  (:goal (and (>= (x farm0) 1) (>= (x farm1) 1) (>= (+ (* 1 (x farm0)) (* 1.7 (x farm1))) 14.7)))
)
