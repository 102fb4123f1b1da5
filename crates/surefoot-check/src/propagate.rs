//! What the recorded steps say about Boolean effects, by unit propagation.
//!
//! For each lifted atom a the real action adds it, deletes it, or leaves it (what is both deleted
//! and added is added, so "both" need not be looked at). What was observed of a ground atom
//! constrains the class C of lifted atoms that referred to it:
//! - false, then false: no member is added;
//! - false, then true: some member is added;
//! - true, then false: no member is added, some member is deleted;
//! - true, then true: some member is added, or none is deleted.
//!
//! A question is one more such constraint: what if this had been observed too? When propagation
//! reaches a contradiction no real action explains all of it. When it does not, each way to meet
//! the question's own constraint is tried in turn; if every one leads to a contradiction, so does
//! the question. Nothing more is tried, so that less is accepted.

use super::observe::Classes;
use surefoot_base::invariant::{Invariant, broken};

/// What is known of one possibility: that an atom is added, or that it is deleted.
type EffectPossibility = Option<bool>;

const ADD: usize = 0;
const DELETE: usize = 1;

struct ClassStep {
    class: Vec<u32>,
    before: bool,
    after: bool,
    /// By [`ADD`] and [`DELETE`]: how many members certainly do it, and how many may.
    sure: [usize; 2],
    possible: [usize; 2],
}

/// More ways than this to meet a question are not tried.
const MAX_WAYS: usize = 256;

/// All observations, and what follows from them.
pub(super) struct Steps {
    /// By atom: whether it is added, and whether it is deleted.
    known: Vec<[EffectPossibility; 2]>,
    constraints: Vec<ClassStep>,
    /// By atom: the constraints it is a member of.
    about: Vec<Vec<u32>>,
    /// What was found out, in order, so that it can be taken back.
    trail: Vec<(u32, usize)>,
    /// The constraints to look at again.
    queue: Vec<u32>,
    contradictory: bool,
}

impl Steps {
    pub(super) fn new(atoms: usize, classes: &Classes) -> Self {
        let mut steps = Steps {
            known: vec![[None; 2]; atoms],
            constraints: Vec::new(),
            about: vec![Vec::new(); atoms],
            trail: Vec::new(),
            queue: Vec::new(),
            contradictory: false,
        };
        for (class, seen) in classes.iter() {
            for (before, after) in [(false, false), (false, true), (true, false), (true, true)] {
                if seen.contains(before, after) {
                    steps.push(class, before, after);
                }
            }
        }
        steps.contradictory = !steps.start(0);
        // What follows from the steps alone is never taken back.
        steps.trail.clear();
        steps
    }

    /// Whether the observations contradict that a class with this truth before has that truth
    /// after.
    pub(super) fn contradict(&mut self, class: &[u32], before: bool, after: bool) -> bool {
        if self.contradictory {
            return true;
        }
        let first = self.constraints.len();
        self.push(class, before, after);
        let consistent = self.start(first) && self.some_way(class, before, after);
        self.undo(0);
        self.pop();
        !consistent
    }

    /// Whether some way to meet a constraint is not refuted by propagation.
    fn some_way(&mut self, class: &[u32], before: bool, after: bool) -> bool {
        let what = match (before, after) {
            (false, false) => return true,
            (true, false) => DELETE,
            (_, true) => ADD,
        };
        let open: Vec<u32> = class
            .iter()
            .copied()
            .filter(|&atom| self.known[atom as usize][what] != Some(false))
            .collect();
        if open.len() > MAX_WAYS
            || open.iter().any(|&atom| self.known[atom as usize][what] == Some(true))
        {
            return true;
        }
        let ways = open.iter().map(|&atom| vec![(atom, what, true)]);
        // Or nobody deletes.
        let nothing = (before && after)
            .then(|| class.iter().map(|&atom| (atom, DELETE, false)).collect::<Vec<_>>());
        for way in ways.chain(nothing) {
            let mark = self.trail.len();
            let consistent = way.iter().all(|&(atom, what, truth)| self.set(atom, what, truth))
                && self.propagate();
            self.queue.clear();
            self.undo(mark);
            if consistent {
                return true;
            }
        }
        false
    }

