//! Which columns name objects, of which types, and which show the state of what.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::families::{ColumnFamily, ObjectSpelling, families};
use super::inputs::{input_name, possible_inputs};
use super::names::{Taken, is_key, is_source, may_be_sided, side_of, variable};
use super::profile::{CellFormat, LogSample};
use super::roles::{Roles, is_called, tokens};
use super::sides::{SideEvidence, StateSide, Tracked};
use super::{MapQuestion, listed};
use crate::names::{is_name, named};

/// A column of the state.
pub(super) struct StateColumn {
    /// The column, or the pattern of several.
    pub key: String,
    pub facts: Vec<String>,
    pub why: String,
    pub side: StateSide,
}

/// What is guessed of objects and states.
#[derive(Default)]
pub(super) struct StateGuess {
    /// By type: its columns.
    pub types: IndexMap<String, Vec<usize>>,
    /// Types with objects that another type has, too.
    pub qualified: Vec<String>,
    /// The column of whoever acts.
    pub actor: Option<usize>,
    pub columns: Vec<StateColumn>,
    /// Columns of objects that are part of the actor's state, and the predicates that say so.
    pub places: IndexMap<usize, String>,
    /// Columns of no interest, and why.
    pub ignored: Vec<(usize, String)>,
    /// Why columns that are not named so are on their side.
    pub why_side: String,
    pub questions: Vec<MapQuestion>,
}

/// A column of the state that is none of several alike.
struct Single {
    column: usize,
    base: String,
    /// What its name says.
    side: Option<StateSide>,
}

/// Names of what a row is called, not of what the world is like.
const ROW_NUMBERS: [&str; 10] =
    ["id", "index", "idx", "seq", "row", "step", "nr", "uuid", "no", "line"];

/// Words that are written one by one, as flags.
const FEW_WORDS: usize = 4;

