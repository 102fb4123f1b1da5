//! Which tables and curves a report shows of its results.

use surefoot_analysis::evaluate::Metric;

use super::numbers::shown;
use super::paper::{Paper, counterpart};
use super::plot::{CurvePoint, Series};
use super::results::{Assumption, Figure, Results, SummaryLine};
use super::table::{ReportTable, TableCell};
use surefoot_learn::LearnerKind;

use crate::experiment::config::{DomainConfig, Setting};
use crate::experiment::measure::{Measure, Standing};
use crate::generate;
use crate::learners;

/// The metrics that have curves.
pub const CURVES: [Metric; 3] =
    [Metric::SemanticRecall, Metric::SemanticPrecision, Metric::Coverage];

/// The metrics of the paper's Tables 3 to 5, then of 6 to 9.
const SYNTACTIC: [Metric; 4] = [
    Metric::PreconditionPrecision,
    Metric::PreconditionRecall,
    Metric::EffectPrecision,
    Metric::EffectRecall,
];
const SEMANTIC: [Metric; 3] =
    [Metric::SemanticPrecision, Metric::SemanticRecall, Metric::SquaredError];

/// The metrics of the table of all domains.
const GLANCE: [Metric; 4] =
    [Metric::SemanticPrecision, Metric::SemanticRecall, Metric::Coverage, Metric::SquaredError];

/// So many columns of numbers can be read side by side; with more, every metric has a table of its
/// own.
const READABLE: usize = 8;

/// A learner as people know it, and whether one may rely on what it says: a program of its own
/// promises nothing.
pub fn algorithm(word: &str) -> String {
    let title = learners::find(word).map_or(word, |kind| kind.title);
    if is_safe(word) { title.to_owned() } else { format!("{title} (NOT SAFE)") }
}

/// Whether what its models allow is sure to work, as far as its assumptions hold.
pub fn is_safe(word: &str) -> bool {
    learners::find(word).is_some_and(LearnerKind::is_safe)
}

/// What is true of what an algorithm assumes, in a word; one that promises nothing has nothing that
/// could be refuted.
pub fn verdict_word(algorithm: &str, standing: Standing) -> &'static str {
    // Without an algorithm, it is said of all safe ones.
    if algorithm.is_empty() || is_safe(algorithm) { standing.name() } else { "nothing promised" }
}

