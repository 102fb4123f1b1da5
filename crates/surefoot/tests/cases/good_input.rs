//! PDDL as people write it: small domains that must be read, each with a word on why it is here.

use crate::support::{DELIVERY, LORRIES, domain, plan, problem, trajectory};
use surefoot_analysis::inspect::{DomainProfile, Spread};
use surefoot_base::assumptions::Spec;
use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::{Fault, Inapplicable, Semantics};
use surefoot_base::model::{Domain, Problem, Universe};
use surefoot_base::pddl::{
    Numbers, Source, TrajectoryReader, Writer, write_domain, write_plan, write_problem,
    write_trajectory,
};
use surefoot_base::validate::{PlanVerdict, trace, validate};
use surefoot_learn::Class;

/// The value of a function without arguments after a plan.
fn value_after(domain: &Domain, problem: &Problem, steps: &str, function: &str) -> Rational {
    let run = trace(domain, problem, &plan(domain, problem, steps)).unwrap();
    let writer = Writer::new(domain, &problem.objects);
    let named = |name: &str| name.eq_ignore_ascii_case(&format!("({function})"));
    let last = run.states.last().unwrap();
    last.values()
        .find(|(id, _)| named(&writer.ground_function(run.universe.ground_function(*id))))
        .unwrap()
        .1
        .clone()
}

fn is_valid(domain: &Domain, problem: &Problem, steps: &str) -> bool {
    matches!(
        validate(domain, problem, &plan(domain, problem, steps), &Rational::ZERO),
        PlanVerdict::Valid { .. }
    )
}

mod names {
    use super::*;

    /// As in the published data: capitals in domains and problems, lower case in trajectories.
    #[test]
    fn any_letter_case_and_the_author_s_spelling_when_written_back() {
        let rovers = domain(
            "(DEFINE (DOMAIN Rover)
               (:Types Rover Waypoint GroundStation)
               (:PREDICATES (at_Lander ?l - GROUNDSTATION ?y - Waypoint))
               (:Functions (Energy ?r - ROVER))
               (:ACTION LAND :Parameters (?L - groundstation ?W - waypoint) :PRECONDITION (AND) \
             :Effect (AT_LANDER ?l ?w)))",
        );
        let one = problem(
            &rovers,
            "(define (problem One) (:domain ROVER) (:objects General - groundStation W0 - \
             WAYPOINT) (:init) (:goal (And)))",
        );
        let run = trace(&rovers, &one, &plan(&rovers, &one, "(land GENERAL w0)")).unwrap();
        assert_eq!(
            write_trajectory(&rovers, &one.objects, &run),
            "((:init)\n(operator: (land general w0))\n(:state (at_lander general w0))\n)\n"
        );
        let text = write_domain(&rovers);
        for spelling in [
            "(domain Rover)",
            "(at_Lander ?l - GroundStation ?y - Waypoint)",
            "(:action LAND",
            "?L - GroundStation",
            "(Energy ?r - Rover)",
        ] {
            assert!(text.contains(spelling), "{spelling} in {text}");
        }
        assert_eq!(
            write_plan(&rovers, &one.objects, &plan(&rovers, &one, "(LaNd general W0)")),
            "(LAND General W0)\n"
        );
        assert!(write_problem(&rovers, &one).contains("General - GroundStation"));
    }

    /// Puzzles name their tiles by numbers; `=` between two of them must not become arithmetic.
    #[test]
    fn numbers_and_signs_as_names() {
        let tiles = domain(
            "(define (domain 8-puzzle) (:types tile@home) (:predicates (on!? ?t - tile@home) (_x))
               (:action slide/2 :parameters (?t - tile@home) :precondition (and (on!? ?t) (not (= \
             ?t 2))) :effect (_x))
               (:constants 2 - tile@home))",
        );
        let one = problem(
            &tiles,
            "(define (problem 1) (:domain 8-puzzle) (:objects 1 ß - tile@home) (:init (on!? 1) \
             (on!? 2) (on!? ß)) (:goal (_x)))",
        );
        assert!(is_valid(&tiles, &one, "(slide/2 1)"));
        assert!(is_valid(&tiles, &one, "(slide/2 ß)"));
        assert!(!is_valid(&tiles, &one, "(slide/2 2)"));
    }

    /// Words of other levels of PDDL, and of planning, are ordinary names where they are declared.
    #[test]
    fn predicates_and_objects_named_like_words_of_other_pddls() {
        let mixed = domain(
            "(define (domain d) (:constants start end all)
               (:predicates (at ?what ?where) (over ?a ?b) (preference ?who ?what) (always ?x) \
             (object ?x) (define))
               (:functions (is-violated ?x) (total-time) (duration))
               (:action a :parameters (?x)
                 :precondition (and (at start ?x) (over all ?x) (preference ?x start) (not (at end \
             ?x)))
                 :effect (and (preference ?x all) (always ?x) (define) (increase (total-time) \
             5))))",
        );
        let one = problem(
            &mixed,
            "(define (problem p) (:domain d) (:objects y)
               (:init (at start y) (over all y) (preference y start) (= (total-time) 1) (= \
             (is-violated y) 2))
               (:goal (preference y all)) (:metric minimize (+ (total-time) (is-violated y))))",
        );
        let verdict = validate(&mixed, &one, &plan(&mixed, &one, "(a y)"), &Rational::ZERO);
        assert_eq!(verdict, PlanVerdict::Valid { metric: Some(Ok(Rational::integer(8))) });
    }

    /// A predicate and a function of one name, as in some generated domains: where it stands says
    /// which is meant.
    #[test]
    fn a_predicate_and_a_function_of_one_name() {
        let both = domain(
            "(define (domain d) (:predicates (load ?x)) (:functions (load ?x))
               (:action a :parameters (?x) :precondition (and (load ?x) (> (load ?x) 1)) :effect \
             (decrease (load ?x) 1)))",
        );
        let one = problem(
            &both,
            "(define (problem p) (:domain d) (:objects o) (:init (load o) (= (load o) 2)) (:goal \
             (= (load o) 1)))",
        );
        assert!(is_valid(&both, &one, "(a o)"));
    }
}

