; A reactor: what is fed cools it, what reacts heats it; batches are counted.
(define (domain plant)
  (:requirements :numeric-fluents)
  (:functions (acid ?r) (base ?r) (temperature ?r) (product ?r) (batches ?r))
  (:action feed-acid
    :parameters (?r)
    :precondition (and (<= (+ (acid ?r) (base ?r)) 90) (<= (temperature ?r) 85))
    :effect (and (increase (acid ?r) 4.5) (assign (temperature ?r) (+ (* 0.95 (temperature ?r)) 1))))
  (:action feed-base
    :parameters (?r)
    :precondition (<= (+ (acid ?r) (base ?r)) 95)
    :effect (and (increase (base ?r) 5) (assign (temperature ?r) (+ (* 0.96 (temperature ?r)) 0.8))))
  (:action heat
    :parameters (?r)
    :precondition (<= (temperature ?r) 92)
    :effect (assign (temperature ?r) (+ (* 0.94 (temperature ?r)) 6.2)))
  (:action react
    :parameters (?r)
    :precondition (and (>= (acid ?r) 6) (>= (base ?r) 8) (>= (temperature ?r) 40))
    :effect (and (assign (acid ?r) (* 0.8 (acid ?r))) (decrease (base ?r) (* 0.15 (acid ?r)))
      (increase (product ?r) (* 0.3 (acid ?r))) (assign (temperature ?r) (+ (* 0.97 (temperature ?r)) (* 0.05 (acid ?r))))))
  (:action ship
    :parameters (?r)
    :precondition (>= (product ?r) 8)
    :effect (and (decrease (product ?r) 7.5) (increase (batches ?r) 1))))