/// A domain's heading: its title, where the configured name is a built-in's.
pub fn heading(domain: &DomainConfig) -> String {
    generate::find(&domain.name)
        .map_or_else(|| domain.name.clone(), |built_in| built_in.title.into())
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
pub fn glance(results: &Results) -> ReportTable {
    let many = results.config.settings.len() > 1;
    let mut head = vec!["domain".to_owned()];
    if many {
        head.push("setting".into());
    }
    let metrics: Vec<Metric> =
        GLANCE.into_iter().filter(|&metric| results.summary.of(metric).next().is_some()).collect();
    head.extend(
        ["algorithm", "traces"]
            .into_iter()
            .chain(metrics.iter().map(|metric| metric.label()))
            .map(String::from),
    );
    let mut rows = Vec::new();
    for domain in &results.config.domains {
        for setting in &results.config.settings {
            for word in results.algorithms() {
                let line =
                    SummaryLine { domain: &domain.name, setting: &setting.name, algorithm: word };
                let Some(figure) = results.summary.last(line, Metric::SemanticPrecision) else {
                    continue;
                };
                let mut row = vec![TableCell::Name(heading(domain))];
                if many {
                    row.push(TableCell::Text(match figure.standing {
                        Standing::Holds => setting.name.clone(),
                        other => format!("{} ({})", setting.name, verdict_word(word, other)),
                    }));
                }
                row.push(TableCell::Text(algorithm(word)));
                row.push(TableCell::Text(figure.traces.to_string()));
                let traces = figure.traces;
                row.extend(
                    metrics
                        .iter()
                        .map(|&metric| of_as_many(traces, results.summary.last(line, metric))),
                );
                rows.push(row);
            }
        }
    }
    ReportTable {
        caption: "Every domain, learned from the most traces".into(),
        head,
        rows,
        meters: true,
    }
}

/// A figure in a row of so many traces. One of fewer, as where coverage is measured at some numbers
/// of traces only, says so.
fn of_as_many(traces: usize, figure: Option<&Figure>) -> TableCell {
    match figure {
        Some(figure) if figure.traces != traces => {
            TableCell::Text(format!("{} (with {})", shown(figure.mean), figure.traces))
        }
        figure => TableCell::figure(figure, None),
    }
}

/// What the dials buy in one domain: recall and precision by setting, and whether what each assumes
/// is true.
pub fn dials(results: &Results, domain: &DomainConfig) -> ReportTable {
    let algorithms = results.algorithms();
    let mut head: Vec<String> =
        ["setting", "told the learner", "true of the real domain?"].map(String::from).to_vec();
    for word in &algorithms {
        for metric in [Metric::SemanticRecall, Metric::SemanticPrecision] {
            head.push(format!("{} {}", algorithm(word), metric.label()));
        }
    }
    let mut rows = Vec::new();
    for setting in &results.config.settings {
        let mut assumed = Vec::new();
        let mut figures = Vec::new();
        for word in &algorithms {
            let line =
                SummaryLine { domain: &domain.name, setting: &setting.name, algorithm: word };
            assumed.extend(results.assumption(line).map(|row| (*word, row)));
            for metric in [Metric::SemanticRecall, Metric::SemanticPrecision] {
                figures.push(TableCell::figure(results.summary.last(line, metric), None));
            }
        }
        let Some(verdict) = verdict(&assumed) else { continue };
        let mut row = vec![
            TableCell::Name(setting.name.clone()),
            TableCell::Text(setting_words(setting)),
            TableCell::Verdict(all_hold(&assumed), verdict),
        ];
        row.extend(figures);
        rows.push(row);
    }
    ReportTable {
        caption: format!("{}: what each assumption buys, with the most traces", heading(domain)),
        head,
        rows,
        meters: true,
    }
}

/// Whether what each algorithm assumes is true: one word where it is the same of all; `None` of no
/// algorithm.
fn verdict(assumed: &[(&str, &Assumption)]) -> Option<String> {
    let words: Vec<&str> =
        assumed.iter().map(|(word, row)| verdict_word(word, row.standing)).collect();
    let first = words.first()?;
    if words.iter().all(|word| word == first) {
        return Some((*first).to_owned());
    }
    let each = assumed
        .iter()
        .zip(&words)
        .map(|((algorithm_word, _), word)| format!("{}: {word}", algorithm(algorithm_word)));
    Some(each.collect::<Vec<_>>().join(", "))
}

/// Whether there are algorithms that promise something, and what they assume is true.
fn all_hold(assumed: &[(&str, &Assumption)]) -> bool {
    let mut promised = assumed.iter().filter(|(word, _)| is_safe(word)).peekable();
    promised.peek().is_some() && promised.all(|(_, row)| row.holds())
}

/// The paper's tables for one domain and setting: syntactic, then semantic; a table for all metrics
/// where there are few learners, else one for each metric.
pub fn correctness(
    results: &Results,
    paper: &Paper,
    domain: &DomainConfig,
    setting: &Setting,
) -> Vec<ReportTable> {
    let kinds: [(&str, &[Metric]); 2] =
        [("literals of preconditions (pre) and effects (eff)", &SYNTACTIC), ("meaning", &SEMANTIC)];
    let several = results.config.settings.len() > 1;
    let with = if several { format!(", {}", setting.name) } else { String::new() };
    let mut tables = Vec::new();
    for (kind, metrics) in kinds {
        let together = metrics.len() * results.algorithms().len() <= READABLE;
        for block in metrics.chunks(if together { metrics.len() } else { 1 }) {
            let what = match block {
                [only] if !together => format!("{}, {}", only.label(), meaning(*only)),
                _ => kind.to_owned(),
            };
            let mut table = ReportTable {
                caption: format!("{}{with}: {what}", heading(domain)),
                ..ReportTable::default()
            };
            fill(&mut table, results, paper, (domain, setting), block);
            if !table.is_empty() {
                tables.push(table);
            }
        }
    }
    tables
}

/// Some metrics of one domain and setting by numbers of traces, for all learners beside the paper.
fn fill(
    table: &mut ReportTable,
    results: &Results,
    paper: &Paper,
    about: (&DomainConfig, &Setting),
    metrics: &[Metric],
) {
    let (domain, setting) = about;
    let same = counterpart(domain, setting);
    table.head.push("traces".to_owned());
    for metric in metrics {
        let names = results.algorithms().into_iter().map(algorithm);
        table.head.extend(names.map(|name| {
            if metrics.len() > 1 { format!("{} {name}", metric.label()) } else { name }
        }));
    }
    for traces in results.summary.traces(&domain.name) {
        let mut row = vec![TableCell::Name(traces.to_string())];
        for &metric in metrics {
            for word in results.algorithms() {
                let line =
                    SummaryLine { domain: &domain.name, setting: &setting.name, algorithm: word };
                let printed =
                    same.as_ref().and_then(|name| paper.number(name, traces, word, metric));
                row.push(TableCell::figure(results.summary.figure(line, traces, metric), printed));
            }
        }
        table.rows.push(row);
    }
}

/// What a metric of the paper's tables says, in a few words.
fn meaning(metric: Metric) -> &'static str {
    match metric {
        Metric::PreconditionPrecision => {
            "of the learned literals of preconditions, the share that is real"
        }
        Metric::PreconditionRecall => {
            "of the real literals of preconditions, the share that is learned"
        }
        Metric::EffectPrecision => "of the learned literals of effects, the share that is real",
        Metric::EffectRecall => "of the real literals of effects, the share that is learned",
        Metric::SemanticPrecision => "of the test steps that are allowed, the share that works",
        Metric::SemanticRecall => "of the test steps that work, the share that is allowed",
        Metric::SquaredError => "the error of numeric effects",
        _ => "as measured",
    }
}