impl StateGuess {
    pub fn of(sample: &LogSample, roles: &Roles, spelling: ObjectSpelling) -> StateGuess {
        let mut state = StateGuess::default();
        let name = |column: usize| sample.columns.name(column);
        for &column in &roles.repeated {
            state.ignore(column, "it says of each row what the status says");
        }
        let rest: Vec<usize> =
            (0..sample.columns.len()).filter(|&column| !roles.has(column)).collect();
        let families = families(sample, &rest, spelling);
        let (mut numbers, mut flags, mut words) = (Vec::new(), Vec::new(), Vec::new());
        for &column in &rest {
            if families.iter().any(|family| family.columns.contains(&column)) {
                continue;
            }
            let is_id = is_called(name(column), &ROW_NUMBERS)
                || name(column).ends_with("_id")
                || name(column) == "column 1";
            let looks = sample.looks(column);
            let may_be_of_row = looks.is_number()
                && is_id
                && (never_falls(sample, roles, column)
                    || sample.words(column).len() * 2 > sample.rows);
            // What never changes may be what actions need: nothing in the log excludes it.
            let looks =
                if looks == CellFormat::Constant { sample.looks_as_state(column) } else { looks };
            match looks {
                // Later rows may fill what the first ones leave empty.
                CellFormat::Empty if sample.cut => {
                    state.leave_out(sample, column, "it is empty in the first rows")
                }
                CellFormat::Empty => state.ignore(column, "always empty"),
                CellFormat::Time => state.ignore(column, "another time"),
                CellFormat::Unique => {
                    state.ignore(column, "different words in nearly every row: an id, or a remark")
                }
                _ if may_be_of_row && is_surely_of_row(sample, roles, column) => {
                    state.ignore(column, "a number of the row, not of the world")
                }
                _ if looks.is_number()
                    && sample.looks_like_epoch(column)
                    && roles.rises_by_itself(sample, column) =>
                {
                    state.ignore(column, "another time")
                }
                _ if !is_key(name(column))
                    || looks == CellFormat::Word && !is_source(name(column)) =>
                {
                    state.leave_out(
                        sample,
                        column,
                        "a map cannot write the name of this column. Rename it in the log and \
                         guess again",
                    );
                }
                CellFormat::Comma => {
                    let why = "numbers with decimal commas? write them with points (63.7), and \
                               guess again";
                    state.leave_out(sample, column, why);
                }
                _ if may_be_of_row => {
                    state.leave_out(sample, column, &or_state("it may be a number of the row"))
                }
                _ if looks.is_number() && sample.looks_like_epoch(column) => {
                    state.leave_out(sample, column, &or_state("it may be another time"))
                }
                CellFormat::Count if is_id => words.push(column),
                CellFormat::Number | CellFormat::Count => numbers.push(column),
                CellFormat::Flag => flags.push(column),
                CellFormat::Word | CellFormat::Constant => words.push(column),
            }
        }
        for input in possible_inputs(sample, roles, (&numbers, &words)) {
            numbers.retain(|column| *column != input.column);
            state.questions.push(input.question(sample));
            state.ignore(input.column, "chosen before the step, or an outcome of it?");
        }
        let whole: Vec<usize> = words
            .iter()
            .copied()
            .filter(|&column| {
                is_filled(sample, column) && sample.looks(column) != CellFormat::Constant
            })
            .collect();
        let unsided: Vec<usize> =
            whole.iter().copied().filter(|&column| side_of(sample, column).is_none()).collect();
        // A column with one word explains nothing and excludes nothing: there may be one robot.
        let constant: Vec<usize> = words
            .iter()
            .copied()
            .filter(|&column| {
                is_filled(sample, column) && sample.looks(column) == CellFormat::Constant
            })
            .collect();
        let of_rows = ActorColumns { whole: &unsided, constant: &constant, words: &words };
        let Acting { actor, rivals, may_be_nobody } =
            acting(sample, roles, &of_rows, &numbers, &families);
        state.actor = actor;
        let owner = state.actor.and_then(|actor| variable(sample, &words, actor));
        if state.actor.is_some() && owner.is_none() {
            state.actor = None;
        }
        let (kept, named_only): (Vec<usize>, Vec<usize>) =
            words.iter().copied().partition(|&column| {
                Some(column) != state.actor && is_of_state(sample, roles, state.actor, column)
            });
        let (modes, places): (Vec<usize>, Vec<usize>) =
            kept.into_iter().partition(|&column| is_mode(sample, &named_only, column));
        let objects: Vec<usize> =
            words.iter().copied().filter(|column| !modes.contains(column)).collect();
        let mut taken = Taken::default();
        state.find_types(sample, &objects, &mut Taken::default());
        let evidence = SideEvidence::new(sample, roles, &objects);
        let track = |column: usize| Tracked { column, owner: state.actor };
        let singles = numbers.iter().chain(&flags).chain(&modes).chain(&places).copied();
        let (doubtful, open): (Vec<usize>, Vec<usize>) = singles
            .filter(|&column| side_of(sample, column).is_none())
            .partition(|&column| may_be_sided(sample, column));
        let tracked: Vec<Vec<Tracked>> = open
            .iter()
            .map(|&column| vec![track(column)])
            .chain(families.iter().filter(|family| family.side.is_none()).map(|family| {
                family.columns.iter().map(|&column| Tracked { column, owner: None }).collect()
            }))
            .collect();
        let nobody = may_be_nobody.then_some(None);
        let other_owners: Vec<Option<usize>> =
            rivals.iter().copied().map(Some).chain(nobody).collect();
        let mut sides = evidence.sides(&tracked, &other_owners);
        state.why_side = std::mem::take(&mut sides.why);
        let fixed_by = |column: usize| {
            let fixing = unsided
                .iter()
                .copied()
                .filter(|&of| objects.contains(&of) && is_fixed_by(sample, of, column));
            fixing.into_iter().find_map(|of| Some((of, variable(sample, &objects, of)?)))
        };
        let oddly = |column: usize, side: StateSide| {
            let is_fixed = || fixed_by(column).is_some();
            let how = changes_oddly(&evidence, sample, track(column), side)?;
            (numbers.contains(&column) && !is_fixed()).then_some(how)
        };
        // Where it is a question whether a column is part of the state, its side is part of it.
        let mut of_question: Vec<usize> = Vec::new();
        for (&column, side) in open.iter().zip(&sides.by_group) {
            if *side != sides.side && oddly(column, sides.side).is_some() {
                of_question.push(column);
            }
        }
        // The groups that are no family are single columns, in the same order.
        let (of_open, of_families) = sides.by_group.split_at(open.len());
        let asked: Vec<Vec<Tracked>> = tracked
            .iter()
            .zip(&sides.by_group)
            .filter(|(group, side)| {
                **side == StateSide::Either && !of_question.contains(&group[0].column)
            })
            .map(|(group, _)| group.clone())
            .chain(doubtful.iter().map(|&column| vec![track(column)]))
            .collect();
        if !asked.is_empty() {
            // Named columns and columns that never change decide nothing of others.
            let is_shown = sides.by_group.iter().any(|side| *side != StateSide::Either);
            let decided = if is_shown { sides.side } else { StateSide::Either };
            state.questions.push(MapQuestion {
                name: "side".to_owned(),
                text: evidence.question(&asked, decided),
            });
        }
        let side_of_column = |column: usize| {
            open.iter()
                .position(|&other| other == column)
                .map_or(sides.side, |place| of_open[place])
        };
        let mut sides_of_families = of_families.iter().copied();
        let mut functions: IndexMap<String, String> = IndexMap::new();
        let mut symbol = |base: &str, prefix: &str| {
            functions
                .entry(base.to_ascii_lowercase())
                .or_insert_with(|| taken.fresh(base, prefix))
                .clone()
        };
        for family in &families {
            let of = state.type_of_objects(sample, &family.objects);
            let function = symbol(&family.base, "f");
            let facts = match &family.words[..] {
                [] => vec![format!("({function} ?{of})")],
                words => flag_facts(sample, &function, &format!(" ?{of}"), words),
            };
            let key = family.pattern.replace("{}", &format!("{{{of}}}"));
            let why =
                format!("the objects {} are in the names of columns", listed(&family.objects));
            let side = family.side.or_else(|| sides_of_families.next());
            state.columns.push(StateColumn {
                key,
                facts,
                why,
                side: side.unwrap_or(StateSide::Either),
            });
        }
        let owned = owner.as_ref().map_or_else(String::new, |owner| format!(" ?{owner}"));
        let of_owner = owner
            .as_ref()
            .map_or_else(|| "to row".to_owned(), |owner| format!("to row of one {owner}"));
        for one in places.iter().map(|&column| Single::of(sample, column, &doubtful)) {
            let predicate = symbol(&format!("{}-of", named(&one.base, "p")), "p");
            // A type is that of all variables before it that have none, so the owner is given its
            // own.
            let terms = match state.type_of(one.column) {
                Some(of) if !is_name(name(one.column)) || name(one.column) == "cell" => {
                    let own = state
                        .actor
                        .and_then(|actor| state.type_of(actor))
                        .filter(|_| owner.is_some());
                    format!(
                        "{owned}{} ?cell - {of}",
                        own.map_or_else(String::new, |own| format!(" - {own}"))
                    )
                }
                _ => format!("{owned} ?{}", name(one.column)),
            };
            state.places.insert(one.column, predicate.clone());
            state.columns.push(StateColumn {
                key: name(one.column).to_owned(),
                facts: vec![format!("({predicate}{terms})")],
                why: one.why(&format!("it stays from row {of_owner}")),
                side: one.side.unwrap_or_else(|| side_of_column(one.column)),
            });
        }
        for one in modes.iter().map(|&column| Single::of(sample, column, &doubtful)) {
            // Both sides of a state have the flags of all its words.
            let sides = modes
                .iter()
                .copied()
                .filter(|&other| Single::of(sample, other, &doubtful).base == one.base);
            let words: BTreeSet<&str> = sides.flat_map(|column| word_set(sample, column)).collect();
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            let facts = flag_facts(sample, &symbol(&one.base, "p"), &owned, &words);
            let tracked = track(one.column);
            let is_clear = one.side.is_some()
                || words.len() == 1
                || !is_filled(sample, one.column)
                || evidence.ever_changes(tracked) && evidence.may_be_ruled(tracked);
            if let (Some(owner), false, false) = (&owner, is_clear, rivals.contains(&one.column)) {
                let text = format!(
                    "Is `{}` part of the state of ?{owner}, or does it name objects that the \
                     actions are about? This map reads its words as flags of ?{owner}. If they \
                     name objects, list `{}` under [objects], delete its line with the flags, and \
                     list it among the parameters of the actions.",
                    name(one.column),
                    name(one.column)
                );
                let name = name(one.column).to_owned();
                state.questions.push(MapQuestion { name, text });
            }
            let why = one.why("its few words name no objects of another column");
            state.columns.push(StateColumn {
                key: name(one.column).to_owned(),
                facts,
                why,
                side: one.side.unwrap_or_else(|| side_of_column(one.column)),
            });
        }
        let mut is_owned =
            !places.is_empty() || modes.iter().any(|column| !rivals.contains(column));
        for one in numbers.iter().chain(&flags).map(|&column| Single::of(sample, column, &doubtful))
        {
            let (column, is_flag) = (one.column, flags.contains(&one.column));
            let function = symbol(&one.base, "f");
            let side = one.side.unwrap_or_else(|| side_of_column(column));
            let fixed = fixed_by(column);
            let chosen = fixed.as_ref().filter(|_| !is_flag).map(|(of, _)| *of).or(state.actor);
            let others = OwnerEvidence { evidence: &evidence, sample, words: &words }
                .rivals(Tracked { column, owner: chosen });
            // The question about who acts names the rivals of the actor for all columns.
            let is_asked = chosen == state.actor && others.iter().all(|of| rivals.contains(of));
            let of_owner = chosen
                .filter(|_| !others.is_empty() && !is_asked)
                .map(|chosen| owner_question(sample, column, chosen, &others));
            if let Some((of, variable)) = fixed.filter(|_| !is_flag) {
                state.questions.extend(of_owner);
                let why = one.why(&format!("each {} has one", name(of)));
                state.columns.push(StateColumn {
                    key: name(column).to_owned(),
                    facts: vec![format!("({function} ?{variable})")],
                    why,
                    side,
                });
                continue;
            }
            let tracked = track(column);
            let stays = persistence(&evidence, sample, tracked);
            let is_open = of_question.contains(&column);
            let how = oddly(column, if is_open { sides.side } else { side });
            if let Some(what) = how.filter(|_| one.side.is_none()) {
                let input = input_name(sample);
                let of_side = if is_open { ": move it to [before] or to [after] then" } else { "" };
                let text = format!(
                    "Is `{}` part of the state? It changes {what}, so it may describe the attempt \
                     (how long it took, what it was asked to do). This map reads it as part of \
                     the state{of_side}. If no action depends on it or changes it, move it to `ignore`. If \
                     whoever acts chooses it before the step, write inputs = {{ {input} = \
                     \"{}\" }} instead, and list \"{input}\" among the parameters.",
                    name(column),
                    name(column)
                );
                let text = match of_owner {
                    Some(of_owner) => {
                        format!("{text} {}", of_owner.text)
                    }
                    None => text,
                };
                state.questions.push(MapQuestion { name: name(column).to_owned(), text });
            } else {
                state.questions.extend(of_owner);
            }
            is_owned = true;
            let end = if is_flag { " if true" } else { "" };
            let share = owner.as_ref().map_or_else(
                || "of its rows".to_owned(),
                |owner| format!("of its rows since the previous row of the same {owner}"),
            );
            state.columns.push(StateColumn {
                key: name(column).to_owned(),
                facts: vec![format!("({function}{owned}){end}")],
                why: one.why(&format!("unchanged in {:.0} % {share}", 100.0 * stays)),
                side,
            });
        }
        if let (Some(owner), true, true, true) =
            (&owner, rivals.is_empty(), may_be_nobody, is_owned)
        {
            let column = state.actor.map(name).unwrap_or_default();
            let text = format!(
                "Which object are the facts of ?{owner} below about? The rows also fit if they \
                 are about one thing that has no column, such as the only robot. If so, take \
                 ?{owner} out of \
                 these facts; and if `{column}` says where that thing is, add the fact that it is \
                 there: `{column} = \"(at ?{owner})\"`."
            );
            state.questions.push(MapQuestion { name: "owner".to_owned(), text });
        }
        if let (Some(owner), false, true) = (&owner, rivals.is_empty(), is_owned) {
            let rivals: Vec<String> =
                rivals.iter().map(|&column| format!("`{}`", name(column))).collect();
            let text = format!(
                "Which column names the object that these facts are about? This map takes \
                 ?{owner}; the rows fit {} as well. If it is another column, list that column \
                 under [objects], write its variable in place of ?{owner}, and make it a \
                 parameter of the actions.",
                rivals.join(" and ")
            );
            state.questions.push(MapQuestion { name: "owner".to_owned(), text });
        }
        state
    }

