//! Whether any state satisfies a condition, as far as that can be told with little work.
//!
//! Equalities of terms are put together first, then literals over what is the same term, then the
//! linear comparisons that are left; of alternatives one is chosen after the other. What is not
//! understood (quantifiers, strict comparisons, products as such) is taken for satisfiable, and so
//! is what would take too long: `Some` is a proof, `None` is not.

use std::collections::BTreeMap;

use super::{Condition, LiftedAtom, LiftedFunction, Region, Term};
use crate::exact::{Constraint, Program, Rational};

/// Why no state satisfies a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unsatisfiable {
    /// It asks for this atom and for its opposite.
    Atom(LiftedAtom),
    /// Its comparisons contradict each other.
    Numbers,
    /// Its parts contradict each other in some other way.
    Together,
}

/// The number of alternatives that are tried.
const MAX_CHOICES: usize = 1_000;

/// The number of linear programs that are solved, and the number of coefficients that each may
/// have.
const MAX_PROGRAMS: usize = 32;
const MAX_COEFFICIENTS: usize = 50_000;

impl Condition {
    /// Why no state satisfies it, where that is easily proved.
    pub fn unsatisfiable(&self) -> Option<Unsatisfiable> {
        let mut search = SearchBudget { choices: 0, programs: 0 };
        search.refute(ChosenConditions::default(), vec![(self, true)])
    }
}

struct SearchBudget {
    choices: usize,
    programs: usize,
}

