//! The Boolean part of a model: SAM's rules 1 to 3, without its assumption that different
//! parameters are different objects.
//!
//! Unknown is, for each lifted atom `l` of L(α), its effect: none, add, or delete. (Deleting and
//! adding the same `l` is adding.) In a step, the atoms of a *class* are one ground atom; it is
//! true afterwards if some member adds, else false if some member deletes, else unchanged. All that
//! a step says is therefore, for each class, the truth before and after: that is the evidence.
//!
//! - Rule 1: a literal that was false before some step is no precondition.
//! - Rule 2: a class false afterwards refutes the adds of its members. A class true before and
//!   after refutes the delete of a member unless some *other* member could have added it back.
//! - Rule 3: a class that became true has a member that adds; one that became false has a member
//!   that deletes. Where all but one member are refuted, that one is an effect.
//!
//! Where the evidence leaves the effect of an atom open, applying the action could have two
//! outcomes, and the model must not allow it: a *guard* restricts the precondition to where all
//! remaining possibilities agree. Every observed step satisfies every guard, and where no
//! parameters coincide all guards are implied by the literals that rule 1 leaves, as in SAM.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use surefoot_base::ids::{IdVec, id};
use surefoot_base::model::{Condition, PredicateId, Term};

use crate::evidence::{BooleanEvidence, EqualityId, LiftedAtomId, TruthPairs, Vocabulary};

id!(/// Atoms that may be one ground atom under the precondition.
    GroupId);

/// What is known of the effect on one atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BooleanEffect {
    /// It stays as it is, or what else is possible makes no difference under the precondition.
    None,
    /// The atom becomes true. If one of several atoms does and the records do not decide which,
    /// this atom stands for them, and the precondition excludes the states in which that would make
    /// a difference.
    Add,
    /// The atom becomes false, or stands for several atoms of which one does.
    Delete,
}

/// The Boolean part of a learned action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BooleanModel {
    /// Atoms that must be true.
    pub positive: Vec<LiftedAtomId>,
    /// Atoms that must be false.
    pub negative: Vec<LiftedAtomId>,
    /// Equalities that must hold.
    pub equal: Vec<EqualityId>,
    /// Equalities that must not hold.
    pub different: Vec<EqualityId>,
    /// The effect on each atom.
    pub effects: IdVec<LiftedAtomId, BooleanEffect>,
    /// Conditions that keep the action to where its effect is known.
    pub guards: Vec<Condition>,
}

impl BooleanModel {
    /// An atom for which no record says what becomes of it wherever the action is applicable: a
    /// guard requires the opposite of a literal. This is possible only if records leave out what
    /// was true.
    pub fn outcome_unknown(&self, vocabulary: &Vocabulary) -> Option<LiftedAtomId> {
        let mut positive = self.positive.iter().copied();
        let mut negative = self.negative.iter().copied();
        positive
            .find(|&atom| self.has_guard(vocabulary, atom, false))
            .or_else(|| negative.find(|&atom| self.has_guard(vocabulary, atom, true)))
    }

    /// Whether some guard is the literal of an atom with this truth.
    fn has_guard(&self, vocabulary: &Vocabulary, atom: LiftedAtomId, truth: bool) -> bool {
        self.guards.iter().any(|guard| {
            let (inner, positive) = match guard {
                Condition::Not(inner) => (&**inner, false),
                other => (other, true),
            };
            positive == truth
                && matches!(inner, Condition::Atom(lifted) if *lifted == vocabulary.atoms[atom])
        })
    }
}

/// The atoms that no effects explain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// The atoms that alias.
    pub class: Vec<LiftedAtomId>,
    /// Whether it became true (or false) in some step.
    pub became: bool,
}

