//! What the learning laws share: worlds to observe, observers, and the seeds that name the cases.

use std::collections::BTreeSet;

use proptest::prelude::any;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use surefoot_base::exact::Rational;
use surefoot_base::ids::Id;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{
    ActionId, Comparison, Condition, Domain, Effect, Expression, FunctionId, Ground, GroundAction,
    GroundAtom, GroundFunction, NumericEffect, NumericOperator, ObjectId, Objects, PredicateId,
    State, Symbol, Universe,
};
use surefoot_base::pddl::{
    Numbers, Source, Trajectory, TrajectoryReader, read_domain, read_problem, write_domain,
    write_trajectory,
};
use surefoot_learn::{
    Algorithm, Class, ColumnId, Conclusion, LearnedAction, Learner, LiftedFunctionId, Observation,
    Settings, Vocabulary,
};

use crate::chance::Chance;

/// What was learned of some actions, as a domain of these alone.
pub fn learned_domain(learner: &Learner, learned: &[(ActionId, &LearnedAction)]) -> Domain {
    let body = |id| learned.iter().find(|(of, _)| *of == id).map(|(_, learned)| &learned.action);
    learner.domain().with_bodies(body).of_known_actions()
}

/// Runs a law for that many seeds, the same ones every time. `PROPTEST_CASES` multiplies them,
/// `SUREFOOT_SEED` shows one.
pub fn for_seeds(cases: u32, law: impl Fn(u64)) {
    if let Some(seed) = std::env::var("SUREFOOT_SEED").ok().and_then(|seed| seed.parse().ok()) {
        return law(seed);
    }
    let times: u32 =
        std::env::var("PROPTEST_CASES").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let config = Config { cases: cases * times, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let outcome = TestRunner::new_with_rng(config, rng).run(&any::<u64>().no_shrink(), |seed| {
        law(seed);
        Ok(())
    });
    outcome.unwrap();
}

pub fn domain(text: &str) -> Domain {
    read_domain(&Source::new("domain.pddl", text))
        .unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// The constants of the domain and these objects, written as in PDDL.
pub fn objects(domain: &Domain, listed: &str) -> Objects {
    let text = format!(
        "(define (problem p) (:domain {}) (:objects {listed}) (:init) (:goal (and)))",
        domain.name
    );
    read_problem(&Source::new("problem.pddl", text), domain, Numbers::Exact).unwrap().objects
}

pub fn number(text: &str) -> Rational {
    Numbers::Exact.read(text).unwrap()
}

/// A step that was taken; its universe numbers both states.
#[derive(Clone, Debug)]
pub struct Step {
    pub universe: Universe,
    pub before: State,
    pub action: GroundAction,
    pub after: State,
}

/// The observation of a step, as a learner of the given domain sees it after it was written to a
/// file.
pub fn look(learner: &Learner, objects: &Objects, step: &Step) -> Observation {
    let states = vec![step.before.clone(), step.after.clone()];
    let trajectory = Trajectory {
        universe: step.universe.clone(),
        states,
        actions: vec![step.action.clone()],
        ..Trajectory::default()
    };
    let source =
        Source::new("t.trajectory", write_trajectory(learner.domain(), objects, &trajectory));
    let mut reader =
        TrajectoryReader::new(&source, learner.domain(), objects, Numbers::Exact).unwrap();
    let transition = reader.next_transition().unwrap().unwrap();
    learner.lens().observer().observe_step(transition.step()).unwrap()
}

pub fn learner(domain: &Domain, class: Class, objects: &Objects, steps: &[Step]) -> Learner {
    let mut learner = Learner::new(domain, class).unwrap();
    for step in steps {
        let observation = look(&learner, objects, step);
        learner.observe(step.action.symbol, &observation);
    }
    learner
}

/// A learner that saw the transitions of trajectories in the published dialect.
pub fn from_text(
    domain: &Domain,
    class: Class,
    objects: &Objects,
    trajectories: &[&str],
) -> Learner {
    let mut learner = Learner::new(domain, class).unwrap();
    for text in trajectories {
        learner.read(&Source::new("t.trajectory", *text), objects).unwrap();
    }
    learner
}

pub fn action_id(domain: &Domain, name: &str) -> ActionId {
    domain.actions.find(name).unwrap().into()
}

/// What was learned of an action that must have been.
pub fn learned(learner: &Learner, name: &str, settings: &Settings) -> LearnedAction {
    match learner.conclude(action_id(learner.domain(), name), settings) {
        Conclusion::Learned(action) => *action,
        other => panic!("{name}: {other:?}"),
    }
}

/// The learned domain; panics on contradictions.
pub fn model(learner: &Learner, settings: &Settings) -> Domain {
    let mut found = Vec::new();
    for id in learner.domain().action_ids() {
        match learner.conclude(id, settings) {
            Conclusion::Learned(action) => found.push((id, *action)),
            Conclusion::LeftOut(_) => {}
            Conclusion::Inconsistent(why) => {
                panic!("{}: {why:?}", learner.domain().action_name(id))
            }
        }
    }
    learned_domain(learner, &found.iter().map(|(id, action)| (*id, action)).collect::<Vec<_>>())
}

pub fn pddl(learner: &Learner, settings: &Settings) -> String {
    write_domain(&model(learner, settings))
}

/// The given domain with a learned model's bodies, so that ids mean the same in both. Actions that
/// were not learned are never applicable.
pub fn with_bodies(domain: &Domain, learned: &Domain) -> Domain {
    let mut both = domain.clone();
    for index in 0..domain.actions.len() {
        let action = both.actions.value_mut(index);
        match learned.actions.find(domain.actions.name(index)) {
            Some(found) => *action = learned.actions.value(found).clone(),
            None => action.precondition = Condition::Or(Vec::new()),
        }
    }
    both
}

/// What the real actions of a random world may look like.
#[derive(Clone, Debug)]
pub struct Shape {
    pub functions: usize,
    pub constant: bool,
    pub negative: bool,
    pub equality: bool,
    /// At most so many functions in a numeric condition.
    pub arity: usize,
    /// At most so many functions in the right-hand side of an effect.
    pub effect_arity: usize,
    /// By column: the sign its coefficients in conditions (`… ≤ b`) may have; 2 is any, 0 is none.
    pub signs: Vec<i32>,
    pub products: bool,
    /// Chance that a function has no value.
    pub undefined: usize,
    pub class: Class,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            functions: 2,
            constant: false,
            negative: true,
            equality: true,
            arity: 3,
            effect_arity: 3,
            signs: Vec::new(),
            products: false,
            undefined: 0,
            class: Class::default(),
        }
    }
}

