; Tanks that are heated and filled. [[...]]: with errors; {{...}}: without.
(define (domain tanks)
  (:requirements :typing :numeric-fluents)
  (:types tank)
  (:functions (temperature ?t - tank) (level ?t - tank) [[(error-of-temperature ?t - tank) (error-of-level ?t - tank)]])
  (:action heat
    :parameters (?t - tank)
    :precondition (and (<= (+ (temperature ?t) [[(error-of-temperature ?t)]]{{0}}) 78)
                       (>= (- (temperature ?t) [[(error-of-temperature ?t)]]{{0}}) 4)
                       (>= (- (level ?t) [[(error-of-level ?t)]]{{0}}) 9.5))
    :effect (and (assign (temperature ?t) (+ (* 0.97 (temperature ?t)) 2.4))
                 [[(increase (error-of-temperature ?t) (+ (* -0.03 (error-of-temperature ?t)) 0.004))]]))
  (:action rest
    :parameters (?t - tank)
    :precondition (and (<= (+ (temperature ?t) [[(error-of-temperature ?t)]]{{0}}) 90)
                       (>= (- (temperature ?t) [[(error-of-temperature ?t)]]{{0}}) 10))
    :effect (and (assign (temperature ?t) (+ (* 0.9 (temperature ?t)) 1.5))
                 [[(increase (error-of-temperature ?t) (+ (* -0.1 (error-of-temperature ?t)) 0.004))]]))
  (:action fill
    :parameters (?t - tank)
    :precondition (and (<= (+ (level ?t) [[(error-of-level ?t)]]{{0}}) 92) (>= (- (level ?t) [[(error-of-level ?t)]]{{0}}) 0)
                       (<= (+ (temperature ?t) [[(error-of-temperature ?t)]]{{0}}) 60))
    :effect (and (increase (level ?t) 4.2) [[(increase (error-of-level ?t) 0.004)]]
                 (assign (temperature ?t) (+ (* 0.95 (temperature ?t)) 0.75))
                 [[(increase (error-of-temperature ?t) (+ (* -0.05 (error-of-temperature ?t)) 0.004))]]))
  (:action pump
    :parameters (?s ?t - tank)
    :precondition (and (not (= ?s ?t)) (>= (- (level ?s) [[(error-of-level ?s)]]{{0}}) 12) (<= (+ (level ?t) [[(error-of-level ?t)]]{{0}}) 88))
    :effect (and (decrease (level ?s) 6) (increase (level ?t) 5.9)
                 [[(increase (error-of-level ?s) 0.002) (increase (error-of-level ?t) 0.006)]])))