mod declarations {
    use super::*;

    /// Parents that are never listed, children before parents, several parents, `object` listed, a
    /// parent given in two places.
    #[test]
    fn type_hierarchies_of_every_shape() {
        let zoo = domain(
            "(define (domain zoo)
               (:types cat - pet pet wolf - animal bat - (either bird mammal) bird mammal - animal \
             whale - mammal whale - fish object)
               (:predicates (p ?x - animal) (f ?x - fish) (either-way ?x - (either pet fish))))",
        );
        let types = &zoo.signature.types;
        let is = |sub: &str, of: &str| {
            types.is_subtype(types.find(sub).unwrap(), types.find(of).unwrap())
        };
        for (sub, of) in [
            ("cat", "pet"),
            ("cat", "animal"),
            ("bat", "bird"),
            ("bat", "mammal"),
            ("bat", "animal"),
            ("whale", "fish"),
            ("whale", "animal"),
            ("fish", "object"),
            ("cat", "cat"),
        ] {
            assert!(is(sub, of), "{sub} is a {of}");
        }
        for (sub, of) in [
            ("pet", "cat"),
            ("bird", "mammal"),
            ("fish", "animal"),
            ("object", "animal"),
            ("cat", "fish"),
        ] {
            assert!(!is(sub, of), "{sub} is no {of}");
        }
        let one = problem(
            &zoo,
            "(define (problem p) (:domain zoo) (:objects b - bat w - whale c - cat) (:init (p b) \
             (p w) (p c) (f w) (either-way w) (either-way c)) (:goal ()))",
        );
        assert_eq!(one.atoms.len(), 6);
        assert_eq!(domain(&write_domain(&zoo)), zoo);
    }

    /// Sections in any order, no requirements or unknown ones, empty sections.
    #[test]
    fn sections_in_any_order() {
        let backwards = domain(
            "(define (domain d)
               (:action a :parameters (?x - t) :precondition (p ?x k) :effect (increase (f ?x) 1))
               (:functions (f ?x - t)) (:predicates (p ?x ?y - t)) (:constants k - t) (:types t))",
        );
        assert_eq!(backwards.actions.len(), 1);
        let unknown = domain(
            "(define (domain d) (:requirements :strips :my-own-extension) (:types) (:constants) \
             (:predicates) (:functions))",
        );
        assert_eq!(unknown.requirements.len(), 2);
        assert!(unknown.signature.predicates.is_empty());
        let one = problem(
            &backwards,
            "(define (problem p) (:goal (p k k)) (:init (p k k)) (:objects) (:requirements \
             :strips) (:domain d))",
        );
        assert!(is_valid(&backwards, &one, ""));
    }

    /// Domains without types, as in the first competitions.
    #[test]
    fn untyped_domains() {
        let blocks = domain(
            "(define (domain blocks) (:predicates (clear ?x) (held ?x) (empty))
               (:action pick :parameters (?x) :precondition (and (clear ?x) (empty)) :effect (and \
             (held ?x) (not (empty)) (not (clear ?x)))))",
        );
        let one = problem(
            &blocks,
            "(define (problem p) (:domain blocks) (:objects a b) (:init (clear a) (empty)) (:goal \
             (held a)))",
        );
        assert!(is_valid(&blocks, &one, "(PICK A)"));
        assert!(!write_domain(&blocks).contains("object"), "nothing is typed that was not");
    }

    #[test]
    fn functions_with_and_without_number() {
        for functions in [
            "(f) (g ?x)",
            "(f) - number (g ?x) - number",
            "(f) (g ?x) - number",
            "(f) - NUMBER (g ?x)",
        ] {
            let read = domain(&format!("(define (domain d) (:functions {functions}))"));
            let names: Vec<_> = read
                .signature
                .functions
                .iter()
                .map(|(name, symbol)| (name, symbol.parameters.len()))
                .collect();
            assert_eq!(names, [("f", 0), ("g", 1)], "{functions}");
        }
    }

    /// Problems often list the domain's constants again.
    #[test]
    fn a_constant_listed_again_as_an_object() {
        let read =
            domain("(define (domain d) (:types t) (:constants k - t) (:predicates (p ?x - t)))");
        let one = problem(
            &read,
            "(define (problem p) (:domain d) (:objects K o - t) (:init (p k) (p o)) (:goal (p K)))",
        );
        assert_eq!(one.objects.len(), 2);
        assert!(is_valid(&read, &one, ""));
    }

    /// Names do not begin with a dash, so it needs no space after it.
    #[test]
    fn a_dash_without_a_space_before_the_type() {
        let close = "(define (domain d) (:types depot market -place place -object) (:constants k \
                     -depot) (:predicates (at ?p -place))
               (:functions (f ?m -market) -number (g)) (:action a :parameters (?m -market ?p) \
                     :precondition (and (at ?m) (at k))))";
        let wide = close.replace('-', "- ");
        assert_eq!(domain(close), domain(&wide));
        assert_eq!(domain(close).signature.types.ids().len(), 4);
    }

    /// A variable may be of a narrower type than the place declares, also where several types are
    /// declared for either.
    #[test]
    fn variables_of_narrower_types() {
        let read = domain(
            "(define (domain d) (:types car van - vehicle dog) (:predicates (seen ?x - (either dog \
             vehicle)) (fast ?v - vehicle) (done))
               (:functions (weight ?x - (either dog vehicle)))
               (:action a :parameters (?x - (either car van) ?y - (either dog van))
                 :precondition (and (fast ?x) (not (seen ?y)) (> (weight ?x) (weight ?y)) (exists \
             (?z - dog) (seen ?z)) (not (= ?x ?y)))
                 :effect (and (seen ?x) (seen ?y) (increase (weight ?y) (weight ?x)) (done))))",
        );
        let one = problem(
            &read,
            "(define (problem p) (:domain d) (:objects rex fido - dog vw - car)
               (:init (fast vw) (seen fido) (= (weight vw) 3) (= (weight rex) 2)) (:goal (and \
             (done) (forall (?x - dog) (seen ?x)))))",
        );
        assert!(is_valid(&read, &one, "(a vw rex)"));
        assert!(!is_valid(&read, &one, "(a vw fido)"));
    }
}

