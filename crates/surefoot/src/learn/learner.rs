//! The learner: a fold over transitions whose state can be merged, and the model it stands for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::assumptions::{Algorithm, Class, Monotone, Settings};
use super::binding::Pattern;
use super::effect::{self, Affine, NumericForm, Unexplained};
use super::evidence::{ActionEvidence, Observation, PatternEvidence};
use super::linear;
use super::literals::{self, BooleanEffect, BooleanModel, Contradiction, Disjunct, Seen, all_equal, not_all_equal, same};
use super::precondition::{Extent, Region, region};
use super::rounding::round_inward;
use super::snapshot::vocabulary_of;
use super::vocabulary::{MAX_COLUMNS, Monomial, Vocabulary};
use crate::exact::{Constraint, Echelon, Rational, Row};
use crate::model::{
    Action, ActionId, AtomId, Condition, Domain, Effect, GroundAction, NumericEffect, NumericOperator, State, Universe, ValueId,
};
use crate::pddl::{Transition, Writer};

/// Learns from transitions. Of the domain it uses the vocabulary alone: types, constants, predicates, functions, and the names and
/// parameters of actions; bodies, where present, are ignored.
#[derive(Clone, Debug)]
pub struct Learner {
    domain: Arc<Domain>,
    class: Arc<Class>,
    vocabularies: Arc<Vec<Vocabulary>>,
    evidence: Vec<ActionEvidence>,
    /// Steps that the user chose to set aside as recording errors: part of the assumptions.
    set_aside: BTreeSet<String>,
}

/// Something in a step that no model of the class explains, whatever else was seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Anomaly {
    /// An atom changed whose arguments are not among those of the action.
    AtomChanged(AtomId),
    /// A function changed whose arguments are not among those of the action.
    FunctionChanged(ValueId),
    /// A function without a value got one.
    BecameDefined(ValueId),
    /// A function lost its value.
    BecameUndefined(ValueId),
}

/// The class has too many columns for this action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("more than {MAX_COLUMNS} monomials")]
pub struct TooManyColumns {
    /// The action.
    pub action: ActionId,
}

impl Learner {
    /// A learner that has seen nothing.
    pub fn new(domain: &Domain, class: Class) -> Result<Self, TooManyColumns> {
        let mut vocabularies = Vec::new();
        for action in domain.action_ids() {
            let mapped = class.relevant.get(&action.index());
            let degree = if mapped.is_some() { super::Degree::LINEAR } else { class.degree };
            let mut vocabulary = Vocabulary::of(domain, action, degree).ok_or(TooManyColumns { action })?;
            if let Some(monomials) = mapped {
                vocabulary.columns = monomials.clone();
            }
            vocabularies.push(vocabulary);
        }
        Ok(Learner {
            evidence: vec![ActionEvidence::new(); vocabularies.len()],
            domain: Arc::new(domain.clone()),
            class: Arc::new(class),
            vocabularies: Arc::new(vocabularies),
            set_aside: BTreeSet::new(),
        })
    }

    /// A learner of the same domain and class that has seen nothing.
    pub fn empty(&self) -> Self {
        Learner {
            domain: Arc::clone(&self.domain),
            class: Arc::clone(&self.class),
            vocabularies: Arc::clone(&self.vocabularies),
            evidence: vec![ActionEvidence::new(); self.evidence.len()],
            set_aside: BTreeSet::new(),
        }
    }

    /// The domain whose vocabulary is used.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The class of models learned from.
    pub fn class(&self) -> &Class {
        &self.class
    }

    /// The vocabulary of an action.
    pub fn vocabulary(&self, action: ActionId) -> &Vocabulary {
        &self.vocabularies[action.index()]
    }

    /// A column of an action in PDDL.
    pub fn written(&self, action: usize, monomial: &Monomial) -> String {
        let parameters = &self.domain.action(action.into()).parameters;
        let writer = Writer::new(&self.domain, &self.domain.signature.constants).with_parameters(parameters);
        writer.expression(&self.vocabularies[action].expression(monomial))
    }

    /// What was seen of an action.
    pub fn evidence(&self, action: ActionId) -> &ActionEvidence {
        &self.evidence[action.index()]
    }

    pub(super) fn set_evidence(&mut self, action: ActionId, evidence: ActionEvidence) {
        self.evidence[action.index()] = evidence;
    }

