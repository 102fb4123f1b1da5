; Farmland: workers move between neighbouring farms, slowly one at a time, or four at once with a loss of two.
(define (domain farmland)
  (:requirements :typing :fluents)
  (:types farm)
  (:predicates
    (adj ?f1 - farm ?f2 - farm))
  (:functions
    (x ?b - farm)
    (cost))

  (:action move-fast
    :parameters (?f1 - farm ?f2 - farm)
    :precondition (and
      (adj ?f1 ?f2)
      (>= (x ?f1) 4))
    :effect (and
      (decrease (x ?f1) 4)
      (increase (x ?f2) 2)
      (increase (cost) 1)))

  (:action move-slow
    :parameters (?f1 - farm ?f2 - farm)
    :precondition (and
      (adj ?f1 ?f2)
      (>= (x ?f1) 1))
    :effect (and
      (decrease (x ?f1) 1)
      (increase (x ?f2) 1)))
)