mod actions {
    use super::*;

    #[test]
    fn preconditions_and_effects_that_are_missing_or_empty() {
        for body in [
            "",
            ":parameters ()",
            ":precondition () :effect ()",
            ":precondition (and) :effect (and)",
            ":parameters () :effect (and (and) ())",
            ":effect () :precondition (and () (and)) :parameters ()",
        ] {
            let read = domain(&format!("(define (domain d) (:action rest {body}))"));
            let one = problem(&read, "(define (problem p) (:domain d) (:init) (:goal ()))");
            assert!(is_valid(&read, &one, "(rest)\n(rest )\n( rest)"), "{body}");
        }
    }

    /// As in rovers: `communicate` deletes and adds the same atom, which is then true.
    #[test]
    fn an_effect_that_deletes_and_adds_one_atom() {
        let rovers = domain(
            "(define (domain d) (:predicates (available ?r))
               (:action communicate :parameters (?r) :precondition (available ?r) :effect (and \
             (not (available ?r)) (available ?r))))",
        );
        let one = problem(
            &rovers,
            "(define (problem p) (:domain d) (:objects r) (:init (available r)) (:goal (available \
             r)))",
        );
        assert!(is_valid(&rovers, &one, "(communicate r)\n(communicate r)"));
    }

    /// As in driverlog: times are known for linked pairs only, and unknown is not zero. Self pairs
    /// are pairs.
    #[test]
    fn functions_defined_for_some_arguments_only() {
        let roads = domain(
            "(define (domain d) (:predicates (at ?x)) (:functions (time ?a ?b) (clock))
               (:action go :parameters (?a ?b) :precondition (at ?a) :effect (and (not (at ?a)) \
             (at ?b) (increase (clock) (time ?a ?b)))))",
        );
        let one = problem(
            &roads,
            "(define (problem p) (:domain d) (:objects a b) (:init (at a) (= (time a b) 2) (= \
             (time a a) 0) (= (clock) 0)) (:goal (at b)))",
        );
        assert!(is_valid(&roads, &one, "(go a a)\n(go a b)"));
        assert!(!is_valid(&roads, &one, "(go a b)\n(go b a)\n(go a b)"));
    }

    /// Fifty squarings of three would be a number of 10^15 digits.
    #[test]
    fn a_value_that_outgrows_every_memory_is_a_fault_of_the_step() {
        let squares = domain(
            "(define (domain d) (:functions (n)) (:action square :effect (assign (n) (* (n) \
             (n)))))",
        );
        let three = problem(
            &squares,
            "(define (problem p) (:domain d) (:init (= (n) 3)) (:goal (> (n) 0)))",
        );
        assert!(is_valid(&squares, &three, &"(square)".repeat(15)));
        match validate(
            &squares,
            &three,
            &plan(&squares, &three, &"(square)".repeat(50)),
            &Rational::ZERO,
        ) {
            PlanVerdict::StepFails(failed) => {
                assert_eq!(
                    (failed.index, failed.reason),
                    (19, Inapplicable::Effect(Fault::TooLarge))
                );
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_operator_and_comparison() {
        let counter = domain(
            "(define (domain d) (:functions (n) (m))
               (:action a :effect (assign (n) (+ 1 2 (* 2 (m) 3) (- 4) (- 10 3) (/ 9 2) (+ 1) (* \
             2))))
               (:action b :effect (increase (n) .5)) (:action c :effect (decrease (n) 1e1))
               (:action e :effect (scale-up (n) -2)) (:action f :effect (scale-down (n) 4))
               (:action ok :precondition (and (< (n) 3) (<= (n) 2) (= (n) 2) (>= (n) 2) (> (n) 1)
                 (not (< (n) 2)) (not (<= (n) 1)) (not (= (n) 1)) (not (>= (n) 3)) (not (> (n) \
             2)))))",
        );
        let start = |n: &str| {
            problem(
                &counter,
                &format!(
                    "(define (problem p) (:domain d) (:init (= (n) {n}) (= (m) 1)) (:goal ()))"
                ),
            )
        };
        assert_eq!(value_after(&counter, &start("0"), "(a)", "n"), Rational::new(39, 2).unwrap());
        assert_eq!(
            value_after(&counter, &start("2"), "(b)(c)(e)(f)", "n"),
            Rational::new(15, 4).unwrap()
        );
        assert!(is_valid(&counter, &start("2"), "(ok)"));
        assert!(is_valid(&counter, &start("2.000"), "(ok)"));
        assert!(
            !is_valid(&counter, &start("2.000000000000000000001"), "(ok)"),
            "comparisons are exact"
        );
    }

    /// The innermost variable of a name counts, in any letter case, and the outer one is back
    /// afterwards.
    #[test]
    fn quantifiers_that_hide_variables() {
        let read = domain(
            "(define (domain d) (:types t u) (:constants k - u) (:predicates (p ?x - t) (q ?x - u) \
             (done))
               (:action a :parameters (?x - t) :precondition (and (exists (?X - u) (q ?x)) (p ?x) \
             (forall (?y - t) (imply (p ?y) (= ?x ?y))))
                 :effect (and (forall (?x - u) (not (q ?x))) (not (p ?x)) (done))))",
        );
        let one = problem(
            &read,
            "(define (problem p) (:domain d) (:objects o o2 - t) (:init (p o) (q k)) (:goal (and \
             (done) (not (p o)) (not (q k)))))",
        );
        assert!(is_valid(&read, &one, "(a o)"));
        let two = problem(
            &read,
            "(define (problem p) (:domain d) (:objects o o2 - t) (:init (p o) (p o2) (q k)) (:goal \
             (done)))",
        );
        assert!(!is_valid(&read, &two, "(a o)"));
        assert!(write_domain(&read).contains("(exists (?X - u) (q ?X))"));
    }

    /// Equality of objects and of numbers share a sign.
    #[test]
    fn both_kinds_of_equality() {
        let read = domain(
            "(define (domain d) (:constants k) (:functions (f ?x)) (:predicates (done))
               (:action a :parameters (?x ?y) :precondition (and (not (= ?x ?y)) (= ?x k) (= k ?x) \
             (= (f ?x) (f ?y)) (= 3 (f ?x)) (= (f ?y) 3.0) (= 1 1)) :effect (done)))",
        );
        let one = problem(
            &read,
            "(define (problem p) (:domain d) (:objects o) (:init (= (f k) 3) (= (f o) 3)) (:goal \
             (done)))",
        );
        assert!(is_valid(&read, &one, "(a k o)"));
        assert!(!is_valid(&read, &one, "(a o k)"));
        assert!(!is_valid(&read, &one, "(a k k)"));
    }
}

