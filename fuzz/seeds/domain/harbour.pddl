; A small harbour: boats carry crates between docks and burn fuel.
(define (domain Harbour)
  (:requirements :typing :fluents :adl :constants :equality)
  (:types dock vessel crate - object tug ferry - vessel amphibian - (either vessel dock))
  (:constants Home - dock)
  (:predicates (at ?v - vessel ?d - dock) (on ?c - crate ?where - (either vessel dock)) (open ?d - dock) (storm) (linked ?a ?b - dock))
  (:functions (fuel ?v - vessel) (way ?a ?b - dock) - number (total-cost))
  (:action Sail
    :parameters (?v - vessel ?from ?to - dock)
    :precondition (and (at ?v ?from) (linked ?from ?to) (not (= ?from ?to)) (>= (fuel ?v) (way ?from ?to)) (not (storm)))
    :effect (and (not (at ?v ?from)) (at ?v ?to) (decrease (fuel ?v) (way ?from ?to)) (increase (total-cost) 1)))
  (:action load
    :parameters (?c - crate ?v - vessel ?d - dock)
    :precondition (and (on ?c ?d) (at ?v ?d) (or (open ?d) (= ?d home)))
    :effect (and (not (on ?c ?d)) (on ?c ?v) (when (storm) (scale-down (fuel ?v) 2))))
  (:action unload
    :parameters (?c - crate ?v - vessel ?d - dock)
    :precondition (and (on ?c ?v) (at ?v ?d))
    :effect (and (on ?c ?d) (not (on ?c ?v))))
  (:action refuel-all
    :parameters ()
    :precondition (exists (?v - vessel) (and (at ?v Home) (< (fuel ?v) 10)))
    :effect (forall (?v - vessel) (when (at ?v Home) (assign (fuel ?v) (/ 100 3)))))
  (:action wait :parameters () :effect (not (storm)))
)
