//! Whether what a learner takes for granted is true of the real domain: read off the real domain's conditions and effects.
//!
//! One judgement for each assumption that is about the domain. Assumptions about recordings (complete states, exact numbers) are not
//! judged here. An action that can never be taken is judged as it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::exact::Rational;
use crate::learn::{Algorithm, Class, Degree, Learner, Monomial, Monotone, Settings};
use crate::model::{
    Action, ActionId, Comparison, Condition, Domain, Effect, Expression, LiftedAtom, LiftedFunction, NumericOperator, Polynomial,
    Symbol, Term,
};

/// Why an assumption is not true of a domain, or why that is not decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The action that refutes it.
    pub action: String,
    /// How.
    pub reason: String,
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.action, self.reason)
    }
}

/// An assumption and what is true of it. It holds where nothing refutes it and nothing is left undecided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// What is assumed, in a few words.
    pub assumption: String,
    /// What refutes it.
    pub refuted: Vec<Refutation>,
    /// What could refute it, but is not decided.
    pub undecided: Vec<Refutation>,
}

impl Judgement {
    /// Whether the assumption is true of the domain.
    pub fn holds(&self) -> bool {
        self.refuted.is_empty() && self.undecided.is_empty()
    }

    fn of(assumption: impl Into<String>) -> Self {
        Judgement { assumption: assumption.into(), refuted: Vec::new(), undecided: Vec::new() }
    }
}

/// Everything that makes an assumption of a learner's class or of settings untrue of the real domain; none when all are true, or
/// not decided.
pub fn refutations(real: &Domain, learner: &Learner, settings: &Settings) -> Vec<Refutation> {
    judgements(real, learner, settings).into_iter().flat_map(|judgement| judgement.refuted).collect()
}

/// One judgement for each assumption of a learner's class and of settings that is about the real domain.
pub fn judgements(real: &Domain, learner: &Learner, settings: &Settings) -> Vec<Judgement> {
    let bodies: Vec<Body> = real.action_ids().map(|id| Body::of(real, learner, id)).collect();
    let class = learner.class();
    let each = |assumption: &str, judge: &dyn Fn(&Body) -> Vec<String>| {
        let mut judgement = Judgement::of(assumption);
        for body in &bodies {
            judgement.refuted.extend(judge(body).into_iter().map(|reason| body.because(reason)));
        }
        judgement
    };
    let mut found = vec![
        each("preconditions are conjunctions", &|body| body.no_conjunction.iter().map(|why| (*why).to_owned()).collect()),
        each("effects are unconditional", &|body| body.conditional.iter().map(|why| (*why).to_owned()).collect()),
        each("atoms and functions are well typed for every binding, and mention no parameter twice", &|body| {
            body.misused.clone()
        }),
    ];
    if settings.positive_preconditions {
        found.push(each("preconditions have no negative atoms", &|body| {
            let negative = has_negative_atom(&body.action.precondition, true);
            negative.then(|| "its precondition has a negative atom".to_owned()).into_iter().collect()
        }));
    }
    if settings.algorithm == Algorithm::Sam {
        // The promise is about atoms alone, so nothing else about numbers is assumed.
        found.push(each("no precondition reads a number", &|body| {
            let reads = !body.conditions.is_empty();
            reads.then(|| "its precondition reads a number".to_owned()).into_iter().collect()
        }));
        return found;
    }
    found.push(each(&degree_words(class.degree), &|body| body.beyond_degree(class)));
    for (&action, listed) in &class.relevant {
        if let Some(body) = bodies.get(action) {
            let mut judgement = Judgement::of(format!("{} reads and changes only what is listed", body.name));
            judgement.refuted.extend(body.beyond_map(class, listed).into_iter().map(|reason| body.because(reason)));
            found.push(judgement);
        }
    }
    if let Some(most) = settings.arity {
        found.push(each(&format!("each numeric condition mentions at most {most} functions"), &|body| body.wider(most)));
    }
    if let Some(most) = settings.effect_arity {
        found.push(each(&format!("each numeric effect reads at most {most} functions"), &|body| body.reads_more(most)));
    }
    for (&action, marks) in &settings.monotone {
        let Some(body) = bodies.get(action) else { continue };
        for (&column, &mark) in marks {
            let Some(monomial) = learner.vocabulary(body.id).columns.get(column) else { continue };
            found.push(body.marked(learner, monomial, mark));
        }
    }
    found
}