    /// The steps set aside as recording errors, in words.
    pub fn set_aside(&self) -> &BTreeSet<String> {
        &self.set_aside
    }

    /// Notes that a step was set aside as a recording error. Whoever does so leaves the step out.
    pub fn set_step_aside(&mut self, words: String) {
        self.set_aside.insert(words);
    }

    /// Whether another learner has the same domain vocabulary and class, so that both can be merged.
    pub fn is_compatible(&self, other: &Learner) -> bool {
        self.class == other.class && vocabulary_of(&self.domain) == vocabulary_of(&other.domain)
    }

    /// Adds a step.
    pub fn observe(&mut self, action: ActionId, observation: &Observation) {
        self.evidence[action.index()].observe(&self.vocabularies[action.index()], observation);
    }

    /// Adds all that another learner of the same domain and class saw. Associative, commutative and idempotent.
    pub fn merge(&mut self, other: &Learner) {
        for (action, theirs) in other.evidence.iter().enumerate() {
            self.evidence[action].merge(&self.vocabularies[action], theirs);
        }
        self.set_aside.extend(other.set_aside.iter().cloned());
    }

    /// Forgets what depends on the order of observations, so that learners that saw the same are equal.
    pub fn settle(&mut self) {
        for (evidence, vocabulary) in self.evidence.iter_mut().zip(self.vocabularies.iter()) {
            evidence.settle(vocabulary);
        }
    }

    /// What one action's evidence amounts to.
    pub fn conclude(&self, action: ActionId, settings: &Settings) -> Conclusion {
        let (vocabulary, evidence) = (self.vocabulary(action), self.evidence(action));
        if evidence.is_empty() {
            return Conclusion::LeftOut(LeftOut::NeverObserved);
        }
        let boolean = match literals::conclude(vocabulary, &evidence.boolean(vocabulary), settings.positive_preconditions) {
            Ok(model) => model,
            Err(contradiction) => return Conclusion::Inconsistent(Inconsistency::Boolean(contradiction)),
        };
        let columns = match settings.algorithm {
            Algorithm::Sam => Vec::new(),
            _ => evidence.columns(vocabulary),
        };
        if settings.algorithm == Algorithm::Nsam && evidence.distinct() < columns.len() + 1 {
            return Conclusion::LeftOut(LeftOut::TooFew { distinct: evidence.distinct(), needed: columns.len() + 1 });
        }
        let marks = settings.monotone.get(&action.index());
        let task = Numeric { vocabulary, evidence, columns, settings, marks };
        let numeric = if settings.algorithm == Algorithm::Sam { Ok(NumericModel::default()) } else { task.conclude(&boolean) };
        match numeric {
            Ok(numeric) => Conclusion::Learned(Box::new(self.learned(action, boolean, numeric))),
            Err(NumericFailure::LeftOut(reason)) => Conclusion::LeftOut(reason),
            Err(NumericFailure::Inconsistent(inconsistency)) => Conclusion::Inconsistent(inconsistency),
        }
    }

    fn learned(&self, id: ActionId, boolean: BooleanModel, numeric: NumericModel) -> LearnedAction {
        let vocabulary = self.vocabulary(id);
        let atom = |atom: &usize| Condition::Atom(vocabulary.atoms[*atom].clone());
        let not = |condition: Condition| Condition::Not(Box::new(condition));
        let mut conditions: Vec<Condition> = boolean.positive.iter().map(atom).collect();
        conditions.extend(boolean.negative.iter().map(|index| not(atom(index))));
        conditions.extend(boolean.equal.iter().map(|&equality| same(vocabulary, equality)));
        conditions.extend(boolean.different.iter().map(|&equality| not(same(vocabulary, equality))));
        conditions.extend(boolean.guards.iter().chain(&numeric.guards).cloned());
        let write = |constraint, equation| linear::condition(vocabulary, &numeric.columns, constraint, equation);
        conditions.extend(numeric.region.equations.iter().map(|constraint| write(constraint, true)));
        conditions.extend(numeric.region.inequalities.iter().map(|constraint| write(constraint, false)));

        let mut effects: Vec<Effect> = Vec::new();
        let changed = |wanted: BooleanEffect| {
            let indices = boolean.effects.iter().enumerate().filter(move |(_, effect)| **effect == wanted);
            indices.map(|(index, _)| vocabulary.atoms[index].clone())
        };
        effects.extend(changed(BooleanEffect::Delete).map(Effect::Delete));
        effects.extend(changed(BooleanEffect::Add).map(Effect::Add));
        for (function, form) in numeric.effects.iter().enumerate() {
            effects.extend(self.numeric_effect(vocabulary, &numeric.columns, function, form).map(Effect::Numeric));
        }
        let parameters = self.domain.action(id).parameters.clone();
        let action = Action { parameters, precondition: Condition::And(conditions), effect: Effect::And(effects) };
        LearnedAction { action, boolean, numeric }
    }