/// A domain with one action, `act`, and objects to act on.
pub struct World {
    pub domain: Domain,
    pub objects: Objects,
    pub vocabulary: Vocabulary,
    shape: Shape,
}

pub const ACT: ActionId = ActionId(0);

impl World {
    pub fn random(random: &mut Chance, shape: &Shape) -> Self {
        let types = ["object", "a", "a", "a", "b"];
        let parameters = |random: &mut Chance, count: usize, names: &str| -> String {
            (0..count).map(|slot| format!(" ?{names}{slot} - {}", random.of(&types))).collect()
        };
        let mut text = String::from("(define (domain w) (:types a b - object c - a)");
        if shape.constant {
            text += " (:constants k - a)";
        }
        text += " (:predicates";
        for index in 0..1 + random.below(2) {
            let arity = [0, 1, 1, 1, 2][random.below(5)];
            text += &format!(" (p{index}{})", parameters(random, arity, "x"));
        }
        text += ")";
        if shape.functions > 0 {
            text += " (:functions";
            for index in 0..1 + random.below(shape.functions) {
                let arity = [0, 1, 1, 1, 2][random.below(5)];
                text += &format!(" (f{index}{})", parameters(random, arity, "x"));
            }
            text += ")";
        }
        let count = 1 + random.below(3);
        text += &format!(" (:action act :parameters ({})))", parameters(random, count, "p"));
        let mut domain = domain(&text);
        let objects = objects(&domain, "o0 o1 - a o2 - c o3 - b");
        let learner = Learner::new(&domain, shape.class.clone()).unwrap();
        let vocabulary = learner.vocabulary(ACT).clone();
        let action = domain.actions.value_mut(0);
        action.precondition = precondition(random, shape, &vocabulary);
        action.effect = effect(random, shape, &vocabulary);
        World { domain, objects, vocabulary, shape: shape.clone() }
    }

