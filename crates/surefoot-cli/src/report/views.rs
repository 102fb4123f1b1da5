//! Which tables and curves a report shows of its results.

use super::paper::{Paper, counterpart, title};
use super::plot::Series;
use super::results::Results;
use super::table::{Cell, Table};
use surefoot::learn::LearnerKind;

use crate::experiment::config::{DomainConfig, Setting};

/// A metric as a curve: its name in the table, a heading, a name in files.
pub const CURVES: [(&str, &str); 3] =
    [("semantic_recall", "Recall"), ("semantic_precision", "Precision"), ("coverage", "Coverage")];

/// The metrics of the paper's Tables 3 to 5, then of 6 to 9.
const SYNTACTIC: [(&str, &str); 4] = [
    ("precondition_precision", "P pre"),
    ("precondition_recall", "R pre"),
    ("effect_precision", "P eff"),
    ("effect_recall", "R eff"),
];
const SEMANTIC: [(&str, &str); 3] = [("semantic_precision", "precision"), ("semantic_recall", "recall"), ("mse", "MSE")];

/// An algorithm as people know it.
pub fn algorithm(word: &str) -> &str {
    LearnerKind::find(word).map_or(word, |kind| kind.title)
}

/// A domain's heading: the paper's name, where the configured one is a built-in's.
pub fn heading(domain: &DomainConfig) -> String {
    if crate::generate::find(&domain.name).is_some() { title(&domain.name) } else { domain.name.clone() }
}

/// What a setting tells the learner beyond the paper, in words.
pub fn setting_words(setting: &Setting) -> String {
    let mut words = setting.spec().in_short();
    if setting.monotone {
        words.push("more (or less, or any amount) of some functions never hurts".into());
    }
    if setting.relevant == Some(false) {
        words.push("no map of relevant functions".into());
    }
    if words.is_empty() { "nothing beyond the paper".into() } else { words.join("; ") }
}

/// All domains with the most traces each: one row a domain, setting and algorithm.
pub fn glance(results: &Results) -> Table {
    let many = results.config.settings.len() > 1;
    let mut head = vec!["domain".to_owned()];
    if many {
        head.push("setting".into());
    }
    let metrics = [("semantic_precision", "precision"), ("semantic_recall", "recall"), ("coverage", "coverage"), ("mse", "MSE")];
    let measured = |(metric, _): &(&str, &str)| results.summary.iter().any(|row| row.metric == *metric);
    let metrics: Vec<(&str, &str)> = metrics.into_iter().filter(measured).collect();
    head.extend(["algorithm", "traces"].into_iter().chain(metrics.iter().map(|(_, name)| *name)).map(String::from));
    let mut rows = Vec::new();
    for domain in &results.config.domains {
        for setting in &results.config.settings {
            for word in results.algorithms() {
                let last = |metric: &str| results.last(&domain.name, &setting.name, word, metric);
                let Some(figure) = last("semantic_precision") else { continue };
                let mut row = vec![Cell::Name(heading(domain))];
                if many {
                    let told = figure.assumption != "holds";
                    row.push(Cell::Text(if told {
                        format!("{} ({})", setting.name, figure.assumption)
                    } else {
                        setting.name.clone()
                    }));
                }
                row.push(Cell::Text(algorithm(word).into()));
                row.push(Cell::Text(figure.traces.to_string()));
                row.extend(metrics.iter().map(|(metric, _)| Cell::figure(last(metric), None)));
                rows.push(row);
            }
        }
    }
    Table { caption: "Every domain, learned from the most traces".into(), head, rows, meters: true }
}

