(define (domain refused)
 (:durative-action go :parameters () :duration (= ?duration 1))
 (:derived (p) (q))
 (:process a) (:event b) (:constraints (always (p))))
