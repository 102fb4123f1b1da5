//! Actions with parts, taken apart: the checker's own reading of them, and its own proofs.
//!
//! The parts that a certificate assumes are read anew. That they are disjoint is verified: one has
//! the negation of a test of another, or multiples of their comparisons, which the certificate
//! lists, add up to something false. The action of the model is taken apart into one action for
//! each part; nothing of it may be left over. Each recorded step goes to the part whose tests hold
//! in the state before it. Parts that were found in the records have counts; these are counted
//! again, except those of predicted steps, which only learning anew could tell; and each bound of
//! such a part is at a recorded step, so that no part reaches beyond its steps. From there on all
//! obligations are those of actions: what is allowed in a state of a part is what the action for
//! the part allows, and nothing is allowed in no part, since the tests stand in the preconditions.

use std::collections::{BTreeMap, BTreeSet};

use super::vocabulary::{ActionVocabulary, FunctionPolynomial, FunctionProduct};
use surefoot_base::certificate::{Certificate, DisjointRecord, read_number};
use surefoot_base::exact::Rational;
use surefoot_base::model::{
    Action, ActionId, Attempt, Comparison, Condition, Domain, Effect, Expression, GroundAction,
    Names, ObjectId, State, Step, Term, Universe,
};
use surefoot_base::parts::{DeclaredParts, FoundPart};
use surefoot_base::pddl::{Source, read_condition};

/// A part of an action.
struct Part {
    /// The name of the action for it.
    name: String,
    tests: Vec<Condition>,
}

/// An action that has parts.
struct PartedAction {
    parts: Vec<Part>,
    /// The number of the first part among the actions that are checked.
    first: usize,
    vocabulary: ActionVocabulary,
    /// By part, and last in none: the functions that some step changed.
    changed: Vec<BTreeSet<usize>>,
}

/// A part that was found in the records: what the certificate says of it, and what is recorded.
struct FoundTally {
    /// `charge where (<= (battery ?r) 66)`
    name: String,
    tests: Vec<Condition>,
    stated: FoundPart,
    /// How many recorded steps are in it.
    steps: usize,
    /// By test: whether some step is at its bound. A literal has none.
    is_reached: Vec<bool>,
}

/// The actions of a domain that have parts.
#[derive(Default)]
pub(super) struct PartedActions {
    actions: BTreeMap<ActionId, PartedAction>,
    /// By action of the given domain: the parts that were found.
    found: BTreeMap<ActionId, Vec<FoundTally>>,
}

impl PartedActions {
    /// The parts that a certificate assumes; `Err` with what is wrong about them.
    pub(super) fn of(domain: &Domain, certificate: &Certificate) -> Result<Self, String> {
        let (mut actions, mut found) = (BTreeMap::new(), BTreeMap::new());
        let spec = &certificate.assumptions.spec;
        for (name, declared) in &spec.parts {
            let wrong = |what: String| format!("the parts of {name}: {what}");
            let id = domain.actions.find(name).map(ActionId::from);
            let Some(id) = id.filter(|_| *name == name.to_ascii_lowercase()) else {
                return Err(wrong("the domain has no such action".to_owned()));
            };
            let listed = match declared {
                DeclaredParts::Listed(listed) => listed.clone(),
                DeclaredParts::Found(parts) => {
                    parts.found.iter().map(|part| part.tests.clone()).collect()
                }
                _ => return Err(wrong("they are not listed one by one".to_owned())),
            };
            let vocabulary = ActionVocabulary::of(domain, domain.action(id)).map_err(&wrong)?;
            let mut parts: Vec<Part> = Vec::new();
            for (place, texts) in listed.iter().enumerate() {
                let tests: Result<Vec<Condition>, String> =
                    texts.iter().map(|text| test(domain, id, &vocabulary, text)).collect();
                let tests = tests.map_err(&wrong)?;
                if tests.is_empty() {
                    return Err(wrong(format!("part {} has no test", place + 1)));
                }
                parts.push(Part {
                    name: format!("{}--{}", domain.action_name(id), place + 1),
                    tests,
                });
            }
            let none = Vec::new();
            let proofs = certificate.disjoint.get(name).unwrap_or(&none);
            check_disjoint(&parts, &vocabulary, proofs).map_err(&wrong)?;
            if let DeclaredParts::Found(stated) = declared {
                let of = |part: &FoundPart| -> Result<FoundTally, String> {
                    let tests: Result<Vec<Condition>, String> =
                        part.tests.iter().map(|text| test(domain, id, &vocabulary, text)).collect();
                    let tests = tests.map_err(&wrong)?;
                    let is_reached =
                        tests.iter().map(|test| !matches!(test, Condition::Compare(..))).collect();
                    let name = format!("{name} where {}", part.tests.join(" "));
                    let stated = part.clone();
                    Ok(FoundTally { name, tests, stated, steps: 0, is_reached })
                };
                let tallies = stated.found.iter().map(of);
                found.insert(id, tallies.collect::<Result<Vec<FoundTally>, String>>()?);
            }
            let changed = vec![BTreeSet::new(); parts.len() + 1];
            actions.insert(id, PartedAction { parts, first: 0, vocabulary, changed });
        }
        let mut proved = certificate.disjoint.keys();
        if let Some(name) = proved.find(|name| !spec.parts.contains_key(*name)) {
            return Err(format!(
                "the certificate says why parts of {name} are disjoint, which has none"
            ));
        }
        let mut before = 0;
        for (id, action) in &mut actions {
            action.first = id.index() + before;
            before += action.parts.len().saturating_sub(1);
        }
        Ok(PartedActions { actions, found })
    }