    /// A world whose action has a body of this shape, over the vocabulary of a given domain.
    pub fn over(random: &mut Chance, shape: &Shape, text: &str, listed: &str) -> Self {
        let mut domain = domain(text);
        let objects = objects(&domain, listed);
        let vocabulary =
            Learner::new(&domain, shape.class.clone()).unwrap().vocabulary(ACT).clone();
        let action = domain.actions.value_mut(0);
        action.precondition = precondition(random, shape, &vocabulary);
        action.effect = effect(random, shape, &vocabulary);
        World { domain, objects, vocabulary, shape: shape.clone() }
    }

    /// The same world, in which the action has another body.
    pub fn another(&self, random: &mut Chance) -> Self {
        let mut domain = self.domain.clone();
        let action = domain.actions.value_mut(0);
        action.precondition = precondition(random, &self.shape, &self.vocabulary);
        action.effect = effect(random, &self.shape, &self.vocabulary);
        World {
            domain,
            objects: self.objects.clone(),
            vocabulary: self.vocabulary.clone(),
            shape: self.shape.clone(),
        }
    }

    pub fn semantics(&self) -> Semantics<'_> {
        Semantics::new(&self.domain, &self.objects)
    }

    fn tuples(&self, symbol: &Symbol) -> Vec<Vec<ObjectId>> {
        let places = symbol.parameters.iter();
        let candidates = places
            .map(|place| self.objects.of(&self.domain.signature.types, &place.types).collect());
        product(&candidates.collect::<Vec<Vec<ObjectId>>>())
    }

    pub fn atoms(&self) -> Vec<GroundAtom> {
        let symbols = self.domain.signature.predicates.iter().enumerate();
        symbols
            .flat_map(|(index, (_, symbol))| ground(PredicateId::from(index), self.tuples(symbol)))
            .collect()
    }

    pub fn functions(&self) -> Vec<GroundFunction> {
        let symbols = self.domain.signature.functions.iter().enumerate();
        symbols
            .flat_map(|(index, (_, symbol))| ground(FunctionId::from(index), self.tuples(symbol)))
            .collect()
    }

    /// All steps that types allow.
    pub fn steps(&self) -> Vec<GroundAction> {
        let parameters = self.domain.action(ACT).parameters.iter();
        let of = |types| self.objects.of(&self.domain.signature.types, types).collect();
        ground(ACT, product(&parameters.map(|parameter| of(&parameter.types)).collect::<Vec<_>>()))
    }

    pub fn state(&self, random: &mut Chance, universe: &mut Universe) -> State {
        let mut state = State::default();
        for atom in self.atoms() {
            let id = universe.atom(&atom);
            if random.percent(50) {
                state.insert(id);
            }
        }
        for function in self.functions() {
            let id = universe.value(&function);
            if !random.percent(self.shape.undefined) {
                state.set_value(id, Rational::integer(random.between(0, 4)));
            }
        }
        state
    }

    /// Makes the literals of the real precondition true, as far as that goes.
    pub fn favour(&self, universe: &mut Universe, state: &mut State, step: &GroundAction) {
        let Condition::And(parts) = &self.domain.action(ACT).precondition else { return };
        for part in parts {
            match part {
                Condition::Atom(atom) => state.insert(universe.atom(&atom.ground(&step.arguments))),
                Condition::Not(inner) => {
                    if let Condition::Atom(atom) = &**inner {
                        state.remove(universe.atom(&atom.ground(&step.arguments)));
                    }
                }
                _ => {}
            }
        }
    }

    /// Up to `count` steps that the real action can take, from random states.
    pub fn observe(
        &self,
        random: &mut Chance,
        count: usize,
        keep: impl Fn(&GroundAction) -> bool,
    ) -> Vec<Step> {
        let possible: Vec<GroundAction> = self.steps().into_iter().filter(keep).collect();
        let mut taken = Vec::new();
        if possible.is_empty() {
            return taken;
        }
        for _ in 0..4 * count {
            let mut universe = Universe::default();
            let mut before = self.state(random, &mut universe);
            let action = random.of(&possible).clone();
            self.favour(&mut universe, &mut before, &action);
            if let Ok(after) = self.semantics().successor(&action, &mut universe, &before) {
                // An assignment may give a function its first value. The class has no such steps:
                // an anomaly.
                if after.values().count() > before.values().count() {
                    continue;
                }
                taken.push(Step { universe, before, action, after });
            }
            if taken.len() == count {
                break;
            }
        }
        taken
    }

    /// A state near one that was observed, or between two.
    pub fn probe(&self, random: &mut Chance, steps: &[Step]) -> (Universe, State, GroundAction) {
        let step = random.of(steps);
        let mut universe = step.universe.clone();
        let mut state = step.before.clone();
        let mut action = step.action.clone();
        if random.percent(60) {
            // All steps number what they name in the same order, so a state of one is a state of
            // the other.
            let other = random.of(steps);
            for function in self.functions() {
                let (Some(one), Some(two)) =
                    (universe.find_value(&function), other.universe.find_value(&function))
                else {
                    continue;
                };
                if let (Some(here), Some(there)) =
                    (state.value(one).cloned(), other.before.value(two).cloned())
                {
                    let half = &(&here + &there) * &Rational::new(1, 2).unwrap();
                    state.set_value(one, random.of(&[here, there, half.clone(), half]).clone());
                }
            }
        }
        let atoms = self.atoms();
        for _ in 0..if atoms.is_empty() { 0 } else { random.below(3) } {
            let id = universe.atom(random.of(&atoms));
            if state.contains(id) { state.remove(id) } else { state.insert(id) }
        }
        let functions = self.functions();
        if !functions.is_empty() && random.percent(40) {
            let id = universe.value(random.of(&functions));
            let old = state.value(id).cloned().unwrap_or(Rational::ZERO);
            state.set_value(
                id,
                &old + &Rational::new(random.between(-2, 2), random.between(1, 2)).unwrap(),
            );
        }
        if random.percent(60) {
            action = random.of(&self.steps()).clone();
        }
        (universe, state, action)
    }
}