mod problems {
    use super::*;

    /// Minecraft's problems have no objects at all.
    #[test]
    fn a_problem_without_objects() {
        let read = domain(
            "(define (domain d) (:predicates (p)) (:functions (logs)) (:action chop :effect \
             (increase (logs) 1)))",
        );
        let one = problem(
            &read,
            "(define (problem p) (:domain d) (:init (= (logs) 0)) (:goal (>= (logs) 2)))",
        );
        assert!(is_valid(&read, &one, "(chop)\n(chop)"));
        assert!(!is_valid(&read, &one, "(chop)"));
    }

    #[test]
    fn metrics_as_they_are_written() {
        let read = domain(
            "(define (domain d) (:functions (total-cost)) (:action a :effect (increase \
             (total-cost) 3)))",
        );
        let metric = |metric: &str| {
            let text = format!(
                "(define (problem p) (:domain d) (:init (= (total-cost) 0)) (:goal ()) (:metric \
                 {metric}))"
            );
            let one = problem(&read, &text);
            let PlanVerdict::Valid { metric } =
                validate(&read, &one, &plan(&read, &one, "(a)\n(a)"), &Rational::ZERO)
            else {
                panic!()
            };
            metric.unwrap().unwrap().to_string()
        };
        assert_eq!(metric("minimize (total-cost)"), "6");
        assert_eq!(metric("MAXIMIZE (- (TOTAL-COST))"), "-6");
        assert_eq!(metric("minimize (total-time)"), "2");
        assert_eq!(metric("minimize total-time"), "2");
        assert_eq!(metric("minimize (+ (* 10 (total-time)) (/ (total-cost) 4))"), "21.5");
    }