    fn numeric_effect(
        &self,
        vocabulary: &Vocabulary,
        columns: &[usize],
        function: usize,
        form: &NumericForm,
    ) -> Option<NumericEffect> {
        let expression = |affine: &Affine| {
            let terms: Vec<_> = affine.terms.iter().map(|(position, value)| (columns[*position], value.clone())).collect();
            linear::affine(vocabulary, &terms, &affine.constant)
        };
        let negated = |affine: &Affine| Affine {
            constant: -&affine.constant,
            terms: affine.terms.iter().map(|(position, value)| (*position, -value)).collect(),
        };
        let (operator, value) = match form {
            NumericForm::Unchanged => return None,
            NumericForm::Assign(affine) => (NumericOperator::Assign, expression(affine)),
            // A decrease reads better than an increase by something negative.
            NumericForm::Change(affine) => {
                let leading = affine.terms.first().map_or(&affine.constant, |(_, coefficient)| coefficient);
                let none_positive = affine.constant.signum() <= 0 && affine.terms.iter().all(|(_, value)| value.signum() < 0);
                if none_positive || (leading.signum() < 0 && affine.terms.len() < 2 && affine.constant.signum() <= 0) {
                    (NumericOperator::Decrease, expression(&negated(affine)))
                } else {
                    (NumericOperator::Increase, expression(affine))
                }
            }
        };
        Some(NumericEffect { operator, target: vocabulary.functions[function].clone(), value })
    }
}

/// What became of one action.
#[derive(Clone, Debug)]
pub enum Conclusion {
    /// It is learned.
    Learned(Box<LearnedAction>),
    /// There is too little evidence for it.
    LeftOut(LeftOut),
    /// No model of the class explains what was seen.
    Inconsistent(Inconsistency),
}

/// A learned action, and how it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LearnedAction {
    /// The action.
    pub action: Action,
    /// Its Boolean part.
    pub boolean: BooleanModel,
    /// Its numeric part.
    pub numeric: NumericModel,
}

/// Why an action is not in the model although nothing contradicts it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LeftOut {
    /// It was never seen.
    NeverObserved,
    /// N-SAM asks for more distinct vectors.
    TooFew {
        /// How many were seen.
        distinct: usize,
        /// How many it asks for.
        needed: usize,
    },
    /// The effect on a function was seen only where several functions are one, and in different ways.
    SharedOnly {
        /// The function.
        function: usize,
    },
}

/// Why no model of the class explains an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inconsistency {
    /// An atom changed in a way no effect explains.
    Boolean(Contradiction),
    /// The change of a function is no affine function of the columns.
    NotAffine {
        /// The function.
        function: usize,
    },
    /// No map that reads at most the assumed number of columns explains a change: E(k) is refuted.
    EffectArity {
        /// The function.
        function: usize,
    },
    /// Where several functions are one, their changes do not add up to what was seen.
    Composition {
        /// The functions.
        functions: Vec<usize>,
    },
}

/// The numeric part of a learned action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NumericModel {
    /// The active columns; positions in regions and effects refer to these.
    pub columns: Vec<usize>,
    /// The numeric precondition.
    pub region: Region,
    /// By function.
    pub effects: Vec<NumericForm>,
    /// Conditions that keep several changes of one function apart where that was never seen.
    pub guards: Vec<Condition>,
}

impl Default for NumericModel {
    fn default() -> Self {
        let region =
            Region { equations: Vec::new(), inequalities: Vec::new(), dimension: 0, uncovered: 0, extent: Extent::Exact };
        NumericModel { columns: Vec::new(), region, effects: Vec::new(), guards: Vec::new() }
    }
}

enum NumericFailure {
    LeftOut(LeftOut),
    Inconsistent(Inconsistency),
}

