//! Which columns name objects, of which types, and which show the state of what.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::profile::{Looks, Sample};
use super::roles::Roles;
use crate::names::named;

/// A column of the state.
pub(super) struct Shown {
    /// The column, or the pattern of several.
    pub key: String,
    pub fact: String,
    pub why: String,
    pub before: bool,
}

/// What is guessed of objects and states.
#[derive(Default)]
pub(super) struct State {
    /// By type: its columns.
    pub types: IndexMap<String, Vec<usize>>,
    /// The column of whoever acts.
    pub actor: Option<usize>,
    pub shown: Vec<Shown>,
    /// Columns of objects that are part of the actor's state.
    pub places: Vec<usize>,
    /// Columns of no interest, and why.
    pub ignored: Vec<(usize, &'static str)>,
    /// Whether it is the state after a row, and why.
    pub is_after: bool,
    pub why_after: String,
}

impl State {
    pub fn of(sample: &Sample, roles: &Roles) -> State {
        let mut state = State::default();
        let rest: Vec<usize> = (0..sample.columns.len()).filter(|&column| !roles.has(column)).collect();
        let families = families(sample, &rest);
        let mut numbers = Vec::new();
        let mut flags = Vec::new();
        let mut objects = Vec::new();
        for &column in &rest {
            if families.iter().any(|family| family.columns.contains(&column)) {
                continue;
            }
            let name = sample.columns.name(column).to_ascii_lowercase();
            let is_id = name == "id"
                || name.ends_with("_id")
                || name.ends_with("id") && name.contains('.')
                || ["index", "idx", "seq", "row", "step", "nr", "uuid", "column 1"].contains(&&*name);
            match sample.looks(column) {
                Looks::Empty => state.ignored.push((column, "always empty")),
                Looks::Constant => state.ignored.push((column, "always the same")),
                Looks::Comma => {
                    state.ignored.push((column, "numbers with decimal commas? write them with points (63.7), and guess again"));
                }
                Looks::Time => state.ignored.push((column, "another time")),
                Looks::Unique => state.ignored.push((column, "different in nearly every row: an id, or a remark")),
                Looks::Number | Looks::Count
                    if is_id && (sample.never_falls(column) || sample.words(column).len() * 2 > sample.rows) =>
                {
                    state.ignored.push((column, "a number of the row, not of the world"));
                }
                Looks::Count if is_id => objects.push(column),
                Looks::Number | Looks::Count => numbers.push(column),
                Looks::Flag => flags.push(column),
                Looks::Word => objects.push(column),
            }
        }
        state.find_types(sample, &objects);
        let filled: Vec<usize> = objects.iter().copied().filter(|&column| sample.filled(column).count() == sample.rows).collect();
        state.actor = actor(sample, roles, &filled, &numbers, &families);
        state.before_or_after(sample, roles, &numbers);
        for family in &families {
            let of = state.type_of_objects(sample, &family.objects);
            let before = family.prefix_before.unwrap_or(!state.is_after);
            let key = family.pattern.replace("{}", &format!("{{{of}}}"));
            state.shown.push(Shown {
                key,
                fact: format!("({} ?{of})", family.function),
                why: format!("the objects {} are in the names of columns", listed(&family.objects)),
                before,
            });
        }
        let Some(actor) = state.actor else {
            for column in numbers.into_iter().chain(flags) {
                state.ignored.push((column, "of what it is cannot be told"));
            }
            return state;
        };
        let owner = sample.columns.name(actor).to_owned();
        let fixing = filled.clone();
        for column in filled.into_iter().filter(|&column| column != actor) {
            if persistence(sample, roles, actor, column) > 0.5 {
                state.places.push(column);
                let name = sample.columns.name(column);
                state.shown.push(Shown {
                    key: name.to_owned(),
                    fact: format!("({}-of ?{owner} ?{name})", named(name, "p")),
                    why: format!("it stays from row to row of one {owner}"),
                    before: !state.is_after,
                });
            }
        }
        for column in numbers.into_iter().chain(flags.iter().copied()) {
            let name = sample.columns.name(column);
            let is_flag = flags.contains(&column);
            if let Some(&of) = fixing.iter().find(|&&of| !is_flag && is_fixed_by(sample, of, column)) {
                let of = sample.columns.name(of);
                let why = format!("each {of} has one");
                let fact = format!("({} ?{of})", named(name, "f"));
                state.shown.push(Shown { key: name.to_owned(), fact, why, before: !state.is_after });
                continue;
            }
            let stays = persistence(sample, roles, actor, column);
            let moves_in_vain =
                contradictions(sample, roles, actor, column).is_some_and(|both| both[usize::from(!state.is_after)] > 0.2);
            if !is_flag && (stays < 0.2 || moves_in_vain) {
                state.ignored.push((
                    column,
                    "it changes where nothing worked, or in nearly every row: what the row took, not what the world is like",
                ));
                continue;
            }
            let end = if is_flag { " if true" } else { "" };
            state.shown.push(Shown {
                key: name.to_owned(),
                fact: format!("({} ?{owner}){end}", named(name, "f")),
                why: format!("it stays in {:.0} % of the rows of one {owner}", 100.0 * stays),
                before: !state.is_after,
            });
        }
        state
    }