/// Draws the conclusions. With `positive_only`, negative atoms are no preconditions (an
/// assumption), but stay where the effect on the atom is unknown.
pub fn conclude(
    vocabulary: &Vocabulary,
    evidence: &BooleanEvidence,
    positive_only: bool,
) -> Result<BooleanModel, Contradiction> {
    let atoms = vocabulary.atoms.len();
    let possible = Possible::of(atoms, evidence)?;
    let mut seen_before: IdVec<LiftedAtomId, TruthPairs> =
        IdVec::filled(TruthPairs::default(), atoms);
    for (class, &seen) in &evidence.classes {
        for &atom in class {
            seen_before[atom] = seen_before[atom].or(seen);
        }
    }
    let equalities = &evidence.equalities;
    let mut model = BooleanModel {
        positive: without_pairs(&seen_before, TruthPairs::FALSE_BEFORE).collect(),
        negative: without_pairs(&seen_before, TruthPairs::TRUE_BEFORE)
            .filter(|_| !positive_only)
            .collect(),
        equal: equalities
            .pairs()
            .filter(|(_, (_, failed))| !failed)
            .map(|(equality, _)| equality)
            .collect(),
        different: equalities
            .pairs()
            .filter(|(_, (held, _))| !held)
            .map(|(equality, _)| equality)
            .collect(),
        effects: possible.effects(evidence),
        guards: Vec::new(),
    };
    model.guards = Guards::new(vocabulary, &possible, evidence, &model).all();
    Ok(model)
}

/// The atoms that were observed with none of these truths before and after.
fn without_pairs(
    observed: &IdVec<LiftedAtomId, TruthPairs>,
    pairs: TruthPairs,
) -> impl Iterator<Item = LiftedAtomId> {
    observed.pairs().filter(move |(_, seen)| !seen.any(pairs)).map(|(atom, _)| atom)
}

/// Which effects the evidence leaves possible. Never excludes a possible one; what is left alone is
/// therefore certain.
struct Possible {
    may_add: IdVec<LiftedAtomId, bool>,
    may_delete: IdVec<LiftedAtomId, bool>,
    adds: IdVec<LiftedAtomId, bool>,
    deletes: IdVec<LiftedAtomId, bool>,
    /// Classes with a member that adds (deletes), no one knows which.
    open_adds: BTreeSet<Vec<LiftedAtomId>>,
    open_deletes: BTreeSet<Vec<LiftedAtomId>>,
}

impl Possible {
    fn of(atoms: usize, evidence: &BooleanEvidence) -> Result<Self, Contradiction> {
        let mut this = Possible {
            may_add: IdVec::filled(true, atoms),
            may_delete: IdVec::filled(true, atoms),
            adds: IdVec::filled(false, atoms),
            deletes: IdVec::filled(false, atoms),
            open_adds: BTreeSet::new(),
            open_deletes: BTreeSet::new(),
        };
        for (class, seen) in &evidence.classes {
            if seen.any(TruthPairs::FALSE_AFTER) {
                class.iter().for_each(|&atom| this.may_add[atom] = false);
            }
        }
        // Each round can only settle more atoms, so this ends.
        while this.round(evidence)? {}
        Ok(this)
    }

    fn open_add(&self, atom: LiftedAtomId) -> bool {
        self.may_add[atom] && !self.adds[atom]
    }

    fn open_delete(&self, atom: LiftedAtomId) -> bool {
        self.may_delete[atom] && !self.deletes[atom]
    }

    fn round(&mut self, evidence: &BooleanEvidence) -> Result<bool, Contradiction> {
        let before = (self.adds.clone(), self.deletes.clone(), self.may_delete.clone());
        self.open_adds.clear();
        self.open_deletes.clear();
        for (class, &seen) in &evidence.classes {
            let deleter = class.iter().find(|&&atom| self.deletes[atom]).copied();
            // What a member certainly deletes and is still there, another one adds.
            if seen.any(TruthPairs::ADDED)
                || (seen.any(TruthPairs::NOT_DELETED) && deleter.is_some())
            {
                let survivors: Vec<LiftedAtomId> =
                    class.iter().copied().filter(|&atom| self.may_add[atom]).collect();
                match survivors[..] {
                    [] => {
                        return Err(Contradiction {
                            class: class.clone(),
                            became: seen.any(TruthPairs::ADDED),
                        });
                    }
                    [only] => self.adds[only] = true,
                    _ if survivors.iter().any(|&atom| self.adds[atom]) => {}
                    _ => drop(self.open_adds.insert(class.clone())),
                }
            }
            if seen.any(TruthPairs::NOT_DELETED) {
                for &atom in class {
                    let masked = class.iter().any(|&other| other != atom && self.may_add[other]);
                    self.may_delete[atom] &= masked;
                }
            }
        }
        for (may_delete, adds) in self.may_delete.as_mut_slice().iter_mut().zip(&self.adds) {
            *may_delete &= !adds;
        }
        for (class, &seen) in &evidence.classes {
            if seen.any(TruthPairs::DELETED) {
                let survivors: Vec<LiftedAtomId> =
                    class.iter().copied().filter(|&atom| self.may_delete[atom]).collect();
                match survivors[..] {
                    [] => return Err(Contradiction { class: class.clone(), became: false }),
                    [only] => self.deletes[only] = true,
                    _ if survivors.iter().any(|&atom| self.deletes[atom]) => {}
                    _ => drop(self.open_deletes.insert(class.clone())),
                }
            }
        }
        Ok(before != (self.adds.clone(), self.deletes.clone(), self.may_delete.clone()))
    }

