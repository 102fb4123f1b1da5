//! The search for cuts: all cuts of a family with the fewest parts, and what they have in common.
//!
//! A cut with some parts *explains* the events of an action if a model of the class explains each
//! part. Whatever explains some events explains fewer of them. So along one feature, the first
//! parts that are as long as possible say how many parts are needed; the last place of each border
//! follows from the left, the first place from the right. Between the two, every model of the class
//! with such a cut has its border somewhere, so nothing is known there.
//!
//! Each kind of cut that explains all events with the fewest parts is a *candidate*. A part of the
//! result is in one part of every candidate, whatever its borders are: what is learned in it is
//! safe for every world that a candidate describes. Its tests end where its steps end.

use std::collections::BTreeMap;

use surefoot_base::exact::Rational;
use surefoot_base::invariant::Invariant;
use surefoot_base::model::Condition;
use surefoot_base::parts::MAX_PARTS;

use super::feature::{Bound, Feature, Features};
use super::rows::Rows;

/// The most parts that are looked for.
pub(super) const MOST_PARTS: usize = 4;

/// More candidates are not held.
const MOST_CANDIDATES: usize = 24;

/// A search that the user asked for ends when it looked at so many events, each as often as it did.
pub(super) const MOST_WORK: usize = 1_000_000;

/// The same for a search that nobody asked for.
pub(super) const LITTLE_WORK: usize = 100_000;

/// What asking whether a model explains some events costs beside looking at them.
const WORK_OF_QUESTION: usize = 100;

/// What a search found.
pub(super) enum Search {
    /// One part explains all events.
    Whole,
    /// The parts that all candidates have in common.
    Cut(Cut),
    /// No cut of the family explains the events.
    Unexplained,
    /// There are too many tests or candidates, or too much work.
    TooLarge,
}

/// The parts that all candidates have in common.
pub(super) struct Cut {
    /// How many parts each candidate has.
    pub count: usize,
    /// The parts that have steps.
    pub parts: Vec<CutPart>,
}

/// A part of the result.
pub(super) struct CutPart {
    pub tests: Vec<Condition>,
    /// Its events.
    pub rows: Vec<usize>,
}

/// A kind of cut that explains all events.
struct Candidate {
    parts: Vec<CandidatePart>,
}

/// A part of a candidate, whatever its borders are.
#[derive(Clone)]
struct CandidatePart {
    /// By number of a feature.
    bounds: Vec<(usize, Bound)>,
    rows: Vec<usize>,
}

/// The events in the order of a feature, those with the same value in one group.
struct Groups {
    groups: Vec<Vec<usize>>,
}

impl Groups {
    fn of(rows: &Rows<'_>, feature: &Feature, which: &[usize]) -> Groups {
        let mut by_value: BTreeMap<Rational, Vec<usize>> = BTreeMap::new();
        for &row in which {
            // A failed attempt may have no value; then it is in no part.
            if let Some(value) = feature.value(rows, row) {
                by_value.entry(value).or_default().push(row);
            }
        }
        Groups { groups: by_value.into_values().collect() }
    }

    fn between(&self, from: usize, to: usize) -> Vec<usize> {
        self.groups.get(from..to).map_or(Vec::new(), <[_]>::concat)
    }
}

/// Along one feature: how far each border may lie to the right, and to the left.
struct Borders {
    last: Vec<usize>,
    first: Vec<usize>,
}

/// Looks for cuts among some events.
pub(super) struct Searcher<'r> {
    rows: &'r Rows<'r>,
    features: Features,
    work: usize,
    most_work: usize,
}

impl<'r> Searcher<'r> {
    /// Looks for cuts with at most so many parts.
    pub fn search(rows: &'r Rows<'r>, which: &[usize], most: usize) -> Search {
        if rows.explains(which.iter().copied()) {
            return Search::Whole;
        }
        let Some(features) = Features::of(rows, which) else { return Search::TooLarge };
        let most_work = rows.most_work;
        let mut searcher = Searcher { rows, features, work: 0, most_work };
        for count in 2..=most {
            let Some(candidates) = searcher.candidates(which, count) else {
                return Search::TooLarge;
            };
            if !candidates.is_empty() {
                return match searcher.common(which, &candidates) {
                    Some(parts) => Search::Cut(Cut { count, parts }),
                    None => Search::TooLarge,
                };
            }
        }
        Search::Unexplained
    }

