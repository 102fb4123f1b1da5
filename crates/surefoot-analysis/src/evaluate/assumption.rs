//! Whether what a learner assumes is true of the real domain, as its conditions and effects show.
//!
//! One judgement for each sentence of [`Assumptions`] that is about the domain, in its words; what
//! is outside the class is what [`misfits`] finds. Sentences about recordings (complete states,
//! exact numbers) are not judged here. An action that can never be taken is judged as it is
//! written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use surefoot_base::assumptions::{About, ActionBody, Assumptions, misfits};
use surefoot_base::exact::{Rational, Rounding};
use surefoot_base::ids::IdVec;
use surefoot_base::model::{
    ActionId, Condition, Domain, Effect, LiftedFunction, NumericEffect, NumericOperator, Polynomial,
};
use surefoot_learn::{Learner, LiftedFunctionId, Monomial, Monotone, Settings, assumptions};

/// Why an assumption is not true of a domain, or why that is not decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The action that refutes it.
    pub action: String,
    /// How the real domain refutes it.
    pub reason: String,
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.action, self.reason)
    }
}

/// An assumption and what is true of it. It holds where nothing refutes it and nothing is left
/// undecided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// What is assumed: the sentence in the head of a model.
    pub assumption: String,
    /// The actions that refute it, and how.
    pub refuted: Vec<Refutation>,
    /// What could refute it, but is not decided.
    pub undecided: Vec<Refutation>,
}

impl Judgement {
    /// Whether the assumption is true of the domain.
    pub fn holds(&self) -> bool {
        self.refuted.is_empty() && self.undecided.is_empty()
    }
}

/// Everything that makes an assumption of a learner's class or of settings untrue of the real
/// domain; none when all are true, or not decided.
pub fn refutations(real: &Domain, learner: &Learner, settings: &Settings) -> Vec<Refutation> {
    judgements(real, learner, settings)
        .into_iter()
        .flat_map(|judgement| judgement.refuted)
        .collect()
}

/// One judgement for each assumption of a learner's class and of settings that is about the real
/// domain.
pub fn judgements(real: &Domain, learner: &Learner, settings: &Settings) -> Vec<Judgement> {
    let assumptions = assumptions(learner, settings);
    let misfits = misfits(real, &assumptions);
    // All parts of an action have one vocabulary.
    let parts = learner.lens().parts();
    let learned = |id: ActionId| parts.learned_ids(id).next().unwrap_or(id);
    let actions: Vec<ActionJudge> = real
        .action_ids()
        .map(|id| ActionJudge {
            id,
            body: ActionBody::of(real, id),
            functions: &learner.vocabulary(learned(id)).functions,
        })
        .collect();
    let mut found = Vec::new();
    for sentence in assumptions.sentences() {
        let mut judgement =
            Judgement { assumption: sentence.words, refuted: Vec::new(), undecided: Vec::new() };
        match &sentence.about {
            About::Records
            | About::Decimals
            | About::Error
            | About::Declared(_)
            | About::Reading
            | About::SetAside
            | About::Unchanged => {
                continue;
            }
            about @ (About::Conjunctions
            | About::Unconditional
            | About::Mentions
            | About::Numbers
            | About::Inputs) => {
                let mine = misfits.iter().filter(|misfit| misfit.about == *about);
                judgement.refuted.extend(mine.map(|misfit| Refutation {
                    action: misfit.action.clone(),
                    reason: misfit.reason.clone(),
                }));
            }
            About::PositivePreconditions => {
                actions
                    .iter()
                    .for_each(|judge| judge.refute(&mut judgement, judge.negative_atoms()));
            }
            About::Arity => {
                if let Some(most) = settings.arity {
                    actions
                        .iter()
                        .for_each(|judge| judge.refute(&mut judgement, judge.wider(most)));
                }
            }
            About::EffectArity => {
                if let Some(most) = settings.effect_arity {
                    actions
                        .iter()
                        .for_each(|judge| judge.refute(&mut judgement, judge.reads_more(most)));
                }
            }
            About::EffectDecimals => {
                if let Some(most) = settings.effect_decimals {
                    actions
                        .iter()
                        .for_each(|judge| judge.refute(&mut judgement, judge.longer_numbers(most)));
                }
            }
            About::Parts(name) => {
                let Some(judge) = named(&actions, name) else { continue };
                // What is wrong within a part is said of the class.
                if misfits.iter().any(|misfit| misfit.action.eq_ignore_ascii_case(name)) {
                    let (what, why) = ("each part is an action of the class", UNDECIDED_PARTS);
                    judge.leave_undecided(&mut judgement, what, why);
                }
            }
            About::Relevant(name) | About::Mark(name, _) if is_part(learner, name).is_some() => {
                let of = is_part(learner, name)
                    .and_then(|given| actions.iter().find(|judge| judge.id == given));
                if let Some(judge) = of {
                    let what = format!("this is so in {name}");
                    judge.leave_undecided(&mut judgement, &what, UNDECIDED_PARTS);
                }
            }
            About::Relevant(name) => {
                let Some(judge) = named(&actions, name) else { continue };
                let listed = learner.class().relevant.get(&learned(judge.id));
                let Some(listed) = listed else { continue };
                judge.refute(&mut judgement, judge.beyond_map(&assumptions, listed));
            }
            About::Mark(name, column) => {
                let Some(judge) = named(&actions, name) else { continue };
                let id = learned(judge.id);
                let marks = settings.monotone.get(&id).into_iter().flatten();
                for (&place, &mark) in marks {
                    let monomial = learner.vocabulary(id).columns.get(place);
                    if let Some(monomial) =
                        monomial.filter(|monomial| learner.written(id, monomial) == *column)
                    {
                        judge.mark(&mut judgement, column, monomial, mark);
                    }
                }
            }
        }
        found.push(judgement);
    }
    found
}

