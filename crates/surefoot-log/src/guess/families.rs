//! Columns that differ in an object of their names: `battery[r1]` and `battery[r2]`, `p1_bed_c` and
//! `p2_bed_c`.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::names::side_of;
use super::profile::{CellFormat, LogSample};
use super::sides::StateSide;
use crate::map::pattern::ColumnPattern;

/// Columns that differ in an object of their names.
pub(super) struct ColumnFamily {
    /// With `{}` for the object.
    pub pattern: String,
    /// The name without the object, and without what says its side.
    pub base: String,
    pub objects: Vec<String>,
    pub columns: Vec<usize>,
    /// What its names say.
    pub side: Option<StateSide>,
    /// The words of its cells, unless these are numbers.
    pub words: Vec<String>,
}

/// Which objects are looked for in the names of columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectSpelling {
    /// Objects that cells name, in whatever letter case.
    AnyCase,
    /// Objects as cells write them.
    Exact,
    /// No column has objects in its name.
    NoObjects,
}

/// The families of columns whose objects are named by cells, too: only these can be parameters.
pub(super) fn families(
    sample: &LogSample,
    rest: &[usize],
    spelling: ObjectSpelling,
) -> Vec<ColumnFamily> {
    if spelling == ObjectSpelling::NoObjects {
        return Vec::new();
    }
    let known: BTreeSet<String> = rest
        .iter()
        .filter(|&&column| matches!(sample.looks(column), CellFormat::Word | CellFormat::Constant))
        .flat_map(|&column| sample.words(column))
        .map(|(word, _)| spelled(word, spelling))
        .collect();
    let mut found: IndexMap<(String, bool), ColumnFamily> = IndexMap::new();
    for &column in rest {
        let looks = sample.looks(column);
        let words = sample.words(column);
        let is_number = looks.is_number()
            || looks == CellFormat::Constant
                && words.iter().all(|(word, _)| word.parse::<f64>().is_ok());
        let is_mode = matches!(looks, CellFormat::Flag | CellFormat::Word | CellFormat::Constant)
            && words.len() <= 4
            && words.iter().all(|(word, _)| !word.contains('|') && word.trim() == *word);
        let name = sample.columns.name(column);
        if !is_number && !is_mode || name.contains(['{', '}']) {
            continue;
        }
        for (pattern, object) in readings(name, &known, spelling) {
            let family = found.entry((pattern.clone(), is_number)).or_insert_with(|| {
                let (side, base) = side_of(sample, column)
                    .map_or((None, name.to_owned()), |(side, base)| (Some(side), base));
                ColumnFamily {
                    base: base_of(&base, &object),
                    pattern,
                    objects: Vec::new(),
                    columns: Vec::new(),
                    side,
                    words: Vec::new(),
                }
            });
            family.objects.push(object);
            family.columns.push(column);
            if !is_number {
                for (word, _) in words
                    .iter()
                    .filter(|(word, _)| !family.words.iter().any(|known| known == word))
                    .collect::<Vec<_>>()
                {
                    family.words.push((*word).to_owned());
                }
            }
        }
    }
    let mut families: Vec<ColumnFamily> =
        found.into_values().filter(|family| is_sound(family, sample)).collect();
    // A column belongs to the largest family that it may belong to.
    families.sort_by_key(|family| std::cmp::Reverse(family.columns.len()));
    let mut taken = BTreeSet::new();
    families.retain(|family| {
        let is_free = family.columns.iter().all(|column| !taken.contains(column));
        if is_free {
            taken.extend(family.columns.iter().copied());
        }
        is_free
    });
    families
}

/// Whether the pattern of a family fits no other column, and its cells have few words.
fn is_sound(family: &ColumnFamily, sample: &LogSample) -> bool {
    let fits = ColumnPattern::read(&family.pattern.replace("{}", "{x}")).is_ok_and(|pattern| {
        (0..sample.columns.len()).all(|column| {
            pattern.matches(sample.columns.name(column)).is_none_or(|captured| {
                let own = family.columns.iter().position(|&own| own == column);
                own.is_some_and(|own| captured[..] == [family.objects[own].as_str()])
            })
        })
    });
    fits && family.columns.len() > 1 && family.words.len() <= 4
}

fn spelled(word: &str, spelling: ObjectSpelling) -> String {
    if spelling == ObjectSpelling::AnyCase { word.to_ascii_lowercase() } else { word.to_owned() }
}

/// The name of the function: what is left without the object.
fn base_of(name: &str, object: &str) -> String {
    let Some(start) = name.find(object) else { return name.to_owned() };
    let (left, right) = (
        name[..start].trim_end_matches(|c: char| !c.is_alphanumeric()),
        name[start + object.len()..].trim_start_matches(|c: char| !c.is_alphanumeric()),
    );
    match (left.is_empty(), right.is_empty()) {
        (false, false) => format!("{left}-{right}"),
        (true, _) => right.to_owned(),
        _ => left.to_owned(),
    }
}

/// The ways to read a name as one with an object in it: the pattern, and the object.
fn readings(
    name: &str,
    known: &BTreeSet<String>,
    spelling: ObjectSpelling,
) -> Vec<(String, String)> {
    let mut readings = Vec::new();
    // The object stands between characters that words do not have; it may have some of these
    // itself.
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let lower = spelled(name, spelling);
    if lower.len() != name.len() {
        return readings;
    }
    for object in
        known.iter().filter(|object| object.len() < name.len() && !object.contains(['.', '[', ']']))
    {
        for (start, found) in lower.match_indices(object.as_str()) {
            let end = start + found.len();
            if is_edge(lower[..start].chars().next_back()) && is_edge(lower[end..].chars().next()) {
                readings.push((
                    format!("{}{{}}{}", &name[..start], &name[end..]),
                    name[start..end].to_owned(),
                ));
            }
        }
    }
    readings
}