    /// Counts a recorded step of an action whose parts were found.
    pub(super) fn count(&mut self, step: &Step<'_>) {
        let Step { before, action, universe, .. } = *step;
        for tally in self.found.get_mut(&action.symbol).into_iter().flatten() {
            let holds = |test| truth(test, &action.arguments, universe, before) == Some(true);
            if !tally.tests.iter().all(holds) {
                continue;
            }
            tally.steps += 1;
            for (test, is_reached) in tally.tests.iter().zip(&mut tally.is_reached) {
                if let Condition::Compare(_, sides) = test {
                    let [left, right] = [&sides[0], &sides[1]]
                        .map(|side| value(side, &action.arguments, universe, before));
                    *is_reached |= left.is_some() && left == right;
                }
            }
        }
    }

    /// What is wrong about the counts and the bounds of parts that were found.
    pub(super) fn wrong_counts(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for FoundTally { name, tests, stated, steps, is_reached } in self.found.values().flatten() {
            let FoundPart { steps: said, predicted, traces, .. } = stated;
            if said != steps {
                wrong.push(format!(
                    "the certificate says that {said} recorded steps are in the part {name}, and \
                     {steps} are"
                ));
            }
            let is_possible = (FoundPart::ENOUGH..=*said).contains(predicted)
                && (1..=*predicted).contains(traces);
            if !is_possible {
                wrong.push(format!(
                    "the certificate says that {predicted} of {said} steps were predicted in the \
                     part {name}, in {traces} traces, which cannot be so for a part that stands"
                ));
            }
            if tests.is_empty() || is_reached.contains(&false) {
                wrong.push(format!(
                    "the part {name} was found, and one of its bounds is at no recorded step"
                ));
            }
        }
        wrong
    }