fn degree_words(degree: Degree) -> String {
    match degree {
        Degree { degree: 1, .. } => "numeric conditions are linear, numeric effects affine".into(),
        Degree { degree, squares } => format!(
            "numeric conditions and effects are linear in products of at most {degree} {} functions",
            if squares { "(also equal)" } else { "different" }
        ),
    }
}

/// A comparison: the polynomial is at least, above or equal to zero; `None` where it is no polynomial.
struct Form {
    polynomial: Option<Polynomial>,
    equation: bool,
    /// Whether it is a conjunct of the precondition.
    conjunct: bool,
}

/// All changes of one function.
struct Change {
    target: LiftedFunction,
    kind: Kind,
    /// What is assigned, added, or multiplied with; `None` where that is no polynomial.
    value: Option<Polynomial>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Assign,
    Add,
    Scale,
}

/// The products that an effect reads, or why it is none of the class.
type Reads = Result<Vec<Vec<LiftedFunction>>, String>;

/// A real action, taken apart.
struct Body<'a> {
    real: &'a Domain,
    id: ActionId,
    name: &'a str,
    action: &'a Action,
    /// What makes its precondition no conjunction.
    no_conjunction: BTreeSet<&'static str>,
    /// What makes its effects conditional.
    conditional: BTreeSet<&'static str>,
    /// Atoms and functions that are not those of the class.
    misused: Vec<String>,
    /// The comparisons of its precondition, wherever they stand.
    conditions: Vec<Form>,
    changes: Vec<Change>,
    /// The functions of the vocabulary, and by function how it is written.
    functions: Vec<LiftedFunction>,
    written: BTreeMap<LiftedFunction, String>,
}

impl<'a> Body<'a> {
    fn of(real: &'a Domain, learner: &Learner, id: ActionId) -> Self {
        let vocabulary = learner.vocabulary(id);
        let names = vocabulary.functions.iter().enumerate();
        let written = names.map(|(index, function)| (function.clone(), learner.written(id.index(), &Monomial(vec![index]))));
        let mut body = Body {
            real,
            id,
            name: real.action_name(id),
            action: real.action(id),
            no_conjunction: BTreeSet::new(),
            conditional: BTreeSet::new(),
            misused: Vec::new(),
            conditions: Vec::new(),
            changes: Vec::new(),
            functions: vocabulary.functions.clone(),
            written: written.collect(),
        };
        let action = body.action;
        body.condition(&action.precondition, true, true);
        body.effect(&action.effect);
        body.misused.sort();
        body.misused.dedup();
        body
    }

    fn because(&self, reason: String) -> Refutation {
        Refutation { action: self.name.to_owned(), reason }
    }

    fn condition(&mut self, condition: &'a Condition, wanted: bool, conjunct: bool) {
        match (condition, wanted) {
            (Condition::And(parts), true) | (Condition::Or(parts), false) => {
                parts.iter().for_each(|part| self.condition(part, wanted, conjunct));
            }
            (Condition::Or(parts), true) | (Condition::And(parts), false) => {
                let several = parts.len() != 1;
                if conjunct && several {
                    self.no_conjunction.insert("its precondition has a disjunction");
                }
                parts.iter().for_each(|part| self.condition(part, wanted, conjunct && !several));
            }
            (Condition::Not(inner), _) => self.condition(inner, !wanted, conjunct),
            (Condition::Imply(both), _) => {
                if conjunct {
                    self.no_conjunction.insert("its precondition has an implication");
                }
                self.condition(&both[0], !wanted, false);
                self.condition(&both[1], wanted, false);
            }
            (Condition::ForAll(_, inner) | Condition::Exists(_, inner), _) => {
                if conjunct {
                    self.no_conjunction.insert("its precondition has a quantifier");
                }
                self.condition(inner, wanted, false);
            }
            (Condition::Atom(atom), _) => self.atom(atom),
            (Condition::Same(..), _) => {}
            (Condition::Compare(comparison, sides), _) => self.comparison(*comparison, sides, wanted, conjunct),
        }
    }

