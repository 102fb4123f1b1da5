//! Random real domains of the class, records of steps that really can be taken, and options that
//! are true of the domain.

use std::collections::{BTreeMap, BTreeSet};

use super::number::Rat;
use super::product::{Mark, Method, Options, Texts};
use super::world::{
    Action, Applied, Call, Comparison, Condition, Effect, Expression, Operator, State, Symbol,
    Term, TypeSet, World,
};
use crate::chance::Chance;

/// A real domain, what was recorded of it, and what the learner is told.
#[derive(Clone, Debug)]
pub struct Case {
    pub world: World,
    pub traces: Vec<Trace>,
    pub options: Options,
    /// Whether the learner's domain has the real bodies.
    pub bodies: bool,
}

#[derive(Clone, Debug)]
pub struct Trace {
    pub states: Vec<State>,
    pub calls: Vec<Call>,
}

impl Case {
    pub fn texts(&self) -> Texts {
        Texts {
            domain: self.world.domain(&self.world.actions, self.bodies),
            problem: self.world.problem(),
            traces: self
                .traces
                .iter()
                .map(|trace| self.world.trajectory(&trace.states, &trace.calls))
                .collect(),
        }
    }

    /// All recorded steps: the state before, the step, the state after.
    pub fn steps(&self) -> impl Iterator<Item = (&State, &Call, &State)> {
        let steps = |trace: &'_ Trace| (0..trace.calls.len()).collect::<Vec<_>>();
        self.traces.iter().flat_map(move |trace| {
            steps(trace)
                .into_iter()
                .map(move |at| (&trace.states[at], &trace.calls[at], &trace.states[at + 1]))
        })
    }
}

/// Coefficients and products of functions; the constant has no factors.
type Polynomial = Vec<(Rat, Vec<Applied>)>;

/// What a body says, in the form that the truth of options is read off.
#[derive(Default)]
struct Body {
    literals: Vec<(bool, Applied)>,
    /// Compared with zero: at most, less than, or equal.
    conditions: Vec<(Comparison, Polynomial)>,
    changes: Vec<(Operator, Applied, Polynomial)>,
}

/// The case of a seed; the same everywhere.
pub fn case(seed: u64) -> Case {
    let mut chance = Chance::scattered(seed);
    loop {
        if let Some(case) = attempt(&mut chance) {
            return case;
        }
    }
}

fn attempt(chance: &mut Chance) -> Option<Case> {
    let shape = Shape::new(chance);
    let mut world = vocabulary(chance, &shape);
    let mut bodies = Vec::new();
    let mut widest = 0;
    for action in 0..if shape.narrow { 1 } else { *chance.of(&[1, 1, 1, 2, 2, 3]) } {
        let places = if shape.narrow { 1 } else { *chance.of(&[0, 1, 1, 1, 2, 2, 2, 2, 3, 3]) };
        let parameters: Vec<TypeSet> = (0..places).map(|_| type_set(chance, &world)).collect();
        let atoms = world.applications(&world.predicates, &parameters);
        let functions = world.applications(&world.functions, &parameters);
        let columns = if shape.degree == 2 {
            functions.len() * (functions.len() + 1) / 2
        } else {
            functions.len()
        };
        if atoms.len() > 20 || columns > 10 {
            return None;
        }
        widest = widest.max(columns);
        let body = body(chance, &shape, &atoms, &functions);
        let (condition, effects) = written(chance, &world, &parameters, &body);
        world.actions.push(Action { name: format!("a{action}"), parameters, condition, effects });
        bodies.push(body);
    }
    let traces = record(chance, &shape, &world, &bodies, widest);
    if traces.is_empty() {
        return None;
    }
    let options = options(chance, &shape, &world, &bodies);
    Some(Case { world, traces, options, bodies: chance.percent(70) })
}

struct Shape {
    degree: u32,
    method: Method,
    /// Percent of values that are not defined, by function.
    undefined: usize,
    /// Whether steps with one object for several parameters are preferred.
    repeated: bool,
    negative: bool,
    /// One action over few functions and hardly anything else, recorded often: dials and products
    /// have the most to lose there.
    narrow: bool,
}