    fn ignore(&mut self, column: usize, why: &str) {
        self.ignored.push((column, why.to_owned()));
    }

    /// Ignores a column that may be state, and asks.
    fn leave_out(&mut self, sample: &LogSample, column: usize, why: &str) {
        let name = sample.columns.name(column);
        self.questions.push(MapQuestion {
            name: name.to_owned(),
            text: format!("May `{name}` be left out? Reason: {why}."),
        });
        self.ignored.push((column, why.to_owned()));
    }

    /// Columns that name many of the same objects are of one type.
    fn find_types(&mut self, sample: &LogSample, objects: &[usize], taken: &mut Taken) {
        let words: Vec<BTreeSet<&str>> =
            objects.iter().map(|&column| word_set(sample, column)).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for place in 0..objects.len() {
            let base = |place: usize| side_of(sample, objects[place]).map(|(_, base)| base);
            match groups.iter_mut().find(|group| {
                group.iter().any(|other| {
                    let common = words[place].intersection(&words[*other]).count();
                    common * 2 >= words[place].len().min(words[*other].len()).max(1)
                        || base(place).is_some() && base(place) == base(*other)
                })
            }) {
                Some(group) => group.push(place),
                None => groups.push(vec![place]),
            }
        }
        let mut named_by: Vec<BTreeSet<String>> = Vec::new();
        for group in groups {
            let columns: Vec<usize> = group.iter().map(|&place| objects[place]).collect();
            let name = side_of(sample, columns[0])
                .map_or_else(|| sample.columns.name(columns[0]).to_owned(), |(_, base)| base);
            let of = taken.fresh(name.trim_end_matches("_id"), "type");
            named_by.push(
                group
                    .iter()
                    .flat_map(|&place| &words[place])
                    .map(|word| named(word, &of).to_ascii_lowercase())
                    .collect(),
            );
            self.types.insert(of, columns);
        }
        for (place, of) in self.types.keys().enumerate() {
            if named_by
                .iter()
                .enumerate()
                .any(|(other, words)| other != place && !words.is_disjoint(&named_by[place]))
            {
                self.qualified.push(of.clone());
            }
        }
    }