/// The numeric part of one action, being concluded.
struct Numeric<'a> {
    vocabulary: &'a Vocabulary,
    evidence: &'a ActionEvidence,
    columns: Vec<usize>,
    settings: &'a Settings,
    marks: Option<&'a BTreeMap<usize, Monotone>>,
}

impl Numeric<'_> {
    fn conclude(&self, boolean: &BooleanModel) -> Result<NumericModel, NumericFailure> {
        let points = self.evidence.points(&self.columns);
        let mut region = region(&points, &self.rays(), self.settings.arity, self.settings.facet_budget);
        let mut effects = Vec::new();
        for function in 0..self.vocabulary.functions.len() {
            effects.push(self.effect(function, &mut region)?);
        }
        self.check_composition(&effects)?;
        if let Some(digits) = self.settings.digits {
            let marked = |position: &usize| self.marks.is_some_and(|marks| marks.contains_key(&self.columns[*position]));
            let open: Vec<usize> = (0..self.columns.len()).filter(marked).collect();
            round_inward(&mut region, &points, &open, digits);
        }
        let guards = self.sharing_guards(boolean, &effects, &region);
        Ok(NumericModel { guards, columns: self.columns.clone(), region, effects })
    }

    fn rays(&self) -> Vec<Vec<Rational>> {
        let mut rays = Vec::new();
        for (position, column) in self.columns.iter().enumerate() {
            let mut ray = |value: Rational| {
                let mut ray = vec![Rational::ZERO; self.columns.len()];
                ray[position] = value;
                rays.push(ray);
            };
            let mark = self.marks.and_then(|marks| marks.get(column));
            if matches!(mark, Some(Monotone::More | Monotone::Any)) {
                ray(Rational::ONE);
            }
            if matches!(mark, Some(Monotone::Less | Monotone::Any)) {
                ray(-&Rational::ONE);
            }
        }
        rays
    }

    /// The patterns under which the function is a ground function of its own.
    fn alone(&self, function: usize) -> impl Iterator<Item = &PatternEvidence> {
        let alone =
            move |pattern: &Pattern| pattern.classes(&self.vocabulary.functions).iter().any(|class| class[..] == [function]);
        self.evidence.patterns.iter().filter(move |(pattern, _)| alone(pattern)).map(|(_, entry)| entry)
    }

    /// The affine hull of `(1, active columns, change of a function)` under some patterns.
    fn joint<'e>(&self, function: usize, patterns: impl Iterator<Item = &'e PatternEvidence>) -> Echelon {
        let change = 1 + self.vocabulary.columns.len() + function;
        let kept: Vec<usize> = std::iter::once(0).chain(self.columns.iter().map(|column| column + 1)).chain([change]).collect();
        let narrowed = |row: &Row| Row::from_integers(kept.iter().map(|&index| row.integer(index)).collect());
        Echelon::span(kept.len(), patterns.flat_map(|entry| entry.joint.rows()).map(narrowed))
    }

    /// The effect on a function; restricts the region to where it is known.
    fn effect(&self, function: usize, region: &mut Region) -> Result<NumericForm, NumericFailure> {
        if self.evidence.undefined.contains(&function) {
            return Ok(NumericForm::Unchanged);
        }
        let mut joint = self.joint(function, self.alone(function));
        if joint.rank() == 0 {
            // Never a ground function of its own. Under a single pattern its class changes as one, and the first member stands for
            // the others; the precondition keeps the equalities of the pattern, since no step refutes them.
            let Some((pattern, entry)) = self.evidence.patterns.iter().next().filter(|_| self.evidence.patterns.len() == 1)
            else {
                return Err(NumericFailure::LeftOut(LeftOut::SharedOnly { function }));
            };
            let classes = pattern.classes(&self.vocabulary.functions);
            if !classes.iter().any(|class| class[0] == function) {
                return Ok(NumericForm::Unchanged);
            }
            joint = self.joint(function, std::iter::once(entry));
        }
        let own = self.own(function);
        let form = effect::simplest(&joint, own, self.settings.effect_arity).map_err(|why| {
            NumericFailure::Inconsistent(match why {
                Unexplained::NotAffine => Inconsistency::NotAffine { function },
                Unexplained::Arity => Inconsistency::EffectArity { function },
            })
        })?;
        region.restrict(self.columns.len(), &self.determined(&joint, own));
        Ok(form)
    }

    /// The equations of the set on which all maps that the evidence leaves possible agree.
    fn determined(&self, joint: &Echelon, own: Option<usize>) -> Vec<Row> {
        let columns = self.columns.len();
        let Some(arity) = self.settings.effect_arity.filter(|&arity| arity < columns) else {
            return Echelon::span(columns + 1, joint.rows().iter().map(without_last)).null_space();
        };
        let mut equations = Vec::new();
        let mut reference: Option<Affine> = None;
        for (subset, map) in effect::supports(joint, own, arity) {
            let kept: Vec<usize> = std::iter::once(0).chain(subset.iter().map(|column| column + 1)).collect();
            let narrowed = |row: &Row| Row::from_integers(kept.iter().map(|&index| row.integer(index)).collect());
            let shadow = Echelon::span(kept.len(), joint.rows().iter().map(narrowed));
            for equation in shadow.null_space() {
                let mut entries = vec![0.into(); columns + 1];
                entries[0] = equation.integer(0);
                subset.iter().enumerate().for_each(|(index, &column)| entries[column + 1] = equation.integer(index + 1));
                equations.push(Row::from_integers(entries));
            }
            match &reference {
                None => reference = Some(map),
                Some(reference) => equations.extend(difference(reference, &map, columns)),
            }
        }
        equations
    }

    /// Where functions are one ground function, some reading of their effects must explain what was seen.
    fn check_composition(&self, effects: &[NumericForm]) -> Result<(), NumericFailure> {
        for (pattern, entry) in &self.evidence.patterns {
            for class in pattern.classes(&self.vocabulary.functions) {
                let defined = !class.iter().any(|function| self.evidence.undefined.contains(function));
                let explained =
                    || [Together::AddUp, Together::Agree].iter().any(|&how| self.composes(how, &class, entry, effects));
                if class.len() > 1 && defined && self.evidence.patterns.len() > 1 && !explained() {
                    return Err(NumericFailure::Inconsistent(Inconsistency::Composition { functions: class }));
                }
            }
        }
        Ok(())
    }

    fn own(&self, function: usize) -> Option<usize> {
        self.vocabulary.column_of(function).and_then(|own| self.columns.iter().position(|&column| column == own))
    }

    /// What was seen of functions as one, as far as the effect of each alone is determined there: rows `(t, t·columns, t·change)`.
    fn seen_together(&self, class: &[usize], entry: &PatternEvidence) -> Vec<Vec<Rational>> {
        let seen = self.joint(class[0], std::iter::once(entry));
        let mut complement = Echelon::span(self.columns.len() + 2, seen.null_space());
        for &function in class {
            for equation in self.determined(&self.joint(function, self.alone(function)), self.own(function)) {
                let entries = (0..equation.len()).map(|index| equation.integer(index)).chain([0.into()]);
                complement.insert(&Row::from_integers(entries.collect()));
            }
        }
        let homogeneous = |row: &Row| (0..row.len()).map(|index| row.entry(index)).collect();
        complement.null_space().iter().map(homogeneous).collect()
    }

    fn composes(&self, how: Together, class: &[usize], entry: &PatternEvidence, effects: &[NumericForm]) -> bool {
        self.seen_together(class, entry).iter().all(|row| {
            let seen = &row[row.len() - 1];
            let changing = class.iter().filter(|&&function| effects[function] != NumericForm::Unchanged);
            let mut changes = changing.map(|&function| homogeneous_change(&effects[function], self.own(function), row));
            match how {
                Together::AddUp => changes.fold(Rational::ZERO, |sum, change| &sum + &change) == *seen,
                Together::Agree => changes.all(|change| change == *seen),
            }
        })
    }

    /// Keeps functions that may be one apart, unless and as far as what their effects then come to was seen.
    ///
    /// Apart, an increase and an assignment that says the same look alike, and so do no effect and one that changes nothing;
    /// together, increases add up, assignments must agree, and a mixture is a conflict, which makes the step inapplicable.
    /// - Several that change: known on the affine hull of the vectors with which exactly these were seen to be one, if the
    ///   model's own effects come to what was seen there.
    /// - One that changes, and one that does not: an assignment to the latter would forbid every change. Once a change was seen
    ///   there is none; until then only the affine hull of the vectors seen, where nothing changes, is known.
    /// - None that changes: increases and assignments agree, and having been seen as one they are not mixed.
    fn sharing_guards(&self, boolean: &BooleanModel, effects: &[NumericForm], region: &Region) -> Vec<Condition> {
        if self.evidence.patterns.len() == 1 {
            // The precondition keeps all equalities of the pattern, and all inequalities.
            return Vec::new();
        }
        let changes = |function: &usize| effects[*function] != NumericForm::Unchanged;
        let mut changing: Shared<'_> = BTreeMap::new();
        let mut all: Shared<'_> = BTreeMap::new();
        for (pattern, entry) in &self.evidence.patterns {
            for class in pattern.classes(&self.vocabulary.functions).into_iter().filter(|class| class.len() > 1) {
                changing.entry(class.iter().copied().filter(changes).collect()).or_default().push(entry);
                all.entry(class).or_default().push(entry);
            }
        }
        changing.retain(|class, entries| {
            let assigned = class.iter().filter(|&&function| matches!(effects[function], NumericForm::Assign(_))).count();
            let how = if assigned == 0 { Together::AddUp } else { Together::Agree };
            let coherent = assigned == 0 || assigned == class.len();
            class.len() > 1 && coherent && entries.iter().all(|entry| self.composes(how, class, entry, effects))
        });
        let functions: Vec<usize> =
            (0..self.vocabulary.functions.len()).filter(|function| !self.evidence.undefined.contains(function)).collect();
        let mut guards = Vec::new();
        for (index, &one) in functions.iter().enumerate() {
            for &other in &functions[index + 1..] {
                let pair = [one, other];
                let both = |class: &Vec<usize>| pair.iter().all(|function| class.contains(function));
                let mut seen = all.iter().filter(|(class, _)| both(class));
                let guard = match pair.iter().filter(|function| changes(function)).count() {
                    2 => {
                        let others: Vec<usize> = functions.iter().copied().filter(changes).collect();
                        self.sharing_guard(boolean, region, pair, &changing, &others)
                    }
                    1 if seen.any(|(class, entries)| entries.iter().any(|entry| self.changed_together(class, entry))) => None,
                    0 if seen.next().is_some() => None,
                    _ => self.sharing_guard(boolean, region, pair, &all, &[]),
                };
                guards.extend(guard);
            }
        }
        guards
    }

    fn changed_together(&self, class: &[usize], entry: &PatternEvidence) -> bool {
        self.seen_together(class, entry).iter().any(|row| !row[row.len() - 1].is_zero())
    }

    /// That two functions are not one; or that they are in one of the classes seen, without more of `others`, and on its hull.
    fn sharing_guard(
        &self,
        boolean: &BooleanModel,
        region: &Region,
        pair: [usize; 2],
        seen: &Shared<'_>,
        others: &[usize],
    ) -> Option<Condition> {
        let apart = not_all_equal(self.vocabulary, boolean, &self.equalities(&pair)?)?;
        if self.coinciding(region, &pair).contains(&Row::point(&vec![Rational::ZERO; self.columns.len()])) {
            // Together they contradict the region.
            return None;
        }
        let mut disjuncts: Vec<Condition> = Some(apart).filter(|apart| *apart != Condition::Or(Vec::new())).into_iter().collect();
        for (class, entries) in seen.iter().filter(|(class, _)| pair.iter().all(|function| class.contains(function))) {
            let mut conjuncts: Vec<Condition> = Vec::new();
            if class[..] != pair {
                match all_equal(self.vocabulary, boolean, self.equalities(class)?.into_iter().collect()) {
                    Disjunct::False => continue,
                    Disjunct::True => {}
                    Disjunct::Holds(condition) => conjuncts.push(condition),
                }
            }
            for &more in others.iter().filter(|function| !class.contains(function)) {
                let larger: Vec<usize> = class.iter().copied().chain([more]).collect();
                let equalities = self.equalities(&larger);
                conjuncts.extend(equalities.and_then(|equalities| not_all_equal(self.vocabulary, boolean, &equalities)));
            }
            let known = self.coinciding(region, class);
            let joint = self.joint(class[0], entries.iter().copied());
            let hull = Echelon::span(self.columns.len() + 1, joint.rows().iter().map(without_last));
            let open = hull.null_space().into_iter().filter(|equation| !known.contains(equation)).map(Constraint::homogeneous);
            conjuncts.extend(open.map(|equation| linear::condition(self.vocabulary, &self.columns, &equation, true)));
            match conjuncts.len() {
                0 => return None,
                1 => disjuncts.append(&mut conjuncts),
                _ => disjuncts.push(Condition::And(conjuncts)),
            }
        }
        Some(if disjuncts.len() == 1 { disjuncts.remove(0) } else { Condition::Or(disjuncts) })
    }

    /// The equalities under which these functions are one; `None` when they never are.
    fn equalities(&self, functions: &[usize]) -> Option<Vec<usize>> {
        let first = &self.vocabulary.functions[functions[0]];
        let mut needed = std::collections::BTreeSet::new();
        for &function in &functions[1..] {
            needed.extend(self.vocabulary.unifier(first, &self.vocabulary.functions[function])?);
        }
        Some(needed.into_iter().collect())
    }

    /// The equations of the region, and those that hold where these functions are one.
    fn coinciding(&self, region: &Region, functions: &[usize]) -> Echelon {
        let mut known = Echelon::span(self.columns.len() + 1, region.equations.iter().map(Constraint::row));
        let merged = |column: usize| {
            let one = |&factor: &usize| if functions.contains(&factor) { functions[0] } else { factor };
            let mut factors: Vec<usize> = self.vocabulary.columns[column].0.iter().map(one).collect();
            factors.sort_unstable();
            factors
        };
        let mut first: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        for (position, &column) in self.columns.iter().enumerate() {
            let earlier = *first.entry(merged(column)).or_insert(position);
            if earlier != position {
                let mut entries = vec![0.into(); self.columns.len() + 1];
                entries[earlier + 1] = 1.into();
                entries[position + 1] = (-1).into();
                known.insert(&Row::from_integers(entries));
            }
        }
        known
    }
}