/// Why nothing is said of the parts of an action.
const UNDECIDED_PARTS: &str = "what the body says within a part is not looked at";

/// The action of the given domain of which a name is that of a part.
fn is_part(learner: &Learner, name: &str) -> Option<ActionId> {
    let part = learner.domain().actions.find(name)?;
    let (given, part) = learner.lens().parts().given_id(part.into());
    part.map(|_| given)
}

fn named<'j, 'a>(actions: &'j [ActionJudge<'a>], name: &str) -> Option<&'j ActionJudge<'a>> {
    actions.iter().find(|judge| judge.body.name.eq_ignore_ascii_case(name))
}

fn numeric_effects<'e>(effect: &'e Effect, found: &mut Vec<&'e NumericEffect>) {
    match effect {
        Effect::And(parts) => parts.iter().for_each(|part| numeric_effects(part, found)),
        Effect::Numeric(change) => found.push(change),
        Effect::When(_, part) | Effect::ForAll(_, part) => numeric_effects(part, found),
        Effect::Add(_) | Effect::Delete(_) => {}
    }
}

/// A real action, judged.
struct ActionJudge<'a> {
    id: ActionId,
    body: ActionBody<'a>,
    /// The functions of its vocabulary.
    functions: &'a IdVec<LiftedFunctionId, LiftedFunction>,
}