    /// By atom. For an open class the first survivor stands in: where the class is one ground atom
    /// it does what the real member does, and everywhere else its guard sees to it that its effect
    /// changes nothing.
    fn effects(&self, evidence: &BooleanEvidence) -> IdVec<LiftedAtomId, BooleanEffect> {
        // What is certain comes first.
        let mut effects: IdVec<LiftedAtomId, _> = self
            .adds
            .iter()
            .zip(&self.deletes)
            .map(|effect| match effect {
                (true, _) => BooleanEffect::Add,
                (_, true) => BooleanEffect::Delete,
                _ => BooleanEffect::None,
            })
            .collect();
        // A class that was observed to become false refutes the adds of its members, so no atom
        // stands for both.
        for class in &self.open_deletes {
            first(class, &self.may_delete)
                .into_iter()
                .for_each(|atom| effects[atom] = BooleanEffect::Delete);
        }
        for class in &self.open_adds {
            first(class, &self.may_add)
                .into_iter()
                .for_each(|atom| effects[atom] = BooleanEffect::Add);
        }
        // What is deleted here and was kept there, another member adds back.
        for (class, _) in
            evidence.classes.iter().filter(|(_, seen)| seen.any(TruthPairs::NOT_DELETED))
        {
            let deletes = class.iter().any(|&atom| effects[atom] == BooleanEffect::Delete);
            let adds = class.iter().any(|&atom| effects[atom] == BooleanEffect::Add);
            if deletes && !adds {
                first(class, &self.may_add)
                    .into_iter()
                    .for_each(|atom| effects[atom] = BooleanEffect::Add);
            }
        }
        effects
    }
}

/// The first atom of a class that may have an effect.
fn first(class: &[LiftedAtomId], may: &IdVec<LiftedAtomId, bool>) -> Option<LiftedAtomId> {
    class.iter().copied().find(|&atom| may[atom])
}

/// The term that stands for all that are joined with one, directly or through others.
fn root(joined: &BTreeMap<Term, Term>, mut term: Term) -> Term {
    while let Some(&next) = joined.get(&term) {
        term = next;
    }
    term
}

/// Builds the guards of atoms whose effect is open.
struct Guards<'a> {
    vocabulary: &'a Vocabulary,
    possible: &'a Possible,
    model: &'a BooleanModel,
    /// By atom: whether it must be true, or false.
    required: IdVec<LiftedAtomId, Option<bool>>,
    /// By atom: its group. Atoms of different groups are never one ground atom under the
    /// precondition.
    group: IdVec<LiftedAtomId, GroupId>,
    /// By group: its atoms, ascending.
    groups: IdVec<GroupId, Vec<LiftedAtomId>>,
    /// By atom: the classes in which it was observed, with its aliases.
    shared: BTreeMap<LiftedAtomId, Vec<(&'a Vec<LiftedAtomId>, TruthPairs)>>,
}

/// A disjunct of a guard.
pub enum Disjunct {
    /// The condition always holds.
    True,
    /// The condition never holds.
    False,
    /// True where this holds.
    Holds(Condition),
}

