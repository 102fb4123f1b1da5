; Values that nobody declared, and a cost that starts nowhere.
(define (problem published) (:domain harbour)
  (:objects Fram -tug sea -dock)
  (:init (= (fuel-used) 0) (= (crew Fram) (/ 7 2)) (= (Crew sea) 1) (= (fuel fram) 3) (at Fram Home))
  (:goal (at Fram sea))
  (:metric minimize (total-cost)))
