//! The only place that calls the product. Texts and options of our own in; texts, and the learned
//! actions in the oracle's words, out.

use std::collections::BTreeMap;

use surefoot_base::certificate::{Certificate, digest};
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{self, ActionId, Domain, Objects};
use surefoot_base::pddl::{
    Numbers, Source, Trajectory, TrajectoryReader, read_domain, read_expression, read_problem,
    write_domain,
};
use surefoot_check::ModelChecker;
use surefoot_learn::{
    Algorithm, Class, Conclusion, Degree, Learner, Monotone, Settings, certificate, in_words, load,
    save,
};

use super::number::{Rat, TooLarge};
use super::world::{self, Applied, Comparison, Condition, Effect, Expression, Operator, Term};
use crate::learning::learned_domain;

/// What the user says. Functions are PDDL text over the parameters `?p0`, `?p1` and so on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub method: Method,
    pub degree: u32,
    pub arity: Option<usize>,
    pub effect_arity: Option<usize>,
    pub relevant: BTreeMap<String, Vec<String>>,
    pub monotone: BTreeMap<String, BTreeMap<String, Mark>>,
    pub positive: bool,
    pub facet_budget: Option<usize>,
    pub digits: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    NsamStar,
    Nsam,
    NsamLiteral,
    Sam,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    More,
    Less,
    Any,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            method: Method::NsamStar,
            degree: 1,
            arity: None,
            effect_arity: None,
            relevant: BTreeMap::new(),
            monotone: BTreeMap::new(),
            positive: false,
            facet_budget: None,
            digits: None,
        }
    }
}

/// What the product is given.
#[derive(Clone, Debug)]
pub struct Texts {
    pub domain: String,
    pub problem: String,
    pub traces: Vec<String>,
}

/// Which learner sees which traces, in which order; they are then merged in this order.
#[derive(Clone, Debug)]
pub struct Split {
    pub groups: Vec<Vec<usize>>,
    /// Whether each learner is saved and loaded before it is merged, and once more before the
    /// conclusion.
    pub stored: bool,
}

impl Split {
    pub fn whole(traces: usize) -> Self {
        Split { groups: vec![(0..traces).collect()], stored: false }
    }
}

/// What came of learning.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The model as it is written, its head included.
    pub model: String,
    pub certificate: String,
    /// The learner's state.
    pub state: Vec<u8>,
    pub outcomes: BTreeMap<String, Outcome>,
    /// Why a model of fewer traces may allow more, by action.
    pub take_back: BTreeMap<String, String>,
    /// The actions of the model as they read back.
    pub actions: Vec<world::Action>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The number is how many observations the product says that the model leaves out.
    Learned(usize),
    LeftOut(String),
    Inconsistent(String),
}

pub fn domain_of(texts: &Texts) -> Result<(Domain, Objects), String> {
    let domain = read_domain(&Source::new("domain.pddl", texts.domain.clone()))
        .map_err(|error| error.to_string())?;
    let problem =
        read_problem(&Source::new("problem.pddl", texts.problem.clone()), &domain, Numbers::Exact);
    let objects = problem.map_err(|error| error.to_string())?.objects;
    Ok((domain, objects))
}

/// Whether the reader takes a domain.
pub fn reads(text: &str) -> bool {
    read_domain(&Source::new("domain.pddl", text)).is_ok()
}

