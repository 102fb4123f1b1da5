//! What the paper prints: *Learning Safe Numeric Planning Action Models*, "Experimental Results".
//! Its Tables 3 to 9 by domain, traces, algorithm and metric, Table 2 (domains) and Table 10 (plans
//! that cannot be executed). Its figures are pictures without data.

use std::collections::BTreeMap;

use surefoot_analysis::evaluate::Metric;

use surefoot_base::assumptions::Spec;

use crate::experiment::config::{DomainConfig, Setting};

/// The numbers of N-SAM, N-SAM* and PlanMiner in Tables 3 to 9, one a line; rows that the paper
/// leaves out are not here.
const PRINTED: &str = include_str!("paper.csv");

/// Table 2, a line a domain.
const DOMAINS: &str = include_str!("paper_domains.csv");

/// Table 10: the share of test problems whose plan made with PlanMiner's model cannot be executed.
/// Both versions of Driverlog share a cell, and Minecraft has none.
const INAPPLICABLE: [(&str, &str); 9] = [
    ("counters", "31 %"),
    ("depots", "4 %"),
    ("driverlog", "0 %"),
    ("driverlog_poly", "0 %"),
    ("farmland", "75 %"),
    ("sailing", "100 %"),
    ("rovers", "36 %"),
    ("satellite", "1 %"),
    ("zenotravel", "1 %"),
];

/// What a column of a table is of: domain, algorithm and metric.
type PaperColumn = (&'static str, &'static str, Metric);

/// The numbers that the paper prints, by domain, algorithm and number of traces.
pub struct Paper {
    /// By domain, algorithm and metric: by traces.
    columns: BTreeMap<PaperColumn, BTreeMap<usize, Printed>>,
}

/// A number of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Printed {
    /// The number of the table.
    pub table: &'static str,
    pub value: &'static str,
    /// Whether the paper leaves the row out, as one without change, and this is the number of the
    /// row above.
    pub carried: bool,
}

impl Paper {
    pub fn read() -> Self {
        let mut columns: BTreeMap<PaperColumn, BTreeMap<usize, Printed>> = BTreeMap::new();
        for (column, traces, number) in PRINTED.lines().skip(1).filter_map(printed) {
            columns.entry(column).or_default().insert(traces, number);
        }
        Paper { columns }
    }

    /// The number of a row, or of the one above it where the paper leaves the row out: it prints
    /// rows until nothing changes any more, and of these only the rows that differ from the one
    /// before. A number of traces that the paper did not try has none.
    pub fn number(
        &self,
        domain: &str,
        traces: usize,
        algorithm: &str,
        metric: Metric,
    ) -> Option<Printed> {
        if !was_tried(traces) {
            return None;
        }
        let column = self.columns.get(&(domain, printed_as(algorithm), metric))?;
        let (&row, &number) = column.range(..=traces).next_back()?;
        Some(Printed { carried: row < traces, ..number })
    }

    /// The share of problems whose plan cannot be executed: Table 10.
    pub fn inapplicable(&self, domain: &str, algorithm: &str) -> Option<Printed> {
        let (_, value) = INAPPLICABLE
            .into_iter()
            .find(|(name, _)| *name == domain && algorithm == "planminer")?;
        Some(Printed { table: "10", value, carried: false })
    }

    /// The row of a domain in Table 2, column by column.
    pub fn size(&self, domain: &str) -> Option<Vec<&'static str>> {
        let row = DOMAINS.lines().find_map(|line| line.strip_prefix(domain)?.strip_prefix(';'))?;
        Some(row.split(';').collect())
    }
}

/// Whose numbers stand beside those of a learner: readings of N-SAM are compared with N-SAM.
fn printed_as(algorithm: &str) -> &str {
    if algorithm == "nsam-literal" { "nsam" } else { algorithm }
}

/// The numbers of traces of the paper's experiments: 1 to 10, and tens up to 80.
fn was_tried(traces: usize) -> bool {
    matches!(traces, 1..=10 | 20 | 30 | 40 | 50 | 60 | 70 | 80)
}

/// The number in a line of the table.
fn printed(line: &'static str) -> Option<(PaperColumn, usize, Printed)> {
    let mut fields = line.split(',');
    let (table, domain, traces) = (fields.next()?, fields.next()?, fields.next()?.parse().ok()?);
    let (algorithm, metric, value) = (fields.next()?, fields.next()?.parse().ok()?, fields.next()?);
    Some(((domain, algorithm, metric), traces, Printed { table, value, carried: false }))
}