    /// The type of the objects that a column names.
    fn type_of(&self, column: usize) -> Option<&str> {
        self.types.iter().find(|(_, columns)| columns.contains(&column)).map(|(of, _)| of.as_str())
    }

    fn type_of_objects(&self, sample: &LogSample, objects: &[String]) -> String {
        let known = self.types.iter().find(|(_, columns)| {
            let words: BTreeSet<String> = columns
                .iter()
                .flat_map(|&column| sample.words(column))
                .map(|(word, _)| word.to_ascii_lowercase())
                .collect();
            objects.iter().any(|object| words.contains(&object.to_ascii_lowercase()))
        });
        known.map_or_else(|| "thing".to_owned(), |(of, _)| of.clone())
    }
}

impl Single {
    fn of(sample: &LogSample, column: usize, doubtful: &[usize]) -> Single {
        match side_of(sample, column) {
            Some((side, base)) => Single { column, base, side: Some(side) },
            None => {
                let base = sample.columns.name(column).to_owned();
                let side = doubtful.contains(&column).then_some(StateSide::Either);
                Single { column, base, side }
            }
        }
    }

    fn why(&self, otherwise: &str) -> String {
        match self.side {
            Some(StateSide::Before | StateSide::After) => {
                format!("the side by its name; {otherwise}")
            }
            _ => otherwise.to_owned(),
        }
    }
}