/// Learns. `Err` where the product refuses before any action is looked at.
pub fn learn(texts: &Texts, options: &Options, split: &Split) -> Result<Learned, String> {
    let (domain, objects) = domain_of(texts)?;
    let (class, settings) = assumptions(&domain, options)?;
    let start = Learner::new(&domain, class).map_err(|error| error.to_string())?;
    let mut whole = start.empty();
    let mut anomalies: BTreeMap<usize, String> = BTreeMap::new();
    let stored = |learner: Learner| match split.stored {
        true => load(&save(&learner).map_err(|error| error.to_string())?)
            .map_err(|error| error.to_string()),
        false => Ok(learner),
    };
    for group in &split.groups {
        let mut learner = start.empty();
        for &trace in group {
            let source = Source::new(format!("{trace}.trajectory"), texts.traces[trace].clone());
            let reader = TrajectoryReader::new(&source, &domain, &objects, Numbers::Exact);
            let mut reader = reader.map_err(|error| error.to_string())?;
            let mut observer = learner.lens().observer();
            learner.add_trace(digest(&texts.traces[trace]), vec![0; domain.actions.len()]);
            while let Some(step) = reader.next_transition().map_err(|error| error.to_string())? {
                match observer.observe_step(step.step()) {
                    Ok(observation) => learner.observe(step.action.symbol, &observation),
                    Err(anomaly) => {
                        drop(anomalies.insert(step.action.symbol.index(), format!("{anomaly:?}")))
                    }
                }
            }
        }
        whole.merge(&stored(learner)?);
    }
    let whole = stored(whole)?;

    let mut outcomes = BTreeMap::new();
    let mut actions = Vec::new();
    for id in domain.action_ids() {
        let name = domain.action_name(id).to_owned();
        let outcome = match (anomalies.get(&id.index()), whole.conclude(id, &settings)) {
            (Some(anomaly), _) => Outcome::Inconsistent(anomaly.clone()),
            (_, Conclusion::Inconsistent(why)) => Outcome::Inconsistent(format!("{why:?}")),
            (_, Conclusion::LeftOut(why)) => Outcome::LeftOut(format!("{why:?}")),
            (_, Conclusion::Learned(action)) => {
                let left_out = action.numeric.region.uncovered;
                actions.push((id, action));
                Outcome::Learned(left_out)
            }
        };
        outcomes.insert(name, outcome);
    }
    let learned: Vec<_> = actions.iter().map(|(id, action)| (*id, &**action)).collect();
    let take_back = domain.action_ids().filter_map(|id| {
        let why = whole.may_take_back(id, &settings)?;
        Some((domain.action_name(id).to_owned(), format!("{why:?}")))
    });
    let take_back = take_back.collect();
    let head: String =
        in_words(&whole, &settings).iter().map(|line| format!(";  - {line}\n")).collect();
    let domain = learned_domain(&whole, &learned);
    let certificate = certificate(&whole, &settings, &domain, &learned);
    let model = head + &write_domain(&domain);
    Ok(Learned {
        actions: read_actions(&model)?,
        certificate: certificate.to_json().map_err(|error| error.to_string())?,
        model,
        state: save(&whole).map_err(|error| error.to_string())?,
        outcomes,
        take_back,
    })
}

pub fn assumptions(domain: &Domain, options: &Options) -> Result<(Class, Settings), String> {
    let action = |name: &str| {
        domain.actions.find(name).map(ActionId::from).ok_or_else(|| format!("no action {name}"))
    };
    let plain = Learner::new(domain, Class::default()).map_err(|error| error.to_string())?;
    let monomial = |id: ActionId, text: &str| {
        let expression = read_expression(&Source::new("option", text), domain, id)
            .map_err(|error| error.to_string())?;
        plain.vocabulary(id).monomial(&expression).ok_or_else(|| format!("{text} is no monomial"))
    };
    let mut class = Class::default()
        .with(|class| class.degree = Degree { degree: options.degree, squares: false });
    for (name, texts) in &options.relevant {
        let id = action(name)?;
        let mut monomials =
            texts.iter().map(|text| monomial(id, text)).collect::<Result<Vec<_>, _>>()?;
        monomials.sort_by(|one, other| (one.0.len(), one).cmp(&(other.0.len(), other)));
        monomials.dedup();
        class.relevant.insert(id, monomials);
    }
    let learner = Learner::new(domain, class.clone()).map_err(|error| error.to_string())?;
    let mut settings = Settings::default().with(|settings| {
        settings.algorithm = match options.method {
            Method::NsamStar => Algorithm::NsamStar,
            Method::Nsam => Algorithm::Nsam,
            Method::NsamLiteral => Algorithm::NsamLiteral,
            Method::Sam => Algorithm::Sam,
        };
        settings.arity = options.arity;
        settings.effect_arity = options.effect_arity;
        settings.positive_preconditions = options.positive;
        settings.digits = options.digits;
    });
    settings.facet_budget = options.facet_budget.unwrap_or(settings.facet_budget);
    for (name, marks) in &options.monotone {
        let id = action(name)?;
        for (text, mark) in marks {
            let wanted = monomial(id, text)?;
            let Some(column) = learner.vocabulary(id).columns.position(|column| *column == wanted)
            else {
                continue;
            };
            let mark = match mark {
                Mark::More => Monotone::More,
                Mark::Less => Monotone::Less,
                Mark::Any => Monotone::Any,
            };
            settings.monotone.entry(id).or_default().insert(column, mark);
        }
    }
    Ok((class, settings))
}