    /// All kinds of cuts with so many parts that explain the events; `None` if that is too much
    /// work.
    fn candidates(&mut self, which: &[usize], count: usize) -> Option<Vec<Candidate>> {
        let mut candidates = Vec::new();
        for feature in 0..self.features.features.len() {
            let groups = Groups::of(self.rows, &self.features.features[feature], which);
            if let Some(borders) = self.borders(&groups, count)? {
                candidates.push(along(&groups, feature, &borders));
            }
        }
        // Two cuts, one of them within a side of the other.
        if count == 3 {
            for root in 0..self.features.single {
                for other in (0..self.features.single).filter(|other| *other != root) {
                    for side in [Bound::AtMost, Bound::AtLeast] {
                        candidates.extend(self.nested(which, root, other, side)?);
                    }
                }
            }
        }
        // A literal, and a cut on each of its sides.
        if count == 4 {
            for root in 0..self.features.single {
                candidates.extend(self.quartered(which, root)?);
            }
        }
        Some(candidates)
    }

    /// The borders of so many parts along a feature, if these explain the events.
    fn borders(&mut self, groups: &Groups, count: usize) -> Option<Option<Borders>> {
        let groups = &groups.groups;
        let mut last = vec![0];
        while last.len() <= count && last.last() != Some(&groups.len()) {
            let from = *last.last().invariant("it begins with one");
            let rest = groups[from..].iter().map(Vec::as_slice);
            last.push(from + self.longest(rest)?);
        }
        if last.len() != count + 1 || last.last() != Some(&groups.len()) {
            return Some(None);
        }
        let mut first = vec![groups.len()];
        for _ in 1..count {
            let to = *first.last().invariant("it begins with one");
            let rest = groups[..to].iter().rev().map(Vec::as_slice);
            first.push(to - self.longest(rest)?);
        }
        first.push(0);
        first.reverse();
        Some(Some(Borders { last, first }))
    }