/// A reason to leave a column out that may be a state, and how to read it then.
fn or_state(reason: &str) -> String {
    format!(
        "{reason}. If actions depend on it or change it, take it out of `ignore` and list it under \
         [before] or [after]"
    )
}

/// Whether a number is that of a row: it rises in each row whatever the object, or is called
/// nothing else and is another one in each row.
fn is_surely_of_row(sample: &LogSample, roles: &Roles, column: usize) -> bool {
    let name = sample.columns.name(column);
    let is_clear = name == "column 1"
        || tokens(name).iter().all(|token| {
            ROW_NUMBERS.contains(&&**token) || ["event", "log", "record"].contains(&&**token)
        });
    is_clear && (roles.rises(sample, column) || sample.words(column).len() == sample.rows)
        || roles.rises_by_itself(sample, column)
}

/// Whether numbers never fall from row to row of one episode.
fn never_falls(sample: &LogSample, roles: &Roles, column: usize) -> bool {
    let pairs = sample.pairs(roles.episode.as_ref().map(|guessed| guessed.column), None);
    pairs.into_iter().all(|(earlier, row)| {
        let [one, other] = [earlier, row]
            .map(|row| sample.cell(column, row).and_then(|cell| cell.parse::<f64>().ok()));
        one.zip(other).is_none_or(|(one, other)| one <= other)
    })
}

fn word_set(sample: &LogSample, column: usize) -> BTreeSet<&str> {
    sample.words(column).into_iter().map(|(word, _)| word).collect()
}

