(define (problem farmland-0-0026)
  (:domain farmland)
  (:objects
    farm0 farm1 - farm)
  (:init
    (adj farm0 farm1)
    (adj farm1 farm0)
    (= (cost) 0)
    (= (x farm0) 17)
    (= (x farm1) 0))
  (:goal (and (>= (x farm0) 1) (>= (x farm1) 1) (>= (+ (* 1 (x farm0)) (* 1.8 (x farm1))) 17.4)))
)