fn ground<S: Copy>(symbol: S, tuples: Vec<Vec<ObjectId>>) -> Vec<Ground<S>> {
    tuples.into_iter().map(|arguments| Ground { symbol, arguments: arguments.into() }).collect()
}

pub fn product<T: Clone>(candidates: &[Vec<T>]) -> Vec<Vec<T>> {
    candidates.iter().fold(vec![Vec::new()], |tuples, place| {
        tuples
            .iter()
            .flat_map(|tuple| place.iter().map(|item| [tuple.clone(), vec![item.clone()]].concat()))
            .collect()
    })
}

fn not(condition: Condition) -> Condition {
    Condition::Not(Box::new(condition))
}

fn scaled(vocabulary: &Vocabulary, column: ColumnId, coefficient: Rational) -> Expression {
    Expression::Product(vec![Expression::Number(coefficient), vocabulary.column_expression(column)])
}

/// Up to `most` columns, in random order. Products only where the shape has them.
fn columns(
    random: &mut Chance,
    shape: &Shape,
    vocabulary: &Vocabulary,
    most: usize,
) -> Vec<ColumnId> {
    let fits = |column: &ColumnId| shape.products || vocabulary.columns[*column].0.len() == 1;
    let mut columns: Vec<ColumnId> = vocabulary.columns.ids().filter(fits).collect();
    random.shuffle(&mut columns);
    let (wanted, mut functions, mut chosen) = (random.below(most + 1), BTreeSet::new(), Vec::new());
    for column in columns {
        let more: BTreeSet<LiftedFunctionId> =
            functions.iter().copied().chain(vocabulary.columns[column].0.iter().copied()).collect();
        if more.len() <= wanted {
            functions = more;
            chosen.push(column);
        }
    }
    chosen
}

