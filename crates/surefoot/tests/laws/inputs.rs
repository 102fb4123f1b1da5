//! Inputs: actions that take numbers. The real world is a simulator whose actions have numbers as
//! arguments; it knows of no objects that stand for numbers. Whatever a learned model allows works
//! there, with the predicted state; what worked is allowed; numbers between numbers that worked are
//! allowed; no literal compares two inputs; and `check` accepts what was learned.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use surefoot_base::assumptions::Spec;
use surefoot_base::assumptions::{Assumptions, misfits};
use surefoot_base::certificate::model_digest;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Condition, Domain, Ground, GroundAction, Objects, Term, Universe};
use surefoot_base::pddl::Source;
use surefoot_base::pddl::read_domain;
use surefoot_check::ModelChecker;
use surefoot_learn::learn;
use surefoot_learn::{Model, Trace};

use crate::chance::Chance;
use crate::support;

/// Numbers are counted in halves, so that there is a number between any two whole ones.
type Halves = i64;

/// The number of random worlds.
const CASES: u64 = 120;
const THINGS: usize = 3;
const LEAST: Halves = -6;
const MOST: Halves = 16;

/// The columns of the action: `f` of each thing, `g`, and the inputs.
#[derive(Clone, Debug)]
struct Linear {
    coefficients: Vec<i64>,
    constant: Halves,
}

impl Linear {
    fn at(&self, columns: &[Halves]) -> Halves {
        let sum: i64 = self.coefficients.iter().zip(columns).map(|(by, value)| by * value).sum();
        sum + self.constant
    }
}

