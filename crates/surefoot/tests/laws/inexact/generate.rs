//! Random real domains over true values that nobody sees, steps that really were taken in them, and
//! options that are true of the domain.

use std::collections::BTreeMap;

use super::linear::Linear;
use super::opponent::{Opponent, recorded, symbols};
use crate::chance::Chance;
use crate::promise::number::Rat;
use crate::promise::world::{
    Action, Applied, Call, Comparison, Condition, Effect, Expression, Operator, State, Symbol,
    Term, World,
};

/// A real domain, what happened in it, what was recorded of that, and what the learner is told.
#[derive(Clone, Debug)]
pub struct Case {
    pub world: World,
    /// By function: how far a recorded value may be from the true one.
    pub errors: Vec<Rat>,
    pub truth: Vec<Trace>,
    pub records: Vec<Trace>,
    pub opponent: Opponent,
    pub options: Options,
    /// Percent of the facts that the records do not tell.
    pub untold: usize,
    /// Attempts that really failed; those of number i are told at the end of record i modulo the
    /// number of records.
    pub failed: Vec<Failed>,
}

/// An attempt that failed: what was true, and what was recorded.
#[derive(Clone, Debug)]
pub struct Failed {
    pub call: Call,
    pub truth: State,
    pub record: State,
}

#[derive(Clone, Debug)]
pub struct Trace {
    pub states: Vec<State>,
    pub calls: Vec<Call>,
}

/// What the learner is told beside the errors. Functions are PDDL text over `?p0`, `?p1`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub effect_decimals: Option<u32>,
    pub arity: Option<usize>,
    pub effect_arity: Option<usize>,
    pub relevant: BTreeMap<String, Vec<String>>,
    pub monotone: BTreeMap<String, BTreeMap<String, &'static str>>,
}

impl Case {
    pub fn steps_of(
        traces: &[Trace],
        action: usize,
    ) -> impl Iterator<Item = (&State, &Call, &State)> {
        let steps = traces.iter().flat_map(|trace| {
            (0..trace.calls.len())
                .map(move |at| (&trace.states[at], &trace.calls[at], &trace.states[at + 1]))
        });
        steps.filter(move |(_, call, _)| call.action == action)
    }

    pub fn error_of(&self, function: &Applied) -> Rat {
        self.errors[function.symbol]
    }

    /// What the learner reads.
    pub fn texts(&self) -> Vec<String> {
        let text = |(number, trace): (usize, &Trace)| {
            let mut chance = Chance::scattered(number as u64);
            let mut text = self
                .world
                .trajectory_told(&trace.states, &trace.calls, &mut || !chance.percent(self.untold));
            for failed in self.failed.iter().skip(number).step_by(self.records.len()) {
                text.truncate(text.len() - ")\n".len());
                text += &format!(
                    "(:reset{})\n(failed: {})\n)\n",
                    self.world.facts(&failed.record),
                    self.world.call(&failed.call)
                );
            }
            text
        };
        self.records.iter().enumerate().map(text).collect()
    }
}

/// What a body says, as numbers.
#[derive(Default)]
struct Body {
    /// At most zero, or equal to it.
    conditions: Vec<(Comparison, Linear)>,
    /// The numeric effects: each assigns a value, or adds one.
    changes: Vec<(Operator, Applied, Linear)>,
}

/// The case of a seed; the same everywhere.
pub fn case(seed: u64) -> Case {
    let mut chance = Chance::scattered(seed ^ 0x1E57_0000);
    loop {
        if let Some(mut case) = attempt(&mut chance) {
            case.failed = failed(&mut Chance::scattered(seed ^ 0xFA11_ED00), &case);
            return case;
        }
    }
}

/// Attempts that really fail, most of them near steps that worked, recorded by someone who chooses
/// the errors.
fn failed(chance: &mut Chance, case: &Case) -> Vec<Failed> {
    let (world, calls) = (&case.world, case.world.calls());
    let symbols = symbols(world);
    let mut failed = Vec::new();
    let wanted = *chance.of(&[0, 0, 4, 10, 25]);
    for _ in 0..wanted * 12 {
        let (call, mut truth) =
            (chance.of(&calls).clone(), any_state(chance, world, &case.errors, None));
        if chance.percent(60) {
            // A state that was met, with one value another one.
            let trace = chance.of(&case.truth);
            truth = chance.of(&trace.states).clone();
            let at = chance.below(truth.values.len());
            truth.values[at] = any_state(chance, world, &case.errors, None).values[at];
        }
        if failed.len() == wanted
            || !matches!(
                world.successor(&world.actions[call.action], &call.arguments, &truth),
                Ok(None)
            )
        {
            continue;
        }
        let mut record = truth.clone();
        for (at, value) in record.values.iter_mut().enumerate() {
            let error = symbols[at].map_or(Rat::ZERO, |symbol| case.errors[symbol]);
            let any = chance.between(-8, 8).into();
            let part = Rat::new(*chance.of(&[-8, -8, 8, 8, any]), 8);
            *value = value.and_then(|value| value.plus(error.times(part).ok()?).ok());
        }
        if record
            .values
            .iter()
            .zip(&truth.values)
            .all(|(record, truth)| record.is_some() == truth.is_some())
        {
            failed.push(Failed { call, truth, record });
        }
    }
    failed
}

