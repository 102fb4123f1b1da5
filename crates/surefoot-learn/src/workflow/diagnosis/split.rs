//! One condition on the state before that distinguishes some steps from all others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use surefoot_base::exact::Rational;
use surefoot_base::pddl::Writer;

use super::subject::shown;
use crate::evidence::{LiftedAtomId, LiftedFunctionId, Observation, Pattern, Vocabulary};

/// A condition that holds before all odd steps, and before no other, of those whose records show
/// it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Split {
    /// The function or atom, in the action's parameters.
    pub of: String,
    /// What is true of it.
    pub relation: Relation,
    /// The number that a function is compared with.
    pub number: Option<String>,
    /// Before how many of the odd steps, and of the others, it is known. Nothing is claimed of the
    /// rest.
    pub known: [usize; 2],
}

/// What can be true of a function or an atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// A function has this value.
    Equal,
    /// A function has this value, or more.
    AtLeast,
    /// A function has this value, or less.
    AtMost,
    /// An atom is true.
    Holds,
    /// An atom is false.
    Fails,
}

impl Split {
    /// Whether it is about this function or atom.
    pub fn is_about(&self, written: &str) -> bool {
        self.of == written
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.relation {
            Relation::Holds => return f.write_str(&self.of),
            Relation::Fails => return write!(f, "(not {})", self.of),
            Relation::Equal => "=",
            Relation::AtLeast => ">=",
            Relation::AtMost => "<=",
        };
        write!(f, "{} {sign} {}", self.of, self.number.as_deref().unwrap_or_default())
    }
}

/// The condition that distinguishes the odd rows from the others, if it does so by more than
/// chance: if among all ways to choose this many rows a condition finds just these. A row counts if
/// it shows the condition; of several, the first that is shown by the most rows is found.
pub fn find(
    vocabulary: &Vocabulary,
    writer: &Writer<'_>,
    rows: &[Observation],
    odd: &BTreeSet<usize>,
    first: Option<LiftedFunctionId>,
) -> Option<Split> {
    let candidates = 3 * vocabulary.functions.len() + 2 * vocabulary.atoms.len();
    if !is_telling([odd.len(), rows.len() - odd.len()], candidates) {
        return None;
    }
    let others = vocabulary.functions.ids().filter(|&function| Some(function) != first);
    let values: Vec<(LiftedFunctionId, Sides<'_>)> = first
        .into_iter()
        .chain(others)
        .filter_map(|function| Some((function, Sides::of(rows, odd, function)?)))
        .collect();
    let own = values.first().filter(|(function, _)| Some(*function) == first);
    let own = own.and_then(|(function, sides)| {
        let found = sides.equal().or_else(|| sides.threshold())?;
        Some(sides.split(writer.function(&vocabulary.functions[*function]), found))
    });
    let truths =
        vocabulary.atoms.ids().filter_map(|atom| truth(vocabulary, writer, rows, odd, atom));
    let equal = values.iter().filter_map(|(function, sides)| {
        let of = writer.function(&vocabulary.functions[*function]);
        Some(sides.split(of, sides.equal()?))
    });
    let threshold = values.iter().filter_map(|(function, sides)| {
        let of = writer.function(&vocabulary.functions[*function]);
        Some(sides.split(of, sides.threshold()?))
    });
    let found = own
        .into_iter()
        .chain(truths)
        .chain(equal)
        .chain(threshold)
        .filter(|split| is_telling(split.known, candidates));
    found.min_by_key(|split| rows.len() - split.known.iter().sum::<usize>())
}

/// Whether a condition that distinguishes this many odd rows from the others says more than chance,
/// if it is one of this many candidates.
fn is_telling([odd, others]: [usize; 2], candidates: usize) -> bool {
    log_ways(odd + others, odd) >= (CONFIDENCE * candidates as f64).ln()
}

/// How much more often than by chance.
pub const CONFIDENCE: f64 = 1000.0;

/// The logarithm of the number of ways to choose some of all.
pub fn log_ways(all: usize, some: usize) -> f64 {
    let some = some.min(all - some.min(all));
    (0..some).map(|place| ((all - place) as f64 / (place + 1) as f64).ln()).sum()
}

/// The values of a function before odd steps, and before others.
struct Sides<'a> {
    odd: BTreeSet<&'a Rational>,
    others: BTreeSet<&'a Rational>,
    known: [usize; 2],
}

impl<'a> Sides<'a> {
    /// `None` where it has no value. Rows in which it is unknown do not count.
    fn of(
        rows: &'a [Observation],
        odd: &BTreeSet<usize>,
        function: LiftedFunctionId,
    ) -> Option<Self> {
        let mut sides = Sides { odd: BTreeSet::new(), others: BTreeSet::new(), known: [0; 2] };
        for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.is_known_before(function))
        {
            let is_odd = odd.contains(&index);
            let side = if is_odd { &mut sides.odd } else { &mut sides.others };
            side.insert(row.before[function].as_ref()?);
            sides.known[usize::from(!is_odd)] += 1;
        }
        Some(sides)
    }

    /// The comparison of the function, which is written so, with a number.
    fn split(&self, of: String, (relation, number): (Relation, &Rational)) -> Split {
        Split { of, relation, number: Some(shown(number)), known: self.known }
    }

    fn equal(&self) -> Option<(Relation, &'a Rational)> {
        let only = *self.odd.first()?;
        (self.odd.len() == 1 && !self.others.contains(only)).then_some((Relation::Equal, only))
    }

    fn threshold(&self) -> Option<(Relation, &'a Rational)> {
        let (least, most) = (*self.odd.first()?, *self.odd.last()?);
        match (self.others.first()?, self.others.last()?) {
            (_, top) if *top < least => Some((Relation::AtLeast, least)),
            (bottom, _) if *bottom > most => Some((Relation::AtMost, most)),
            _ => None,
        }
    }
}

fn truth(
    vocabulary: &Vocabulary,
    writer: &Writer<'_>,
    rows: &[Observation],
    odd: &BTreeSet<usize>,
    atom: LiftedAtomId,
) -> Option<Split> {
    let mut places: BTreeMap<&Pattern, Option<usize>> = BTreeMap::new();
    let mut relation = None;
    let mut known = [0; 2];
    for (index, row) in rows.iter().enumerate() {
        let place = *places.entry(&row.pattern).or_insert_with(|| {
            row.pattern.classes(&vocabulary.atoms).iter().position(|class| class.contains(&atom))
        });
        let Some(held) = row.seen[place?].truths()[0] else { continue };
        let is_odd = odd.contains(&index);
        known[usize::from(!is_odd)] += 1;
        let here = if held == is_odd { Relation::Holds } else { Relation::Fails };
        if *relation.get_or_insert(here) != here {
            return None;
        }
    }
    Some(Split {
        of: writer.atom(&vocabulary.atoms[atom]),
        relation: relation?,
        number: None,
        known,
    })
}