/// The settings whose figures can stand beside the paper's.
pub fn compared<'a>(
    results: &'a Results,
    paper: &Paper,
    domain: &DomainConfig,
) -> Option<&'a Setting> {
    results.config.settings.iter().find(|setting| {
        let name = counterpart(domain, setting);
        name.is_some_and(|name| paper.number(&name, 1, "nsam", Metric::SemanticRecall).is_some())
    })
}

/// The curves of one domain and measure, one line a setting and algorithm.
pub fn series(
    results: &Results,
    domain: &DomainConfig,
    measure: impl Into<Measure>,
) -> Vec<Series> {
    let measure = measure.into();
    lines(results, domain, |line| {
        let curve = results.summary.curve(line, measure.clone());
        curve.map(|figure| (figure.traces, figure.mean, figure.half_width)).collect()
    })
}

/// How long learning took in one domain, one line a setting and algorithm.
pub fn learning_times(results: &Results, domain: &DomainConfig) -> Vec<Series> {
    lines(results, domain, |line| {
        results
            .times
            .curve(line)
            .into_iter()
            .map(|(traces, seconds)| (traces, seconds, None))
            .collect()
    })
}

/// The name of a line or column: the learner, the setting, or both, as far as there are several.
pub fn line_name(results: &Results, setting: &Setting, word: &str) -> String {
    match (results.config.settings.len() > 1, results.config.algorithms.len() > 1) {
        (true, true) => format!("{}, {}", algorithm(word), setting.name),
        (true, false) => setting.name.clone(),
        (false, _) => algorithm(word),
    }
}

/// The lines of one domain that have points. A line keeps its style in all plots.
fn lines(
    results: &Results,
    domain: &DomainConfig,
    points: impl Fn(SummaryLine<'_>) -> Vec<CurvePoint>,
) -> Vec<Series> {
    let mut lines = Vec::new();
    for (place, setting) in results.config.settings.iter().enumerate() {
        for (index, word) in results.algorithms().into_iter().enumerate() {
            let name = line_name(results, setting, word);
            let line =
                SummaryLine { domain: &domain.name, setting: &setting.name, algorithm: word };
            let style = place * results.config.algorithms.len() + index;
            lines.push(Series { name, style, points: points(line) });
        }
    }
    lines.retain(|line| !line.points.is_empty());
    lines
}