/// The most functions an action may mention.
const COLUMNS: usize = 4;

fn attempt(chance: &mut Chance) -> Option<Case> {
    let mut world = World { types: vec![("object".into(), 0)], ..World::default() };
    world.objects = (0..2 + chance.below(2)).map(|object| (format!("o{object}"), 0)).collect();
    world.constants = usize::from(chance.percent(12));
    let places = |chance: &mut Chance, of: &[usize]| vec![vec![0]; *chance.of(of)];
    for index in 0..1 + chance.below(4) {
        world
            .functions
            .push(Symbol { name: format!("f{index}"), places: places(chance, &[0, 1, 1, 1, 2]) });
    }
    if chance.percent(30) {
        world.predicates.push(Symbol { name: "q".into(), places: places(chance, &[0, 1]) });
    }
    let opponent = Opponent::any(chance);
    // Large errors, so that few decimals do not settle effects; then dials that allow more than
    // what was seen have the most to lose.
    let blurry = opponent != Opponent::Rounding && chance.percent(15);
    let size = |chance: &mut Chance| {
        if blurry { Rat::int(chance.between(1, 4).into()) } else { opponent.size(chance) }
    };
    let errors: Vec<Rat> = world
        .functions
        .iter()
        .map(|_| if chance.percent(30) { Rat::ZERO } else { size(chance) })
        .collect();
    if errors.iter().all(|error| error.is_zero()) {
        return None;
    }
    let decimals = *chance.of(&[0, 1, 1, 2, 2]);
    let mut bodies = Vec::new();
    for index in 0..1 + chance.below(2) {
        let parameters = vec![vec![0]; *chance.of(&[0, 1, 1, 1, 2, 2])];
        let functions = world.applications(&world.functions, &parameters);
        if functions.is_empty() || functions.len() > COLUMNS {
            return None;
        }
        let body = body(chance, &functions, &errors, decimals);
        let (mut condition, mut effects) = written(&body);
        let atoms = world.applications(&world.predicates, &parameters);
        if let Some(atom) = atoms.first().filter(|_| chance.percent(60)) {
            if chance.percent(60) {
                condition.push(Condition::Atom(atom.clone()));
            }
            if chance.percent(60) {
                effects.push(if chance.percent(50) {
                    Effect::Add(atom.clone())
                } else {
                    Effect::Delete(atom.clone())
                });
            }
        }
        world.actions.push(Action {
            name: format!("a{index}"),
            parameters,
            condition: Condition::And(condition),
            effects,
        });
        bodies.push(body);
    }
    let undefined = chance.percent(12).then(|| chance.below(world.functions.len()));
    let truth = traces(chance, &world, &errors, undefined)?;
    let options = options(chance, &world, &bodies, decimals, blurry);
    let records = recorded(chance, &world, &errors, opponent, &truth);
    let untold = if chance.percent(12) { *chance.of(&[2, 5, 10]) } else { 0 };
    Some(Case { world, errors, truth, records, opponent, options, untold, failed: Vec::new() })
}

