(define (domain t) (:types a b - c d - (either a b) c) (:constants k - d) (:predicates (p ?x - (either a c) ?y))
(:action x :parameters (?v - d) :precondition (p ?v k) :effect (not (p ?v k))))