/// An action over things and numbers.
struct World {
    things: usize,
    inputs: usize,
    /// Whether each input has a type of its own.
    typed_apart: bool,
    /// What must be true of `p` of a thing.
    literals: Vec<(usize, bool)>,
    different: bool,
    /// What must be at least zero.
    at_least: Vec<Linear>,
    /// Inputs that must be equal.
    equal: bool,
    /// By column but for the inputs: what is added.
    added: Vec<Option<Linear>>,
    /// What becomes of `p` of a thing.
    becomes: Vec<Option<bool>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct WorldState {
    p: Vec<bool>,
    f: Vec<Halves>,
    g: Halves,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Act {
    things: Vec<usize>,
    inputs: Vec<Halves>,
}

impl World {
    fn new(chance: &mut Chance) -> World {
        let (things, inputs) = (1 + chance.below(2), 1 + chance.below(2));
        let columns = things + 1 + inputs;
        let linear = |chance: &mut Chance, dense: usize| Linear {
            coefficients: (0..columns)
                .map(|_| if chance.percent(dense) { chance.between(-2, 2) } else { 0 })
                .collect(),
            constant: chance.between(-2, 8),
        };
        let mut added = Vec::new();
        for _ in 0..=things {
            let mut by = linear(chance, 45);
            by.constant = chance.between(-2, 2);
            added.push(chance.percent(60).then_some(by));
        }
        let mut literals = Vec::new();
        for thing in 0..things {
            if chance.percent(30) {
                literals.push((thing, chance.percent(60)));
            }
        }
        World {
            things,
            inputs,
            typed_apart: chance.percent(30),
            literals,
            different: chance.percent(30),
            at_least: (0..chance.below(3)).map(|_| linear(chance, 50)).collect(),
            equal: inputs == 2 && chance.percent(20),
            added,
            becomes: (0..things).map(|_| chance.percent(30).then(|| chance.percent(50))).collect(),
        }
    }

    fn columns(&self, state: &WorldState, act: &Act) -> Vec<Halves> {
        let of_things = act.things.iter().map(|thing| state.f[*thing]);
        of_things.chain([state.g]).chain(act.inputs.iter().copied()).collect()
    }

    fn successor(&self, state: &WorldState, act: &Act) -> Option<WorldState> {
        let columns = self.columns(state, act);
        let applicable = self.literals.iter().all(|(at, truth)| state.p[act.things[*at]] == *truth)
            && (!self.different || self.things < 2 || act.things[0] != act.things[1])
            && (!self.equal || act.inputs[0] == act.inputs[1])
            && self.at_least.iter().all(|linear| linear.at(&columns) >= 0);
        if !applicable {
            return None;
        }
        let mut next = state.clone();
        for (at, by) in self.added.iter().enumerate() {
            let Some(by) = by else { continue };
            match act.things.get(at) {
                Some(thing) => next.f[*thing] += by.at(&columns),
                None => next.g += by.at(&columns),
            }
        }
        for truth in [false, true] {
            for (at, becomes) in self.becomes.iter().enumerate() {
                if *becomes == Some(truth) {
                    next.p[act.things[at]] = truth;
                }
            }
        }
        Some(next)
    }

    fn type_of(&self, input: usize) -> &'static str {
        if self.typed_apart && input == 1 { "tax-number" } else { "paid-number" }
    }

    fn domain(&self) -> Domain {
        let things: String = (0..self.things).map(|at| format!(" ?t{at} - thing")).collect();
        let inputs: String =
            (0..self.inputs).map(|at| format!(" ?n{at} - {}", self.type_of(at))).collect();
        support::domain(&format!(
            "(define (domain numbers) (:types thing - object paid-number tax-number - \
             chosen-number chosen-number - object) (:predicates (p ?t - thing)) (:functions (f ?t \
             - thing) (g) (value ?n - chosen-number)) (:action act :parameters ({things}{inputs})))"
        ))
    }

    /// All objects: things, and every number as one of each type.
    fn objects(domain: &Domain) -> Objects {
        let find = |name: &str| domain.signature.types.find(name).expect("declared");
        let mut objects = Objects::default();
        for thing in 0..THINGS {
            objects.insert(&format!("o{thing}"), find("thing")).expect("free");
        }
        for of in ["paid-number", "tax-number"] {
            for number in LEAST..=MOST {
                objects.insert(&name_of(of, number), find(of)).expect("free");
            }
        }
        objects
    }

    fn written(&self, act: &Act) -> String {
        let things = act.things.iter().map(|thing| format!(" o{thing}"));
        let inputs = act.inputs.iter().enumerate();
        let inputs = inputs.map(|(at, number)| format!(" {}", name_of(self.type_of(at), *number)));
        format!("(act{})", things.chain(inputs).collect::<String>())
    }

    fn facts(&self, state: &WorldState, numbers: &BTreeSet<(String, Halves)>) -> String {
        let mut text = format!(" (= (g) {})", shown(state.g));
        for thing in 0..THINGS {
            let _ = write!(text, " (= (f o{thing}) {})", shown(state.f[thing]));
            if state.p[thing] {
                let _ = write!(text, " (p o{thing})");
            }
        }
        for (name, number) in numbers {
            let _ = write!(text, " (= (value {name}) {})", shown(*number));
        }
        text
    }

    /// The numbers of some steps, by name.
    fn numbers<'a>(&self, acts: impl Iterator<Item = &'a Act>) -> BTreeSet<(String, Halves)> {
        let named = acts.flat_map(|act| act.inputs.iter().enumerate());
        named.map(|(at, number)| (name_of(self.type_of(at), *number), *number)).collect()
    }

    /// A trajectory of attempts from a state; and those that worked, each with its state.
    fn record(&self, start: &WorldState, acts: &[Act]) -> (String, Vec<(WorldState, Act)>) {
        let numbers = self.numbers(acts.iter());
        let mut text = format!("((:init{})", self.facts(start, &numbers));
        let (mut state, mut worked) = (start.clone(), Vec::new());
        for act in acts {
            match self.successor(&state, act) {
                None => {
                    let _ = write!(text, "\n(failed: {})", self.written(act));
                }
                Some(next) => {
                    let facts = self.facts(&next, &numbers);
                    let _ = write!(text, "\n(operator: {})\n(:state{facts})", self.written(act));
                    worked.push((std::mem::replace(&mut state, next), act.clone()));
                }
            }
        }
        (text + ")", worked)
    }

    fn state(chance: &mut Chance) -> WorldState {
        WorldState {
            p: (0..THINGS).map(|_| chance.percent(50)).collect(),
            f: (0..THINGS).map(|_| 2 * chance.between(-2, 6)).collect(),
            g: 2 * chance.between(-2, 6),
        }
    }