impl Shape {
    fn new(chance: &mut Chance) -> Self {
        let narrow = chance.percent(12);
        Shape {
            narrow,
            degree: if chance.percent(if narrow { 75 } else { 27 }) { 2 } else { 1 },
            method: *chance.of(&[
                Method::NsamStar,
                Method::NsamStar,
                Method::NsamStar,
                Method::NsamStar,
                Method::NsamStar,
                Method::NsamStar,
                Method::NsamStar,
                Method::NsamLiteral,
                Method::Nsam,
                Method::Sam,
            ]),
            undefined: *chance.of(&[0, 0, 0, 0, 15, 30]),
            repeated: chance.percent(40),
            negative: chance.percent(70),
        }
    }
}

fn vocabulary(chance: &mut Chance, shape: &Shape) -> World {
    let mut world = World { types: vec![("object".into(), 0)], ..World::default() };
    if shape.narrow {
        let places = if chance.percent(50) { vec![vec![0]] } else { Vec::new() };
        let function = |index| Symbol { name: format!("f{index}"), places: places.clone() };
        world.functions = (0..2 + chance.below(2)).map(function).collect();
        world.objects = (0..2).map(|object| (format!("o{object}"), 0)).collect();
        return world;
    }
    let hierarchies: [&[usize]; 8] =
        [&[], &[], &[0], &[0, 0], &[0, 1], &[0, 1, 1], &[0, 0, 1], &[0, 1, 2]];
    let parents = *chance.of(&hierarchies);
    for (index, &parent) in parents.iter().enumerate() {
        world.types.push((format!("t{}", index + 1), parent));
    }
    world.constants = *chance.of(&[0, 0, 0, 0, 0, 1, 1, 1, 2]);
    let types = world.types.len();
    for constant in 0..world.constants {
        let of = chance.below(types);
        world.objects.push((format!("c{constant}"), of));
    }
    for object in
        0..chance.between(if world.constants == 0 { 2 } else { 1 }, 4 - world.constants as i64)
    {
        let of = if types > 1 && chance.percent(85) {
            1 + chance.below(types - 1)
        } else {
            chance.below(types)
        };
        world.objects.push((format!("o{object}"), of));
    }
    let symbols =
        |chance: &mut Chance, count: usize, name: &str, arities: &[usize]| -> Vec<Symbol> {
            (0..count)
                .map(|index| {
                    let places =
                        (0..*chance.of(arities)).map(|_| type_set(chance, &world)).collect();
                    Symbol { name: format!("{name}{index}"), places }
                })
                .collect()
        };
    let count = *chance.of(&[0, 1, 1, 2, 2, 3, 4]);
    let predicates = symbols(chance, count, "q", &[0, 1, 1, 1, 2, 2]);
    let count = match (shape.method, shape.degree) {
        (Method::Sam, _) => chance.below(2),
        (_, 2) => 1 + chance.below(3),
        _ => *chance.of(&[0, 1, 1, 2, 2, 3, 4]),
    };
    let functions = symbols(chance, count, "f", &[0, 1, 1, 1, 2]);
    (world.predicates, world.functions) = (predicates, functions);
    world
}

fn type_set(chance: &mut Chance, world: &World) -> TypeSet {
    let types = world.types.len();
    let some =
        |chance: &mut Chance| if chance.percent(85) { 1 + chance.below(types - 1) } else { 0 };
    match types {
        1 => vec![0],
        2 => vec![some(chance)],
        _ if chance.percent(22) => {
            let (one, other) = (1 + chance.below(types - 1), 1 + chance.below(types - 1));
            if one == other { vec![one] } else { vec![one, other] }
        }
        _ => vec![some(chance)],
    }
}

const COEFFICIENTS: [(i128, i128); 9] =
    [(1, 1), (1, 1), (1, 1), (-1, 1), (-1, 1), (-1, 1), (2, 1), (-2, 1), (1, 2)];

fn coefficient(chance: &mut Chance) -> Rat {
    let (num, den) = *chance.of(&COEFFICIENTS);
    Rat::new(num, den)
}