impl<'a> Guards<'a> {
    fn new(
        vocabulary: &'a Vocabulary,
        possible: &'a Possible,
        evidence: &'a BooleanEvidence,
        model: &'a BooleanModel,
    ) -> Self {
        let mut required: IdVec<LiftedAtomId, Option<bool>> =
            IdVec::filled(None, vocabulary.atoms.len());
        model.positive.iter().for_each(|&atom| required[atom] = Some(true));
        model.negative.iter().for_each(|&atom| required[atom] = Some(false));
        // Terms that the precondition lets be one object, directly or through others.
        let mut joined: BTreeMap<Term, Term> = BTreeMap::new();
        for (equality, &(left, right)) in vocabulary.equalities.pairs() {
            let (left, right) = (root(&joined, left), root(&joined, right));
            if model.different.binary_search(&equality).is_err() && left != right {
                joined.insert(left, right);
            }
        }
        let mut numbers: FxHashMap<(PredicateId, Vec<Term>), GroupId> = FxHashMap::default();
        let mut groups: IdVec<GroupId, Vec<LiftedAtomId>> = IdVec::new();
        let mut group = IdVec::new();
        for (id, atom) in vocabulary.atoms.pairs() {
            let key = (atom.symbol, atom.terms.iter().map(|&term| root(&joined, term)).collect());
            let number = *numbers.entry(key).or_insert_with(|| groups.push(Vec::new()));
            groups[number].push(id);
            group.push(number);
        }
        let mut shared: BTreeMap<LiftedAtomId, Vec<(&Vec<LiftedAtomId>, TruthPairs)>> =
            BTreeMap::new();
        for (class, &seen) in evidence.classes.iter().filter(|(class, _)| class.len() > 1) {
            class.iter().for_each(|&atom| shared.entry(atom).or_default().push((class, seen)));
        }
        Guards { vocabulary, possible, model, required, group, groups, shared }
    }

    fn all(&self) -> Vec<Condition> {
        let mut guards = Vec::new();
        for atom in self.vocabulary.atoms.ids() {
            if self.possible.open_add(atom) {
                guards.extend(self.add_guard(atom));
                let rivals = self.peers(atom).filter(|&rival| rival != atom);
                let rivals = rivals.filter(|&rival| {
                    self.possible.deletes[rival] || self.possible.open_delete(rival)
                });
                guards.extend(rivals.filter_map(|rival| self.rival_guard(atom, rival)));
            }
            if self.possible.open_delete(atom) {
                guards.extend(self.delete_guard(atom));
            }
        }
        guards.dedup();
        guards
    }

    /// The atoms that may be one ground atom with the given one, itself included.
    fn peers(&self, atom: LiftedAtomId) -> impl Iterator<Item = LiftedAtomId> {
        self.groups[self.group[atom]].iter().copied()
    }

    /// The classes in which an atom was observed with aliases.
    fn classes(
        &self,
        atom: LiftedAtomId,
    ) -> impl Iterator<Item = (&'a Vec<LiftedAtomId>, TruthPairs)> {
        self.shared.get(&atom).into_iter().flatten().copied()
    }

    /// Whether `atom` adds must not matter: it is true already, or something else certainly makes
    /// it true.
    fn add_guard(&self, atom: LiftedAtomId) -> Option<Condition> {
        let already = if self.required[atom] == Some(true) {
            Disjunct::True
        } else {
            self.literal(atom, true)
        };
        self.guard(std::iter::once(already).chain(self.certainly_added(atom)))
    }

    /// Whether `atom` deletes must not matter: it is false already, or something else certainly
    /// decides.
    fn delete_guard(&self, atom: LiftedAtomId) -> Option<Condition> {
        let already = if self.required[atom] == Some(false) {
            Disjunct::True
        } else {
            self.literal(atom, false)
        };
        let deleters = self.peers(atom).filter(|&other| self.possible.deletes[other]);
        let deleted = deleters.map(|other| self.coincide(&[atom, other]));
        let open =
            self.classes(atom).filter(|(class, _)| self.possible.open_deletes.contains(*class));
        let open = open.map(|(class, _)| self.coincide(class));
        // In a class that was kept, a delete of one member is undone by another.
        let kept = self.classes(atom).filter(|(_, seen)| seen.any(TruthPairs::NOT_DELETED));
        let kept = kept.map(|(class, _)| self.coincide(class));
        self.guard(
            std::iter::once(already)
                .chain(self.certainly_added(atom))
                .chain(deleted)
                .chain(open)
                .chain(kept),
        )
    }

