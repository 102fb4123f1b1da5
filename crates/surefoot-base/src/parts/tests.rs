#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use super::*;
use crate::assumptions::Spec;
use crate::exact::Rational;
use crate::model::{GroundAction, State, Universe};
use crate::pddl::{Source, read_domain, write_domain};

const DOMAIN: &str = "(define (domain d) (:types robot dock) (:constants home - dock)
    (:predicates (hot ?r - robot) (at ?r - robot ?d - dock) (joined ?a ?b - dock))
    (:functions (battery ?r - robot) (load ?r - robot))
    (:action wait :parameters ())
    (:action charge :parameters (?r - robot ?d - dock ?e - dock))
    (:action move :parameters (?r - robot ?d - dock)))";

fn domain() -> Domain {
    read_domain(&Source::new("d", DOMAIN)).unwrap()
}

/// What a declaration of the parts of `charge` amounts to.
fn read(parts: &str) -> Result<DomainParts, String> {
    let mut spec = Spec::default();
    let value = format!("{{\"charge\": {parts}}}");
    spec.set("parts", serde_json::from_str(&value).unwrap()).unwrap();
    DomainParts::read(&domain(), &spec.parts, (spec.degree, spec.squares))
        .map_err(|error| error.to_string())
}

/// The parts as they are written.
fn written(parts: &str) -> Vec<Vec<String>> {
    let declared = read(parts).unwrap().declared(&domain());
    match &declared["charge"] {
        DeclaredParts::Listed(parts) => parts.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn cuts_are_short_for_parts() {
    assert_eq!(
        written("\"(<= (battery ?r) 70)\""),
        [["(<= (battery ?r) 70)"], ["(> (battery ?r) 70)"]]
    );
    assert_eq!(
        written("[\"(hot ?r)\", \"(not (= ?d ?e))\"]"),
        [
            ["(hot ?r)", "(not (= ?d ?e))"],
            ["(hot ?r)", "(= ?d ?e)"],
            ["(not (hot ?r))", "(not (= ?d ?e))"],
            ["(not (hot ?r))", "(= ?d ?e)"]
        ]
    );
    assert_eq!(written("[\"(hot ?r)\", \"(hot ?r)\"]"), [["(hot ?r)"], ["(not (hot ?r))"]]);
    // A conjunction holds, or one of its tests is the first that does not.
    assert_eq!(
        written("\"(and (<= (battery ?r) 70) (hot ?r))\""),
        [
            &["(<= (battery ?r) 70)", "(hot ?r)"][..],
            &["(<= (battery ?r) 70)", "(not (hot ?r))"],
            &["(> (battery ?r) 70)"]
        ]
    );
    assert_eq!(written("[\"(and (hot ?r) (= ?d ?e))\", \"(hot ?r)\"]").len(), 3);
    // No state is both below 50 and above 70.
    assert_eq!(written("[\"(<= (battery ?r) 70)\", \"(< (battery ?r) 50)\"]").len(), 3);
    let gap = "[[\"(<= (battery ?r) 66)\"], [\"(and (>= (battery ?r) 74) (hot ?r))\"]]";
    assert_eq!(written(gap)[1], ["(>= (battery ?r) 74)", "(hot ?r)"]);
    assert_eq!(
        written("\"(not (>= (+ (battery ?r) (load ?r)) 10))\""),
        [["(< (+ (battery ?r) (load ?r)) 10)"], ["(>= (+ (battery ?r) (load ?r)) 10)"]]
    );
}

#[test]
fn what_is_no_list_of_disjoint_parts_is_refused_with_its_place() {
    for (parts, why) in [
        ("\"(<= (batery ?r) 70)\"", "charge: (<= (batery ?r) 70): "),
        ("\"(hot ?x)\"", "charge: (hot ?x): "),
        ("\"(at ?d ?r)\"", "charge: (at ?d ?r): "),
        ("\"(joined ?d ?d)\"", "has a parameter twice"),
        ("\"(<= 0 1)\"", "is the same in all states"),
        ("\"(= ?d ?d)\"", "is the same in all states"),
        ("\"(<= (- (load ?r) (load ?r)) (battery ?r))\"", "does not depend on"),
        ("\"(= (battery ?r) 3)\"", "cannot be a cut"),
        ("[[\"(not (= (battery ?r) 3))\"]]", "lie on two sides"),
        ("\"(<= (* (battery ?r) (load ?r)) 3)\"", "multiplies functions"),
        ("\"(<= (/ 1 (battery ?r)) 3)\"", "is no linear comparison"),
        ("\"(or (hot ?r) (at ?r ?d))\"", "a test is a literal"),
        ("\"(exists (?q - robot) (hot ?q))\"", "a test is a literal"),
        ("\"(and)\"", "has no test"),
        ("\"(and (hot ?r) (= (battery ?r) 3))\"", "cannot be a cut"),
        ("[[\"(not (and (hot ?r) (at ?r ?d)))\"]]", "the negation of several tests"),
        ("[]", "no part is declared"),
        ("[[]]", "part 1 has no test"),
        ("[[\"(and)\"]]", "part 1 has no test"),
        ("[[\"(hot ?r)\", \"(not (hot ?r))\"]]", "no state is in part 1"),
        ("[[\"(< (load ?r) 3)\", \"(>= (load ?r) 3)\"]]", "no state is in part 1"),
        ("[[\"(= ?d home)\"], [\"(hot ?r)\"]]", "parts 1 and 2 overlap"),
        (
            "[[\"(<= (battery ?r) 70)\"], [\"(>= (battery ?r) 70)\"]]",
            "for example where (battery ?r) = 70",
        ),
        ("[[\"(<= (battery ?r) 70)\"], [\"(>= (load ?r) 70)\"]]", "for example where"),
    ] {
        let said = read(parts).unwrap_err();
        assert!(said.contains(why), "{parts}: {said}");
        assert!(said.starts_with("charge: "), "{said}");
    }
    let many: Vec<String> = (0..7).map(|n| format!("\"(<= (battery ?r) {n})\"")).collect();
    assert!(read(&format!("[{}]", many.join(", "))).unwrap_err().contains("7 cuts"));
    let wide: Vec<String> = (0..9).map(|n| format!("(<= (battery ?r) {})", 90 - n)).collect();
    let other: Vec<String> = (0..9).map(|n| format!("(<= (load ?r) {})", 90 - n)).collect();
    let both = [wide, other].map(|tests| format!("\"(and {})\"", tests.join(" "))).join(", ");
    assert!(read(&format!("[{both}]")).unwrap_err().contains("more than 64 parts"));
    let many: Vec<String> = (0..65).map(|n| format!("[\"(= (battery ?r) {n})\"]")).collect();
    assert!(read(&format!("[{}]", many.join(", "))).unwrap_err().contains("65 parts"));
    let unknown = PartsMap::from([("fly".to_owned(), DeclaredParts::Cut("(hot ?r)".to_owned()))]);
    let said = DomainParts::read(&domain(), &unknown, (1, false)).unwrap_err().to_string();
    assert_eq!(said, "the domain has no action fly");
    let cut = || DeclaredParts::Cut("(hot ?r)".to_owned());
    let twice = PartsMap::from([("Charge".to_owned(), cut()), ("charge".to_owned(), cut())]);
    let said = DomainParts::read(&domain(), &twice, (1, false)).unwrap_err().to_string();
    assert_eq!(said, "charge stands there twice");
    let text = DOMAIN.replace("(:action wait", "(:action charge--2");
    let taken = read_domain(&Source::new("d", text)).unwrap();
    let one = PartsMap::from([("charge".to_owned(), cut())]);
    let said = DomainParts::read(&taken, &one, (1, false)).unwrap_err().to_string();
    assert!(said.contains("is called charge--2"), "{said}");
}

#[test]
fn disjointness_is_proved_by_literals_equalities_and_sums() {
    for parts in [
        "[[\"(= ?d home)\"], [\"(not (= home ?d))\"]]",
        "[[\"(= ?d ?e)\"], [\"(not (= ?e ?d))\"]]",
        "[[\"(< (battery ?r) 3)\"], [\"(= (battery ?r) 3)\"], [\"(> (battery ?r) 3)\"]]",
        "[[\"(<= (battery ?r) 1)\", \"(<= (load ?r) 1)\"], [\"(> (+ (load ?r) (battery ?r)) 2)\"]]",
        "[[\"(<= (battery ?r) (load ?r))\"], [\"(< (load ?r) (battery ?r))\"]]",
    ] {
        assert!(read(parts).is_ok(), "{parts}");
    }
    // The proof adds up.
    let parts = read(
        "[[\"(<= (* 2 (battery ?r)) 1)\", \"(= (load ?r) 1)\"], [\"(> (+ (load ?r) (battery ?r)) \
         2)\"]]",
    )
    .unwrap();
    let action = domain().actions.find("charge").unwrap().into();
    let tests: Vec<&Condition> = parts.of(action).iter().flat_map(|part| &part.tests).collect();
    let Some(Contradiction::Sum(weights)) = contradiction(&tests) else { panic!() };
    let mut sum: BTreeMap<_, Rational> = BTreeMap::new();
    for (place, weight) in weights {
        let form = LinearTest::of(tests[place]).unwrap();
        assert!(form.equation || weight.signum() > 0);
        for (factors, value) in form.terms {
            let entry = sum.entry(factors).or_insert(Rational::ZERO);
            *entry = &*entry + &(&value * &weight);
        }
    }
    let constant = sum.remove(&Vec::new()).unwrap();
    assert!(sum.values().all(Rational::is_zero) && constant.signum() > 0);
    assert_eq!(contradiction(&tests[..2]), None);
}

#[test]
fn the_learned_domain_has_an_action_for_each_part() {
    let (given, parts) = (domain(), read("\"(<= (battery ?r) 70)\"").unwrap());
    let learned = parts.learned_domain(&given);
    let names: Vec<&str> = learned.action_ids().map(|id| learned.action_name(id)).collect();
    assert_eq!(names, ["wait", "charge--1", "charge--2", "move"]);
    for (given_id, learned_ids) in [(0, vec![0]), (1, vec![1, 2]), (2, vec![3])] {
        let ids: Vec<usize> = parts.learned_ids(given_id.into()).map(ActionId::index).collect();
        assert_eq!(ids, learned_ids);
        for id in learned_ids {
            assert_eq!(parts.given_id(id.into()).0, given_id.into());
            assert_eq!(parts.part(id.into()).is_some(), given_id == 1);
        }
    }
    let (mut universe, mut state) = (Universe::default(), State::default());
    let mut objects = given.signature.constants.clone();
    let robot = given.signature.types.ids().nth(1).unwrap();
    let r = objects.insert("r", robot).unwrap();
    let home = objects.find("home").unwrap();
    let action =
        GroundAction { symbol: 1.into(), arguments: [r, home, home].into_iter().collect() };
    let battery = given.signature.functions.find("battery").unwrap();
    let value = universe.value(&crate::model::Ground {
        symbol: battery.into(),
        arguments: [r].into_iter().collect(),
    });
    let mut part_of = |level: Option<i64>| {
        state.clear();
        if let Some(level) = level {
            state.set_value(value, Rational::integer(level));
        }
        parts
            .part_of(&given, Attempt { before: &state, action: &action, universe: &universe })
            .map(ActionId::index)
    };
    assert_eq!([Some(70), Some(71), None].map(&mut part_of), [Some(1), Some(2), None]);
}

#[test]
fn what_is_merged_is_taken_apart_again() {
    let (given, parts) = (domain(), read("\"(<= (battery ?r) 70)\"").unwrap());
    let bodies = "(define (domain d) (:types robot dock) (:constants home - dock)
        (:predicates (hot ?r - robot) (at ?r - robot ?d - dock) (joined ?a ?b - dock))
        (:functions (battery ?r - robot) (load ?r - robot))
        (:action wait :parameters ())
        (:action charge--1 :parameters (?r - robot ?d - dock ?e - dock)
         :precondition (and (<= (battery ?r) 70) (at ?r ?d))
         :effect (and (hot ?r) (increase (battery ?r) 30)))
        (:action charge--2 :parameters (?r - robot ?d - dock ?e - dock)
         :precondition (and (> (battery ?r) 70) (at ?r ?d) (<= (battery ?r) 100))
         :effect EFFECT)
        (:action move :parameters (?r - robot ?d - dock) :precondition (or)))";
    for (effect, missing) in
        [("(and (assign (battery ?r) 100))", false), ("(and)", false), ("(and)", true)]
    {
        let mut text = bodies.replace("EFFECT", effect);
        if missing {
            text = text.replace("(and (<= (battery ?r) 70) (at ?r ?d))", "(or)");
        }
        let learned = read_domain(&Source::new("d", text)).unwrap();
        let merged = parts.merged(&given, &learned);
        assert_eq!(merged.actions.len(), 3);
        let text = write_domain(&merged.of_known_actions());
        assert_eq!(text.contains("(when (<= (battery ?r) 70)"), !missing, "{text}");
        assert_eq!(text.contains("(or"), !missing, "{text}");
        let again = read_domain(&Source::new("d", &*text)).unwrap();
        let split = parts.split(&again).unwrap();
        assert_eq!(write_domain(&split), write_domain(&learned.of_known_actions()), "{text}");
        assert_eq!(write_domain(&parts.merged_again(&again, &split)), text);
        // Parts that are not these.
        if !missing {
            let other = read("\"(<= (battery ?r) 60)\"").unwrap();
            assert_eq!(other.split(&again), None);
        }
    }
}