/// Up to `most` monomials with coefficients; each at most once.
fn terms(chance: &mut Chance, functions: &[Applied], most: usize, products: bool) -> Polynomial {
    let mut polynomial: Polynomial = Vec::new();
    if functions.is_empty() {
        return polynomial;
    }
    for _ in 0..chance.below(most + 1) {
        let mut factors = vec![chance.of(functions).clone()];
        if products && functions.len() > 1 && chance.percent(45) {
            let other = chance.of(functions).clone();
            if other != factors[0] {
                factors.push(other);
                factors.sort();
            }
        }
        if polynomial.iter().all(|(_, known)| *known != factors) {
            polynomial.push((coefficient(chance), factors));
        }
    }
    polynomial
}

fn body(chance: &mut Chance, shape: &Shape, atoms: &[Applied], functions: &[Applied]) -> Body {
    let mut body = Body::default();
    let share = (150 / atoms.len().max(1)).min(35);
    for atom in atoms {
        if chance.percent(share) {
            body.literals.push((!(shape.negative && chance.percent(40)), atom.clone()));
        }
    }
    let products = shape.degree == 2;
    let wanted = if shape.method == Method::Sam || functions.is_empty() {
        0
    } else {
        *chance.of(&[0, 0, 1, 1, 1, 2, 2, 3])
    };
    for _ in 0..wanted {
        if products && functions.len() > 1 && chance.percent(35) {
            // (x - a)(y - b) >= -c, which more of x does not hurt where y >= b.
            let (x, y) = (chance.of(functions).clone(), chance.of(functions).clone());
            if x != y {
                let (a, b, c) = (chance.between(0, 5), chance.between(0, 3), chance.between(0, 6));
                let (a, b, c) = (Rat::int(a.into()), Rat::int(b.into()), Rat::int(c.into()));
                let minus = Rat::int(-1);
                let mut both = vec![x.clone(), y.clone()];
                both.sort();
                let constant = -(a.num * b.num) - c.num;
                body.conditions.push((
                    Comparison::AtMost,
                    vec![
                        (minus, both),
                        (b, vec![x.clone()]),
                        (a, vec![y.clone()]),
                        (Rat::int(constant), Vec::new()),
                    ],
                ));
                if chance.percent(80) {
                    body.conditions
                        .push((Comparison::AtMost, vec![(minus, vec![y]), (b, Vec::new())]));
                }
                if chance.percent(30) {
                    body.conditions
                        .push((Comparison::AtMost, vec![(minus, vec![x]), (a, Vec::new())]));
                }
                continue;
            }
        }
        let mut polynomial = terms(chance, functions, if shape.narrow { 5 } else { 3 }, products);
        polynomial.push((
            Rat::new(chance.between(-12, 4).into(), if chance.percent(15) { 2 } else { 1 }),
            Vec::new(),
        ));
        let comparison = *chance.of(&[
            Comparison::AtMost,
            Comparison::AtMost,
            Comparison::AtMost,
            Comparison::AtMost,
            Comparison::Less,
            Comparison::Less,
            Comparison::Equal,
        ]);
        body.conditions.push((comparison, polynomial));
    }
    for (_, polynomial) in &mut body.conditions {
        polynomial.retain(|(coefficient, _)| !coefficient.is_zero());
    }
    let share = (200 / functions.len().max(1)).min(55);
    for target in functions {
        if !chance.percent(share) {
            continue;
        }
        let operator = *chance.of(&[
            Operator::Increase,
            Operator::Increase,
            Operator::Increase,
            Operator::Decrease,
            Operator::Decrease,
            Operator::Assign,
            Operator::Assign,
            Operator::Assign,
            Operator::ScaleUp,
            Operator::ScaleDown,
        ]);
        let value = match operator {
            Operator::ScaleUp => {
                vec![(
                    *chance.of(&[
                        Rat::int(2),
                        Rat::int(2),
                        Rat::new(1, 2),
                        Rat::int(-1),
                        Rat::int(3),
                    ]),
                    Vec::new(),
                )]
            }
            Operator::ScaleDown => {
                vec![(*chance.of(&[Rat::int(2), Rat::int(-2), Rat::int(4)]), Vec::new())]
            }
            _ => {
                let mut value =
                    terms(chance, functions, if shape.narrow { 5 } else { 2 }, products);
                let constant = chance.between(-3, 4);
                if constant != 0 && chance.percent(70) {
                    value.push((Rat::int(constant.into()), Vec::new()));
                }
                value
            }
        };
        body.changes.push((operator, target.clone(), value));
    }
    body
}