    /// What the closed world says anyway, said; a fact and a value said twice.
    #[test]
    fn initial_states_that_say_too_much() {
        let read = domain("(define (domain d) (:predicates (p) (q)) (:functions (f)))");
        let one = problem(
            &read,
            "(define (problem p) (:domain d) (:init (not (q)) (p) (p) (= (f) 1) (= (f) 1.0)) \
             (:goal (and (p) (not (q)))))",
        );
        assert_eq!(one.values.len(), 1);
        assert!(is_valid(&read, &one, ""));
    }

    #[test]
    fn values_as_people_and_programs_write_them() {
        let read = domain("(define (domain d) (:functions (f)))");
        for (text, value) in [
            ("3", "3"),
            ("3.0", "3"),
            ("-.5", "-0.5"),
            ("+7.", "7"),
            ("1e-05", "0.00001"),
            ("1.5E+2", "150"),
            ("(/ 1 3)", "1/3"),
            ("(/ -4 2)", "-2"),
        ] {
            let one = problem(
                &read,
                &format!("(define (problem p) (:domain d) (:init (= (f) {text})) (:goal ()))"),
            );
            assert_eq!(one.values[0].1.to_string(), value, "{text}");
        }
    }
}

mod trajectories {
    use super::*;

    /// As published: floats, lower case, facts in any order, a space after names without arguments,
    /// a line an item.
    #[test]
    fn the_published_dialect() {
        let lorries = domain(LORRIES);
        let delivery = problem(&lorries, DELIVERY);
        let text = "((:init (= (total-cost ) 0.0) (= (fuel red) 3.0) (at red home) (road home \
                    mill))\n\
                    (operator: (drive red home mill))\n\
                    (:state (road home mill) (= (fuel red) 2.0) (at red mill) (= (total-cost ) \
                    2.0))\n)\n";
        let read = trajectory(&lorries, &delivery, text);
        let traced =
            trace(&lorries, &delivery, &plan(&lorries, &delivery, "(drive red home mill)"))
                .unwrap();
        assert_eq!(read.actions, traced.actions);
        let written = write_trajectory(&lorries, &delivery.objects, &traced);
        assert_eq!(
            written,
            "((:init (= (fuel red) 3.0) (= (total-cost ) 0.0) (at red home) (road home mill))\n\
             (operator: (drive red home mill))\n\
             (:state (= (fuel red) 2.0) (= (total-cost ) 2.0) (road home mill) (at red mill))\n)\n"
        );
    }