impl ActionJudge<'_> {
    fn because(&self, reason: String) -> Refutation {
        Refutation { action: self.body.name.to_owned(), reason }
    }

    /// Adds reasons why an assumption is not true.
    fn refute(&self, judgement: &mut Judgement, reasons: Vec<String>) {
        judgement.refuted.extend(reasons.into_iter().map(|reason| self.because(reason)));
    }

    /// Adds why it is not decided whether something is so.
    fn leave_undecided(&self, judgement: &mut Judgement, what: &str, why: &str) {
        judgement.undecided.push(self.because(format!("whether {what}: {why}")));
    }

    fn negative_atoms(&self) -> Vec<String> {
        let negative = has_negative_atom(&self.body.action.precondition, true);
        negative.then(|| "its precondition has a negative atom".to_owned()).into_iter().collect()
    }

    fn factors(&self, monomial: &Monomial) -> Vec<LiftedFunction> {
        let mut factors: Vec<LiftedFunction> = monomial
            .0
            .iter()
            .filter_map(|&function| self.functions.get(function).cloned())
            .collect();
        factors.sort_unstable();
        factors
    }

    /// What a map of relevant functions leaves out: a listed function stands for all products of
    /// listed functions within the degree, a listed product for itself.
    fn beyond_map(&self, assumptions: &Assumptions, listed: &[Monomial]) -> Vec<String> {
        let map = ListedFunctions {
            assumptions,
            listed: listed.iter().map(|monomial| self.factors(monomial)).collect(),
        };
        let mut found = Vec::new();
        for polynomial in self.body.conditions.iter().filter_map(|form| form.polynomial.as_ref()) {
            let beyond = polynomial.columns().find(|(factors, _)| !map.admits(factors));
            found
                .extend(beyond.map(|(factors, _)| {
                    format!("a condition reads {}", self.body.listed(factors))
                }));
        }
        for (target, read) in self.body.effects() {
            if !map.lists(target) {
                found.push(format!("it changes {}", self.body.listed([target])));
            }
            let beyond =
                read.ok().and_then(|read| read.into_iter().find(|factors| !map.admits(factors)));
            found.extend(
                beyond.map(|factors| format!("an effect reads {}", self.body.listed(&factors))),
            );
        }
        found
    }

    /// Conditions that mention more functions than that.
    fn wider(&self, most: usize) -> Vec<String> {
        let mut found = Vec::new();
        for polynomial in self.body.conditions.iter().filter_map(|form| form.polynomial.as_ref()) {
            let functions: BTreeSet<&LiftedFunction> =
                polynomial.columns().flat_map(|(factors, _)| factors).collect();
            if functions.len() > most {
                found.push(format!("a condition mentions {}", self.body.listed(functions)));
            }
        }
        found
    }

    /// Effects that read more functions than that.
    fn reads_more(&self, most: usize) -> Vec<String> {
        let mut found = Vec::new();
        for read in self.body.effects().into_iter().filter_map(|(_, read)| read.ok()) {
            let functions: BTreeSet<&LiftedFunction> = read.iter().flatten().collect();
            if functions.len() > most {
                found.push(format!("an effect reads {}", self.body.listed(functions)));
            }
        }
        found
    }

    /// Effects with a coefficient or a constant of more decimals than that. A scaling has its
    /// factor for a coefficient.
    fn longer_numbers(&self, most: u32) -> Vec<String> {
        let mut changes = Vec::new();
        numeric_effects(&self.body.action.effect, &mut changes);
        let mut found = Vec::new();
        for change in changes {
            let Some(value) = Polynomial::of(&change.value) else { continue };
            let mut numbers: Vec<Rational> =
                value.columns().map(|(_, factor)| factor.clone()).collect();
            numbers.push(value.constant_term());
            if change.operator == NumericOperator::ScaleDown {
                numbers = numbers.iter().filter_map(Rational::recip).collect();
            }
            let long =
                |number: &&Rational| number.with_decimals(most, Rounding::Nearest) != **number;
            found.extend(numbers.iter().find(long).map(|number| {
                format!("an effect on {} has {number}", self.body.listed([&change.target]))
            }));
        }
        found
    }

    /// Whether a function, or a product as a column of its own, may grow or shrink without leaving
    /// the precondition.
    fn mark(&self, judgement: &mut Judgement, name: &str, monomial: &Monomial, mark: Monotone) {
        let word = match mark {
            Monotone::More => "more",
            Monotone::Less => "less",
            Monotone::Any => "another amount",
        };
        let factors = self.factors(monomial);
        let product = factors.len() > 1;
        let hurts = format!("{word} of {name} can hurt");
        for form in &self.body.conditions {
            let Some(polynomial) = &form.polynomial else {
                self.leave_undecided(judgement, &hurts, "a condition is no polynomial");
                continue;
            };
            let slope = if product {
                polynomial
                    .terms
                    .get(&factors)
                    .map(|factor| constant(factor.clone()))
                    .or(Some(Polynomial::default()))
            } else {
                factors.first().and_then(|function| slope(polynomial, function))
            };
            let Some(slope) = slope else {
                self.leave_undecided(judgement, &hurts, "it is multiplied with itself");
                continue;
            };
            if slope.terms.is_empty() {
                let mentioned =
                    factors.iter().any(|function| polynomial.mentioned.contains(function));
                if mark == Monotone::Any && mentioned && !product {
                    judgement
                        .refuted
                        .push(self.because(format!("whether {name} has a value can matter")));
                }
                continue;
            }
            if !form.conjunct {
                self.leave_undecided(judgement, &hurts, "it stands in no conjunction");
            } else if slope.columns().next().is_none() {
                let sign = slope.constant_term().signum();
                let fine = match mark {
                    Monotone::More => sign > 0,
                    Monotone::Less => sign < 0,
                    Monotone::Any => false,
                };
                if form.equation || !fine {
                    judgement.refuted.push(self.because(hurts.clone()));
                }
            } else if form.equation
                || mark == Monotone::Any
                || !self.implies(&slope, mark == Monotone::More)
            {
                self.leave_undecided(judgement, &hurts, "it is multiplied with other functions");
            }
        }
    }

    /// Whether one of the conditions says that a polynomial is never below (above) zero.
    fn implies(&self, slope: &Polynomial, positive: bool) -> bool {
        let conjuncts = self.body.conditions.iter().filter(|form| form.conjunct);
        conjuncts.filter_map(|form| Some((form.polynomial.as_ref()?, form.equation))).any(
            |(known, equation)| {
                // slope = share · known + rest, with a rest that is a number.
                let Some((factors, one)) = slope.columns().next() else { return false };
                let Some(share) = known.terms.get(factors).and_then(|other| one.checked_div(other))
                else {
                    return false;
                };
                let scaled = known
                    .terms
                    .iter()
                    .map(|(factors, factor)| (factors.clone(), factor * &share))
                    .collect();
                let scaled = Polynomial { terms: scaled, mentioned: BTreeSet::new() };
                let Some(rest) =
                    slope.clone().minus(scaled).filter(|rest| rest.columns().next().is_none())
                else {
                    return false;
                };
                let (share, rest) = (share.signum(), rest.constant_term().signum());
                if positive {
                    rest >= 0 && (equation || share > 0)
                } else {
                    rest <= 0 && (equation || share < 0)
                }
            },
        )
    }
}