    /// An attempt. Often, two inputs are one number, and two things one thing.
    fn act(&self, chance: &mut Chance, halves: bool) -> Act {
        let mut number = || match halves {
            true => chance.between(LEAST, MOST),
            false => 2 * chance.between(LEAST / 2, MOST / 2),
        };
        let mut inputs: Vec<Halves> = (0..self.inputs).map(|_| number()).collect();
        if self.inputs == 2 && chance.percent(40) {
            inputs[1] = inputs[0];
        }
        Act { things: (0..self.things).map(|_| chance.below(THINGS)).collect(), inputs }
    }

    /// How the model says that a step ends; `None` where it does not allow it.
    fn believed(
        &self,
        model: &Domain,
        objects: &Objects,
        (state, act): (&WorldState, &Act),
    ) -> Option<WorldState> {
        let numbers = self.numbers(std::iter::once(act));
        let text = format!(
            "(define (problem one) (:domain numbers) (:objects {}) (:init{}) (:goal (and)))",
            declared(model, objects),
            self.facts(state, &numbers)
        );
        let problem = support::problem(model, &text);
        let mut universe = Universe::default();
        let before = problem.initial_state(&mut universe);
        let plan = support::plan(model, &problem, &self.written(act));
        let step: &GroundAction = &plan.steps[0].action;
        let after =
            Semantics::new(model, &problem.objects).successor(step, &mut universe, &before).ok()?;
        let value = |name: &str, thing: Option<usize>| -> Halves {
            let symbol = model.signature.functions.find(name).expect("declared").into();
            let object = |thing| problem.objects.find(&format!("o{thing}")).expect("declared");
            let arguments = thing.map(object).into_iter().collect();
            let id = universe.find_value(&Ground { symbol, arguments }).expect("named");
            let doubled = after.value(id).expect("known") + after.value(id).expect("known");
            doubled.to_string().parse().expect("halves")
        };
        let p = |thing: usize| {
            let object = problem.objects.find(&format!("o{thing}")).expect("declared");
            let atom = Ground { symbol: 0.into(), arguments: std::iter::once(object).collect() };
            universe.find_atom(&atom).is_some_and(|id| after.contains(id))
        };
        Some(WorldState {
            p: (0..THINGS).map(p).collect(),
            f: (0..THINGS).map(|thing| value("f", Some(thing))).collect(),
            g: value("g", None),
        })
    }
}

fn declared(domain: &Domain, objects: &Objects) -> String {
    let types = &domain.signature.types;
    objects
        .ids()
        .map(|id| format!(" {} - {}", objects.name(id), types.name(objects.type_of(id))))
        .collect()
}

fn name_of(of: &str, number: Halves) -> String {
    format!("{of}-{number}")
}

fn shown(halves: Halves) -> String {
    let (sign, size) = (if halves < 0 { "-" } else { "" }, halves.abs());
    format!("{sign}{}.{}", size / 2, 5 * (size % 2))
}

/// Whether a condition compares two terms.
fn compares(condition: &Condition, is: &dyn Fn(Term) -> bool) -> bool {
    match condition {
        Condition::Same(one, other) => is(*one) || is(*other),
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(|part| compares(part, is)),
        Condition::Not(inner) => compares(inner, is),
        _ => false,
    }
}

fn checked(domain: &Domain, model: &Model, objects: &Objects, texts: &[String]) -> Vec<String> {
    let (written, certificate) = (model.read_back(), model.certificate().expect("safe"));
    let mut checker = ModelChecker::new(domain, &written, &certificate);
    for text in texts {
        checker.read(&Source::new("trace", text.clone()), objects).expect("reads");
    }
    checker.finish().iter().map(ToString::to_string).collect()
}

