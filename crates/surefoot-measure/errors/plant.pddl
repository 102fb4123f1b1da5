; Vessels of a plant between which a solution flows. [[...]]: with errors; {{...}}: without.
(define (domain plant)
  (:requirements :typing :numeric-fluents)
  (:types vessel)
  (:predicates (pipe ?a ?b - vessel) (drained ?a - vessel))
  (:functions (volume ?v - vessel) (salt ?v - vessel) [[(error-of-volume ?v - vessel) (error-of-salt ?v - vessel)]])
  (:action flow
    :parameters (?a ?b - vessel)
    :precondition (and (pipe ?a ?b) (>= (- (volume ?a) [[(error-of-volume ?a)]]{{0}}) 2) (<= (+ (volume ?b) [[(error-of-volume ?b)]]{{0}}) 90)
                       (<= (+ (volume ?a) [[(error-of-volume ?a)]]{{0}}) 100) (<= (+ (salt ?b) [[(error-of-salt ?b)]]{{0}}) 60))
    :effect (and (assign (volume ?a) (* 0.8 (volume ?a))) (assign (salt ?a) (* 0.8 (salt ?a)))
                 (assign (volume ?b) (+ (volume ?b) (* 0.2 (volume ?a)))) (assign (salt ?b) (+ (salt ?b) (* 0.2 (salt ?a))))
                 [[(increase (error-of-volume ?b) (+ (* 0.2 (error-of-volume ?a)) 0.002)) (increase (error-of-volume ?a) (+ (* -0.2 (error-of-volume ?a)) 0.002))
                   (increase (error-of-salt ?b) (+ (* 0.2 (error-of-salt ?a)) 0.002)) (increase (error-of-salt ?a) (+ (* -0.2 (error-of-salt ?a)) 0.002))]]))
  (:action water
    :parameters (?v - vessel)
    :precondition (and (<= (+ (volume ?v) [[(error-of-volume ?v)]]{{0}}) 95) (>= (- (volume ?v) [[(error-of-volume ?v)]]{{0}}) 0))
    :effect (and (increase (volume ?v) 3) [[(increase (error-of-volume ?v) 0.002)]]))
  (:action brine
    :parameters (?v - vessel)
    :precondition (and (<= (+ (volume ?v) [[(error-of-volume ?v)]]{{0}}) 95) (<= (+ (salt ?v) [[(error-of-salt ?v)]]{{0}}) 50))
    :effect (and (increase (volume ?v) 2) (increase (salt ?v) 1.5)
                 [[(increase (error-of-volume ?v) 0.002) (increase (error-of-salt ?v) 0.002)]])))