    #[test]
    fn the_second_dialect_with_comments_negations_and_odd_spacing() {
        let lorries = domain(LORRIES);
        let delivery = problem(&lorries, DELIVERY);
        let text = ";; recorded\n(:TRAJECTORY\n\t(:state(raining)(not (at red mill))( road  \
                    home\tmill )(=(fuel red)3)) ; before\n\
                    (:action(wait)) (:state ( not ( raining ) ) (road home mill ; still )\n) (= \
                    (fuel red) (/ 1 3))))";
        let read = trajectory(&lorries, &delivery, text);
        let writer = Writer::new(&lorries, &delivery.objects);
        let shown: Vec<Vec<String>> = (read.states.iter())
            .map(|state| {
                let facts =
                    state.atoms().map(|id| writer.ground_atom(read.universe.ground_atom(id)));
                let values = state.values().map(|(_, value)| value.to_string());
                facts.chain(values).collect()
            })
            .collect();
        assert_eq!(
            shown,
            [vec!["(raining)", "(road home mill)", "3"], vec!["(road home mill)", "1/3"]]
        );
    }

    #[test]
    fn a_trajectory_of_one_state_and_transitions_that_know_their_place() {
        let lorries = domain(LORRIES);
        let delivery = problem(&lorries, DELIVERY);
        assert_eq!(trajectory(&lorries, &delivery, "((:init))").states.len(), 1);
        let source = Source::new("t", "((:init (raining ))\n  (operator: (wait ))\n(:state ))");
        let mut reader =
            TrajectoryReader::new(&source, &lorries, &delivery.objects, Numbers::Exact).unwrap();
        assert_eq!(reader.state().atoms().count(), 1);
        let transition = reader.next_transition().unwrap().unwrap();
        assert_eq!((transition.position().line, transition.position().column), (2, 14));
        assert!(transition.error("odd").to_string().contains("t:2:14"));
        assert_eq!((transition.before.atoms().count(), transition.after.atoms().count()), (1, 0));
        assert!(reader.next_transition().unwrap().is_none());
        assert!(reader.next_transition().unwrap().is_none(), "the end stays the end");
    }

    /// Failed actions recorded as successes are read as they are: finding them is the audit's work,
    /// not the reader's.
    #[test]
    fn transitions_that_the_domain_does_not_allow_are_read() {
        let lorries = domain(LORRIES);
        let delivery = problem(&lorries, DELIVERY);
        let read = trajectory(
            &lorries,
            &delivery,
            "((:init (at red home))\n(operator: (drive red home mill))\n(:state (at red home)))",
        );
        let semantics = Semantics::new(&lorries, &delivery.objects);
        assert!(semantics.applicable(&read.actions[0], &read.universe, &read.states[0]).is_err());
    }
}