/// How many questions the model of a world allowed, and how many of these took numbers that no
/// record has.
fn examine(seed: u64) -> (usize, usize, usize) {
    let chance = &mut Chance::scattered(seed);
    let world = World::new(chance);
    let domain = world.domain();
    let objects = World::objects(&domain);
    let (mut texts, mut worked) = (Vec::new(), Vec::new());
    let starts: Vec<WorldState> = (0..2 + chance.below(3)).map(|_| World::state(chance)).collect();
    for start in &starts {
        for _ in 0..3 + chance.below(6) {
            let acts: Vec<Act> =
                (0..1 + chance.below(3)).map(|_| world.act(chance, false)).collect();
            let (text, steps) = world.record(start, &acts);
            texts.push(text);
            worked.extend(steps);
        }
        // One thing, tried with several numbers.
        let act = world.act(chance, false);
        for _ in 0..4 {
            let inputs = world.act(chance, false).inputs;
            let (text, steps) = world.record(start, &[Act { inputs, ..act.clone() }]);
            texts.push(text);
            worked.extend(steps);
        }
    }
    let spec = Spec::default();
    let traces: Vec<Trace> =
        texts.iter().map(|text| Trace::new(Source::new("trace", text.clone()), &objects)).collect();
    let model = match learn(&domain, &spec, &traces) {
        Ok(model) => model,
        Err(error) => panic!("seed {seed}: {error}\n{}", texts.join("\n")),
    };
    let story = || format!("seed {seed}\n{}\n{}", model.to_pddl(), texts.join("\n"));
    if worked.is_empty() {
        return (0, 0, 0);
    }
    let precondition = &model.for_planning().action(0.into()).precondition;
    let is_input = |term| matches!(term, Term::Variable(slot) if slot as usize >= world.things);
    assert!(!compares(precondition, &is_input), "{}", story());
    assert_eq!(checked(&domain, &model, &objects, &texts), [""; 0], "{}", story());
    let believed = |state: &WorldState, act: &Act| {
        world.believed(model.for_planning(), &objects, (state, act))
    };
    for (state, act) in &worked {
        let real = world.successor(state, act);
        assert_eq!(believed(state, act), real, "what worked is allowed: {act:?}\n{}", story());
    }
    // Numbers between numbers that worked, all else being equal.
    let mut by_start: BTreeMap<String, Vec<&(WorldState, Act)>> = BTreeMap::new();
    for step in &worked {
        by_start.entry(format!("{:?} {:?}", step.0, step.1.things)).or_default().push(step);
    }
    let mut between = 0;
    for group in by_start.values() {
        for (one, other) in group.iter().flat_map(|one| group.iter().map(move |other| (one, other)))
        {
            let sums: Vec<Halves> =
                one.1.inputs.iter().zip(&other.1.inputs).map(|(one, other)| one + other).collect();
            if one.1 == other.1 || sums.iter().any(|sum| sum % 2 != 0) {
                continue;
            }
            let inputs = sums.iter().map(|sum| sum / 2).collect();
            let act = Act { things: one.1.things.clone(), inputs };
            assert!(believed(&one.0, &act).is_some(), "between: {act:?}\n{}", story());
            between += 1;
        }
    }
    let known: BTreeSet<Halves> =
        worked.iter().flat_map(|(_, act)| act.inputs.iter().copied()).collect();
    let (mut allowed, mut new) = (0, 0);
    for _ in 0..60 {
        let (state, mut act) = match chance.percent(60) {
            true => chance.of(&worked).clone(),
            false => (chance.of(&starts).clone(), world.act(chance, true)),
        };
        if chance.percent(80) {
            let at = chance.below(world.inputs);
            act.inputs[at] = chance.between(LEAST, MOST);
        }
        if let Some(after) = believed(&state, &act) {
            allowed += 1;
            new += usize::from(act.inputs.iter().any(|number| !known.contains(number)));
            let real = world.successor(&state, &act);
            assert_eq!(Some(after), real, "{act:?} in {state:?}\n{}", story());
        }
    }
    (allowed, new, between)
}

#[test]
fn actions_that_take_numbers_do_what_the_model_says() {
    let (mut allowed, mut new, mut between) = (0, 0, 0);
    for seed in 0..CASES {
        let counts = examine(seed);
        allowed += counts.0;
        new += counts.1;
        between += counts.2;
    }
    println!("{allowed} allowed, {new} with new numbers, {between} between");
    assert!(allowed > 700 && new > 50 && between > 150, "{allowed}, {new}, {between}");
}

/// A payment: what is due falls by what is paid, which is at most what is due.
const PAYMENTS: &str = "(define (domain payments) (:types fine - object amount - chosen-number \
                        chosen-number - object) (:functions (due ?f - fine) (value ?n - \
                        chosen-number)) (:action pay :parameters (?f - fine ?a ?b - amount)))";

const PAID: &str = "((:init (= (due f) 9) (= (value n1) 1) (= (value n2) 2)) (operator: (pay f n1 \
                    n1)) (:state (= (due f) 7) (= (value n1) 1) (= (value n2) 2)) (operator: (pay \
                    f n2 n2)) (:state (= (due f) 3) (= (value n1) 1) (= (value n2) 2)))";