fn monomial(chance: &mut Chance, coefficient: Rat, factors: &[Applied]) -> Expression {
    let functions = factors.iter().cloned().map(Expression::Function);
    let mut parts: Vec<Expression> = functions.collect();
    if coefficient == Rat::int(-1) && parts.len() == 1 && chance.percent(50) {
        return Expression::Negation(Box::new(parts.remove(0)));
    }
    if coefficient != Rat::ONE || parts.is_empty() {
        parts.insert(0, Expression::Number(coefficient));
    }
    if parts.len() == 1 { parts.remove(0) } else { Expression::Product(parts) }
}

fn sum(chance: &mut Chance, polynomial: &[(Rat, Vec<Applied>)]) -> Expression {
    let mut parts: Vec<Expression> =
        polynomial.iter().map(|(one, factors)| monomial(chance, *one, factors)).collect();
    match parts.len() {
        0 => Expression::Number(Rat::ZERO),
        1 => parts.remove(0),
        2 if chance.percent(30) => {
            let second = polynomial[1].0.negated();
            let second = monomial(chance, second, &polynomial[1].1);
            Expression::Difference(Box::new([parts.remove(0), second]))
        }
        _ => Expression::Sum(parts),
    }
}

fn written(
    chance: &mut Chance,
    world: &World,
    parameters: &[TypeSet],
    body: &Body,
) -> (Condition, Vec<Effect>) {
    let not = |yes: bool, condition: Condition| {
        if yes { condition } else { Condition::Not(Box::new(condition)) }
    };
    let mut parts: Vec<Condition> = body
        .literals
        .iter()
        .map(|(positive, atom)| not(*positive, Condition::Atom(atom.clone())))
        .collect();
    for slot in 0..parameters.len() {
        for other in slot + 1..parameters.len() {
            if world.meet(&parameters[slot], &parameters[other]) && chance.percent(14) {
                parts.push(not(
                    chance.percent(20),
                    Condition::Same(Term::Parameter(slot), Term::Parameter(other)),
                ));
            }
        }
        for constant in 0..world.constants {
            if world.admits(&parameters[slot], world.objects[constant].1) && chance.percent(10) {
                parts.push(not(
                    chance.percent(20),
                    Condition::Same(Term::Parameter(slot), Term::Object(constant)),
                ));
            }
        }
    }
    for (comparison, polynomial) in &body.conditions {
        // Some terms move to the other side.
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (coefficient, factors) in polynomial {
            if factors.is_empty() || chance.percent(30) {
                right.push((coefficient.negated(), factors.clone()));
            } else {
                left.push((*coefficient, factors.clone()));
            }
        }
        let (left, right) = (sum(chance, &left), sum(chance, &right));
        parts.push(match (comparison, chance.percent(40)) {
            (Comparison::AtMost, true) => Condition::Compare(Comparison::AtLeast, right, left),
            (Comparison::Less, true) => Condition::Compare(Comparison::More, right, left),
            _ => Condition::Compare(*comparison, left, right),
        });
    }
    chance.shuffle(&mut parts);
    let mut effects: Vec<Effect> = body
        .changes
        .iter()
        .map(|(operator, target, value)| {
            Effect::Change(*operator, target.clone(), sum(chance, value))
        })
        .collect();
    let atoms = world.applications(&world.predicates, parameters);
    let share = (250 / atoms.len().max(1)).min(60);
    for atom in atoms {
        if chance.percent(share) {
            match chance.below(12) {
                0 => effects.extend([Effect::Add(atom.clone()), Effect::Delete(atom)]),
                1..=6 => effects.push(Effect::Add(atom)),
                _ => effects.push(Effect::Delete(atom)),
            }
        }
    }
    chance.shuffle(&mut effects);
    (Condition::And(parts), effects)
}