/// By class of functions that were seen to be one: where.
type Shared<'e> = BTreeMap<Vec<usize>, Vec<&'e PatternEvidence>>;

/// Functions that were seen to be one, whose changes no effects explain although each one's are explained.
pub(super) fn unexplained_together(vocabulary: &Vocabulary, evidence: &ActionEvidence) -> Option<Vec<usize>> {
    let (settings, columns) = (&Settings::default(), evidence.columns(vocabulary));
    let task = Numeric { vocabulary, evidence, columns, settings, marks: None };
    let mut region = NumericModel::default().region;
    let effects: Result<Vec<_>, _> = (0..vocabulary.functions.len()).map(|function| task.effect(function, &mut region)).collect();
    match task.check_composition(&effects.ok()?) {
        Err(NumericFailure::Inconsistent(Inconsistency::Composition { functions })) => Some(functions),
        _ => None,
    }
}

/// What effects on one function come to.
#[derive(Clone, Copy)]
enum Together {
    /// All increase it: the sum.
    AddUp,
    /// All assign the same.
    Agree,
}

/// The change of a function at a homogeneous row `(t, t·x, ...)`, times `t`.
fn homogeneous_change(form: &NumericForm, own: Option<usize>, row: &[Rational]) -> Rational {
    let at = |affine: &Affine| {
        let constant = &affine.constant * &row[0];
        affine.terms.iter().fold(constant, |sum, (column, coefficient)| &sum + &(coefficient * &row[column + 1]))
    };
    match form {
        NumericForm::Unchanged => Rational::ZERO,
        NumericForm::Change(affine) => at(affine),
        NumericForm::Assign(affine) => &at(affine) - own.map_or(&Rational::ZERO, |own| &row[own + 1]),
    }
}