    /// Columns that name many of the same objects are of one type.
    fn find_types(&mut self, sample: &Sample, objects: &[usize]) {
        let words: Vec<BTreeSet<&str>> =
            objects.iter().map(|&column| sample.words(column).into_iter().map(|(word, _)| word).collect()).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for place in 0..objects.len() {
            let alike = |other: &usize| {
                let common = words[place].intersection(&words[*other]).count();
                common * 2 >= words[place].len().min(words[*other].len()).max(1)
            };
            match groups.iter_mut().find(|group| group.iter().any(alike)) {
                Some(group) => group.push(place),
                None => groups.push(vec![place]),
            }
        }
        for group in groups {
            let columns: Vec<usize> = group.into_iter().map(|place| objects[place]).collect();
            let name = named(sample.columns.name(columns[0]), "type");
            self.types.insert(name.trim_end_matches("_id").to_owned(), columns);
        }
    }

    fn type_of_objects(&mut self, sample: &Sample, objects: &[String]) -> String {
        let known = self.types.iter().find(|(_, columns)| {
            let words: BTreeSet<&str> = columns.iter().flat_map(|&column| sample.words(column)).map(|(word, _)| word).collect();
            objects.iter().any(|object| words.contains(object.as_str()))
        });
        known.map_or_else(|| "thing".to_owned(), |(of, _)| of.clone())
    }