    fn push(&mut self, class: &[u32], before: bool, after: bool) {
        let number = self.constraints.len() as u32;
        let sure = [ADD, DELETE].map(|what| self.count(class, what, &[Some(true)]));
        let possible = [ADD, DELETE].map(|what| self.count(class, what, &[Some(true), None]));
        class.iter().for_each(|&atom| self.about[atom as usize].push(number));
        self.constraints.push(ClassStep { class: class.to_vec(), before, after, sure, possible });
    }

    /// Of how many members one of these is known.
    fn count(&self, class: &[u32], what: usize, truths: &[EffectPossibility]) -> usize {
        class.iter().filter(|&&atom| truths.contains(&self.known[atom as usize][what])).count()
    }

    fn pop(&mut self) {
        if let Some(last) = self.constraints.pop() {
            for &atom in &last.class {
                self.about[atom as usize].pop();
            }
        }
    }

    /// Propagates from some constraints on; false on a contradiction.
    fn start(&mut self, from: usize) -> bool {
        self.queue.clear();
        self.queue.extend(from as u32..self.constraints.len() as u32);
        let consistent = self.propagate();
        self.queue.clear();
        consistent
    }

    fn propagate(&mut self) -> bool {
        while let Some(number) = self.queue.pop() {
            if !self.look(number as usize) {
                return false;
            }
        }
        true
    }

    /// Draws what conclusions there are from one constraint; false on a contradiction.
    fn look(&mut self, number: usize) -> bool {
        let ClassStep { before, after, sure, possible, .. } = &self.constraints[number];
        let (sure, possible) = (*sure, *possible);
        match (*before, *after) {
            (false, false) => possible[ADD] == 0 || self.set_all(number, ADD),
            (false, true) => sure[ADD] > 0 || self.need(number, ADD, possible[ADD]),
            (true, false) => {
                (possible[ADD] == 0 || self.set_all(number, ADD))
                    && (sure[DELETE] > 0 || self.need(number, DELETE, possible[DELETE]))
            }
            (true, true) if sure[ADD] > 0 => true,
            // Whatever is deleted must be added by another member.
            (true, true) => match possible[ADD] {
                0 => possible[DELETE] == 0 || self.set_all(number, DELETE),
                1 => {
                    let only = self.open_member(number, ADD);
                    self.set(only, DELETE, false)
                        && (sure[DELETE] == 0 || self.set(only, ADD, true))
                }
                _ => true,
            },
        }
    }

    /// Some member does it: false when none can, and certain when only one can.
    fn need(&mut self, number: usize, what: usize, possible: usize) -> bool {
        match possible {
            0 => false,
            1 => {
                let only = self.open_member(number, what);
                self.set(only, what, true)
            }
            _ => true,
        }
    }

    /// The only member for which it is undetermined whether it does this, if no member certainly
    /// does.
    fn open_member(&self, number: usize, what: usize) -> u32 {
        let class = &self.constraints[number].class;
        let open = class.iter().copied().find(|&atom| self.known[atom as usize][what].is_none());
        open.invariant(
            "a member that may have an effect and does not certainly have it is undecided",
        )
    }

    /// No member does it.
    fn set_all(&mut self, number: usize, what: usize) -> bool {
        let class = self.constraints[number].class.clone();
        class.into_iter().all(|atom| self.set(atom, what, false))
    }

    /// Notes a fact; false when the opposite is known.
    fn set(&mut self, atom: u32, what: usize, truth: bool) -> bool {
        match self.known[atom as usize][what] {
            Some(known) => return known == truth,
            None => self.known[atom as usize][what] = Some(truth),
        }
        self.trail.push((atom, what));
        for &number in &self.about[atom as usize] {
            let constraint = &mut self.constraints[number as usize];
            if truth {
                constraint.sure[what] += 1;
            } else {
                constraint.possible[what] -= 1;
            }
            self.queue.push(number);
        }
        !truth || self.set(atom, 1 - what, false)
    }