    fn comparison(&mut self, comparison: Comparison, sides: &'a [Expression; 2], wanted: bool, conjunct: bool) {
        sides.iter().for_each(|side| self.expression(side));
        let equation = comparison == Comparison::Equal;
        if equation && !wanted && conjunct {
            self.no_conjunction.insert("its precondition says that two numbers differ");
        }
        let less = matches!(comparison, Comparison::Less | Comparison::LessOrEqual);
        let (more, less) = if less == wanted { (&sides[1], &sides[0]) } else { (&sides[0], &sides[1]) };
        let polynomial = || Polynomial::of(more)?.minus(Polynomial::of(less)?);
        self.conditions.push(Form { polynomial: polynomial(), equation, conjunct: conjunct && (wanted || !equation) });
    }

    /// Notes the functions that an expression reads.
    fn expression(&mut self, expression: &'a Expression) {
        match expression {
            Expression::Number(_) | Expression::TotalTime => {}
            Expression::Function(function) => self.function(function),
            Expression::Sum(parts) | Expression::Product(parts) => parts.iter().for_each(|part| self.expression(part)),
            Expression::Difference(sides) | Expression::Quotient(sides) => sides.iter().for_each(|side| self.expression(side)),
            Expression::Negation(inner) => self.expression(inner),
        }
    }

    fn atom(&mut self, atom: &LiftedAtom) {
        let predicates = &self.real.signature.predicates;
        self.used(predicates.value(atom.symbol.index()), &atom.terms, predicates.name(atom.symbol.index()));
    }

    fn function(&mut self, function: &LiftedFunction) {
        let functions = &self.real.signature.functions;
        self.used(functions.value(function.symbol.index()), &function.terms, functions.name(function.symbol.index()));
    }

    /// Notes an atom or function whose arguments are not those of the class. Variables of quantifiers are another matter.
    fn used(&mut self, symbol: &Symbol, terms: &[Term], name: &str) {
        let parameter = |term: &Term| match term {
            Term::Variable(slot) => self.action.parameters.get(*slot as usize),
            Term::Object(_) => None,
        };
        let types = &self.real.signature.types;
        let mut found = Vec::new();
        for (place, term) in terms.iter().enumerate() {
            let Some(given) = parameter(term) else { continue };
            if symbol.parameters.get(place).is_some_and(|declared| !declared.types.contains(types, &given.types)) {
                found.push(format!("?{} of {} is not of its type for every binding", given.name, name));
            }
            if terms[..place].contains(term) {
                found.push(format!("?{} stands twice in {}", given.name, name));
            }
        }
        self.misused.extend(found);
    }

    fn effect(&mut self, effect: &'a Effect) {
        match effect {
            Effect::And(parts) => parts.iter().for_each(|part| self.effect(part)),
            Effect::Add(atom) | Effect::Delete(atom) => self.atom(atom),
            Effect::Numeric(numeric) => {
                self.function(&numeric.target);
                self.expression(&numeric.value);
                let value = Polynomial::of(&numeric.value);
                let (kind, value) = match numeric.operator {
                    NumericOperator::Assign => (Kind::Assign, value),
                    NumericOperator::Increase => (Kind::Add, value),
                    NumericOperator::Decrease => (Kind::Add, value.and_then(|value| Polynomial::default().minus(value))),
                    NumericOperator::ScaleUp => (Kind::Scale, value),
                    NumericOperator::ScaleDown => {
                        let one = Expression::Number(Rational::ONE);
                        (Kind::Scale, Polynomial::of(&Expression::Quotient(Box::new([one, numeric.value.clone()]))))
                    }
                };
                self.changes.push(Change { target: numeric.target.clone(), kind, value });
            }
            Effect::When(condition, inner) => {
                self.conditional.insert("it has a conditional effect");
                // What the condition mentions counts as mentioned; that it is there at all is said.
                let before = self.conditions.len();
                self.condition(condition, true, false);
                self.conditions.truncate(before);
                self.effect(inner);
            }
            Effect::ForAll(_, inner) => {
                self.conditional.insert("it has an effect on all objects");
                self.effect(inner);
            }
        }
    }

