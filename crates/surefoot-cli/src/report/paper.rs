//! The paper's Tables 3 to 9, as printed: *Learning Safe Numeric Planning Action Models*, "Experimental Results".

use std::collections::BTreeMap;

use surefoot::evaluate::Metric;

use surefoot::assumptions::Spec;

use crate::experiment::config::{DomainConfig, Setting};

/// The numbers of N-SAM and N-SAM*, one a line; rows that the paper leaves out are not here.
const PRINTED: &str = include_str!("paper.csv");

/// Where a number stands: domain, traces, algorithm and metric.
type Place = (&'static str, usize, &'static str, Metric);

/// The paper's numbers, by domain, traces, algorithm and metric.
pub struct Paper {
    numbers: BTreeMap<Place, Printed>,
}

/// A number of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Printed {
    /// The number of the table.
    pub table: &'static str,
    pub value: &'static str,
}

impl Paper {
    pub fn read() -> Self {
        Paper { numbers: PRINTED.lines().skip(1).filter_map(printed).collect() }
    }

    pub fn number(&self, domain: &str, traces: usize, algorithm: &str, metric: Metric) -> Option<Printed> {
        self.numbers.get(&(domain, traces, algorithm, metric)).copied()
    }
}

/// The number in a line of the table.
fn printed(line: &'static str) -> Option<(Place, Printed)> {
    let mut fields = line.split(',');
    let (table, domain, traces) = (fields.next()?, fields.next()?, fields.next()?.parse().ok()?);
    let (algorithm, metric, value) = (fields.next()?, fields.next()?.parse().ok()?, fields.next()?);
    Some(((domain, traces, algorithm, metric), Printed { table, value }))
}

/// Whether the paper has a domain of this name.
fn has_domain(name: &str) -> bool {
    PRINTED.lines().any(|line| line.split(',').nth(1) == Some(name))
}

/// Under which name the paper has a domain, if its setting is the paper's: no dial, and traces of plans. A folder goes by its name, or
/// by that of the domain.
pub fn counterpart(domain: &DomainConfig, setting: &Setting) -> Option<String> {
    let plain = setting.spec() == Spec::default() && !setting.monotone && setting.relevant.unwrap_or(true);
    if !plain || domain.wander > 0 {
        return None;
    }
    let folder = domain.folder.as_ref().and_then(|folder| folder.file_name()).map(|name| name.to_string_lossy().into_owned());
    let folder = folder.filter(|name| has_domain(name));
    domain.generate.clone().or(folder).or_else(|| has_domain(&domain.name).then(|| domain.name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_paper() {
        let paper = Paper::read();
        assert_eq!(paper.numbers.len(), PRINTED.lines().count() - 1, "no line is lost");
        let number = |domain, traces, algorithm, metric| {
            paper.number(domain, traces, algorithm, metric).map(|found| (found.table, found.value))
        };
        assert_eq!(number("driverlog", 20, "nsam", Metric::PreconditionPrecision), Some(("3", "0.54")));
        assert_eq!(number("rovers", 80, "nsam-star", Metric::EffectRecall), Some(("4", "0.76")));
        assert_eq!(number("zenotravel", 5, "nsam", Metric::SemanticRecall), Some(("8", "0.25")));
        assert_eq!(number("driverlog_poly", 3, "nsam-star", Metric::SemanticRecall), Some(("9", "0.60")));
        assert_eq!(number("farmland", 9, "nsam", Metric::PreconditionPrecision), None);
    }
}