    /// Takes back all that was found out since.
    fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            let Some((atom, what)) = self.trail.pop() else { return };
            let truth = self.known[atom as usize][what].take();
            for &number in &self.about[atom as usize] {
                let constraint = &mut self.constraints[number as usize];
                match truth {
                    Some(true) => constraint.sure[what] -= 1,
                    Some(false) => constraint.possible[what] += 1,
                    None => broken("what is on the trail is known"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    fn steps(atoms: usize, seen: &[(Vec<u32>, bool, bool)]) -> Steps {
        let mut classes = Classes::default();
        for (class, before, after) in seen {
            let number = classes.number(class.clone());
            classes.add(number, Some(*before), Some(*after));
        }
        Steps::new(atoms, &classes)
    }

    /// Whether some effects explain everything, by trying all.
    fn explained(atoms: usize, seen: &[(Vec<u32>, bool, bool)]) -> bool {
        (0..3usize.pow(atoms as u32)).any(|choice| {
            let effect = |atom: u32| choice / 3usize.pow(atom) % 3;
            seen.iter().all(|(class, before, after)| {
                let some = |wanted: usize| class.iter().any(|&atom| effect(atom) == wanted);
                *after == (some(1) || (*before && !some(2)))
            })
        })
    }

    #[test]
    fn a_masked_delete_stays_open() {
        // With from = to, at(from) and at(to) are one: true, then true. Apart: from is left, to is
        // reached.
        let together = (vec![0, 1], true, true);
        let apart = [(vec![0], true, false), (vec![1], false, true)];
        let mut seen = steps(2, std::slice::from_ref(&together));
        assert!(!seen.contradict(&[0], true, false), "the delete may have been masked");
        assert!(!seen.contradict(&[1], false, true));
        assert!(seen.contradict(&[0, 1], true, false));
        let mut seen = steps(2, &[apart[0].clone(), apart[1].clone(), together]);
        assert!(seen.contradict(&[0], true, true) && seen.contradict(&[1], false, false));
        assert!(seen.contradict(&[0, 1], false, false) && !seen.contradict(&[0, 1], false, true));
    }

    #[test]
    fn a_clause_with_one_survivor() {
        let mut seen = steps(2, &[(vec![0, 1], false, true)]);
        assert!(!seen.contradict(&[0], false, false) && !seen.contradict(&[1], false, false));
        assert!(seen.contradict(&[0, 1], false, false));
        let mut seen = steps(2, &[(vec![0, 1], false, true), (vec![1], false, false)]);
        assert!(seen.contradict(&[0], false, false));
        assert!(seen.contradict(&[1], false, true));
    }

    #[test]
    fn large_classes_are_quick() {
        let all: Vec<u32> = (0..200_000).collect();
        let mut seen = steps(all.len(), &[(all.clone(), true, true), (all.clone(), false, true)]);
        assert!(seen.contradict(&all, false, false));
        assert!(!seen.contradict(&all[..1], true, false));
    }

    fn as_lists(steps: Vec<(BTreeSet<u32>, bool, bool)>) -> Vec<(Vec<u32>, bool, bool)> {
        let steps = steps.into_iter();
        steps.map(|(class, before, after)| (class.into_iter().collect(), before, after)).collect()
    }

    proptest! {
        /// No contradiction is found where there is none, and a question does not change later
        /// answers.
        #[test]
        fn contradictions_are_real(
            seen in proptest::collection::vec(
                (proptest::collection::btree_set(0u32..4, 1..4), any::<bool>(), any::<bool>()),
                0..6,
            ),
            questions in proptest::collection::vec(
                (proptest::collection::btree_set(0u32..4, 1..4), any::<bool>(), any::<bool>()),
                1..6,
            ),
        ) {
            let seen = as_lists(seen);
            let mut one = steps(4, &seen);
            for question in as_lists(questions) {
                let answer = one.contradict(&question.0, question.1, question.2);
                let mut all = seen.clone();
                all.push(question.clone());
                if answer {
                    prop_assert!(!explained(4, &all));
                }
                prop_assert_eq!(
                    answer,
                    steps(4, &seen).contradict(&question.0, question.1, question.2)
                );
            }
        }
    }
}