/// A flag for each word; of two words in a log that was read whole, one says it all.
fn flag_facts(sample: &LogSample, name: &str, owned: &str, words: &[String]) -> Vec<String> {
    let enough = if words.len() == 2 && !sample.cut { 1 } else { words.len() };
    let mut words = words.to_vec();
    words.sort_unstable();
    let mut taken = Taken::default();
    words[..enough]
        .iter()
        .map(|word| {
            format!(
                "({}{owned}) if {word}",
                taken.fresh(&format!("{name}-{}", named(word, "is")), "p")
            )
        })
        .collect()
}

/// Whether the action of a row says whether a cell is filled: as of a parameter.
fn is_by_action(sample: &LogSample, roles: &Roles, column: usize) -> bool {
    let Some(action) = &roles.action else { return true };
    let mut counts: IndexMap<Option<&str>, (usize, usize)> = IndexMap::new();
    for row in 0..sample.rows {
        let count = counts.entry(sample.cell(action.column, row)).or_default();
        *count = (count.0 + usize::from(sample.cell(column, row).is_some()), count.1 + 1);
    }
    counts.values().all(|&(filled, all)| filled * 10 >= all * 9 || filled * 10 <= all)
}

/// Whether another column names some of the same objects.
fn shares_words(sample: &LogSample, others: &[usize], column: usize) -> bool {
    let own = word_set(sample, column);
    others.iter().any(|&other| !own.is_disjoint(&word_set(sample, other)))
}

fn is_persistent(sample: &LogSample, roles: &Roles, owner: Option<usize>, column: usize) -> bool {
    persistence(&SideEvidence::new(sample, roles, &[]), sample, Tracked { column, owner }) > 0.5
}

/// How often a cell is what it was in the row before of the same object.
fn persistence(evidence: &SideEvidence<'_>, sample: &LogSample, tracked: Tracked) -> f64 {
    let (mut all, mut same) = (0usize, 0usize);
    for (earlier, row) in evidence.pairs(tracked.owner) {
        if let (Some(one), Some(other)) =
            (sample.cell(tracked.column, earlier), sample.cell(tracked.column, row))
        {
            all += 1;
            same += usize::from(one == other);
        }
    }
    if all == 0 { 0.0 } else { same as f64 / all as f64 }
}

/// Whether every object has one number: what never changes, like where a station is.
fn is_fixed_by(sample: &LogSample, of: usize, column: usize) -> bool {
    let mut numbers: IndexMap<&str, &str> = IndexMap::new();
    let pairs =
        (0..sample.rows).filter_map(|row| Some((sample.cell(of, row)?, sample.cell(column, row)?)));
    let one_each = pairs
        .into_iter()
        .all(|(object, number)| *numbers.entry(object).or_insert(number) == number);
    one_each && numbers.len() > 1 && numbers.len() * 4 < sample.rows
}

/// The question whose number or flag a column is.
fn owner_question(
    sample: &LogSample,
    column: usize,
    chosen: usize,
    others: &[usize],
) -> MapQuestion {
    let name = |column: usize| sample.columns.name(column);
    let rivals: Vec<String> = others.iter().map(|&of| format!("`{}`", name(of))).collect();
    let text = format!(
        "Whose is `{}`? This map takes it for the object that `{}` names, but the rows also fit \
         the object that {} names. If it is another object, list its column under [objects] and \
         write its variable into the fact of `{}`.",
        name(column),
        name(chosen),
        rivals.join(" or "),
        name(column)
    );
    MapQuestion { name: name(column).to_owned(), text }
}

/// What rows say about whose number a column is.
struct OwnerEvidence<'e> {
    evidence: &'e SideEvidence<'e>,
    sample: &'e LogSample,
    /// All columns of words.
    words: &'e [usize],
}

