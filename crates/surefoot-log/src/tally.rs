//! What was found in a log, in numbers a person reads.

use std::collections::BTreeMap;

use serde::Serialize;

/// What was found in a log, or in a part of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct LogTally {
    /// Episodes: traces to learn from.
    pub episodes: usize,
    /// Rows of all kinds.
    pub rows: usize,
    /// By action: steps that worked.
    pub worked: BTreeMap<String, usize>,
    /// By action: attempts that failed.
    pub failed: BTreeMap<String, usize>,
    /// Rows that count neither way, since chance decided.
    pub chance: usize,
    /// Rows that only say how things are.
    pub reports: usize,
    /// By reason: attempts that cannot be used.
    pub unusable: BTreeMap<String, usize>,
    /// By column: cells that are empty where a value was expected.
    pub unknown_cells: BTreeMap<String, usize>,
    /// How often the world changed between two rows without a step that explains it.
    pub moved: usize,
    /// Columns that the map does not mention.
    pub unmentioned: Vec<String>,
    /// The columns whose type the map says, and that no fact and no parameter reads.
    pub unread: Vec<String>,
    /// Problems whose first state has facts that the log does not say: they get comments, since a
    /// problem cannot express it.
    pub unknown_starts: usize,
    /// By action: steps that worked although what is declared says that they could not, or would
    /// change nothing.
    pub contradicted: BTreeMap<String, Contradicted>,
    /// Facts under `[before]` that changed although no action in between names their objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unframed: Option<Contradicted>,
}

/// Steps that do not fit what is declared.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Contradicted {
    /// How many there are.
    pub count: usize,
    /// The first of them, in words.
    pub first: String,
}

impl LogTally {
    /// Adds another part of the same log.
    pub fn add(&mut self, other: &LogTally) {
        self.episodes += other.episodes;
        self.rows += other.rows;
        add_counts(&mut self.worked, &other.worked);
        add_counts(&mut self.failed, &other.failed);
        self.chance += other.chance;
        self.reports += other.reports;
        add_counts(&mut self.unusable, &other.unusable);
        add_counts(&mut self.unknown_cells, &other.unknown_cells);
        self.moved += other.moved;
        self.unknown_starts += other.unknown_starts;
        for (action, theirs) in &other.contradicted {
            match self.contradicted.get_mut(action) {
                Some(ours) => ours.count += theirs.count,
                None => drop(self.contradicted.insert(action.clone(), theirs.clone())),
            }
        }
        match (&mut self.unframed, &other.unframed) {
            (Some(ours), Some(theirs)) => ours.count += theirs.count,
            (ours, theirs) => *ours = ours.take().or_else(|| theirs.clone()),
        }
        for (all, more) in
            [(&mut self.unmentioned, &other.unmentioned), (&mut self.unread, &other.unread)]
        {
            let new: Vec<String> =
                more.iter().filter(|column| !all.contains(column)).cloned().collect();
            all.extend(new);
        }
    }

    /// What the owner of the log must know, since false things may be learned from it.
    pub fn warnings(&self) -> Vec<String> {
        let unframed = self.unframed.iter().map(|found| {
            let more = if found.count > 1 {
                format!(" ({} such rows)", found.count)
            } else {
                String::new()
            };
            format!("{}{more}: does an action change more than its parameters name?", found.first)
        });
        self.contradicted.values().map(Contradicted::warning).chain(unframed).collect()
    }

    pub(crate) fn count(map: &mut BTreeMap<String, usize>, name: &str) {
        match map.get_mut(name) {
            Some(count) => *count += 1,
            None => {
                map.insert(name.to_owned(), 1);
            }
        }
    }
}

fn several(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn listed(map: &BTreeMap<String, usize>) -> String {
    map.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

impl std::fmt::Display for LogTally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (rows, episodes) =
            (several(self.rows, "row", "rows"), several(self.episodes, "episode", "episodes"));
        writeln!(f, "{rows} in {episodes}")?;
        writeln!(
            f,
            "  worked        {:>9}  {}",
            &self.worked.values().sum::<usize>(),
            listed(&self.worked)
        )?;
        writeln!(
            f,
            "  failed        {:>9}  {}",
            &self.failed.values().sum::<usize>(),
            listed(&self.failed)
        )?;
        if self.chance > 0 {
            writeln!(
                f,
                "  by chance     {:>9}  count neither as worked nor as failed",
                self.chance
            )?;
        }
        if self.reports > 0 {
            writeln!(f, "  reports       {:>9}  only report a state", self.reports)?;
        }
        for (reason, count) in &self.unusable {
            writeln!(f, "  not usable    {count:>9}  {reason}")?;
        }
        for (column, count) in &self.unknown_cells {
            writeln!(
                f,
                "  unknown       {count:>9}  empty cells of {}",
                surefoot_base::pddl::visible(column)
            )?;
        }
        if self.moved > 0 {
            writeln!(
                f,
                "  unexplained   {:>9}  changes that no action explains (between rows, or in a \
                 failed row)",
                self.moved
            )?;
        }
        if self.unknown_starts > 0 {
            let (files, lack) = match self.unknown_starts {
                1 => ("problem file", "lacks"),
                _ => ("problem files", "lack"),
            };
            writeln!(
                f,
                "  unknown start {:>9}  {files} {lack} facts that the log does not report: their \
                 comments name them",
                self.unknown_starts
            )?;
        }
        for (action, found) in &self.contradicted {
            writeln!(
                f,
                "  contradicted  {:>9}  steps of {action} that contradict what is declared",
                found.count
            )?;
        }
        for (what, columns) in [
            ("not in the map           columns", &self.unmentioned),
            ("read by nothing          columns", &self.unread),
        ] {
            if !columns.is_empty() {
                let columns = columns.join(", ");
                writeln!(f, "  {what}: {}", surefoot_base::pddl::visible(&columns))?;
            }
        }
        Ok(())
    }
}

fn add_counts(ours: &mut BTreeMap<String, usize>, theirs: &BTreeMap<String, usize>) {
    for (name, count) in theirs {
        *ours.entry(name.clone()).or_default() += count;
    }
}

impl Contradicted {
    fn warning(&self) -> String {
        let more = match self.count {
            0 | 1 => String::new(),
            count => format!(" ({count} such steps)"),
        };
        format!("{}{more}: is the declaration right? Does the log begin in the middle?", self.first)
    }
}
