//! What the checker accepts is safe: against all models of a small class that explain the recorded
//! steps, in all small states.

use std::collections::{BTreeMap, BTreeSet};

use crate::handmade::{Case, source};
use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{
    Domain, GroundAction, GroundFunction, ObjectId, Objects, State, Universe,
};
use surefoot_base::pddl::read_domain;
use surefoot_check::Obligation;

/// A small generator of random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound.max(1)
    }

    fn pick<'t>(&mut self, from: &'t [String]) -> &'t String {
        &from[self.below(from.len())]
    }
}

/// What an action of the class may look like.
struct World {
    vocabulary: &'static str,
    objects: &'static str,
    parameters: &'static [&'static str],
    /// The functions, as columns.
    functions: &'static [&'static str],
    /// By function: the effects it may have; the first is none.
    effects: Vec<Vec<String>>,
}

fn worlds() -> Vec<World> {
    let effects = |functions: &[&str], rich: bool| {
        let each = |function: &&str| {
            let mut all = vec![
                String::new(),
                format!("(increase {function} 1)"),
                format!("(assign {function} 1)"),
            ];
            let others = functions.iter().filter(|other| *other != function);
            if rich {
                all.push(format!("(scale-up {function} 2)"));
                all.push(format!("(scale-up {function} 0)"));
                for other in others {
                    all.push(format!("(increase {function} {other})"));
                    all.push(format!("(assign {function} {other})"));
                    all.push(format!("(increase {function} (- {other} 1))"));
                }
            }
            all
        };
        functions.iter().map(each).collect()
    };
    const PAIR: &[&str] = &["(x ?p)", "(x ?q)"];
    const THREE: &[&str] = &["(x ?p)", "(x ?q)", "(x ?r)"];
    const CONSTANT: &[&str] = &["(x ?p)", "(x k)"];
    vec![
        World {
            vocabulary: "(:types t) (:functions (x ?t - t))",
            objects: "a b - t",
            parameters: &["?p", "?q"],
            functions: PAIR,
            effects: effects(PAIR, true),
        },
        World {
            vocabulary: "(:types t) (:functions (x ?t - t))",
            objects: "a b c - t",
            parameters: &["?p", "?q", "?r"],
            functions: THREE,
            effects: effects(THREE, false),
        },
        World {
            vocabulary: "(:types t) (:constants k - t) (:functions (x ?t - t))",
            objects: "a - t",
            parameters: &["?p"],
            functions: CONSTANT,
            effects: effects(CONSTANT, true),
        },
    ]
}

/// A ground action and the values of `x`, by object; none where it is undefined.
type Situation = (Vec<usize>, Vec<Option<i64>>);

impl World {
    /// All combinations of effects.
    fn models(&self) -> Vec<Vec<usize>> {
        self.effects.iter().fold(vec![Vec::new()], |all, options| {
            all.iter()
                .flat_map(|one| (0..options.len()).map(move |next| [&one[..], &[next]].concat()))
                .collect()
        })
    }

    fn effect(&self, model: &[usize]) -> String {
        model.iter().zip(&self.effects).map(|(&choice, options)| options[choice].clone()).collect()
    }

    fn domain(&self, effect: &str) -> Domain {
        let parameters = self.parameters.join(" ");
        let action = format!("(:action do :parameters ({parameters} - t) :effect (and {effect}))");
        read_domain(&source(format!("(define (domain d) {} {action})", self.vocabulary))).unwrap()
    }

    fn situations(&self, objects: usize) -> Vec<Situation> {
        let tuples = |length: usize, values: &[i64]| -> Vec<Vec<i64>> {
            (0..length).fold(vec![Vec::new()], |all, _| {
                all.iter()
                    .flat_map(|one| values.iter().map(move |&next| [&one[..], &[next]].concat()))
                    .collect()
            })
        };
        let names: Vec<i64> = (0..objects as i64).collect();
        let mut all = Vec::new();
        for arguments in tuples(self.parameters.len(), &names) {
            for values in tuples(objects, &[-1, 0, 1, 2]) {
                let values = values.iter().map(|&value| (value >= 0).then_some(value)).collect();
                all.push((arguments.iter().map(|&object| object as usize).collect(), values));
            }
        }
        all
    }
}