fn precondition(random: &mut Chance, shape: &Shape, vocabulary: &Vocabulary) -> Condition {
    let mut parts = Vec::new();
    for atom in &vocabulary.atoms {
        let atom = Condition::Atom(atom.clone());
        match random.below(6) {
            0 => parts.push(atom),
            1 if shape.negative => parts.push(not(atom)),
            _ => {}
        }
    }
    if shape.equality {
        for &(left, right) in &vocabulary.equalities {
            match random.below(12) {
                0 => parts.push(Condition::Same(left, right)),
                1 | 2 => parts.push(not(Condition::Same(left, right))),
                _ => {}
            }
        }
    }
    for _ in 0..random.below(4) {
        let mut terms = Vec::new();
        for column in columns(random, shape, vocabulary, shape.arity) {
            let sign = shape.signs.get(column.index()).copied().unwrap_or(2);
            if sign == 0 {
                continue;
            }
            let size = random.between(1, 3);
            let coefficient = match sign {
                2 => *random.of(&[size, -size]),
                sign => i64::from(sign) * size,
            };
            terms.push(scaled(vocabulary, column, Rational::integer(coefficient)));
        }
        let bound = Expression::Number(Rational::integer(random.between(0, 8)));
        let comparison =
            if random.percent(80) { Comparison::LessOrEqual } else { Comparison::Less };
        parts.push(Condition::Compare(comparison, Box::new([Expression::Sum(terms), bound])));
    }
    random.shuffle(&mut parts);
    Condition::And(parts)
}

fn effect(random: &mut Chance, shape: &Shape, vocabulary: &Vocabulary) -> Effect {
    let mut parts = Vec::new();
    for atom in &vocabulary.atoms {
        match random.below(7) {
            0 | 1 => parts.push(Effect::Add(atom.clone())),
            2 | 3 => parts.push(Effect::Delete(atom.clone())),
            4 if random.percent(30) => {
                parts.extend([Effect::Add(atom.clone()), Effect::Delete(atom.clone())])
            }
            _ => {}
        }
    }
    for function in &vocabulary.functions {
        if random.percent(50) {
            continue;
        }
        let mut terms: Vec<Expression> = Vec::new();
        for column in columns(random, shape, vocabulary, shape.effect_arity) {
            let coefficient = random.of(&["-1", "1", "1", "2", "0.5", "-0.25"]);
            terms.push(scaled(vocabulary, column, number(coefficient)));
        }
        if random.percent(60) {
            terms.push(Expression::Number(Rational::integer(random.between(-2, 3))));
        }
        let operator = *random.of(&[
            NumericOperator::Increase,
            NumericOperator::Decrease,
            NumericOperator::Assign,
        ]);
        parts.push(Effect::Numeric(NumericEffect {
            operator,
            target: function.clone(),
            value: Expression::Sum(terms),
        }));
    }
    random.shuffle(&mut parts);
    Effect::And(parts)
}

/// How often a learned model was asked, and how often it said yes.
#[derive(Default, Debug)]
pub struct Tally {
    pub asked: usize,
    pub applicable: usize,
}