/// What was chosen to hold.
#[derive(Clone, Default)]
struct ChosenConditions<'c> {
    literals: Vec<(&'c LiftedAtom, bool)>,
    /// Terms that must be the same object, as a forest.
    same: BTreeMap<Term, Term>,
    different: Vec<(Term, Term)>,
    comparisons: Vec<&'c Condition>,
    regions: Vec<&'c Region>,
    /// Of each of these one must hold, or not hold.
    choices: Vec<Vec<(&'c Condition, bool)>>,
    /// Whether the numbers were looked at, and nothing was added to them since.
    is_solved: bool,
}

impl SearchBudget {
    /// Why there is no state in which all of that holds.
    fn refute<'c>(
        &mut self,
        mut all: ChosenConditions<'c>,
        mut parts: Vec<(&'c Condition, bool)>,
    ) -> Option<Unsatisfiable> {
        while let Some((part, holds)) = parts.pop() {
            match (part, holds) {
                (Condition::And(inner), true) | (Condition::Or(inner), false) => {
                    parts.extend(inner.iter().map(|one| (one, holds)));
                }
                (Condition::Or(inner), true) | (Condition::And(inner), false) => {
                    all.choices.push(inner.iter().map(|one| (one, holds)).collect());
                }
                (Condition::Imply(both), true) => {
                    all.choices.push(vec![(&both[0], false), (&both[1], true)])
                }
                (Condition::Imply(both), false) => {
                    parts.extend([(&both[0], true), (&both[1], false)])
                }
                (Condition::Not(inner), _) => parts.push((inner, !holds)),
                (Condition::Atom(atom), _) => all.literals.push((atom, holds)),
                (Condition::Same(one, other), true) => all.unite(*one, *other),
                (Condition::Same(one, other), false) => all.different.push((*one, *other)),
                (Condition::Compare(..), true) => {
                    all.comparisons.push(part);
                    all.is_solved = false;
                }
                (Condition::Within(region), true) => {
                    all.regions.push(region);
                    all.is_solved = false;
                }
                // Not understood: no obstacle.
                (Condition::Compare(..) | Condition::Within(_), false)
                | (Condition::ForAll(..) | Condition::Exists(..), _) => {}
            }
        }
        if let Some(why) = all.contradiction() {
            return Some(why);
        }
        if !all.is_solved {
            self.programs += 1;
            if self.programs <= MAX_PROGRAMS && all.has_no_numbers() {
                return Some(Unsatisfiable::Numbers);
            }
            all.is_solved = true;
        }
        let choice = all.choices.pop()?;
        // An atom or numbers that no choice can avoid were found above.
        let refuted = choice.into_iter().all(|one| {
            self.choices += 1;
            self.choices <= MAX_CHOICES && self.refute(all.clone(), vec![one]).is_some()
        });
        refuted.then_some(Unsatisfiable::Together)
    }
}

impl ChosenConditions<'_> {
    fn find(&self, mut term: Term) -> Term {
        while let Some(&next) = self.same.get(&term) {
            term = next;
        }
        term
    }

    /// Objects stand for the terms that are equal to them.
    fn unite(&mut self, one: Term, other: Term) {
        let (one, other) = (self.find(one), self.find(other));
        match (one, other) {
            _ if one == other => {}
            (Term::Object(_), Term::Object(_)) => self.different.push((one, one)),
            (Term::Object(_), Term::Variable(_)) => drop(self.same.insert(other, one)),
            (Term::Variable(_), _) => drop(self.same.insert(one, other)),
        }
        self.is_solved = false;
    }

    fn terms(&self, terms: &[Term]) -> Vec<Term> {
        terms.iter().map(|&term| self.find(term)).collect()
    }

    /// Why terms and atoms contradict each other, if they do.
    fn contradiction(&self) -> Option<Unsatisfiable> {
        if self.different.iter().any(|&(one, other)| self.find(one) == self.find(other)) {
            return Some(Unsatisfiable::Together);
        }
        let mut known = BTreeMap::new();
        for &(atom, holds) in &self.literals {
            let key = (atom.symbol, self.terms(&atom.terms));
            if let Some((first, _)) =
                known.insert(key, (atom, holds)).filter(|(_, other)| *other != holds)
            {
                return Some(if first == atom {
                    Unsatisfiable::Atom(atom.clone())
                } else {
                    Unsatisfiable::Together
                });
            }
        }
        None
    }

    /// Whether no numbers satisfy the regions and the linear comparisons.
    fn has_no_numbers(&self) -> bool {
        let gathered =
            Region::gather(self.comparisons.iter().copied(), 1).map(|gathered| gathered.region);
        let regions: Vec<&Region> = self.regions.iter().copied().chain(&gathered).collect();
        // One that is known by what spans it has points: nothing else bounds it.
        if let [only] = regions[..]
            && !only.set.is_complete()
        {
            return only.set.is_empty();
        }
        let mut variables: BTreeMap<Vec<LiftedFunction>, usize> = BTreeMap::new();
        let mut places: Vec<Vec<usize>> = Vec::new();
        for region in &regions {
            let place = |column: &Vec<LiftedFunction>| {
                let function = |one: &LiftedFunction| LiftedFunction {
                    symbol: one.symbol,
                    terms: self.terms(&one.terms),
                };
                let mut factors: Vec<LiftedFunction> = column.iter().map(function).collect();
                factors.sort_unstable();
                let next = variables.len();
                *variables.entry(factors).or_insert(next)
            };
            places.push(region.columns.iter().map(place).collect());
        }
        let rows: usize = regions.iter().map(|region| region.len()).sum();
        if rows.saturating_mul(variables.len()) > MAX_COEFFICIENTS {
            return false;
        }
        let mut program = Program::new(variables.len());
        for (region, places) in regions.iter().zip(&places) {
            let row = |constraint: &Constraint| {
                let mut row = vec![Rational::ZERO; variables.len()];
                constraint
                    .coefficients()
                    .zip(places)
                    .for_each(|(value, &place)| row[place] = &row[place] + &value);
                row
            };
            region
                .set
                .equations()
                .iter()
                .for_each(|equation| program.add_equation(&row(equation), &equation.bound()));
            region
                .set
                .inequalities()
                .for_each(|inequality| program.add(&row(inequality), &inequality.bound()));
        }
        program.feasible().is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pddl::{Source, read_domain};

    /// What is found of a precondition over two objects.
    fn of(precondition: &str) -> Option<Unsatisfiable> {
        let text = format!(
            "(define (domain d) (:constants a b - object) (:predicates (p ?x) (q ?x)) (:functions \
             (f ?x) (g ?x))
               (:action act :parameters (?x ?y) :precondition {precondition} :effect (and)))"
        );
        let domain = read_domain(&Source::new("d", text)).unwrap();
        domain.action(0.into()).precondition.unsatisfiable()
    }

    #[test]
    fn what_contradicts_itself_is_found_and_nothing_else() {
        for satisfiable in [
            "(and)",
            "(and (p ?x) (not (p ?y)))",
            "(and (not (= ?x ?y)) (or (= ?x ?y) (q ?x)))",
            "(and (>= (f ?x) 1) (<= (f ?y) 0))",
            "(and (= (f ?x) 1) (or (>= (g ?x) 1) (>= (f ?x) 2)))",
            "(and (= ?x a) (= ?y b) (p ?x) (not (p ?y)))",
            "(and (> (f ?x) 1) (< (f ?x) 1))",
        ] {
            assert_eq!(of(satisfiable), None, "{satisfiable}");
        }
        assert!(matches!(of("(and (p ?x) (q ?y) (not (p ?x)))"), Some(Unsatisfiable::Atom(_))));
        for numbers in [
            "(and (>= (f ?x) 1) (<= (f ?x) 0))",
            "(and (= (f ?x) (+ (g ?x) 1)) (= (f ?x) (- (g ?x) 1)))",
            "(and (= ?x ?y) (>= (f ?x) 1) (<= (f ?y) 0))",
        ] {
            assert_eq!(of(numbers), Some(Unsatisfiable::Numbers), "{numbers}");
        }
        for together in [
            "(or)",
            "(and (= ?x ?y) (not (= ?x ?y)))",
            "(and (= ?x a) (= ?x b))",
            "(and (= ?x ?y) (p ?x) (not (p ?y)))",
            "(and (p ?x) (or (not (p ?x)) (= a b)))",
            "(and (= (f ?x) 1) (or (>= (f ?x) 2) (= (f ?x) 0)))",
        ] {
            assert_eq!(of(together), Some(Unsatisfiable::Together), "{together}");
        }
    }
}
