; A tank whose heat is lost by a share each step.
(define (domain tank)
  (:requirements :numeric-fluents)
  (:functions (temperature ?t) (level ?t))
  (:action heat
    :parameters (?t)
    :precondition (and (<= (+ (temperature ?t) (* 0.25 (level ?t))) 100) (>= (level ?t) 10))
    :effect (assign (temperature ?t) (+ (* 0.97 (temperature ?t)) 4.5)))
  (:action cool
    :parameters (?t)
    :precondition (>= (temperature ?t) 15)
    :effect (assign (temperature ?t) (+ (* 0.94 (temperature ?t)) 0.5)))
  (:action fill
    :parameters (?t)
    :precondition (<= (level ?t) 92)
    :effect (and (increase (level ?t) 6.5) (assign (temperature ?t) (+ (* 0.96 (temperature ?t)) 0.6))))
  (:action drain
    :parameters (?t)
    :precondition (>= (- (level ?t) (* 0.1 (temperature ?t))) 8)
    :effect (decrease (level ?t) 5)))