fn without_last(row: &Row) -> Row {
    Row::from_integers((0..row.len() - 1).map(|index| row.integer(index)).collect())
}

/// The equation that two maps agree, unless they always do.
fn difference(one: &Affine, other: &Affine, columns: usize) -> Option<Row> {
    let mut entries = vec![Rational::ZERO; columns + 1];
    entries[0] = &one.constant - &other.constant;
    for (column, value) in &one.terms {
        entries[column + 1] += value;
    }
    for (column, value) in &other.terms {
        entries[column + 1] += &-value;
    }
    let row = Row::direction(&entries);
    (!row.is_zero()).then_some(row)
}

/// Looks at steps of one trajectory through the vocabularies of their actions. Remembers the grounding of each action, since
/// trajectories repeat them.
#[derive(Default)]
pub struct Lens {
    groundings: FxHashMap<GroundAction, Grounding>,
}

struct Grounding {
    pattern: Pattern,
    /// By class of atoms: the ground atom, once it was met.
    atoms: Vec<(crate::model::GroundAtom, Option<AtomId>)>,
    /// By function: the ground function, once it was met.
    functions: Vec<(crate::model::GroundFunction, Option<ValueId>)>,
}

impl Lens {
    /// What a step shows, or what about it no model of the class explains.
    pub fn observe(&mut self, learner: &Learner, step: &Transition<'_>) -> Result<Observation, Anomaly> {
        let vocabulary = learner.vocabulary(step.action.symbol);
        let grounding = match self.groundings.get_mut(step.action) {
            Some(grounding) => grounding,
            None => {
                let constants = learner.domain.signature.constants.len();
                let grounding = Grounding::new(vocabulary, step.action, constants);
                self.groundings.entry(step.action.clone()).or_insert(grounding)
            }
        };
        grounding.look(step.universe);
        grounding.check_frame(step.before, step.after)?;
        let truth = |state: &State, id: Option<AtomId>| id.is_some_and(|id| state.contains(id));
        let seen = grounding.atoms.iter().map(|&(_, id)| Seen::new(truth(step.before, id), truth(step.after, id))).collect();
        let value = |state: &State, id: Option<ValueId>| id.and_then(|id| state.value(id)).cloned();
        let before: Vec<_> = grounding.functions.iter().map(|&(_, id)| value(step.before, id)).collect();
        let change = |(&(_, id), old): (&(_, Option<ValueId>), &Option<Rational>)| {
            let new = id.and_then(|id| step.after.value(id));
            match (old, new) {
                (Some(old), Some(new)) if old != new => new - old,
                _ => Rational::ZERO,
            }
        };
        let change = grounding.functions.iter().zip(&before).map(change).collect();
        Ok(Observation { pattern: grounding.pattern.clone(), seen, before, change })
    }
}