    /// Whether an action of the given domain has parts.
    pub(super) fn has_parts(&self, given: ActionId) -> bool {
        self.actions.contains_key(&given)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// The domain with an action for each part; `None` if two of its actions have one name.
    pub(super) fn domain(&self, given: &Domain) -> Option<Domain> {
        let mut actions = Names::default();
        for id in given.action_ids() {
            let action = given.action(id);
            match self.actions.get(&id) {
                None => drop(actions.insert(given.action_name(id), action.clone()).ok()?),
                Some(parted) => {
                    for part in &parted.parts {
                        let parameters = action.parameters.clone();
                        actions.insert(&part.name, Action::left_out(parameters)).ok()?;
                    }
                }
            }
        }
        Some(Domain { actions, ..given.clone() })
    }

    /// The model with an action for each part that it has; `Err` with what is left over of an
    /// action.
    pub(super) fn model(&self, given: &Domain, model: &Domain) -> Result<Domain, String> {
        let mut actions = Names::default();
        for id in model.action_ids() {
            let (name, action) = (model.action_name(id), model.action(id));
            let parted =
                given.actions.find(name).and_then(|id| self.actions.get(&ActionId::from(id)));
            let taken = |_| format!("two actions of the model are called {name}");
            let Some(parted) = parted else {
                actions.insert(name, action.clone()).map_err(taken)?;
                continue;
            };
            let bodies = parted.taken_apart(action).ok_or_else(|| {
                format!("{name} is not made of the parts that the certificate assumes")
            })?;
            for (part, body) in bodies {
                actions.insert(&part.name, body).map_err(taken)?;
            }
        }
        Ok(Domain { actions, ..model.clone() })
    }

    /// The tests that stand first in the precondition of an action, if it is that of a part.
    pub(super) fn tests(&self, number: ActionId) -> &[Condition] {
        let parted = self
            .actions
            .values()
            .find_map(|parted| parted.parts.get(number.index().checked_sub(parted.first)?));
        parted.map_or(&[], |part| &part.tests)
    }

    /// The action whose part a state is in, as it is checked; `None` where it is in no part.
    pub(super) fn part_of(&self, attempt: Attempt<'_>) -> Option<GroundAction> {
        let Attempt { before, action, universe } = attempt;
        let arguments = action.arguments.clone();
        let Some(parted) = self.actions.get(&action.symbol) else {
            let earlier = self.actions.range(..action.symbol);
            let before: usize = earlier.map(|(_, parted)| parted.parts.len() - 1).sum();
            return Some(GroundAction {
                symbol: (action.symbol.index() + before).into(),
                arguments,
            });
        };
        let holds = |part: &Part| {
            let holds = |test| truth(test, &action.arguments, universe, before) == Some(true);
            part.tests.iter().all(holds)
        };
        let place = parted.parts.iter().position(holds)?;
        Some(GroundAction { symbol: (parted.first + place).into(), arguments })
    }

    /// Notes which functions a step changes, of an action of the given domain.
    pub(super) fn note(&mut self, step: &Step<'_>, part: Option<ActionId>) {
        let Some(parted) = self.actions.get_mut(&step.action.symbol) else { return };
        let place = part.map_or(parted.parts.len(), |part| part.index() - parted.first);
        for (number, function) in parted.vocabulary.functions.iter().enumerate() {
            let id = step.universe.find_value(&function.ground(&step.action.arguments));
            if id.is_some_and(|id| step.before.differs_in_value(step.after, id)) {
                parted.changed[place].insert(number);
            }
        }
    }

    /// The functions that steps changed outside the part that an action is for.
    pub(super) fn changed_elsewhere(&self, number: ActionId) -> BTreeSet<usize> {
        let of = |parted: &&PartedAction| {
            (parted.first..parted.first + parted.parts.len()).contains(&number.index())
        };
        let Some(parted) = self.actions.values().find(of) else { return BTreeSet::new() };
        let own = number.index() - parted.first;
        let others = parted.changed.iter().enumerate().filter(|(place, _)| *place != own);
        others.flat_map(|(_, changed)| changed).copied().collect()
    }
}

impl PartedAction {
    /// An action of the model as the actions for its parts; `None` if anything is left over.
    fn taken_apart(&self, action: &Action) -> Option<Vec<(&Part, Action)>> {
        let begins = |condition: &Condition, part: &Part| {
            let conjuncts = condition.conjuncts();
            conjuncts.len() >= part.tests.len()
                && part.tests.iter().zip(conjuncts).all(|(one, other)| self.is_same(one, other))
        };
        let Condition::Or(alternatives) = &action.precondition else {
            let part = self.parts.iter().find(|part| begins(&action.precondition, part))?;
            return Some(vec![(part, action.clone())]);
        };
        let Effect::And(effects) = &action.effect else { return None };
        let mut effects = effects.iter().peekable();
        let (mut bodies, mut left): (Vec<(&Part, Action)>, _) = (Vec::new(), self.parts.iter());
        for alternative in alternatives {
            let part = left.find(|part| begins(alternative, part))?;
            let own = |effect: &&Effect| match effect {
                Effect::When(condition, _) => {
                    let conjuncts = condition.conjuncts();
                    conjuncts.len() == part.tests.len() && begins(condition, part)
                }
                _ => false,
            };
            let effect = match effects.next_if(own) {
                Some(Effect::When(_, effect)) => (**effect).clone(),
                _ => Effect::NONE,
            };
            let (parameters, precondition) = (action.parameters.clone(), alternative.clone());
            bodies.push((part, Action { parameters, precondition, effect }));
        }
        effects.next().is_none().then_some(bodies)
    }