/// Whether the paper has a domain of this name.
fn has_domain(name: &str) -> bool {
    PRINTED.lines().any(|line| line.split(',').nth(1) == Some(name))
}

/// Under which name the paper has a domain, whatever the setting. A folder goes by its name, or by
/// that of the domain.
pub fn name_of(domain: &DomainConfig) -> Option<String> {
    let folder = domain
        .folder
        .as_ref()
        .and_then(|folder| folder.file_name())
        .map(|name| name.to_string_lossy().into_owned());
    let folder = folder.filter(|name| has_domain(name));
    domain
        .generate
        .clone()
        .or(folder)
        .or_else(|| has_domain(&domain.name).then(|| domain.name.clone()))
}

/// Under which name the paper has a domain, if its setting is the paper's: no dial, and traces of
/// plans.
pub fn counterpart(domain: &DomainConfig, setting: &Setting) -> Option<String> {
    let plain =
        setting.spec() == Spec::default() && !setting.monotone && setting.relevant.unwrap_or(true);
    if !plain || domain.wander > 0 {
        return None;
    }
    name_of(domain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(
        domain: &str,
        traces: usize,
        algorithm: &str,
        metric: Metric,
    ) -> Option<(&'static str, &'static str, bool)> {
        let found = Paper::read().number(domain, traces, algorithm, metric)?;
        Some((found.table, found.value, found.carried))
    }

    #[test]
    fn the_numbers_are_those_of_the_paper() {
        let lines = Paper::read().columns.values().map(BTreeMap::len).sum::<usize>();
        assert_eq!(lines, PRINTED.lines().count() - 1, "no line is lost");
        for (domain, traces, algorithm, metric, table, value) in [
            ("driverlog", 20, "nsam", Metric::PreconditionPrecision, "3", "0.54"),
            ("rovers", 80, "nsam-star", Metric::EffectRecall, "4", "0.76"),
            ("zenotravel", 5, "nsam", Metric::SemanticRecall, "8", "0.25"),
            ("driverlog_poly", 3, "nsam-star", Metric::SemanticRecall, "9", "0.60"),
            ("driverlog", 80, "planminer", Metric::PreconditionPrecision, "3", "0.72"),
            ("minecraft", 10, "planminer", Metric::EffectRecall, "3", "N/A"),
            ("satellite", 50, "planminer", Metric::SquaredError, "8", "31.93"),
            ("farmland", 20, "planminer", Metric::SemanticPrecision, "7", "0.64"),
            ("zenotravel", 1, "planminer", Metric::SquaredError, "8", "14105475.87"),
        ] {
            assert_eq!(
                number(domain, traces, algorithm, metric),
                Some((table, value, false)),
                "{domain} {traces} {algorithm}"
            );
        }
    }

    #[test]
    fn rows_that_the_paper_leaves_out_have_the_number_above_and_say_so() {
        // Table 5 ends with 7 traces in Farmland, Table 4 leaves out 5 traces in Sailing.
        assert_eq!(
            number("farmland", 9, "nsam", Metric::PreconditionPrecision),
            Some(("5", "0.50", true))
        );
        assert_eq!(
            number("sailing", 5, "planminer", Metric::PreconditionPrecision),
            Some(("4", "0.85", true))
        );
        assert_eq!(
            number("sailing", 15, "planminer", Metric::PreconditionPrecision),
            None,
            "the paper did not try 15 traces"
        );
        assert_eq!(
            number("counters", 1, "nsam", Metric::PreconditionPrecision),
            None,
            "it has no atoms"
        );
        assert_eq!(number("driverlog", 9, "planminer-repaired", Metric::SemanticRecall), None);
        let literal = number("zenotravel", 4, "nsam-literal", Metric::SemanticRecall);
        assert_eq!(literal, number("zenotravel", 4, "nsam", Metric::SemanticRecall));
    }

    #[test]
    fn the_other_tables_have_their_domains() {
        let paper = Paper::read();
        assert_eq!(
            paper.inapplicable("farmland", "planminer").map(|found| found.value),
            Some("75 %")
        );
        assert_eq!(paper.inapplicable("minecraft", "planminer"), None);
        assert_eq!(paper.inapplicable("farmland", "nsam"), None);
        let sizes = paper.size("driverlog_poly").unwrap_or_default();
        assert_eq!(sizes.last(), Some(&"20 (3)"));
        assert!(
            INAPPLICABLE
                .iter()
                .all(|(domain, _)| paper.size(domain).is_some_and(|row| row.len() == 8))
        );
    }
}