    /// If `atom` may add what `rival` may delete, they must not alias, unless that was observed to
    /// end well.
    fn rival_guard(&self, atom: LiftedAtomId, rival: LiftedAtomId) -> Option<Condition> {
        let apart = match self.coincide(&[atom, rival]) {
            Disjunct::True => Disjunct::False,
            Disjunct::False => Disjunct::True,
            Disjunct::Holds(condition) => Disjunct::Holds(Condition::Not(Box::new(condition))),
        };
        let together = self
            .classes(atom)
            .filter(|(class, seen)| class.contains(&rival) && seen.any(TruthPairs::AFTER));
        let seen = together.map(|(class, _)| self.coincide(class));
        self.guard(std::iter::once(apart).chain(self.certainly_added(atom)).chain(seen))
    }

    /// The ways in which the ground atom of `atom` is certainly true afterwards.
    fn certainly_added(&self, atom: LiftedAtomId) -> impl Iterator<Item = Disjunct> {
        let adders = self.peers(atom).filter(|&other| self.possible.adds[other]);
        let added = adders.map(move |other| self.coincide(&[atom, other]));
        let open = self.classes(atom).filter(|(class, _)| self.possible.open_adds.contains(*class));
        added.chain(open.map(|(class, _)| self.coincide(class)))
    }

    fn literal(&self, atom: LiftedAtomId, positive: bool) -> Disjunct {
        let condition = Condition::Atom(self.vocabulary.atoms[atom].clone());
        Disjunct::Holds(if positive { condition } else { Condition::Not(Box::new(condition)) })
    }

    /// The condition that all these atoms alias, given the equalities of the precondition.
    fn coincide(&self, atoms: &[LiftedAtomId]) -> Disjunct {
        let mut needed = BTreeSet::new();
        for &atom in &atoms[1..] {
            match self
                .vocabulary
                .unifier(&self.vocabulary.atoms[atoms[0]], &self.vocabulary.atoms[atom])
            {
                Some(equalities) => needed.extend(equalities),
                None => return Disjunct::False,
            }
        }
        all_equal(self.vocabulary, self.model, needed)
    }

    fn guard(&self, disjuncts: impl Iterator<Item = Disjunct>) -> Option<Condition> {
        let mut conditions: Vec<Condition> = Vec::new();
        for disjunct in disjuncts {
            match disjunct {
                Disjunct::True => return None,
                Disjunct::False => {}
                Disjunct::Holds(condition)
                    if conditions.iter().any(|known| opposite(known, &condition)) =>
                {
                    return None;
                }
                Disjunct::Holds(condition) if conditions.contains(&condition) => {}
                Disjunct::Holds(condition) => conditions.push(condition),
            }
        }
        Some(if conditions.len() == 1 { conditions.remove(0) } else { Condition::Or(conditions) })
    }
}

/// Whether one of two conditions is the negation of the other, so that one of them holds.
pub(crate) fn opposite(one: &Condition, other: &Condition) -> bool {
    matches!(one, Condition::Not(inner) if **inner == *other)
        || matches!(other, Condition::Not(inner) if **inner == *one)
}

/// That these equalities all hold, as far as the precondition leaves that open.
pub fn all_equal(
    vocabulary: &Vocabulary,
    model: &BooleanModel,
    needed: BTreeSet<EqualityId>,
) -> Disjunct {
    if needed.iter().any(|equality| model.different.contains(equality)) {
        return Disjunct::False;
    }
    let open = needed.into_iter().filter(|equality| !model.equal.contains(equality));
    let mut conditions: Vec<_> = open.map(|equality| same(vocabulary, equality)).collect();
    match conditions.len() {
        0 => Disjunct::True,
        1 => Disjunct::Holds(conditions.remove(0)),
        _ => Disjunct::Holds(Condition::And(conditions)),
    }
}

/// An equality of the vocabulary as a condition.
pub fn same(vocabulary: &Vocabulary, equality: EqualityId) -> Condition {
    let (left, right) = vocabulary.equalities[equality];
    Condition::Same(left, right)
}

/// That these equalities do not all hold, unless the precondition says so already.
pub fn not_all_equal(
    vocabulary: &Vocabulary,
    model: &BooleanModel,
    equalities: &[EqualityId],
) -> Option<Condition> {
    match all_equal(vocabulary, model, equalities.iter().copied().collect()) {
        Disjunct::False => None,
        Disjunct::True => Some(Condition::Or(Vec::new())),
        Disjunct::Holds(condition) => Some(Condition::Not(Box::new(condition))),
    }
}