/// The values after a step, or none where it cannot be taken.
fn outcome(
    domain: &Domain,
    objects: &Objects,
    (arguments, values): &Situation,
) -> Option<Vec<Option<Rational>>> {
    let mut universe = Universe::default();
    let mut state = State::default();
    let function = |object: usize| GroundFunction {
        symbol: 0.into(),
        arguments: [ObjectId::from(object)].into_iter().collect(),
    };
    for (object, value) in values.iter().enumerate() {
        let id = universe.value(&function(object));
        value.iter().for_each(|&value| state.set_value(id, Rational::integer(value)));
    }
    let action = GroundAction {
        symbol: 0.into(),
        arguments: arguments.iter().map(|&object| ObjectId::from(object)).collect(),
    };
    let next = Semantics::new(domain, objects).successor(&action, &mut universe, &state).ok()?;
    Some(
        (0..values.len())
            .map(|object| next.value(universe.find_value(&function(object))?).cloned())
            .collect(),
    )
}

fn state(names: &[String], values: &[Option<Rational>]) -> String {
    let value = |(name, value): (&String, &Option<Rational>)| {
        value.as_ref().map(|value| format!("(= (x {name}) {value})"))
    };
    names.iter().zip(values).filter_map(value).collect()
}

/// One random law: steps of a real model, and a model that was perhaps learned from them.
fn law(world: &World, dice: &mut Dice) -> Option<bool> {
    let models = world.models();
    let real = world.domain(&world.effect(&models[dice.below(models.len())]));
    let empty = Case::new(world.vocabulary, world.objects).action(
        "do",
        &format!("{} - t", world.parameters.join(" ")),
        "",
        "",
    );
    let objects = empty.problem(&empty.domain()).objects;
    let names: Vec<String> = objects.ids().map(|id| objects.name(id).to_owned()).collect();
    let situations = world.situations(names.len());
    let undefined_too = dice.below(3) == 0;
    let mut seen: Vec<(&Situation, Vec<Option<Rational>>)> = Vec::new();
    for _ in 0..2 + dice.below(8) {
        let situation = &situations[dice.below(situations.len())];
        if (undefined_too || situation.1.iter().all(Option::is_some))
            && let Some(after) = outcome(&real, &objects, situation)
        {
            seen.push((situation, after));
        }
    }
    if seen.is_empty() {
        return None;
    }
    let explains = |model: &Vec<usize>| {
        let domain = world.domain(&world.effect(model));
        let same = |(situation, after): &(&Situation, _)| {
            outcome(&domain, &objects, situation).as_ref() == Some(after)
        };
        seen.iter().all(same).then_some(domain)
    };
    let consistent: Vec<(Vec<usize>, Domain)> =
        models.iter().filter_map(|model| Some((model.clone(), explains(model)?))).collect();
    let effect = world.effect(&consistent[dice.below(consistent.len())].0);

    // The conditions that steps do not refute, and some more that perhaps make it safe.
    let terms: Vec<String> =
        world.parameters.iter().map(|name| (*name).to_owned()).chain(constants(&names)).collect();
    let object = |term: &String, arguments: &[usize]| match world
        .parameters
        .iter()
        .position(|name| name == term)
    {
        Some(at) => arguments[at],
        None => names.iter().position(|name| name == term).unwrap(),
    };
    let mut conditions = String::new();
    let mut equalities = Vec::new();
    for (index, one) in terms.iter().enumerate().filter(|(_, one)| one.starts_with('?')) {
        for other in &terms[index + 1..] {
            let same: BTreeSet<bool> = seen
                .iter()
                .map(|((arguments, _), _)| object(one, arguments) == object(other, arguments))
                .collect();
            if same.len() == 2 {
                equalities.push(format!("(= {one} {other})"));
            } else {
                let equal = format!("(= {one} {other})");
                conditions += &if same.contains(&true) { equal } else { format!("(not {equal})") };
            }
        }
    }
    let term = |column: &&str| column.trim_start_matches("(x ").trim_end_matches(')').to_owned();
    let values = |column: &&str| -> Option<BTreeSet<i64>> {
        seen.iter()
            .map(|((arguments, values), _)| values[object(&term(column), arguments)])
            .collect()
    };
    let ranges: BTreeMap<&str, BTreeSet<i64>> =
        world.functions.iter().filter_map(|column| Some((*column, values(column)?))).collect();
    // Sometimes only one function is relevant.
    let relevant = (dice.below(4) == 0).then(|| world.functions[dice.below(world.functions.len())]);
    let ranges: BTreeMap<&str, BTreeSet<i64>> = ranges
        .into_iter()
        .filter(|(column, _)| relevant.is_none_or(|only| only == *column))
        .collect();
    let columns: Vec<&'static str> =
        world.functions.iter().copied().filter(|column| ranges.contains_key(column)).collect();
    for (column, range) in &ranges {
        let (low, high) = (range.first().unwrap(), range.last().unwrap());
        conditions += &if low == high {
            format!("(= {column} {low})")
        } else {
            format!("(>= {column} {low}) (<= {column} {high})")
        };
    }
    // Conditions may mention functions that are no columns: those that are not relevant, or have no
    // value at times.
    let mut numeric: Vec<String> = world
        .functions
        .iter()
        .flat_map(|column| (0..3).map(move |value| format!("(= {column} {value})")))
        .collect();
    numeric.extend(columns.iter().skip(1).map(|column| format!("(= {} {column})", columns[0])));
    let mut case = Case::new(world.vocabulary, world.objects)
        .assuming(|assumptions| assumptions.spec.arity = Some(1))
        .action("do", &format!("{} - t", world.parameters.join(" ")), "", &effect)
        .columns("do", &columns);
    case.records.get_mut("do").unwrap().shadows =
        (0..columns.len()).map(|column| vec![column]).collect();
    if let Some(only) = relevant {
        case.assumptions.spec.relevant.insert("do".into(), vec![only.into()]);
    }
    if dice.below(4) == 0 {
        case.assumptions.spec.effect_arity = Some(dice.below(2));
    }
    for (situation, after) in &seen {
        let before: Vec<Option<Rational>> =
            situation.1.iter().map(|value| value.map(Rational::integer)).collect();
        let arguments: Vec<&str> = situation.0.iter().map(|&object| &*names[object]).collect();
        case = case.step(
            &state(&names, &before),
            &format!("do {}", arguments.join(" ")),
            &state(&names, after),
        );
    }
    for _ in 0..dice.below(5) {
        if numeric.is_empty() {
            break;
        }
        let equation = dice.pick(&numeric).clone();
        conditions += &match dice.below(3) {
            _ if equalities.is_empty() => equation,
            0 => equation,
            1 => format!("(or {} {equation})", dice.pick(&equalities)),
            _ => format!("(or (not {}) {equation})", dice.pick(&equalities)),
        };
    }
    let case = case.but(&conditions);
    let verdict = case.verdict();
    if !verdict.is_empty() {
        let known = [
            Obligation::Condition,
            Obligation::Effect,
            Obligation::Unverifiable,
            Obligation::Equation,
        ];
        assert!(
            verdict.iter().all(|reason| known.contains(&reason.kind)),
            "{verdict:#?}\n{conditions}"
        );
        return Some(false);
    }
    let model = case.model();
    let read = |effect: &str, reads: usize| effect.matches("(x ").count() <= 1 + reads;
    for (choice, possible) in &consistent {
        // A real effect of the class reads no more than is assumed.
        let within = |(&choice, options): (&usize, &Vec<String>)| {
            let scales = options[choice].starts_with("(scale");
            let reads = |function: &&&str| match options[choice].split_once(')') {
                Some((target, value)) => {
                    value.contains(**function)
                        || (scales && target.contains(function.trim_end_matches(')')))
                }
                None => false,
            };
            case.assumptions
                .spec
                .effect_arity
                .is_none_or(|arity| read(&options[choice], arity) && !(scales && arity == 0))
                && relevant.is_none_or(|only| {
                    world.functions.iter().filter(reads).all(|function| *function == only)
                })
        };
        if !choice.iter().zip(&world.effects).all(within) {
            continue;
        }
        // Whether an increase reads its target, which is not relevant, is not for the class to say.
        let told =
            |situation: &&Situation| relevant.is_none() || situation.1.iter().all(Option::is_some);
        for situation in situations.iter().filter(told) {
            if let Some(expected) = outcome(&model, &objects, situation) {
                let found = outcome(possible, &objects, situation);
                let what = || {
                    format!(
                        "{situation:?}\n{conditions}\n{effect}\nreally {}\n{seen:#?}",
                        world.effect(choice)
                    )
                };
                assert_eq!(found, Some(expected), "{}", what());
            }
        }
    }
    Some(true)
}

fn constants(names: &[String]) -> Option<String> {
    names.iter().find(|name| *name == "k").cloned()
}

#[test]
fn accepted_numeric_effects_are_safe() {
    for (number, world) in worlds().iter().enumerate() {
        let (mut accepted, mut rejected) = (0, 0);
        let rounds: u64 = std::env::var("SUREFOOT_CHECK_ROUNDS")
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(300);
        for round in 0..rounds {
            let mut dice = Dice((round + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number as u64);
            dice.below(2);
            match law(world, &mut dice) {
                Some(true) => accepted += 1,
                Some(false) => rejected += 1,
                None => {}
            }
        }
        println!("world {number}: {accepted} accepted, {rejected} rejected");
        assert!(
            accepted > rounds / 20 && rejected > rounds / 20,
            "world {number}: {accepted} accepted, {rejected} rejected"
        );
    }
}
