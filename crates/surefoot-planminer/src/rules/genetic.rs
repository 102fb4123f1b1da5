//! One rule, by a steady-state genetic algorithm.
//!
//! Twenty individuals, sorted by fitness; the last two places are for children. Either class keeps
//! at least nine of the first eighteen places, so that neither dies out.

use super::coverage::{LearnedRule, RuleCoverage};
use super::genes::{Genes, THRESHOLD};
use super::judge::{CandidateJudge, Fitness, compare};
use super::local::{general_form, specific_form};
use super::merging::pattern;
use super::rows::RowBatch;
use crate::draws::Draws;
use crate::work::{Stop, Work};
use std::cmp::Ordering;

const INDIVIDUALS: usize = 20;
/// Individuals before the two children.
const PARENTS: usize = INDIVIDUALS - 2;
/// Places that a class may claim among the parents.
const KEPT_PER_CLASS: usize = PARENTS / 2;
/// A round ends after more than so many iterations in which the best individual stayed the same.
const PATIENCE: usize = 500;
/// Bits and integers of the original's individuals that have no effect.
const INERT_BITS: usize = 40;
const INERT_INTEGERS: usize = 20;
const CRITERIA: usize = 7;

#[derive(Debug, Clone)]
pub(super) struct Individual {
    pub(super) genes: Genes,
    pub(super) fitness: Fitness,
}

/// What a round found.
pub(super) struct RoundResult {
    pub(super) rule: LearnedRule,
    /// Rules that are not needed any more.
    pub(super) removable: Vec<usize>,
}

/// The individuals of a batch, kept from round to round.
pub(super) struct Population {
    pub(super) individuals: Vec<Individual>,
}

impl Population {
    /// Individuals of alternating class, each admitting the labels of an uncovered row of its
    /// class.
    pub(super) fn start(
        rows: &RowBatch,
        coverage: &RuleCoverage,
        information: &[Vec<f64>; 2],
        draws: &mut Draws,
    ) -> Population {
        let examples: Vec<Option<usize>> = (0..INDIVIDUALS)
            .map(|i| {
                let (post, start) = (i % 2 == 1, draws.pick(rows.len()));
                (start..rows.len())
                    .chain(0..start)
                    .find(|&row| rows.post[row] == post && !coverage.rows[row].covered)
            })
            .collect();
        let bits: Vec<Vec<bool>> =
            examples.iter().map(|example| start_bits(rows, *example, draws)).collect();
        draws.skip(INDIVIDUALS * INERT_BITS);
        Population {
            individuals: bits
                .into_iter()
                .enumerate()
                .map(|(i, bits): (usize, Vec<bool>)| {
                    let genes = Genes {
                        post: i % 2 == 1,
                        active: start_levels(&information[i % 2], draws),
                        bits,
                    };
                    Individual { genes, fitness: [0.0; CRITERIA] }
                })
                .collect(),
        }
    }

    /// One round: the rule found, if it is worth adding.
    pub(super) fn round(
        &mut self,
        judge: &mut CandidateJudge,
        repeats: Option<usize>,
        draws: &mut Draws,
        work: &mut Work,
    ) -> Result<Option<RoundResult>, Stop> {
        for i in 0..INDIVIDUALS {
            self.evaluate(i, judge, work)?;
        }
        for child in PARENTS..INDIVIDUALS {
            let individual = &mut self.individuals[child];
            individual.fitness = specific_form(&mut individual.genes, judge, work)?.fitness;
        }
        sort(&mut self.individuals);
        let mut unchanged = 0;
        while unchanged <= PATIENCE {
            let best = self.individuals[0].fitness;
            work.spend((judge.rows.columns.label_count() + 2 * INERT_BITS) as u64)?;
            self.children(unchanged, judge, draws, work)?;
            self.replace();
            if self.individuals[0].fitness == best {
                unchanged += 1;
                if unchanged == 2 {
                    self.vary_best(judge, work)?;
                }
            } else {
                unchanged = 0;
            }
        }
        if !acceptable(&self.individuals[0].fitness, judge.size()) {
            return Ok(None);
        }
        self.found(judge, repeats, work).map(Some)
    }

    fn evaluate(
        &mut self,
        i: usize,
        judge: &mut CandidateJudge,
        work: &mut Work,
    ) -> Result<(), Stop> {
        let individual = &mut self.individuals[i];
        individual.fitness = judge.judge(&mut individual.genes, work)?.fitness;
        Ok(())
    }