/// How the values of one function come about.
enum Source {
    Fixed(Rat),
    Few([Rat; 2]),
    Wide,
}

fn number(chance: &mut Chance) -> Rat {
    if chance.percent(20) {
        Rat::new(chance.between(-3, 13).into(), 2)
    } else {
        Rat::int(chance.between(-2, 7).into())
    }
}

fn record(
    chance: &mut Chance,
    shape: &Shape,
    world: &World,
    bodies: &[Body],
    columns: usize,
) -> Vec<Trace> {
    let (atoms, values, calls) = (world.atoms(), world.values(), world.calls());
    if calls.is_empty() {
        return Vec::new();
    }
    let likely: Vec<usize> = atoms.iter().map(|_| *chance.of(&[10, 50, 50, 50, 90])).collect();
    let sources: Vec<Source> = values
        .iter()
        .map(|_| match chance.below(10) {
            0 | 1 => Source::Fixed(number(chance)),
            2 | 3 => Source::Few([number(chance), number(chance)]),
            _ => Source::Wide,
        })
        .collect();
    let undefined: Vec<usize> = values
        .iter()
        .map(|_| if chance.percent(30) { 2 * shape.undefined } else { shape.undefined / 2 })
        .collect();
    let ties: Vec<Option<(Applied, Polynomial)>> = bodies
        .iter()
        .zip(&world.actions)
        .map(|(body, action)| {
            let functions = world.applications(&world.functions, &action.parameters);
            if functions.is_empty() || !chance.percent(if shape.narrow { 45 } else { 30 }) {
                return None;
            }
            let function = chance.of(&functions).clone();
            // Often the very value that some effect reads.
            let value = match body.changes.is_empty() || chance.percent(40) {
                true => terms(chance, &functions, 2, shape.degree == 2),
                false => chance.of(&body.changes).2.clone(),
            };
            (!value.is_empty() && !mentioned(&value).contains(&function))
                .then_some((function, value))
        })
        .collect();
    let repeats = |call: &Call| {
        (1..call.arguments.len()).any(|at| call.arguments[..at].contains(&call.arguments[at]))
    };
    let (mut traces, length) = *chance.of(&[
        (1, 1),
        (2, 1),
        (3, 2),
        (4, 3),
        (6, 2),
        (8, 3),
        (10, 4),
        (24, 1),
        (40, 1),
        (4, 12),
        (60, 1),
    ]);
    if shape.narrow {
        traces = *chance.of(&[3, 8, 16, 30, 60]);
    }
    // Many points in many dimensions have very many facets.
    let most = match columns {
        0..=3 => 60,
        4 => 30,
        5 => 18,
        6 => 12,
        _ => 8,
    };
    traces = most.min(traces * length) / length;
    let mut recorded = Vec::new();
    for _ in 0..traces {
        for _ in 0..8 {
            let mut state = world.empty_state();
            for (at, &atom) in atoms.iter().enumerate() {
                state.atoms[atom] = chance.percent(likely[at]);
            }
            for (at, &value) in values.iter().enumerate() {
                state.values[value] =
                    (!chance.percent(undefined[at])).then(|| match &sources[at] {
                        Source::Fixed(number) => *number,
                        Source::Few(numbers) => *chance.of(numbers),
                        Source::Wide => number(chance),
                    });
            }
            let mut call = chance.of(&calls).clone();
            for _ in 0..4 {
                if shape.repeated && !repeats(&call) {
                    call = chance.of(&calls).clone();
                }
            }
            tie(world, &ties[call.action], &call, &mut state);
            repair(chance, world, &bodies[call.action], &call, &mut state);
            if chance.percent(90) {
                tie(world, &ties[call.action], &call, &mut state);
            }
            let mut trace = Trace { states: vec![state], calls: Vec::new() };
            step(world, &call, &mut trace);
            while !trace.calls.is_empty() && trace.calls.len() < length {
                let before = trace.calls.len();
                for _ in 0..12 {
                    if step(world, chance.of(&calls), &mut trace) {
                        break;
                    }
                }
                if trace.calls.len() == before {
                    break;
                }
            }
            if !trace.calls.is_empty() {
                recorded.push(trace);
                break;
            }
        }
    }
    recorded
}