    /// Whether two conditions are one test, however sums are nested.
    fn is_same(&self, one: &Condition, other: &Condition) -> bool {
        match (one, other) {
            (Condition::Compare(mine, _), Condition::Compare(theirs, _)) => {
                let forms = [one, other].map(|test| form(&self.vocabulary, test));
                mine == theirs && forms[0].is_some() && forms[0] == forms[1]
            }
            _ => one == other,
        }
    }
}

/// A test of a part, as the certificate writes it.
fn test(
    domain: &Domain,
    action: ActionId,
    vocabulary: &ActionVocabulary,
    text: &str,
) -> Result<Condition, String> {
    let condition = read_condition(&Source::new("certificate", text), domain, action)
        .map_err(|_| format!("{text:?} is no condition"))?;
    let inner = match &condition {
        Condition::Not(inner) => inner,
        other => other,
    };
    let is_test = match (inner, &condition) {
        (Condition::Atom(atom), _) => vocabulary.atom(atom).is_some(),
        (Condition::Same(one, other), _) => {
            !vocabulary.inputs.has(*one) && !vocabulary.inputs.has(*other)
        }
        (Condition::Compare(..), Condition::Compare(..)) => form(vocabulary, inner).is_some(),
        _ => false,
    };
    if is_test {
        Ok(condition)
    } else {
        Err(format!("{text} is no literal, equality or comparison of the action"))
    }
}

/// A comparison as a form that is at most zero, below zero, or zero.
fn form(vocabulary: &ActionVocabulary, test: &Condition) -> Option<FunctionPolynomial> {
    let Condition::Compare(comparison, sides) = test else { return None };
    let (less, more) = match comparison {
        Comparison::Less | Comparison::LessOrEqual | Comparison::Equal => (0, 1),
        Comparison::Greater | Comparison::GreaterOrEqual => (1, 0),
    };
    Some(vocabulary.polynomial(&sides[less])?.minus(&vocabulary.polynomial(&sides[more])?))
}

/// Whether no state is in two parts; `Err` with the first two that may have one in common.
fn check_disjoint(
    parts: &[Part],
    vocabulary: &ActionVocabulary,
    proofs: &[DisjointRecord],
) -> Result<(), String> {
    for (second, other) in parts.iter().enumerate() {
        for (first, one) in parts[..second].iter().enumerate() {
            let mut pairs =
                one.tests.iter().flat_map(|test| other.tests.iter().map(move |or| (test, or)));
            let tests: Vec<&Condition> = one.tests.iter().chain(&other.tests).collect();
            let proved = |proof: &DisjointRecord| {
                proof.parts == (first, second)
                    && adds_up_to_something_false(&tests, vocabulary, &proof.weights)
            };
            if !pairs.any(|(one, other)| contradict(one, other)) && !proofs.iter().any(proved) {
                return Err(format!(
                    "it is not shown that parts {} and {} have no state in common",
                    first + 1,
                    second + 1
                ));
            }
        }
    }
    Ok(())
}

/// Whether a literal or an equality is the opposite of another, or one parameter would be two
/// constants.
fn contradict(one: &Condition, other: &Condition) -> bool {
    let same = |one: &Condition, other: &Condition| match (one, other) {
        (Condition::Same(a, b), Condition::Same(c, d)) => (a, b) == (c, d) || (a, b) == (d, c),
        _ => one == other,
    };
    let constant = |condition: &Condition| match condition {
        Condition::Same(Term::Variable(slot), Term::Object(object))
        | Condition::Same(Term::Object(object), Term::Variable(slot)) => Some((*slot, *object)),
        _ => None,
    };
    match (one, other) {
        (Condition::Not(_), Condition::Not(_)) => false,
        (Condition::Not(inner), plain) | (plain, Condition::Not(inner)) => same(inner, plain),
        _ => matches!((constant(one), constant(other)), (Some((slot, one)), Some((also, other)))
            if slot == also && one != other),
    }
}

/// Whether some multiples of comparisons add up to a number that is said to be at most zero, and is
/// above it, or to be below zero, and is not.
fn adds_up_to_something_false(
    tests: &[&Condition],
    vocabulary: &ActionVocabulary,
    weights: &[(usize, String)],
) -> bool {
    let mut sum = FunctionPolynomial::default();
    let mut strict = false;
    for (number, text) in weights {
        let (Some(&test), Some(weight)) = (tests.get(*number), read_number(text)) else {
            return false;
        };
        let (Condition::Compare(comparison, _), Some(form)) = (test, form(vocabulary, test)) else {
            return false;
        };
        if weight.signum() < 0 && *comparison != Comparison::Equal {
            return false;
        }
        strict |=
            weight.signum() > 0 && matches!(comparison, Comparison::Less | Comparison::Greater);
        let Some(product) = form.times(&FunctionPolynomial::constant(weight)) else { return false };
        sum = sum.plus(&product);
    }
    let Some(constant) = sum.as_constant() else { return false };
    constant.signum() > 0 || strict && constant.is_zero()
}

/// Whether a test holds in a state; `None` where it has no truth value, or none that is known.
fn truth(
    test: &Condition,
    arguments: &[ObjectId],
    universe: &Universe,
    state: &State,
) -> Option<bool> {
    match test {
        Condition::Not(inner) => truth(inner, arguments, universe, state).map(|truth| !truth),
        Condition::Atom(atom) => match universe.find_atom(&atom.ground(arguments)) {
            Some(id) if state.is_atom_unknown(id) => None,
            Some(id) => Some(state.contains(id)),
            None => Some(false),
        },
        Condition::Same(one, other) => Some(one.ground(arguments) == other.ground(arguments)),
        Condition::Compare(comparison, sides) => {
            let [left, right] =
                [&sides[0], &sides[1]].map(|side| value(side, arguments, universe, state));
            let (left, right) = (left?, right?);
            Some(match comparison {
                Comparison::Less => left < right,
                Comparison::LessOrEqual => left <= right,
                Comparison::Equal => left == right,
                Comparison::GreaterOrEqual => left >= right,
                Comparison::Greater => left > right,
            })
        }
        _ => None,
    }
}

/// The value of an expression in a state, if it has one that is known.
fn value(
    expression: &Expression,
    arguments: &[ObjectId],
    universe: &Universe,
    state: &State,
) -> Option<Rational> {
    let of = |part: &Expression| value(part, arguments, universe, state);
    match expression {
        Expression::Number(number) => Some(number.clone()),
        Expression::Function(function) => {
            universe.find_value(&function.ground(arguments)).and_then(|id| state.value(id)).cloned()
        }
        Expression::Sum(parts) => {
            parts.iter().try_fold(Rational::ZERO, |sum, part| Some(&sum + &of(part)?))
        }
        Expression::Product(parts) => {
            parts.iter().try_fold(Rational::ONE, |product, part| Some(&product * &of(part)?))
        }
        Expression::Difference(sides) => Some(&of(&sides[0])? - &of(&sides[1])?),
        Expression::Negation(inner) => Some(-&of(inner)?),
        Expression::Quotient(sides) => of(&sides[0])?.checked_div(&of(&sides[1])?),
        Expression::TotalTime => None,
    }
}

/// A precondition without those tests of its part that no real condition could be: strict
/// comparisons, and comparisons of what is no column. All else is as in any action, and a
/// precondition that asks for less is harder to accept.
pub(super) fn without_tests(
    precondition: &Condition,
    tests: &[Condition],
    vocabulary: &ActionVocabulary,
    columns: &[FunctionProduct],
) -> Condition {
    let is_column = |test: &Condition| {
        let Some(form) = form(vocabulary, test) else { return false };
        let mut products = form.0.keys().filter(|product| !product.is_empty());
        products.all(|product| columns.contains(product))
    };
    let is_kept = |test: &Condition| match test {
        Condition::Compare(Comparison::Less | Comparison::Greater, _) => false,
        Condition::Compare(..) => is_column(test),
        _ => true,
    };
    let conjuncts = precondition.conjuncts().iter().enumerate();
    let kept = conjuncts.filter(|(place, part)| *place >= tests.len() || is_kept(part));
    Condition::And(kept.map(|(_, part)| part.clone()).collect())
}