fn payments(text: &str) -> (Domain, Objects, Result<Model, String>) {
    let domain = support::domain(PAYMENTS);
    let problem = support::problem(
        &domain,
        "(define (problem p) (:domain payments) (:objects f - fine n1 n2 - amount) (:init) (:goal \
         (and)))",
    );
    let trace = Trace::new(Source::new("trace", text), &problem.objects);
    let model = learn(&domain, &Spec::default(), &[trace]).map_err(|error| error.to_string());
    (domain, problem.objects, model)
}

#[test]
fn a_number_that_changes_its_value_is_refused() {
    let changed = PAID.replacen("7) (= (value n1) 1)", "7) (= (value n1) 5)", 1);
    let (.., model) = payments(&changed);
    let error = model.expect_err("refused");
    assert!(error.contains("the value of a chosen number is fixed"), "{error}");
}

/// The checker counts inputs as different, so it must not accept a model that compares them: where
/// all records have equal numbers, everything that it judged would be void.
#[test]
fn check_rejects_models_that_compare_inputs_and_certificates_without_them() {
    let (domain, objects, model) = payments(PAID);
    let model = model.expect("learned");
    let texts = [PAID.to_owned()];
    assert_eq!(checked(&domain, &model, &objects, &texts), [""; 0]);
    let reasons = |written: &Domain, change: &dyn Fn(&mut Assumptions)| -> String {
        let mut certificate = model.certificate().expect("safe");
        certificate.model = model_digest(written);
        change(&mut certificate.assumptions);
        let mut checker = ModelChecker::new(&domain, written, &certificate);
        checker.read(&Source::new("trace", PAID), &objects).expect("reads");
        let reasons = checker.finish();
        reasons.iter().map(|reason| format!("{reason}\n")).collect()
    };
    let written = model.read_back();
    let silent = reasons(&written, &|assumptions| assumptions.inputs.clear());
    assert!(silent.contains("does not state the inputs"), "{silent}");
    let mut compared = written.clone();
    let action = compared.actions.value_mut(0);
    let same = Condition::Same(Term::Variable(1), Term::Variable(2));
    action.precondition = Condition::And(vec![same, action.precondition.clone()]);
    let found = reasons(&compared, &|_| {});
    assert!(found.contains("it compares chosen numbers as objects"), "{found}");
}

/// The bodies of a given domain are ignored, but show where the class does not fit.
#[test]
fn a_body_that_compares_inputs_is_outside_the_class() {
    for (body, reason) in [
        (":precondition (not (= ?a ?b))", "it compares chosen numbers as objects"),
        (":effect (when (= ?a ?b) (assign (due ?f) 0))", "it compares chosen numbers as objects"),
        (":effect (increase (value ?a) 1)", "it changes the value of a chosen number"),
    ] {
        let domain =
            support::domain(&PAYMENTS.replacen("- amount)", &format!("- amount) {body}"), 1));
        let found = misfits(&domain, &Assumptions::default());
        assert!(found.iter().any(|misfit| misfit.reason == reason), "{found:?}");
    }
    assert_eq!(misfits(&support::domain(PAYMENTS), &Assumptions::default()), []);
}

#[test]
fn nothing_but_its_value_is_about_a_chosen_number() {
    for (from, to, reason) in [
        ("(:functions", "(:predicates (due-on ?n - amount)) (:functions", "`due-on` may be about"),
        ("(:functions", "(:predicates (any ?o)) (:functions", "`any` may be about a chosen"),
        ("(due ?f - fine)", "(due ?f - object)", "two functions may be about a chosen number"),
        ("(value ?n - chosen-number)", "", "no function is the value of a chosen number"),
        (
            "(value ?n - chosen-number)",
            "(value ?n - amount)",
            "not a function of one chosen number",
        ),
        ("?a ?b - amount", "?a - amount ?b - object", "may be a chosen number or another object"),
    ] {
        let text = PAYMENTS.replacen(from, to, 1);
        let error = read_domain(&Source::new("domain.pddl", text)).expect_err(reason).to_string();
        assert!(error.contains(reason) && error.contains("domain.pddl:1"), "{error}");
    }
}