    /// Makes the two children. `unchanged`: for so many iterations the best individual has stayed
    /// the same.
    fn children(
        &mut self,
        unchanged: usize,
        judge: &mut CandidateJudge,
        draws: &mut Draws,
        work: &mut Work,
    ) -> Result<(), Stop> {
        let rules = judge.rules.len();
        if rules > 1
            && ((self.individuals[0].fitness[0] <= 0.0 && draws.chance(0.75)) || draws.chance(0.01))
        {
            // The children keep their fitness, even where a level changed.
            draws.pick(rules);
            if !draws.chance(0.5) && draws.chance(0.5) {
                self.mutate_levels(draws);
            }
            return Ok(());
        }
        let a = if draws.chance(1.0 - unchanged as f64 / PATIENCE as f64) {
            draws.pick(PARENTS)
        } else {
            0
        };
        let mut b = draws.pick(PARENTS);
        while b == a {
            b = draws.pick(PARENTS);
        }
        self.individuals[PARENTS].genes = self.individuals[a].genes.clone();
        self.individuals[PARENTS + 1].genes = self.individuals[b].genes.clone();
        draws.skip(1);
        self.cross(draws);
        self.mutate(draws);
        self.evaluate(PARENTS, judge, work)?;
        self.evaluate(PARENTS + 1, judge, work)
    }

    /// Exchanges parts between the children, until something was exchanged.
    fn cross(&mut self, draws: &mut Draws) {
        let (parents, last) = self.individuals.split_at_mut(PARENTS + 1);
        let (Some(one), Some(two)) = (parents.last_mut(), last.first_mut()) else { return };
        let (labels, columns) = (one.genes.bits.len(), one.genes.active.len());
        let mut crossed = false;
        while !crossed {
            if draws.chance(0.25) {
                crossed = true;
                let (from, to) = draws.cut(labels);
                one.genes.bits[from..to].swap_with_slice(&mut two.genes.bits[from..to]);
            }
            for inert in [INERT_BITS, INERT_INTEGERS] {
                if draws.chance(0.25) {
                    crossed = true;
                    draws.cut(inert);
                }
            }
            if draws.chance(0.25) {
                crossed = true;
                // The threshold, the same everywhere, is the last of the numbers.
                let (from, to) = draws.cut(columns + 1);
                one.genes.active[from..to].swap_with_slice(&mut two.genes.active[from..to]);
            }
        }
    }

    /// Changes the children at random, until something was tried.
    fn mutate(&mut self, draws: &mut Draws) {
        let mut mutated = false;
        while !mutated {
            if draws.chance(0.5) {
                mutated = true;
                for individual in &mut self.individuals[PARENTS..] {
                    let share = 2.0 / individual.genes.bits.len() as f64;
                    individual.genes.bits.iter_mut().for_each(|bit| *bit ^= draws.chance(share));
                }
            }
            if draws.chance(0.5) {
                mutated = true;
                draws.skip(2 * INERT_BITS);
            }
            if draws.chance(0.5) {
                mutated = true;
                draws.skip(2);
            }
            mutated |= draws.chance(0.8);
            if draws.chance(0.8) {
                mutated = true;
                self.mutate_levels(draws);
            }
        }
    }

    /// Moves levels of the children to the other side of the threshold.
    fn mutate_levels(&mut self, draws: &mut Draws) {
        for individual in &mut self.individuals[PARENTS..] {
            individual.genes.active.iter_mut().for_each(|active| *active ^= draws.chance(0.01));
        }
    }

    /// Moves the children to their places, then gives each class its share of the parents' places.
    fn replace(&mut self) {
        for child in PARENTS..INDIVIDUALS {
            let mut place = child;
            while place > 0 && greater(&self.individuals[place], &self.individuals[place - 1]) {
                self.individuals.swap(place, place - 1);
                place -= 1;
            }
        }
        let mut count = [0; 2];
        self.individuals[..PARENTS].iter().for_each(|individual| count[individual.class()] += 1);
        let mut exchanged = false;
        for child in PARENTS..INDIVIDUALS {
            let mine = self.individuals[child].class();
            if count[mine] >= KEPT_PER_CLASS {
                continue;
            }
            if let Some(place) = (0..PARENTS)
                .rev()
                .find(|place| count[self.individuals[*place].class()] >= KEPT_PER_CLASS)
            {
                count[self.individuals[place].class()] -= 1;
                count[mine] += 1;
                self.individuals.swap(child, place);
                exchanged = true;
            }
        }
        if exchanged {
            sort(&mut self.individuals[..PARENTS]);
        }
    }