    fn names<'f>(&self, functions: impl IntoIterator<Item = &'f LiftedFunction>) -> String {
        let name = |function: &LiftedFunction| {
            let symbol = || format!("({})", self.real.signature.functions.name(function.symbol.index()));
            self.written.get(function).cloned().unwrap_or_else(symbol)
        };
        functions.into_iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// What each change adds up to: by target, what is read (as products), and why it is none of the class.
    fn effects(&self) -> Vec<(&LiftedFunction, Reads)> {
        let mut targets: Vec<&LiftedFunction> = self.changes.iter().map(|change| &change.target).collect();
        targets.sort();
        targets.dedup();
        targets.into_iter().map(|target| (target, self.effect_on(target))).collect()
    }

    fn effect_on(&self, target: &LiftedFunction) -> Reads {
        let mine: Vec<&Change> = self.changes.iter().filter(|change| change.target == *target).collect();
        let Some((first, rest)) = mine.split_first() else { return Ok(Vec::new()) };
        let unfit = || "a numeric effect is no polynomial".to_owned();
        let mut total = first.value.clone().ok_or_else(unfit)?;
        for change in rest {
            let value = change.value.as_ref().ok_or_else(unfit)?;
            let together = match (first.kind, change.kind) {
                (Kind::Assign, Kind::Assign) if *value == total => Some(total),
                (Kind::Add, Kind::Add) => Polynomial::default().minus(value.clone()).and_then(|value| total.minus(value)),
                (Kind::Scale, Kind::Scale) if value.mentioned.is_empty() && total.mentioned.is_empty() => Some(total),
                _ => return Err(format!("{} is changed in more than one way", self.names([target]))),
            };
            total = together.ok_or_else(unfit)?;
        }
        if first.kind != Kind::Scale {
            return Ok(total.columns().map(|(factors, _)| factors.clone()).collect());
        }
        // Scaled by a number, or by what only an assignment of a product says, too; which it is not where two scalings may meet.
        let alone = self.changes.iter().filter(|change| change.target.symbol == target.symbol).count() == mine.len();
        if !total.mentioned.is_empty() && !alone {
            return Err(format!("{} is scaled by functions", self.names([target])));
        }
        let times = |factors: &Vec<LiftedFunction>| {
            let mut factors = [&factors[..], std::slice::from_ref(target)].concat();
            factors.sort_unstable();
            factors
        };
        Ok(total.terms.keys().map(times).collect())
    }

    /// What a map of relevant functions lists, where there is one.
    fn listed(&self, class: &Class) -> Option<Vec<Vec<LiftedFunction>>> {
        let listed = class.relevant.get(&self.id.index())?;
        Some(listed.iter().map(|monomial| self.factors(monomial)).collect())
    }

    fn factors(&self, monomial: &Monomial) -> Vec<LiftedFunction> {
        let mut factors: Vec<LiftedFunction> =
            monomial.0.iter().filter_map(|&index| self.functions.get(index).cloned()).collect();
        factors.sort_unstable();
        factors
    }

    /// Products that the class does not have, and what is no polynomial at all.
    fn beyond_degree(&self, class: &Class) -> Vec<String> {
        let listed = self.listed(class).unwrap_or_default();
        let fits = |factors: &[LiftedFunction]| within(class.degree, factors) || listed.iter().any(|known| known == factors);
        let mut found = Vec::new();
        for form in &self.conditions {
            match &form.polynomial {
                None => found.push("a numeric condition is no polynomial".to_owned()),
                Some(polynomial) => {
                    let beyond = polynomial.columns().find(|(factors, _)| !fits(factors));
                    found.extend(beyond.map(|(factors, _)| format!("a condition multiplies {}", self.names(factors))));
                }
            }
        }
        for (_, read) in self.effects() {
            match read {
                Err(reason) => found.push(reason),
                Ok(read) => {
                    let beyond = read.iter().find(|factors| !fits(factors));
                    found.extend(beyond.map(|factors| format!("an effect multiplies {}", self.names(factors))));
                }
            }
        }
        found
    }

    /// What a map of relevant functions leaves out: a listed function stands for all products of listed functions within the degree, a
    /// listed product for itself.
    fn beyond_map(&self, class: &Class, listed: &[Monomial]) -> Vec<String> {
        let listed: Vec<Vec<LiftedFunction>> = listed.iter().map(|monomial| self.factors(monomial)).collect();
        let alone = |function: &LiftedFunction| listed.iter().any(|known| known[..] == [function.clone()]);
        let admits = |factors: &[LiftedFunction]| {
            listed.iter().any(|known| known == factors) || (within(class.degree, factors) && factors.iter().all(alone))
        };
        let mut found = Vec::new();
        for polynomial in self.conditions.iter().filter_map(|form| form.polynomial.as_ref()) {
            let beyond = polynomial.columns().find(|(factors, _)| !admits(factors));
            found.extend(beyond.map(|(factors, _)| format!("a condition reads {}", self.names(factors))));
        }
        for (target, read) in self.effects() {
            if !alone(target) {
                found.push(format!("it changes {}", self.names([target])));
            }
            let beyond = read.ok().and_then(|read| read.into_iter().find(|factors| !admits(factors)));
            found.extend(beyond.map(|factors| format!("an effect reads {}", self.names(&factors))));
        }
        found
    }

    /// Conditions that mention more functions than that.
    fn wider(&self, most: usize) -> Vec<String> {
        let mut found = Vec::new();
        for polynomial in self.conditions.iter().filter_map(|form| form.polynomial.as_ref()) {
            let functions: BTreeSet<&LiftedFunction> = polynomial.columns().flat_map(|(factors, _)| factors).collect();
            if functions.len() > most {
                found.push(format!("a condition mentions {}", self.names(functions)));
            }
        }
        found
    }

    /// Effects that read more functions than that.
    fn reads_more(&self, most: usize) -> Vec<String> {
        let mut found = Vec::new();
        for read in self.effects().into_iter().filter_map(|(_, read)| read.ok()) {
            let functions: BTreeSet<&LiftedFunction> = read.iter().flatten().collect();
            if functions.len() > most {
                found.push(format!("an effect reads {}", self.names(functions)));
            }
        }
        found
    }

    /// Whether a function, or a product as a column of its own, may grow or shrink without leaving the precondition.
    fn marked(&self, learner: &Learner, monomial: &Monomial, mark: Monotone) -> Judgement {
        let name = learner.written(self.id.index(), monomial);
        let word = match mark {
            Monotone::More => "more",
            Monotone::Less => "less",
            Monotone::Any => "another amount",
        };
        let mut judgement = Judgement::of(format!("{word} of {name} never hurts {}", self.name));
        let factors = self.factors(monomial);
        let product = factors.len() > 1;
        for form in &self.conditions {
            let Some(polynomial) = &form.polynomial else {
                judgement
                    .undecided
                    .push(self.because(format!("whether {word} of {name} can hurt: a condition is no polynomial")));
                continue;
            };
            let slope = if product {
                polynomial.terms.get(&factors).map(|factor| constant(factor.clone())).or(Some(Polynomial::default()))
            } else {
                factors.first().and_then(|function| slope(polynomial, function))
            };
            let hurts = format!("{word} of {name} can hurt");
            let Some(slope) = slope else {
                judgement.undecided.push(self.because(format!("whether {hurts}: it is multiplied with itself")));
                continue;
            };
            if slope.terms.is_empty() {
                let mentioned = factors.iter().any(|function| polynomial.mentioned.contains(function));
                if mark == Monotone::Any && mentioned && !product {
                    judgement.refuted.push(self.because(format!("whether {name} has a value can matter")));
                }
                continue;
            }
            let mut undecided = |why: &str| judgement.undecided.push(self.because(format!("whether {hurts}: {why}")));
            if !form.conjunct {
                undecided("it stands in no conjunction");
            } else if slope.columns().next().is_none() {
                let sign = slope.constant_term().signum();
                let fine = match mark {
                    Monotone::More => sign > 0,
                    Monotone::Less => sign < 0,
                    Monotone::Any => false,
                };
                if form.equation || !fine {
                    judgement.refuted.push(self.because(hurts));
                }
            } else if form.equation || mark == Monotone::Any || !self.implies(&slope, mark == Monotone::More) {
                undecided("it is multiplied with other functions");
            }
        }
        judgement
    }

    /// Whether one of the conditions says that a polynomial is never below (above) zero.
    fn implies(&self, slope: &Polynomial, positive: bool) -> bool {
        let conjuncts = self.conditions.iter().filter(|form| form.conjunct);
        conjuncts.filter_map(|form| Some((form.polynomial.as_ref()?, form.equation))).any(|(known, equation)| {
            // slope = share · known + rest, with a rest that is a number.
            let Some((factors, one)) = slope.columns().next() else { return false };
            let Some(share) = known.terms.get(factors).and_then(|other| one.checked_div(other)) else { return false };
            let scaled = known.terms.iter().map(|(factors, factor)| (factors.clone(), factor * &share)).collect();
            let scaled = Polynomial { terms: scaled, mentioned: BTreeSet::new() };
            let Some(rest) = slope.clone().minus(scaled).filter(|rest| rest.columns().next().is_none()) else { return false };
            let (share, rest) = (share.signum(), rest.constant_term().signum());
            if positive { rest >= 0 && (equation || share > 0) } else { rest <= 0 && (equation || share < 0) }
        })
    }
}