impl Grounding {
    fn new(vocabulary: &Vocabulary, action: &GroundAction, constants: usize) -> Self {
        let pattern = Pattern::of(&action.arguments, constants);
        let classes = pattern.classes(&vocabulary.atoms);
        let atoms = classes.iter().map(|class| (vocabulary.atoms[class[0]].ground(&action.arguments), None)).collect();
        let functions = vocabulary.functions.iter().map(|function| (function.ground(&action.arguments), None)).collect();
        Grounding { pattern, atoms, functions }
    }

    /// Looks up what the trajectory has named since the last time.
    fn look(&mut self, universe: &Universe) {
        for (atom, id) in self.atoms.iter_mut().filter(|(_, id)| id.is_none()) {
            *id = universe.find_atom(atom);
        }
        for (function, id) in self.functions.iter_mut().filter(|(_, id)| id.is_none()) {
            *id = universe.find_value(function);
        }
    }

    /// Nothing changes but what the action's arguments reach.
    fn check_frame(&self, before: &State, after: &State) -> Result<(), Anomaly> {
        for atom in before.differing_atoms(after) {
            if !self.atoms.iter().any(|(_, id)| *id == Some(atom)) {
                return Err(Anomaly::AtomChanged(atom));
            }
        }
        for value in before.differing_values(after) {
            match (before.value(value), after.value(value)) {
                (None, _) => return Err(Anomaly::BecameDefined(value)),
                (_, None) => return Err(Anomaly::BecameUndefined(value)),
                _ if self.functions.iter().any(|(_, id)| *id == Some(value)) => {}
                _ => return Err(Anomaly::FunctionChanged(value)),
            }
        }
        Ok(())
    }
}

/// The learned domain: the vocabulary of the given one, with what was learned for bodies. Actions that are not learned are not in
/// it.
pub fn learned_domain(learner: &Learner, learned: &[(ActionId, &LearnedAction)]) -> Domain {
    let mut domain = Domain {
        name: learner.domain.name.clone(),
        requirements: Vec::new(),
        signature: learner.domain.signature.clone(),
        actions: crate::model::Names::default(),
    };
    for (id, action) in learned {
        let _ = domain.actions.insert(learner.domain.action_name(*id), action.action.clone());
    }
    domain.requirements = domain.used_requirements();
    domain
}