/// Why `check` does not accept a model and its certificate; nothing where it does.
pub fn check(texts: &Texts, model: &str, certificate: &str) -> Vec<String> {
    let checked = || -> Result<Vec<String>, String> {
        let (domain, objects) = domain_of(texts)?;
        let head = model;
        let model =
            read_domain(&Source::new("model.pddl", model)).map_err(|error| error.to_string())?;
        let certificate = Certificate::from_json(certificate).map_err(|error| error.to_string())?;
        let mut checker = ModelChecker::new(&domain, &model, &certificate);
        for (index, text) in texts.traces.iter().enumerate() {
            let source = Source::new(format!("{index}.trajectory"), text.clone());
            checker.read(&source, &objects).map_err(|error| error.to_string())?;
        }
        let said: Vec<String> =
            head.lines().filter_map(|line| Some(line.strip_prefix(";  - ")?.to_owned())).collect();
        let mut reasons = Vec::new();
        if checker.assumptions() != said {
            reasons.push(format!("the head says {said:?}, check says {:?}", checker.assumptions()));
        }
        reasons
            .extend(checker.finish().iter().map(|reason| format!("{:?}: {reason}", reason.kind)));
        Ok(reasons)
    };
    checked().unwrap_or_else(|why| vec![format!("not read: {why}")])
}

/// Whether the product's own semantics says of the only step of a trajectory that it ends where the
/// record says; `None` where it says that the step cannot be taken.
pub fn reproduces(texts: &Texts, trajectory: &str) -> Result<Option<bool>, String> {
    let (domain, objects) = domain_of(texts)?;
    let source = Source::new("step", trajectory);
    let mut read = Trajectory::read(&source, &domain, &objects, Numbers::Exact)
        .map_err(|error| error.to_string())?;
    let after = Semantics::new(&domain, &objects).successor(
        &read.actions[0],
        &mut read.universe,
        &read.states[0],
    );
    Ok(after.ok().map(|after| after == read.states[1]))
}

/// The digest that certificates name a trace by.
pub fn digest_of(trace: &str) -> String {
    digest(trace)
}

/// The actions of a model in the oracle's words.
pub fn read_actions(model: &str) -> Result<Vec<world::Action>, String> {
    let domain = read_domain(&Source::new("model.pddl", model))
        .map_err(|error| format!("the model does not read: {error}"))?;
    let translated = domain.actions.iter().map(|(name, action)| {
        let mut effects = Vec::new();
        collect(&action.effect, &mut effects)?;
        Ok(world::Action {
            name: name.to_owned(),
            parameters: action
                .parameters
                .iter()
                .map(|one| one.types.types().iter().map(|of| of.index()).collect())
                .collect(),
            condition: condition(&action.precondition)?,
            effects,
        })
    });
    translated.collect()
}

fn applied<S: Copy>(lifted: &model::Lifted<S>, index: fn(S) -> usize) -> Applied {
    Applied {
        symbol: index(lifted.symbol),
        terms: lifted.terms.iter().map(|&one| term(one)).collect(),
    }
}

fn term(term: model::Term) -> Term {
    match term {
        model::Term::Variable(slot) => Term::Parameter(slot as usize),
        model::Term::Object(object) => Term::Object(object.index()),
    }
}