/// What the dials buy in one domain: recall and precision by setting, and whether what each assumes is true.
pub fn dials(results: &Results, domain: &DomainConfig) -> Table {
    let algorithms = results.algorithms();
    let mut head: Vec<String> = ["setting", "told the learner", "true of the real domain?"].map(String::from).to_vec();
    for word in &algorithms {
        head.push(format!("{} recall", algorithm(word)));
        head.push(format!("{} precision", algorithm(word)));
    }
    let mut rows = Vec::new();
    for setting in &results.config.settings {
        let rows_of: Vec<_> =
            algorithms.iter().filter_map(|word| Some((*word, results.assumption(&domain.name, &setting.name, word)?))).collect();
        let Some((_, first)) = rows_of.first() else { continue };
        let same = rows_of.iter().all(|(_, row)| row.assumption == first.assumption);
        let each = |(word, row): &(&str, &super::results::Assumption)| format!("{}: {}", algorithm(word), row.assumption);
        let verdict = if same { first.assumption.clone() } else { rows_of.iter().map(each).collect::<Vec<_>>().join(", ") };
        let mut row = vec![
            Cell::Name(setting.name.clone()),
            Cell::Text(setting_words(setting)),
            Cell::Verdict(rows_of.iter().all(|(_, row)| row.holds()), verdict),
        ];
        for word in &algorithms {
            row.push(Cell::figure(results.last(&domain.name, &setting.name, word, "semantic_recall"), None));
            row.push(Cell::figure(results.last(&domain.name, &setting.name, word, "semantic_precision"), None));
        }
        rows.push(row);
    }
    Table { caption: format!("{}: what each assumption buys, with the most traces", heading(domain)), head, rows, meters: true }
}

/// The paper's tables for one domain and setting: syntactic, then semantic.
pub fn correctness(results: &Results, paper: &Paper, domain: &DomainConfig, setting: &Setting) -> Vec<Table> {
    let same = counterpart(domain, setting);
    let kinds: [(&str, &[(&str, &str)]); 2] =
        [("literals of preconditions (pre) and effects (eff)", &SYNTACTIC), ("meaning", &SEMANTIC)];
    let several = results.config.settings.len() > 1;
    let mut tables = Vec::new();
    for (kind, metrics) in kinds {
        let mut head = vec!["traces".to_owned()];
        for (_, short) in metrics {
            head.extend(results.algorithms().iter().map(|word| format!("{short} {}", algorithm(word))));
        }
        let mut rows = Vec::new();
        for traces in results.traces(&domain.name) {
            let mut row = vec![Cell::Name(traces.to_string())];
            for (metric, _) in metrics {
                for word in results.algorithms() {
                    let printed = same.as_ref().and_then(|name| paper.number(name, traces, word, metric));
                    row.push(Cell::figure(results.figure(&domain.name, &setting.name, word, traces, metric), printed));
                }
            }
            rows.push(row);
        }
        let with = if several { format!(", {}", setting.name) } else { String::new() };
        let table = Table { caption: format!("{}{with}: {kind}", heading(domain)), head, rows, meters: false };
        if !table.is_empty() {
            tables.push(table);
        }
    }
    tables
}

/// The settings whose figures can stand beside the paper's.
pub fn compared<'a>(results: &'a Results, paper: &Paper, domain: &DomainConfig) -> Option<&'a Setting> {
    results.config.settings.iter().find(|setting| {
        let name = counterpart(domain, setting);
        name.is_some_and(|name| paper.number(&name, 1, "nsam", "semantic_recall").is_some())
    })
}

/// The curves of one domain and metric, one line a setting and algorithm. A line keeps its style in all plots.
pub fn series(results: &Results, domain: &DomainConfig, metric: &str) -> Vec<Series> {
    let several = (results.config.settings.len() > 1, results.config.algorithms.len() > 1);
    let mut lines = Vec::new();
    for (place, setting) in results.config.settings.iter().enumerate() {
        for (index, word) in results.algorithms().into_iter().enumerate() {
            let rows = results.curve(&domain.name, &setting.name, word, metric);
            let name = match several {
                (true, true) => format!("{}, {}", algorithm(word), setting.name),
                (true, false) => setting.name.clone(),
                (false, _) => algorithm(word).to_owned(),
            };
            lines.push(Series {
                name,
                style: place * results.config.algorithms.len() + index,
                points: rows.iter().map(|row| (row.traces, row.value(), row.half_width())).collect(),
            });
        }
    }
    lines.retain(|line| !line.points.is_empty());
    lines
}