impl OwnerEvidence<'_> {
    /// The columns that name the owner of a column about as well as the one that was chosen.
    fn rivals(&self, tracked: Tracked) -> Vec<usize> {
        let Tracked { column, owner: Some(chosen) } = tracked else { return Vec::new() };
        let sample = self.sample;
        let filled: Vec<usize> =
            (0..sample.rows).filter(|&row| sample.cell(column, row).is_some()).collect();
        let has_one_number = sample.words(column).len() == 1;
        let is_shown_with = |of: usize| {
            filled.iter().filter(|&&row| sample.cell(of, row).is_some()).count() * 10
                >= filled.len() * 9
        };
        // Rows that do not name the owner do not show its number.
        let is_shown_only_with = |of: usize| {
            !is_filled(sample, of) && filled.iter().all(|&row| sample.cell(of, row).is_some())
        };
        let chosen_fixes = is_fixed_by(sample, chosen, column);
        let is_seldom = self.pairs(tracked) < FEW_PAIRS;
        let mut rivals: Vec<usize> = self.words.to_vec();
        rivals.retain(|&of| {
            of != chosen
                && of != column
                && sample.words(of).len() > 1
                && is_shown_with(of)
                && filled.iter().any(|&row| {
                    let cells = sample.cell(of, row).zip(sample.cell(chosen, row));
                    cells.is_some_and(|(one, other)| one != other)
                })
                && match chosen_fixes {
                    true => has_one_number || is_fixed_by(sample, of, column),
                    false => {
                        is_seldom
                            || is_shown_only_with(of) && !is_shown_only_with(chosen)
                            || self.fits_as_well(Tracked { column, owner: Some(of) }, tracked)
                    }
                }
        });
        rivals
    }

    /// Whether rows do not exclude an owner: by it, the column is about as constant as by the one
    /// that was chosen, and changes in few more ways; or in far fewer.
    fn fits_as_well(&self, rival: Tracked, chosen: Tracked) -> bool {
        let [ways, ways_of_chosen] = [rival, chosen].map(|one| self.evidence.ways(one));
        let is_constant = self.constancy(rival) + CLEARLY >= self.constancy(chosen);
        is_constant && (ways_of_chosen == 0 || ways < 2 * ways_of_chosen)
            || ways > 0 && 2 * ways <= ways_of_chosen
    }

    /// The column that shows the other side of a column.
    fn other_side(&self, column: usize) -> Option<(usize, usize)> {
        let (side, base) = side_of(self.sample, column)?;
        let other = (0..self.sample.columns.len()).find(|&other| {
            side_of(self.sample, other)
                .is_some_and(|(other, of)| other != side && of.eq_ignore_ascii_case(&base))
        })?;
        match side {
            StateSide::After => Some((other, column)),
            _ => Some((column, other)),
        }
    }

    /// How many pairs of rows of the owner have both cells.
    fn pairs(&self, Tracked { column, owner }: Tracked) -> usize {
        let has = |row: usize| self.sample.cell(column, row).is_some();
        self.evidence
            .pairs(owner)
            .into_iter()
            .filter(|&(one, other)| has(one) && has(other))
            .count()
    }

    /// How constant a column is by its owner, from 0 to 1: from the state after a row to the state
    /// before the next one, where the log shows both.
    fn constancy(&self, tracked: Tracked) -> f64 {
        let Some((before, after)) = self.other_side(tracked.column) else {
            return constancy(self.evidence, self.sample, tracked.column, tracked.owner);
        };
        let known = self.evidence.pairs(tracked.owner).into_iter().filter_map(|(earlier, row)| {
            Some(self.sample.cell(after, earlier)? == self.sample.cell(before, row)?)
        });
        let (all, same) =
            known.fold((0usize, 0usize), |(all, same), is| (all + 1, same + usize::from(is)));
        if all == 0 { 0.0 } else { same as f64 / all as f64 }
    }
}

/// How many pairs of rows of an owner say nothing of its numbers.
const FEW_PAIRS: usize = 6;

/// The columns of words that may name whoever acts.
struct ActorColumns<'c> {
    /// Those with a word in every row, and several words.
    whole: &'c [usize],
    /// Those with the same word in every row.
    constant: &'c [usize],
    /// All columns of words.
    words: &'c [usize],
}

/// Who acts, as far as the rows tell.
#[derive(Default)]
struct Acting {
    /// The column that names whoever acts.
    actor: Option<usize>,
    /// Other columns that may.
    rivals: Vec<usize>,
    /// Whether it may be one thing that no column names.
    may_be_nobody: bool,
}

