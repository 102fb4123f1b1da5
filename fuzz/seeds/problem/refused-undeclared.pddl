(define (problem undeclared) (:domain harbour)
  (:objects fram - tug)
  (:init (= (crew fram) many))
  (:goal (>= (crew fram) 1)))