mod plans {
    use super::*;

    #[track_caller]
    fn steps(text: &str) -> Vec<String> {
        let lorries = domain(LORRIES);
        let delivery = problem(&lorries, DELIVERY);
        let read = plan(&lorries, &delivery, text);
        write_plan(&lorries, &delivery.objects, &read).lines().map(str::to_owned).collect()
    }

    const DRIVE: &str = "(drive red home mill)";

    #[test]
    fn one_action_a_line_with_comments_and_blank_lines() {
        assert_eq!(
            steps(
                "; made by hand\n(wait)\n\n  (DRIVE RED HOME MILL) ; at last\r\n; cost = 2 (unit \
                 cost)\n"
            ),
            ["(wait)", DRIVE]
        );
        assert_eq!(steps("( drive\tred  home mill )"), [DRIVE]);
        assert_eq!(steps("(wait) (wait)(wait)"), ["(wait)"; 3]);
    }

    #[test]
    fn the_empty_plan() {
        for text in [
            "",
            "\n\n",
            "; nothing to do\n",
            "ff: goal can be simplified to TRUE. The empty plan solves it\n",
        ] {
            assert!(steps(text).is_empty(), "{text}");
        }
    }

    /// LPG, OPTIC and ENHSP write times, durations or both.
    #[test]
    fn times_and_durations() {
        assert_eq!(
            steps("0.0003:   (DRIVE RED HOME MILL) [1.0000]\n1.0005: (WAIT) [D:1.00; C:0.10]"),
            [DRIVE, "(wait)"]
        );
        assert_eq!(steps("0: (drive red home mill)\n1.0: (wait)"), [DRIVE, "(wait)"]);
        assert_eq!(steps("0: DRIVE RED HOME MILL\n"), [DRIVE]);
    }

    #[test]
    fn a_log_of_metric_ff() {
        let log = "\nff: parsing domain file\ndomain 'LORRIES' defined\n ... done.\n\n\nff: found \
                   legal plan as follows\n\n\
                   step    0: WAIT\n        1: DRIVE RED HOME MILL\n        2: \
                   REACH-GOAL\n     \n\n\
                   time spent:    0.00 seconds instantiating 2 easy, 0 hard action templates\n";
        assert_eq!(steps(log), ["(wait)", DRIVE]);
        assert_eq!(steps("step    0: WAIT\n        1: DRIVE RED HOME MILL\n"), ["(wait)", DRIVE]);
        assert_eq!(steps("STEP 0: WAIT"), ["(wait)"]);
        // A goal that needs no step of the domain's own.
        assert!(steps("ff: found legal plan as follows\nstep    0: REACH-GOAL\n").is_empty());
    }

    /// What a comment says is not part of the plan.
    #[test]
    fn words_of_a_planner_in_a_comment() {
        assert_eq!(steps("; ff: found legal plan as follows\n(wait)\n"), ["(wait)"]);
        assert_eq!(
            steps("; ff: parsing domain file; goal can be simplified to TRUE\n(wait)\n"),
            ["(wait)"]
        );
    }

    #[test]
    fn a_byte_order_mark() {
        assert_eq!(steps("\u{feff}(wait)\n"), ["(wait)"]);
    }

    #[test]
    fn steps_know_their_lines() {
        let lorries = domain(LORRIES);
        let delivery = problem(&lorries, DELIVERY);
        let lines: Vec<_> = plan(&lorries, &delivery, "\n(wait)\n;\n(wait) (wait)")
            .steps
            .iter()
            .map(|step| step.line)
            .collect();
        assert_eq!(lines, [2, 4, 4]);
    }
}

mod sizes {
    use super::*;

    #[test]
    fn of_a_domain_counted_by_hand() {
        // drive: at × 2, road × 2, raining: 5 atoms; fuel, total-cost: x, y, x², xy, y².
        let profile = DomainProfile::of(&domain(LORRIES), 2);
        let expected = DomainProfile {
            actions: 2,
            numeric_actions: 1,
            predicates: 3,
            functions: 2,
            numeric_conditions: Spread { total: 1, among: 2, max: 1, min: 0 },
            numeric_effects: Spread { total: 2, among: 2, max: 2, min: 0 },
            max_literals: 10,
            max_functions: 2,
            max_monomials: Some(5),
            max_relevant: None,
        };
        assert_eq!(profile, expected);
        assert_eq!(profile.numeric_conditions.mean(), 0.5);
        assert_eq!(DomainProfile::of(&domain(LORRIES), 1).max_monomials, Some(2));
    }