/// Whoever acts: an object of every row, by which numbers and words stay what they were, at least
/// where nothing worked.
fn acting(
    sample: &LogSample,
    roles: &Roles,
    columns: &ActorColumns<'_>,
    numbers: &[usize],
    families: &[ColumnFamily],
) -> Acting {
    let ActorColumns { whole, constant, words } = columns;
    let moving: Vec<usize> = numbers
        .iter()
        .copied()
        .filter(|&column| !whole.iter().any(|&of| is_fixed_by(sample, of, column)))
        .collect();
    if moving.is_empty() && !families.is_empty() {
        return Acting { actor: whole.first().copied(), ..Acting::default() };
    }
    let evidence = SideEvidence::new(sample, roles, words);
    let all: Vec<(usize, f64)> =
        whole.iter().map(|&of| (of, constancies(&evidence, sample, &moving, Some(of)))).collect();
    let best = all
        .iter()
        .copied()
        .max_by(|&(one, stays), &(other, others)| stays.total_cmp(&others).then(other.cmp(&one)));
    let Some((best, most)) = best else { return Acting::default() };
    // The rows of one robot are all rows.
    let is_clear =
        most > constancies(&evidence, sample, &moving, None) + CLEARLY * moving.len() as f64;
    let constant = constant.iter().copied().filter(|_| !is_clear);
    let equal = all
        .iter()
        .filter(|&&(of, stays)| !moving.is_empty() && of != best && stays.total_cmp(&most).is_eq())
        .map(|(of, _)| *of);
    Acting {
        actor: Some(best),
        rivals: constant.chain(equal).collect(),
        may_be_nobody: !is_clear
            && moving.iter().any(|&column| {
                let tracked = |owner| Tracked { column, owner };
                // What never changes has the same values, whosever they are.
                evidence.ever_changes(tracked(None))
                    && 2 * evidence.ways(tracked(Some(best))) > evidence.ways(tracked(None))
            }),
    }
}

/// How constant some columns are, together, if they belong to the object of another column.
fn constancies(
    evidence: &SideEvidence<'_>,
    sample: &LogSample,
    columns: &[usize],
    owner: Option<usize>,
) -> f64 {
    columns.iter().map(|&column| constancy(evidence, sample, column, owner)).sum()
}

/// How constant the column is if it belongs to the object of another column: from 0 to 1.
fn constancy(
    evidence: &SideEvidence<'_>,
    sample: &LogSample,
    column: usize,
    owner: Option<usize>,
) -> f64 {
    let tracked = Tracked { column, owner };
    match evidence.changes_of_failures(tracked) {
        Some([before, after]) if before.1 > 0 && after.1 > 0 => {
            let [before, after] = [before, after].map(|(moved, all)| moved as f64 / all as f64);
            1.0 - before.min(after)
        }
        _ if evidence.explains(tracked, StateSide::Either) => 1.0,
        _ => persistence(evidence, sample, tracked),
    }
}

/// How a column changes that may describe the attempt, and no state.
fn changes_oddly(
    evidence: &SideEvidence<'_>,
    sample: &LogSample,
    tracked: Tracked,
    side: StateSide,
) -> Option<&'static str> {
    let in_vain = evidence.changes_of_failures(tracked).is_some_and(|[before, after]| match side {
        StateSide::Before => is_often(before),
        StateSide::After => is_often(after),
        StateSide::Either => is_often(before) && is_often(after),
    });
    let is_odd = in_vain || persistence(evidence, sample, tracked) < 0.2;
    let what = if in_vain { "also where nothing worked" } else { "in nearly every row" };
    (is_odd && !evidence.explains(tracked, side)).then_some(what)
}

fn is_often((moved, all): (usize, usize)) -> bool {
    moved * 5 > all
}

fn is_filled(sample: &LogSample, column: usize) -> bool {
    sample.filled(column).count() == sample.rows
}

/// Whether a column of words is about the state. What only some rows of an action have is no
/// parameter of it but what the world is like; an empty cell is unknown.
fn is_of_state(sample: &LogSample, roles: &Roles, actor: Option<usize>, column: usize) -> bool {
    let filled = is_filled(sample, column);
    !filled && !is_by_action(sample, roles, column)
        || side_of(sample, column).is_some()
        || filled
            && (is_persistent(sample, roles, actor, column)
                || SideEvidence::new(sample, roles, &[]).keeps(Tracked { column, owner: actor }))
}

/// Whether the words of a column are flags. A word of the state is an object only where it can be
/// a parameter: where another column names such objects, or where there are many.
fn is_mode(sample: &LogSample, named_only: &[usize], column: usize) -> bool {
    let words = sample.words(column);
    words.len() <= FEW_WORDS
        && !shares_words(sample, named_only, column)
        && words.iter().all(|(word, _)| !word.contains('|') && word.trim() == *word)
}

/// How much more often a number stays what it was, by row of its owner than by row.
const CLEARLY: f64 = 0.1;