/// One function happens to be what others come to, so that several maps explain the same records.
fn tie(world: &World, tie: &Option<(Applied, Polynomial)>, call: &Call, state: &mut State) {
    let Some((function, value)) = tie else { return };
    let mut sum = Some(Rat::ZERO);
    for (coefficient, factors) in value {
        let product = factors.iter().try_fold(*coefficient, |product, factor| {
            product.times(state.values[world.function_index(factor, &call.arguments)]?).ok()
        });
        sum = sum.and_then(|sum| sum.plus(product?).ok());
    }
    if let Some(sum) = sum.filter(|sum| sum.is_small()) {
        state.values[world.function_index(function, &call.arguments)] = Some(sum);
    }
}

/// Takes a step, where it can be taken and numbers stay small.
fn step(world: &World, call: &Call, trace: &mut Trace) -> bool {
    let state = &trace.states[trace.states.len() - 1];
    match world.successor(&world.actions[call.action], &call.arguments, state) {
        Ok(Some(after)) if after.values.iter().flatten().all(|value| value.is_small()) => {
            trace.states.push(after);
            trace.calls.push(call.clone());
            true
        }
        _ => false,
    }
}

/// Makes the conditions of a step true, as far as that is easy.
fn repair(chance: &mut Chance, world: &World, body: &Body, call: &Call, state: &mut State) {
    for (positive, atom) in &body.literals {
        state.atoms[world.atom_index(atom, &call.arguments)] = *positive;
    }
    for _ in 0..6 {
        for (comparison, polynomial) in &body.conditions {
            let mut value = Rat::ZERO;
            for (coefficient, factors) in polynomial {
                let mut product = *coefficient;
                for factor in factors {
                    let value = state.values[world.function_index(factor, &call.arguments)]
                        .get_or_insert_with(|| number(chance));
                    let Ok(times) = product.times(*value) else { return };
                    product = times;
                }
                let Ok(plus) = value.plus(product) else { return };
                value = plus;
            }
            let fine = match comparison {
                Comparison::AtMost => value.num <= 0,
                Comparison::Less => value.num < 0,
                _ => value.num == 0,
            };
            if fine {
                continue;
            }
            let movable: Vec<_> =
                polynomial.iter().filter(|(_, factors)| factors.len() == 1).collect();
            if movable.is_empty() || chance.percent(25) {
                // Any other value may do.
                if let Some(function) =
                    polynomial.iter().flat_map(|(_, factors)| factors).nth(chance.below(3))
                {
                    state.values[world.function_index(function, &call.arguments)] =
                        Some(number(chance));
                }
                continue;
            }
            let (coefficient, factors) = chance.of(&movable);
            let goal = match comparison {
                Comparison::AtMost => Rat::int(chance.between(-3, 0).into()),
                Comparison::Less => Rat::int(chance.between(-3, -1).into()),
                _ => Rat::ZERO,
            };
            let at = world.function_index(&factors[0], &call.arguments);
            let moved = goal.minus(value).and_then(|gap| gap.over(*coefficient));
            if let (Ok(Some(by)), Some(old)) = (moved, state.values[at])
                && let Ok(new) = old.plus(by)
                && new.is_small()
            {
                state.values[at] = Some(new);
            }
        }
    }
}

fn mentioned(polynomial: &Polynomial) -> BTreeSet<&Applied> {
    polynomial.iter().flat_map(|(_, factors)| factors).collect()
}