fn body(chance: &mut Chance, functions: &[Applied], errors: &[Rat], decimals: u32) -> Body {
    let mut body = Body::default();
    for _ in 0..*chance.of(&[0, 1, 1, 2, 2]) {
        let mut linear = Linear::default();
        for _ in 0..1 + chance.below(2) {
            let by = *chance.of(&[(1, 1), (1, 1), (-1, 1), (-1, 1), (2, 1), (-1, 2)]);
            linear.add(chance.of(functions).clone(), Rat::new(by.0, by.1)).ok();
        }
        // Somewhere inside the range of what it reads.
        let mut bound = Rat::ZERO;
        for (function, by) in &linear.terms {
            bound = bound
                .plus(by.times(value(chance, errors[function.symbol])).ok().unwrap_or(Rat::ZERO))
                .unwrap_or(bound);
        }
        linear.constant = bound.negated();
        if !linear.terms.is_empty() {
            body.conditions.push((Comparison::AtMost, linear));
        }
    }
    // Only what is exact can be asked to equal something.
    let exact: Vec<&Applied> =
        functions.iter().filter(|function| errors[function.symbol].is_zero()).collect();
    if let Some(function) = exact.first().filter(|_| chance.percent(15)) {
        let mut linear =
            Linear { constant: value(chance, Rat::ZERO).negated(), ..Linear::default() };
        linear.add((*function).clone(), Rat::ONE).ok();
        body.conditions.push((Comparison::Equal, linear));
    }
    let mut twins =
        functions.iter().flat_map(|one| functions.iter().map(move |other| (one, other)));
    let twins = twins.find(|(one, other)| one < other && one.symbol == other.symbol);
    if let Some((one, other)) = twins.filter(|_| chance.percent(30)) {
        // Where both are one function, an increase and an assignment contradict each other,
        // although they look alike apart.
        let constant = Rat::int(chance.between(1, 4).into());
        let mut own = Linear { constant, ..Linear::default() };
        body.changes.push((Operator::Increase, one.clone(), own.clone()));
        own.add(other.clone(), Rat::ONE).ok();
        body.changes.push((Operator::Assign, other.clone(), own));
        return body;
    }
    for target in functions {
        if !chance.percent(55) {
            continue;
        }
        let assign = chance.percent(25);
        let mut linear =
            Linear { constant: Rat::int(chance.between(-6, 6).into()), ..Linear::default() };
        if decimals > 0 && chance.percent(60) {
            linear.constant = Rat::new(chance.between(-40, 40).into(), 10);
        }
        for _ in 0..*chance.of(&[0, 0, 1, 1, 2]) {
            let by: (i128, i128) = match decimals {
                0 => *chance.of(&[(1, 1), (-1, 1), (2, 1)]),
                1 => *chance.of(&[(1, 2), (-1, 2), (3, 10), (-1, 10), (1, 1)]),
                _ => *chance.of(&[(-3, 100), (7, 100), (1, 4), (-1, 2), (1, 1), (97, 100)]),
            };
            linear.add(chance.of(functions).clone(), Rat::new(by.0, by.1)).ok();
        }
        // An assignment that looks like a change, which it is not where another effect is on the
        // same function.
        if assign && chance.percent(30) {
            linear = Linear { constant: linear.constant, ..Linear::default() };
            linear.add(target.clone(), Rat::ONE).ok();
        }
        // A change by nothing is none.
        if assign || !linear.terms.is_empty() || !linear.constant.is_zero() {
            let operator = if assign { Operator::Assign } else { Operator::Increase };
            body.changes.push((operator, target.clone(), linear));
        }
    }
    body
}

fn written(body: &Body) -> (Vec<Condition>, Vec<Effect>) {
    let zero = Expression::Number(Rat::ZERO);
    let conditions = body.conditions.iter().map(|(comparison, linear)| {
        Condition::Compare(*comparison, linear.expression(), zero.clone())
    });
    let effects = body.changes.iter().map(|(operator, target, linear)| {
        Effect::Change(*operator, target.clone(), linear.expression())
    });
    (conditions.collect(), effects.collect())
}

/// A true value: whole where it is recorded exactly, in quarters elsewhere, in a range that is much
/// larger than most errors.
fn value(chance: &mut Chance, error: Rat) -> Rat {
    match (error.is_zero(), chance.percent(25)) {
        (true, _) => Rat::int(chance.between(0, 6).into()),
        (false, true) => Rat::int(*chance.of(&[0, 40])),
        (false, false) => Rat::new(chance.between(0, 160).into(), 4),
    }
}

/// Any true state; one function may have no value here and there.
pub fn any_state(
    chance: &mut Chance,
    world: &World,
    errors: &[Rat],
    undefined: Option<usize>,
) -> State {
    let mut state = world.empty_state();
    for atom in world.atoms() {
        state.atoms[atom] = chance.percent(60);
    }
    for (symbol, function) in world.functions.iter().enumerate() {
        for tuple in world.tuples(&function.places) {
            if undefined == Some(symbol) && chance.percent(40) {
                continue;
            }
            let applied = Applied { symbol, terms: tuple.into_iter().map(Term::Object).collect() };
            state.values[world.function_index(&applied, &[])] = Some(value(chance, errors[symbol]));
        }
    }
    state
}