    /// The number of groups that one part explains; `None` if the work is too much.
    fn longest<'g>(&mut self, groups: impl Iterator<Item = &'g [usize]> + Clone) -> Option<usize> {
        let count = self.rows.longest_prefix(groups.clone());
        let events = groups.take(count + 1).map(<[_]>::len).sum::<usize>();
        self.work += WORK_OF_QUESTION + events;
        (self.work <= self.most_work).then_some(count)
    }

    /// A part on one side of a feature, and two parts along another feature on the other side.
    fn nested(
        &mut self,
        which: &[usize],
        root: usize,
        other: usize,
        side: Bound,
    ) -> Option<Option<Candidate>> {
        let mut groups = Groups::of(self.rows, &self.features.features[root], which);
        if side == Bound::AtLeast {
            groups.groups.reverse();
        }
        let count = groups.groups.len();
        let longest = self.longest(groups.groups.iter().map(Vec::as_slice))?;
        let rest_of = |from: usize| groups.between(from, count);
        let mut split = |from: usize| -> Option<Option<(Groups, Borders)>> {
            let rest = Groups::of(self.rows, &self.features.features[other], &rest_of(from));
            let borders = self.borders(&rest, 2)?;
            Some(borders.map(|borders| (rest, borders)))
        };
        let Some((rest, borders)) = split(longest)? else { return Some(None) };
        // The first place of the border: further rows make the rest harder to explain.
        let (mut unexplained, mut explained) = (0, longest);
        while explained - unexplained > 1 {
            let middle = explained.midpoint(unexplained);
            // Fewer parts of a larger rest cannot be: they would explain the smaller one.
            if split(middle)?.is_some() {
                explained = middle;
            } else {
                unexplained = middle;
            }
        }
        let opposite = match side {
            Bound::AtMost => Bound::AtLeast,
            Bound::AtLeast => Bound::AtMost,
        };
        // The second cut may be there on the first side, too, where no record shows it: a part of the
        // result is on one side of it. A finer cut assumes less.
        let whole = groups.between(0, explained);
        let mut parts = Vec::new();
        for mut part in along(&rest, other, &borders).parts {
            let mut beside = CandidatePart { bounds: part.bounds.clone(), rows: Vec::new() };
            beside.rows.extend(whole.iter().copied().filter(|&row| self.is_beside(&part, row)));
            beside.bounds.push((root, side));
            part.bounds.push((root, opposite));
            parts.extend([beside, part]);
        }
        Some(Some(Candidate { parts }))
    }

    /// Whether an event is on the same side of a cut as the steps of a part.
    fn is_beside(&self, part: &CandidatePart, row: usize) -> bool {
        part.bounds.iter().all(|&(feature, bound)| {
            let feature = &self.features.features[feature];
            let steps = part.rows.iter().filter(|&&row| self.rows.step(row).is_some());
            let values = steps.filter_map(|&row| feature.value(self.rows, row));
            feature.value(self.rows, row).is_some_and(|value| match bound {
                Bound::AtMost => values.max().is_some_and(|most| value <= most),
                Bound::AtLeast => values.min().is_some_and(|least| value >= least),
            })
        })
    }

    /// Two parts on each side of a literal or an equality.
    fn quartered(&mut self, which: &[usize], root: usize) -> Option<Vec<Candidate>> {
        if matches!(self.features.features[root], Feature::Form(_)) {
            return Some(Vec::new());
        }
        let groups = Groups::of(self.rows, &self.features.features[root], which);
        let mut sides: Vec<Vec<Vec<CandidatePart>>> = Vec::new();
        for (side, bound) in groups.groups.iter().zip([Bound::AtMost, Bound::AtLeast]) {
            let mut halves = Vec::new();
            for other in (0..self.features.single).filter(|other| *other != root) {
                let groups = Groups::of(self.rows, &self.features.features[other], side);
                if let Some(borders) = self.borders(&groups, 2)? {
                    let mut parts = along(&groups, other, &borders).parts;
                    parts.iter_mut().for_each(|part| part.bounds.push((root, bound)));
                    halves.push(parts);
                }
            }
            sides.push(halves);
        }
        let [one, other] = &sides[..] else { return Some(Vec::new()) };
        if one.is_empty() || other.is_empty() {
            return Some(Vec::new());
        }
        // What all pairs of halves have in common is what these have in common.
        let pairs = one.len().max(other.len());
        let pair = |place: usize| Candidate {
            parts: [&one[place % one.len()][..], &other[place % other.len()]].concat(),
        };
        Some((0..pairs).map(pair).collect())
    }

    /// The parts that all candidates have in common; `None` if they are too many.
    fn common(&self, which: &[usize], candidates: &[Candidate]) -> Option<Vec<CutPart>> {
        if candidates.len() > MOST_CANDIDATES {
            return None;
        }
        let places: Vec<BTreeMap<usize, usize>> =
            candidates.iter().map(Candidate::places).collect();
        let mut shared: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for &row in which {
            let of_row: Option<Vec<usize>> =
                places.iter().map(|places| places.get(&row).copied()).collect();
            if let Some(of_row) = of_row {
                shared.entry(of_row).or_default().push(row);
            }
        }
        let mut parts = Vec::new();
        for (of_candidates, rows) in shared {
            if rows.iter().all(|&row| self.rows.step(row).is_none()) {
                continue;
            }
            let mut bounds: BTreeMap<usize, [bool; 2]> = BTreeMap::new();
            for (candidate, &place) in candidates.iter().zip(&of_candidates) {
                for &(feature, bound) in &candidate.parts[place].bounds {
                    let sides = bounds.entry(feature).or_default();
                    sides[usize::from(bound == Bound::AtMost)] = true;
                }
            }
            let tests = bounds.into_iter().flat_map(|(feature, sides)| {
                self.tests(&self.features.features[feature], sides, &rows)
            });
            parts.push(CutPart { tests: tests.collect(), rows });
        }
        (parts.len() <= MAX_PARTS).then_some(parts)
    }

    /// The tests that a feature is where the steps among some events are; `sides` says whether from
    /// below and from above.
    fn tests(&self, feature: &Feature, sides: [bool; 2], rows: &[usize]) -> Vec<Condition> {
        let steps = rows.iter().filter(|&&row| self.rows.step(row).is_some());
        let values: Vec<Rational> =
            steps.filter_map(|&row| feature.value(self.rows, row)).collect();
        let least = values.iter().min().filter(|_| sides[0]);
        let most = values.iter().max().filter(|_| sides[1]);
        feature.tests(self.rows, least, most)
    }
}

impl Candidate {
    /// By event: its part.
    fn places(&self) -> BTreeMap<usize, usize> {
        let parts = self.parts.iter().enumerate();
        parts.flat_map(|(place, part)| part.rows.iter().map(move |&row| (row, place))).collect()
    }
}

/// The parts along a feature, whatever the borders are.
fn along(groups: &Groups, feature: usize, borders: &Borders) -> Candidate {
    let count = borders.last.len() - 1;
    let part = |place: usize| {
        let mut bounds = Vec::new();
        if place > 0 {
            bounds.push((feature, Bound::AtLeast));
        }
        if place + 1 < count {
            bounds.push((feature, Bound::AtMost));
        }
        CandidatePart {
            bounds,
            rows: groups.between(borders.last[place], borders.first[place + 1]),
        }
    };
    Candidate { parts: (0..count).map(part).collect() }
}