/// Options that are true of the domain.
fn options(chance: &mut Chance, shape: &Shape, world: &World, bodies: &[Body]) -> Options {
    let mut options = Options { method: shape.method, degree: shape.degree, ..Options::default() };
    if shape.degree == 1 && chance.percent(30) {
        return options;
    }
    let written = |function: &Applied| world.function(function);
    // Dials and products together are where the words are hardest to keep.
    let more = if shape.narrow || shape.degree == 2 { 15 } else { 0 };
    if chance.percent(35 + more) {
        let most = bodies
            .iter()
            .flat_map(|body| &body.conditions)
            .map(|(_, polynomial)| mentioned(polynomial).len())
            .max();
        options.arity = Some(most.unwrap_or(0).max(1) + chance.below(3) / 2);
    }
    if chance.percent(30 + more) {
        let reads = |(operator, _, value): &(Operator, Applied, Polynomial)| match operator {
            Operator::ScaleUp | Operator::ScaleDown => 1,
            _ => mentioned(value).len(),
        };
        let most = bodies.iter().flat_map(|body| &body.changes).map(reads).max();
        options.effect_arity = Some(most.unwrap_or(0) + chance.below(3) / 2);
    }
    if chance.percent(20 + more) {
        for (action, body) in world.actions.iter().zip(bodies) {
            if chance.percent(25) {
                continue;
            }
            let polynomials = body.conditions.iter().map(|(_, polynomial)| polynomial);
            let polynomials = polynomials.chain(body.changes.iter().map(|(_, _, value)| value));
            // Either the functions, or the very products; and what changes.
            let alone = shape.degree == 1 || chance.percent(50);
            let mut listed: BTreeSet<Vec<&Applied>> = BTreeSet::new();
            for (_, factors) in polynomials.flatten().filter(|(_, factors)| !factors.is_empty()) {
                if alone {
                    listed.extend(factors.iter().map(|factor| vec![factor]));
                } else {
                    listed.insert(factors.iter().collect());
                }
            }
            listed.extend(body.changes.iter().map(|(_, target, _)| vec![target]));
            let others = world.applications(&world.functions, &action.parameters);
            listed.extend(others.iter().filter(|_| chance.percent(15)).map(|other| vec![other]));
            let text = |factors: &Vec<&Applied>| match &factors[..] {
                [only] => written(only),
                factors => format!(
                    "(* {})",
                    factors.iter().map(|one| written(one)).collect::<Vec<_>>().join(" ")
                ),
            };
            options.relevant.insert(action.name.clone(), listed.iter().map(text).collect());
        }
    }
    if chance.percent(35 + more) {
        for (action, body) in world.actions.iter().zip(bodies) {
            let mut marks = BTreeMap::new();
            for function in world.applications(&world.functions, &action.parameters) {
                let name = written(&function);
                // A ray at a state needs the other factors of what is listed.
                let closed = options.relevant.get(&action.name).is_none_or(|listed| {
                    listed.contains(&name)
                        && !listed.iter().any(|one| one.starts_with("(* ") && one.contains(&name))
                });
                if closed && chance.percent(65) {
                    marks.extend(true_mark(chance, body, &function).map(|mark| (name, mark)));
                }
            }
            if !marks.is_empty() {
                options.monotone.insert(action.name.clone(), marks);
            }
        }
    }
    let positive = bodies.iter().flat_map(|body| &body.literals).all(|(positive, _)| *positive);
    options.positive = positive && chance.percent(35);
    if chance.percent(20) {
        options.facet_budget = Some(chance.between(3, 20) as usize);
    }
    if chance.percent(12) {
        options.digits = Some(chance.between(1, 3) as u32);
    }
    options
}