fn condition(from: &model::Condition) -> Result<Condition, String> {
    let all =
        |parts: &[model::Condition]| parts.iter().map(condition).collect::<Result<Vec<_>, _>>();
    Ok(match from {
        model::Condition::And(parts) => Condition::And(all(parts)?),
        model::Condition::Or(parts) => Condition::Or(all(parts)?),
        model::Condition::Not(inner) => Condition::Not(Box::new(condition(inner)?)),
        model::Condition::Imply(both) => Condition::Or(vec![
            Condition::Not(Box::new(condition(&both[0])?)),
            condition(&both[1])?,
        ]),
        model::Condition::Atom(atom) => Condition::Atom(applied(atom, model::PredicateId::index)),
        model::Condition::Same(one, other) => Condition::Same(term(*one), term(*other)),
        model::Condition::Compare(comparison, sides) => {
            let comparison = match comparison {
                model::Comparison::Less => Comparison::Less,
                model::Comparison::LessOrEqual => Comparison::AtMost,
                model::Comparison::Equal => Comparison::Equal,
                model::Comparison::GreaterOrEqual => Comparison::AtLeast,
                model::Comparison::Greater => Comparison::More,
            };
            Condition::Compare(comparison, expression(&sides[0])?, expression(&sides[1])?)
        }
        model::Condition::Within(_) => condition(&from.expanded())?,
        model::Condition::ForAll(..) | model::Condition::Exists(..) => {
            return Err("a learned model with a quantifier".into());
        }
    })
}

fn expression(from: &model::Expression) -> Result<Expression, String> {
    let all =
        |parts: &[model::Expression]| parts.iter().map(expression).collect::<Result<Vec<_>, _>>();
    let both = |parts: &[model::Expression; 2]| {
        Ok::<_, String>(Box::new([expression(&parts[0])?, expression(&parts[1])?]))
    };
    Ok(match from {
        model::Expression::Number(number) => {
            let part = |digits: String| digits.parse::<i128>().map_err(|_| TooLarge);
            let number = part(number.numerator().to_string())
                .and_then(|num| Rat::reduced(num, part(number.denominator().to_string())?));
            Expression::Number(
                number.map_err(|TooLarge| "a number too large for the oracle".to_owned())?,
            )
        }
        model::Expression::Function(function) => {
            Expression::Function(applied(function, model::FunctionId::index))
        }
        model::Expression::Sum(parts) => Expression::Sum(all(parts)?),
        model::Expression::Product(parts) => Expression::Product(all(parts)?),
        model::Expression::Difference(parts) => Expression::Difference(both(parts)?),
        model::Expression::Negation(inner) => Expression::Negation(Box::new(expression(inner)?)),
        model::Expression::Quotient(parts) => Expression::Quotient(both(parts)?),
        model::Expression::TotalTime => return Err("a learned model with total-time".into()),
    })
}

fn collect(from: &model::Effect, effects: &mut Vec<Effect>) -> Result<(), String> {
    match from {
        model::Effect::And(parts) => parts.iter().try_for_each(|part| collect(part, effects))?,
        model::Effect::Add(atom) => {
            effects.push(Effect::Add(applied(atom, model::PredicateId::index)))
        }
        model::Effect::Delete(atom) => {
            effects.push(Effect::Delete(applied(atom, model::PredicateId::index)))
        }
        model::Effect::Numeric(numeric) => {
            let operator = match numeric.operator {
                model::NumericOperator::Assign => Operator::Assign,
                model::NumericOperator::Increase => Operator::Increase,
                model::NumericOperator::Decrease => Operator::Decrease,
                model::NumericOperator::ScaleUp => Operator::ScaleUp,
                model::NumericOperator::ScaleDown => Operator::ScaleDown,
            };
            effects.push(Effect::Change(
                operator,
                applied(&numeric.target, model::FunctionId::index),
                expression(&numeric.value)?,
            ));
        }
        model::Effect::When(..) | model::Effect::ForAll(..) => {
            return Err("a learned model with conditional effects".into());
        }
    }
    Ok(())
}