/// What a map lists as relevant for an action: the factors of each product.
struct ListedFunctions<'a> {
    assumptions: &'a Assumptions,
    listed: Vec<Vec<LiftedFunction>>,
}

impl ListedFunctions<'_> {
    /// Whether a function is listed alone.
    fn lists(&self, function: &LiftedFunction) -> bool {
        self.listed.iter().any(|known| known[..] == [function.clone()])
    }

    /// Whether a product may be read.
    fn admits(&self, factors: &[LiftedFunction]) -> bool {
        self.listed.iter().any(|known| known == factors)
            || (self.assumptions.within_degree(factors)
                && factors.iter().all(|function| self.lists(function)))
    }
}

fn constant(number: Rational) -> Polynomial {
    Polynomial { terms: BTreeMap::from([(Vec::new(), number)]), mentioned: BTreeSet::new() }
}

/// The derivative with respect to a function; `None` where it is multiplied with itself.
fn slope(polynomial: &Polynomial, function: &LiftedFunction) -> Option<Polynomial> {
    let mut terms = BTreeMap::new();
    for (factors, factor) in polynomial.columns().filter(|(factors, _)| factors.contains(function))
    {
        let rest: Vec<LiftedFunction> =
            factors.iter().filter(|other| *other != function).cloned().collect();
        if rest.len() + 1 != factors.len() {
            return None;
        }
        terms.insert(rest, factor.clone());
    }
    Some(Polynomial { terms, mentioned: BTreeSet::new() })
}

fn has_negative_atom(condition: &Condition, positive: bool) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter().any(|part| has_negative_atom(part, positive))
        }
        Condition::Not(inner) => has_negative_atom(inner, !positive),
        Condition::Imply(both) => {
            has_negative_atom(&both[0], !positive) || has_negative_atom(&both[1], positive)
        }
        Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
            has_negative_atom(inner, positive)
        }
        Condition::Atom(_) => !positive,
        Condition::Same(..) | Condition::Compare(..) | Condition::Within(_) => false,
    }
}
