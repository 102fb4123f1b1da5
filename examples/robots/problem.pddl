(define (problem thursday)
  (:domain robots)
  (:objects r1 r2 - robot dock shelf gate - place)
  (:init
    (at r1 dock) (= (battery r1) 40)
    (at r2 dock) (= (battery r2) 100)
    (= (distance dock shelf) 5) (= (distance shelf dock) 5)
    (= (distance shelf gate) 4) (= (distance gate shelf) 4))
  (:goal (at r1 gate)))