    /// In brackets in the paper: what a map lists, and all of an action that it does not have.
    #[test]
    fn of_a_domain_with_a_map() {
        let lorries = domain(LORRIES);
        let relevant = |map: &[(&str, &[&str])]| {
            let listed = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
            let relevant =
                map.iter().map(|(action, texts)| ((*action).to_owned(), listed(texts))).collect();
            let class =
                Class::of_spec(&Spec::default().with(|spec| spec.relevant = relevant), &lorries)
                    .unwrap();
            DomainProfile::with_relevant(&lorries, 2, &class.relevant)
        };
        let drive: &[&str] = &["(fuel ?l)", "(* (fuel ?l) (total-cost))", "(total-cost)"];
        let both = relevant(&[("drive", drive), ("wait", &[])]);
        assert_eq!((both.max_monomials, both.max_relevant), (Some(5), Some(3)));
        assert_eq!(DomainProfile { max_relevant: None, ..both }, DomainProfile::of(&lorries, 2));
        // Nothing is said of wait, whose one function has a square.
        assert_eq!(relevant(&[("drive", &[])]).max_relevant, Some(2));
        assert_eq!(relevant(&[]).max_relevant, Some(5));
    }

    #[test]
    fn of_an_empty_domain() {
        let profile = DomainProfile::of(&domain("(define (domain d))"), 3);
        assert_eq!((profile.actions, profile.max_literals, profile.max_monomials), (0, 0, Some(0)));
        assert_eq!(profile.numeric_effects.mean(), 0.0);
    }

    /// A parameter stands once in an atom, a constant as often as it likes; a parameter of a wider
    /// type does not fit.
    #[test]
    fn with_constants_and_subtypes() {
        let size = |parameters: &str| {
            let read = domain(&format!(
                "(define (domain d) (:types t - s) (:constants k - t) (:predicates (p ?x ?y - t)) \
                 (:functions (f ?x - s) (g ?x - t))
                   (:action a :parameters ({parameters})))"
            ));
            let profile = DomainProfile::of(&read, 1);
            (profile.max_literals, profile.max_functions)
        };
        // p(x,k) p(k,x) p(k,k); f(x) f(k) g(x) g(k).
        assert_eq!(size("?x - t"), (6, 4));
        // p(k,k); f(x) f(k) g(k).
        assert_eq!(size("?x - s"), (2, 3));
        assert_eq!(size("?x - (either s t)"), (2, 3));
        assert_eq!(size(""), (2, 2));
    }

    /// Numeric conditions count wherever they stand, also below quantifiers and in the conditions
    /// of effects.
    #[test]
    fn of_nested_conditions_and_effects() {
        let read = domain(
            "(define (domain d) (:predicates (p)) (:functions (f))
               (:action a :precondition (and (forall (?x) (imply (> (f) 1) (or (< (f) 2) (not (= \
             (f) 3))))) (exists (?x) (p)))
                          :effect (forall (?x) (when (p) (and (increase (f) 1) (p)))))
               (:action b :effect (when (> (f) 1) (p)))
               (:action c :precondition (p) :effect (not (p))))",
        );
        let profile = DomainProfile::of(&read, 1);
        assert_eq!(profile.numeric_conditions, Spread { total: 3, among: 3, max: 3, min: 0 });
        assert_eq!(profile.numeric_effects, Spread { total: 1, among: 3, max: 1, min: 0 });
        assert_eq!(profile.numeric_actions, 2);
    }
}

/// Two states are the same when the same things are true and known in them, whatever else was met
/// meanwhile.
#[test]
fn a_state_does_not_change_when_more_facts_are_met() {
    let lorries = domain(LORRIES);
    let delivery = problem(&lorries, DELIVERY);
    let mut universe = Universe::default();
    let before = delivery.initial_state(&mut universe);
    let semantics = Semantics::new(&lorries, &delivery.objects);
    let there = plan(&lorries, &delivery, "(drive red home mill)").steps.remove(0).action;
    let after = semantics.successor(&there, &mut universe, &before).unwrap();
    assert_ne!(before, after);
    assert_eq!(delivery.initial_state(&mut universe), before);
}