/// Steps that really were taken, a few of each action at least.
fn traces(
    chance: &mut Chance,
    world: &World,
    errors: &[Rat],
    undefined: Option<usize>,
) -> Option<Vec<Trace>> {
    let wanted = *chance.of(&[4, 10, 20, 30, 40]);
    let calls = world.calls();
    let mut seen = vec![0; world.actions.len()];
    let mut traces = Vec::new();
    for _ in 0..wanted * 25 {
        if seen.iter().all(|&steps| steps >= wanted) {
            break;
        }
        let mut states = vec![any_state(chance, world, errors, undefined)];
        let mut taken = Vec::new();
        for _ in 0..1 + chance.below(3) {
            let call = chance.of(&calls);
            if seen[call.action] > 2 * wanted {
                continue;
            }
            let Ok(Some(after)) =
                world.successor(&world.actions[call.action], &call.arguments, &states[taken.len()])
            else {
                continue;
            };
            seen[call.action] += 1;
            taken.push(call.clone());
            states.push(after);
        }
        if !taken.is_empty() {
            traces.push(Trace { states, calls: taken });
        }
    }
    (seen.iter().all(|&steps| steps >= 3)).then_some(traces)
}

/// Options that are true of the domain, and that the errors admit.
fn options(
    chance: &mut Chance,
    world: &World,
    bodies: &[Body],
    decimals: u32,
    blurry: bool,
) -> Options {
    let mut options = Options::default();
    let more = if blurry { 40 } else { 0 };
    if chance.percent(55 + more) {
        options.effect_decimals = Some(decimals + chance.below(4) as u32 / 3);
    }
    let reads = bodies
        .iter()
        .flat_map(|body| &body.changes)
        .map(|(_, _, linear)| linear.terms.len())
        .max()
        .unwrap_or(0);
    if chance.percent(30) {
        options.effect_arity = Some(reads + chance.below(3) / 2);
    }
    let most = bodies
        .iter()
        .flat_map(|body| &body.conditions)
        .map(|(_, linear)| linear.terms.len())
        .max()
        .unwrap_or(0)
        .max(1);
    if chance.percent(40 + more) {
        let least = match (options.effect_decimals, options.effect_arity) {
            (Some(_), _) => Some(most),
            (None, Some(effects)) => Some(most.max(2 * effects + 1)),
            (None, None) => None,
        };
        options.arity = least.map(|least| least + chance.below(3) / 2);
    }
    for (action, body) in world.actions.iter().zip(bodies) {
        let functions = world.applications(&world.functions, &action.parameters);
        let read = |function: &Applied| {
            body.conditions.iter().any(|(_, linear)| linear.terms.contains_key(function))
                || body.changes.iter().any(|(_, target, linear)| {
                    target == function || linear.terms.contains_key(function)
                })
        };
        if chance.percent(20) {
            let listed = functions.iter().filter(|function| read(function) || chance.percent(20));
            options.relevant.insert(
                action.name.clone(),
                listed.map(|function| world.function(function)).collect(),
            );
        }
        if options.effect_decimals.is_none() || !chance.percent(40 + more) {
            continue;
        }
        let mut marks = BTreeMap::new();
        for function in &functions {
            let name = world.function(function);
            let listed =
                options.relevant.get(&action.name).is_none_or(|listed| listed.contains(&name));
            if listed && chance.percent(60) {
                marks.extend(true_mark(chance, body, function).map(|mark| (name, mark)));
            }
        }
        if !marks.is_empty() {
            options.monotone.insert(action.name.clone(), marks);
        }
    }
    options
}

/// A mark that is true of the precondition.
fn true_mark(chance: &mut Chance, body: &Body, function: &Applied) -> Option<&'static str> {
    let (mut more, mut less, mut any) = (true, true, true);
    for (comparison, linear) in &body.conditions {
        let Some(by) = linear.terms.get(function) else { continue };
        any = false;
        more &= by.num < 0 && *comparison == Comparison::AtMost;
        less &= by.num > 0 && *comparison == Comparison::AtMost;
    }
    // Where it does not matter whether the function has a value, no effect may read it either.
    let read = body.changes.iter().any(|(operator, target, linear)| {
        linear.terms.contains_key(function) || *operator != Operator::Assign && target == function
    });
    match (any, more, less) {
        (true, ..) if read => Some(*chance.of(&["more", "less"])),
        (true, ..) => Some(*chance.of(&["any", "more", "less"])),
        (_, true, _) => Some("more"),
        (_, _, true) => Some("less"),
        _ => None,
    }
}