/// A mark that is true of the precondition. The derivative of each condition with respect to the
/// function must have one sign wherever the bounds hold that conditions on one function alone set
/// for the others.
fn true_mark(chance: &mut Chance, body: &Body, function: &Applied) -> Option<Mark> {
    let (mut more, mut less, mut any) = (true, true, true);
    for (comparison, polynomial) in &body.conditions {
        if !mentioned(polynomial).contains(function) {
            continue;
        }
        any = false;
        if *comparison == Comparison::Equal {
            return None;
        }
        // The range of the derivative; `None` is infinite.
        let (mut low, mut high) = (Some(Rat::ZERO), Some(Rat::ZERO));
        for (coefficient, factors) in
            polynomial.iter().filter(|(_, factors)| factors.contains(function))
        {
            let (from, to) = match factors.iter().find(|factor| *factor != function) {
                None => (Some(Rat::ONE), Some(Rat::ONE)),
                Some(other) => bounds(body, other),
            };
            let scaled = |end: Option<Rat>| end.and_then(|end| end.times(*coefficient).ok());
            let (from, to) = if coefficient.num > 0 {
                (scaled(from), scaled(to))
            } else {
                (scaled(to), scaled(from))
            };
            let add = |one: Option<Rat>, other: Option<Rat>| one?.plus(other?).ok();
            (low, high) = (add(low, from), add(high, to));
        }
        // Conditions are "at most zero": what never grows never hurts.
        more &= high.is_some_and(|high| high.num <= 0);
        less &= low.is_some_and(|low| low.num >= 0);
    }
    if any {
        // That it does not matter whether the function has a value means that no effect reads it,
        // and what is changed without being assigned is read.
        let reads = |(operator, target, value): &(Operator, Applied, Polynomial)| {
            mentioned(value).contains(function)
                || *operator != Operator::Assign && target == function
        };
        if body.changes.iter().any(reads) {
            return Some(*chance.of(&[Mark::More, Mark::Less]));
        }
    }
    match (any, more, less) {
        (true, ..) => Some(*chance.of(&[Mark::Any, Mark::Any, Mark::More, Mark::Less])),
        (_, true, _) => Some(Mark::More),
        (_, _, true) => Some(Mark::Less),
        _ => None,
    }
}

/// What conditions on one function alone say about its range.
fn bounds(body: &Body, function: &Applied) -> (Option<Rat>, Option<Rat>) {
    let (mut low, mut high): (Option<Rat>, Option<Rat>) = (None, None);
    for (comparison, polynomial) in &body.conditions {
        let (mut slope, mut constant) = (Rat::ZERO, Rat::ZERO);
        let mut alone = true;
        for (coefficient, factors) in polynomial {
            match &factors[..] {
                [] => constant = *coefficient,
                [only] if only == function => slope = *coefficient,
                _ => alone = false,
            }
        }
        let Ok(Some(bound)) = constant.negated().over(slope) else { continue };
        if !alone {
            continue;
        }
        let tighter =
            |old: Option<Rat>, wanted| old.is_none_or(|old| bound.compare(old) == Ok(wanted));
        if (slope.num > 0 || *comparison == Comparison::Equal)
            && tighter(high, std::cmp::Ordering::Less)
        {
            high = Some(bound);
        }
        if (slope.num < 0 || *comparison == Comparison::Equal)
            && tighter(low, std::cmp::Ordering::Greater)
        {
            low = Some(bound);
        }
    }
    (low, high)
}

/// The real domain with one more condition or effect whose type is wider than declared, which no
/// reader may take.
pub fn ill_typed(chance: &mut Chance, case: &Case) -> Option<String> {
    let world = &case.world;
    let mut wrong = Vec::new();
    for (index, action) in world.actions.iter().enumerate() {
        for (numeric, symbols) in [(false, &world.predicates), (true, &world.functions)] {
            for (symbol, Symbol { places, .. }) in symbols.iter().enumerate() {
                let [place] = &places[..] else { continue };
                for (slot, types) in action.parameters.iter().enumerate() {
                    if !world.contains(place, types) && world.meet(place, types) {
                        wrong.push((
                            index,
                            numeric,
                            Applied { symbol, terms: vec![Term::Parameter(slot)] },
                        ));
                    }
                }
            }
        }
    }
    if wrong.is_empty() {
        return None;
    }
    let (index, numeric, applied) = chance.of(&wrong).clone();
    let mut actions = world.actions.clone();
    let action = &mut actions[index];
    let zero = Expression::Number(Rat::ZERO);
    let value = Expression::Function(applied.clone());
    let (condition, effect) = match numeric {
        false => (Condition::Atom(applied.clone()), Effect::Add(applied)),
        true => (
            Condition::Compare(Comparison::AtLeast, value, zero.clone()),
            Effect::Change(Operator::Assign, applied, zero),
        ),
    };
    if chance.percent(50) {
        action.condition = Condition::And([action.conjuncts(), &[condition]].concat());
    } else {
        action.effects.push(effect);
    }
    Some(world.domain(&actions, true))
}