/// The promise, and that what was seen is reproduced.
pub fn check_safe(
    random: &mut Chance,
    world: &World,
    steps: &[Step],
    settings: &Settings,
    probes: usize,
    tally: &mut Tally,
) {
    let learner = learner(&world.domain, world.shape.class.clone(), &world.objects, steps);
    let learned = match learner.conclude(ACT, settings) {
        Conclusion::Learned(action) => *action,
        Conclusion::LeftOut(_) => return,
        Conclusion::Inconsistent(why) => {
            panic!("nothing is wrong with the data, but {why:?}\n{}", story(world, steps, None))
        }
    };
    let believed = with_bodies(&world.domain, &learned_domain(&learner, &[(ACT, &learned)]));
    let (real, belief) = (world.semantics(), Semantics::new(&believed, &world.objects));
    let functions = &world.vocabulary.functions;
    for step in steps {
        let mut universe = step.universe.clone();
        let pattern = surefoot_learn::Pattern::of(
            &step.action.arguments,
            world.domain.signature.constants.len(),
            &world.domain.input_slots(step.action.symbol),
        );
        let apart = pattern.classes(functions).iter().all(|class| class.len() == 1);
        match belief.successor(&step.action, &mut universe, &step.before) {
            Ok(after) => {
                assert!(
                    after == step.after,
                    "an observed step is not reproduced\n{}",
                    story(world, steps, Some(&believed))
                )
            }
            // Where functions coincide, the step's vector may lie outside what the others
            // determine; and a budget may leave it out.
            Err(why) => assert!(
                !apart && settings.algorithm != Algorithm::Sam
                    || learned.numeric.region.uncovered > 0,
                "{why:?}\n{}",
                story(world, steps, Some(&believed))
            ),
        }
    }
    for _ in 0..probes {
        let (mut universe, state, action) = world.probe(random, steps);
        tally.asked += 1;
        let Ok(expected) = belief.successor(&action, &mut universe, &state) else { continue };
        tally.applicable += 1;
        let told = || {
            let (states, actions) = (vec![state.clone(), expected.clone()], vec![action.clone()]);
            let probe =
                Trajectory { universe: universe.clone(), states, actions, ..Trajectory::default() };
            let probe = write_trajectory(&world.domain, &world.objects, &probe);
            format!("probe {probe}\n{}", story(world, steps, Some(&believed)))
        };
        match real.successor(&action, &mut universe.clone(), &state) {
            Ok(after) if after == expected => {}
            Ok(_) => panic!("another outcome\n{}", told()),
            Err(why) => panic!("not applicable: {why:?}\n{}", told()),
        }
    }
}

/// A failing case for people.
pub fn story(world: &World, steps: &[Step], believed: Option<&Domain>) -> String {
    let mut text = write_domain(&world.domain);
    text += &believed.map(write_domain).unwrap_or_default();
    for step in steps {
        let states = vec![step.before.clone(), step.after.clone()];
        let trajectory = Trajectory {
            universe: step.universe.clone(),
            states,
            actions: vec![step.action.clone()],
            ..Trajectory::default()
        };
        text += &write_trajectory(&world.domain, &world.objects, &trajectory);
    }
    text
}

/// Compares learned actions with the expected ones, up to the order of conditions and effects.
pub fn assert_model(learned: &Domain, expected: &str) {
    let wanted = domain(expected);
    let names = |domain: &Domain| -> Vec<String> {
        domain.actions.iter().map(|(name, _)| name.to_owned()).collect()
    };
    assert_eq!(names(learned), names(&wanted));
    for id in learned.action_ids() {
        assert_eq!(parts(learned, id), parts(&wanted, id), "\n{}", write_domain(learned));
    }
}

fn parts(domain: &Domain, id: ActionId) -> (Vec<String>, Vec<String>) {
    let action = domain.action(id);
    let mut writer = surefoot_base::pddl::Writer::new(domain, &domain.signature.constants)
        .with_parameters(&action.parameters);
    let conditions = action.precondition.expanded().conjuncts().to_vec();
    let effects = match &action.effect {
        Effect::And(parts) => parts.clone(),
        other => vec![other.clone()],
    };
    let mut conditions: Vec<String> =
        conditions.iter().map(|part| writer.condition(part)).collect();
    let mut effects: Vec<String> = effects.iter().map(|part| writer.effect(part)).collect();
    conditions.sort();
    effects.sort();
    (conditions, effects)
}