    /// Puts a form of the best individual in second place.
    fn vary_best(&mut self, judge: &mut CandidateJudge, work: &mut Work) -> Result<(), Stop> {
        let replaces = self.individuals[1].fitness[..2] == [-judge.size(), 1.0];
        let mut genes = self.individuals[0].genes.clone();
        let form = if replaces { specific_form } else { general_form };
        let fitness = form(&mut genes, judge, work)?.fitness;
        self.individuals[1] = Individual { genes, fitness };
        Ok(())
    }

    /// Takes general and specific forms of the best individual in turns until they agree.
    fn found(
        &mut self,
        judge: &mut CandidateJudge,
        repeats: Option<usize>,
        work: &mut Work,
    ) -> Result<RoundResult, Stop> {
        let mut specific = self.individuals[0].genes.clone();
        let mut turns = 0;
        let (general, verdict) = loop {
            let general_verdict = general_form(&mut specific, judge, work)?;
            let general = specific.clone();
            let verdict = specific_form(&mut specific, judge, work)?;
            turns += 1;
            let same = general_verdict.fitness[..2] == verdict.fitness[..2];
            let within = specific
                .bits
                .iter()
                .zip(&general.bits)
                .all(|(&specific, &general)| general || !specific);
            if (same && within) || repeats.is_some_and(|bound| turns >= bound) {
                break (general, verdict);
            }
        };
        let removable = judge.removable(&specific);
        let rule = LearnedRule {
            pattern: pattern(&judge.rows.columns, &general, &specific),
            genes: specific.clone(),
            positive: verdict.positive,
            negative: verdict.negative,
        };
        let open = Genes { bits: vec![true; general.bits.len()], ..general };
        self.individuals[0] = Individual { genes: specific, fitness: verdict.fitness };
        self.individuals[PARENTS + 1].genes = Genes { post: !open.post, ..open.clone() };
        self.individuals[PARENTS].genes = open;
        Ok(RoundResult { rule, removable })
    }
}

/// The bits of the first label of greatest degree in the row; without a row, almost all.
fn start_bits(rows: &RowBatch, example: Option<usize>, draws: &mut Draws) -> Vec<bool> {
    let mut bits = vec![false; rows.columns.label_count()];
    let Some(row) = example else {
        bits.iter_mut().for_each(|bit| *bit = draws.chance(0.9));
        return bits;
    };
    for labels in rows.columns.iter() {
        let first_greatest = labels.reduce(|best, label| {
            if rows.degree(row, label) > rows.degree(row, best) { label } else { best }
        });
        if let Some(label) = first_greatest {
            bits[label] = true;
        }
    }
    bits
}

/// Which columns are active at first: those that say enough about the class; at random if all say
/// the same.
///
/// With one column, the original compares with undefined memory; it is read as "the same".
fn start_levels(information: &[f64], draws: &mut Draws) -> Vec<bool> {
    let same = information.windows(2).all(|pair| pair[0] == pair[1]);
    information.iter().map(|&level| if same { draws.level() } else { level } >= THRESHOLD).collect()
}

/// Whether the best individual is added: it wins rows, or it makes rules superfluous.
fn acceptable(fitness: &Fitness, size: f64) -> bool {
    let [f0, f1, f2, f3, f4, ..] = *fitness;
    let improves = [f2, f3, f4]
        .into_iter()
        .find(|&criterion| criterion != 0.0)
        .is_some_and(|criterion| criterion > 0.0);
    f0 > -1.0
        || (f1 > 1.0 && f1 >= 2.0 - f0)
        || (f0 == -size && (f1 > 1.0 || (f1 == 1.0 && improves)))
}

fn greater(a: &Individual, b: &Individual) -> bool {
    compare(&a.fitness, &b.fitness, CRITERIA) == Ordering::Greater
}

/// Best first; equals keep their order.
fn sort(individuals: &mut [Individual]) {
    individuals.sort_by(|a, b| compare(&b.fitness, &a.fitness, CRITERIA));
}

impl Individual {
    fn class(&self) -> usize {
        usize::from(self.genes.post)
    }
}