    /// A value that moves in a row that failed is not one after it; one that moves after a row that failed is not one before.
    fn before_or_after(&mut self, sample: &Sample, roles: &Roles, numbers: &[usize]) {
        let told = self.actor.map(|actor| numbers.iter().filter_map(move |&column| contradictions(sample, roles, actor, column)));
        let told: Vec<[f64; 2]> = told.into_iter().flatten().collect();
        if told.is_empty() {
            self.is_after = true;
            self.why_after = "nothing tells whether columns show the state before or after a row: check this".to_owned();
            return;
        }
        let [with, following] = [0, 1].map(|place| told.iter().map(|both| both[place]).sum::<f64>() / told.len() as f64);
        self.is_after = with <= following;
        self.why_after = format!(
            "values change in {:.0} % of the rows that failed, and in {:.0} % of those after one that failed: so this is the state {}",
            100.0 * with,
            100.0 * following,
            if self.is_after { "after" } else { "before" }
        );
    }
}

fn listed(words: &[String]) -> String {
    let few: Vec<&str> = words.iter().take(4).map(String::as_str).collect();
    few.join(", ") + if words.len() > 4 { ", …" } else { "" }
}

/// Pairs of rows of one object and one episode with none of it in between.
pub(super) fn neighbours(sample: &Sample, roles: &Roles, of: usize) -> Vec<(usize, usize)> {
    let mut last: IndexMap<(Option<&str>, Option<&str>), usize> = IndexMap::new();
    let mut pairs = Vec::new();
    for row in 0..sample.rows {
        let episode = roles.episode.as_ref().and_then(|guessed| sample.cell(guessed.column, row));
        if let Some(earlier) = last.insert((episode, sample.cell(of, row)), row) {
            pairs.push((earlier, row));
        }
    }
    pairs
}

/// How often a cell is what it was in the row before of the same object.
fn persistence(sample: &Sample, roles: &Roles, of: usize, column: usize) -> f64 {
    let pairs = neighbours(sample, roles, of);
    let told =
        pairs.iter().filter(|(earlier, row)| sample.cell(column, *earlier).is_some() && sample.cell(column, *row).is_some());
    let (mut all, mut same) = (0usize, 0usize);
    for (earlier, row) in told {
        all += 1;
        same += usize::from(sample.cell(column, *earlier) == sample.cell(column, *row));
    }
    if all == 0 { 0.0 } else { same as f64 / all as f64 }
}

/// How often a cell differs from that of the row before of the same object where the row (first) or the row before (second) failed: of a state after
/// rows the first is zero, of one before rows the second.
fn contradictions(sample: &Sample, roles: &Roles, of: usize, column: usize) -> Option<[f64; 2]> {
    let status = roles.status.as_ref()?;
    let failed =
        |row: usize| sample.cell(status.column, row).is_some_and(|word| roles.failed.iter().any(|failed| failed == word));
    let (mut all, mut moved) = ([0usize; 2], [0usize; 2]);
    for (earlier, row) in neighbours(sample, roles, of) {
        let (Some(one), Some(other)) = (sample.cell(column, earlier), sample.cell(column, row)) else { continue };
        for (place, failed) in [failed(row), failed(earlier)].into_iter().enumerate() {
            all[place] += usize::from(failed);
            moved[place] += usize::from(failed && one != other);
        }
    }
    (all[0] > 0 && all[1] > 0).then(|| [moved[0] as f64 / all[0] as f64, moved[1] as f64 / all[1] as f64])
}

/// Whether every object has one number: what never changes, like where a station is.
fn is_fixed_by(sample: &Sample, of: usize, column: usize) -> bool {
    let mut numbers: IndexMap<&str, &str> = IndexMap::new();
    let pairs = (0..sample.rows).filter_map(|row| Some((sample.cell(of, row)?, sample.cell(column, row)?)));
    let one_each = pairs.into_iter().all(|(object, number)| *numbers.entry(object).or_insert(number) == number);
    one_each && numbers.len() > 1 && numbers.len() * 4 < sample.rows
}

/// Whoever acts: an object of every row, by which numbers stay what they were, at least where nothing worked.
fn actor(sample: &Sample, roles: &Roles, filled: &[usize], numbers: &[usize], families: &[Family]) -> Option<usize> {
    let moving: Vec<usize> =
        numbers.iter().copied().filter(|&column| !filled.iter().any(|&of| is_fixed_by(sample, of, column))).collect();
    if moving.is_empty() && !families.is_empty() {
        return filled.first().copied();
    }
    let stays = |of: usize| {
        let one = |&column: &usize| match contradictions(sample, roles, of, column) {
            Some([with, following]) => 1.0 - with.min(following),
            None => persistence(sample, roles, of, column),
        };
        moving.iter().map(one).sum::<f64>()
    };
    filled.iter().copied().max_by(|&one, &other| stays(one).total_cmp(&stays(other)).then(other.cmp(&one)))
}

/// Columns that differ in an object of their names.
struct Family {
    /// With `{}` for the object.
    pattern: String,
    function: String,
    objects: Vec<String>,
    columns: Vec<usize>,
    /// Whether its names say that it is the state before.
    prefix_before: Option<bool>,
}

fn families(sample: &Sample, rest: &[usize]) -> Vec<Family> {
    let mut found: IndexMap<(String, String), Family> = IndexMap::new();
    let known: BTreeSet<&str> = rest
        .iter()
        .filter(|&&column| sample.looks(column) == Looks::Word)
        .flat_map(|&column| sample.words(column))
        .map(|(word, _)| word)
        .collect();
    for &column in rest {
        if !matches!(sample.looks(column), Looks::Number | Looks::Count | Looks::Constant) {
            continue;
        }
        let name = sample.columns.name(column);
        for (pattern, function, object) in readings(name, &known) {
            let family = found.entry((pattern.clone(), function.clone())).or_insert_with(|| {
                let lower = pattern.to_ascii_lowercase();
                let before =
                    ["before", "state.", "obs."].iter().any(|word| lower.starts_with(word)) || lower.ends_with("_before");
                let after = ["after", "next"].iter().any(|word| lower.starts_with(word)) || lower.ends_with("_after");
                let prefix_before = if after {
                    Some(false)
                } else if before {
                    Some(true)
                } else {
                    None
                };
                Family { pattern, function: named(&function, "f"), objects: Vec::new(), columns: Vec::new(), prefix_before }
            });
            family.objects.push(object);
            family.columns.push(column);
        }
    }
    let mut families: Vec<Family> = found.into_values().filter(|family| family.columns.len() > 1).collect();
    // A column belongs to the largest family that it may belong to.
    families.sort_by_key(|family| std::cmp::Reverse(family.columns.len()));
    let mut taken = BTreeSet::new();
    families.retain(|family| family.columns.iter().all(|&column| taken.insert(column)));
    families
}

/// The ways to read a name as a function of an object: pattern, function, object.
fn readings(name: &str, known: &BTreeSet<&str>) -> Vec<(String, String, String)> {
    let mut readings = Vec::new();
    if let Some((function, rest)) = name.split_once('[')
        && let Some(object) = rest.strip_suffix(']')
        && !object.bytes().all(|byte| byte.is_ascii_digit())
    {
        readings.push((format!("{function}[{{}}]"), function.to_owned(), object.to_owned()));
    }
    let parts: Vec<&str> = name.split('.').collect();
    for place in 0..parts.len() {
        // The object is a part of its own; what is left names the function.
        if parts.len() < 2
            || !(known.contains(parts[place]) || parts.len() == 2 && place == 1 || parts.len() > 2 && place + 2 == parts.len())
        {
            continue;
        }
        let mut pattern = parts.clone();
        pattern[place] = "{}";
        let function = if place + 1 == parts.len() { parts[place - 1] } else { parts[parts.len() - 1] };
        readings.push((pattern.join("."), function.to_owned(), parts[place].to_owned()));
    }
    for object in known.iter().filter(|object| object.len() < name.len()) {
        if let Some(function) = name.strip_prefix(object).and_then(|rest| rest.strip_prefix('_')) {
            readings.push((format!("{{}}_{function}"), function.to_owned(), (*object).to_owned()));
        }
        if let Some(function) = name.strip_suffix(object).and_then(|rest| rest.strip_suffix('_')) {
            readings.push((format!("{function}_{{}}"), function.to_owned(), (*object).to_owned()));
        }
    }
    readings
}