/// Whether a product is among those of a degree.
fn within(degree: Degree, factors: &[LiftedFunction]) -> bool {
    let distinct = factors.iter().enumerate().all(|(place, factor)| !factors[..place].contains(factor));
    factors.len() <= degree.degree as usize && (degree.squares || distinct)
}

fn constant(number: Rational) -> Polynomial {
    Polynomial { terms: BTreeMap::from([(Vec::new(), number)]), mentioned: BTreeSet::new() }
}

/// The derivative with respect to a function; `None` where it is multiplied with itself.
fn slope(polynomial: &Polynomial, function: &LiftedFunction) -> Option<Polynomial> {
    let mut terms = BTreeMap::new();
    for (factors, factor) in polynomial.columns().filter(|(factors, _)| factors.contains(function)) {
        let rest: Vec<LiftedFunction> = factors.iter().filter(|other| *other != function).cloned().collect();
        if rest.len() + 1 != factors.len() {
            return None;
        }
        terms.insert(rest, factor.clone());
    }
    Some(Polynomial { terms, mentioned: BTreeSet::new() })
}

fn has_negative_atom(condition: &Condition, positive: bool) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(|part| has_negative_atom(part, positive)),
        Condition::Not(inner) => has_negative_atom(inner, !positive),
        Condition::Imply(both) => has_negative_atom(&both[0], !positive) || has_negative_atom(&both[1], positive),
        Condition::ForAll(_, inner) | Condition::Exists(_, inner) => has_negative_atom(inner, positive),
        Condition::Atom(_) => !positive,
        Condition::Same(..) | Condition::Compare(..) => false,
    }
}
