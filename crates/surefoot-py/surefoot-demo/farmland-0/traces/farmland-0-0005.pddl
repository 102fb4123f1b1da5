(define (problem farmland-0-0005)
  (:domain farmland)
  (:objects
    farm0 farm1 - farm)
  (:init
    (adj farm0 farm1)
    (adj farm1 farm0)
    (= (cost) 0)
    (= (x farm0) 0)
    (= (x farm1) 16))
  (:goal (and (>= (x farm0) 1) (>= (x farm1) 1) (>= (+ (* 1.6 (x farm0)) (* 1 (x farm1))) 17.8)))
)
