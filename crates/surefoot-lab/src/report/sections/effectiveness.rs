//! Plans made with learned models: coverage beside what the paper says of its Figures 5 to 7, and
//! its Table 10.

use maud::{Markup, PreEscaped, html};
use surefoot_analysis::evaluate::PlanOutcome;

use super::super::numbers::percent;
use super::super::paper::{Paper, Printed, counterpart, name_of};
use super::super::plot::{self, CurveQuantity, Frame, Series};
use super::super::results::{Results, SummaryLine};
use super::super::table::{NOTABLE, ReportTable, TableCell};
use super::super::views::{self, heading};
use super::{Page, Picture, Section};
use crate::experiment::config::{DomainConfig, Setting};
use crate::experiment::measure::Measure;

pub const SECTION: Section = Section {
    anchor: "effectiveness",
    heading: "Plans made with the models",
    applies,
    body,
    tables,
    pictures,
};

/// What the paper says of its figures of coverage (its section 6.5), of whose data the text has
/// nothing else.
const SAID: [(&str, &str, &str); 10] = [
    (
        "counters",
        "5",
        "PlanMiner solves far fewer problems than N-SAM and N-SAM*; many of its plans cannot be \
         executed.",
    ),
    ("depots", "5", "PlanMiner mostly solves more than N-SAM and N-SAM*."),
    ("driverlog", "5", "PlanMiner mostly solves more than N-SAM and N-SAM*."),
    (
        "farmland",
        "5",
        "PlanMiner solves far fewer problems than N-SAM and N-SAM*; many of its plans cannot be \
         executed.",
    ),
    ("minecraft", "5", "PlanMiner has no model, whatever the number of traces."),
    (
        "sailing",
        "5",
        "PlanMiner solves far fewer problems than N-SAM and N-SAM*; its plans cannot be executed.",
    ),
    (
        "rovers",
        "6",
        "N-SAM* solves 3 to 16 % more than N-SAM with 10 to 30 traces. PlanMiner mostly solves \
         more than both.",
    ),
    ("satellite", "6", "PlanMiner has no model from 50 traces on: its time limit ends it."),
    ("driverlog_poly", "6", "PlanMiner mostly solves more than N-SAM and N-SAM*."),
    (
        "zenotravel",
        "6",
        "With few traces N-SAM* solves 75 % and N-SAM none. With PlanMiner’s model 95 to 100 % \
         seem unsolvable.",
    ),
];

/// What it says of Figure 7 (its section 7).
const SAID_OF_DIGITS: &str = "With two decimals or fewer, fewer problems were expected to be \
                              solved; eight decimals show no gain over four.";

fn applies(page: &Page<'_>) -> bool {
    planners(page.results).iter().any(|planner| !plots(page.results, planner).is_empty())
}

/// The planners of the configuration: each is a column of its own.
fn planners(results: &Results) -> &[String] {
    results.config.planning.as_ref().map_or(&[], |planning| &planning.planners)
}

fn share(outcome: PlanOutcome, planner: &str) -> Measure {
    Measure::Outcome(outcome, planner.to_owned())
}

/// The domains whose coverage was measured with a planner, with their curves.
fn plots<'a>(results: &'a Results, planner: &str) -> Vec<(&'a DomainConfig, Vec<Series>)> {
    let solved = share(PlanOutcome::Solved, planner);
    let all = results
        .config
        .domains
        .iter()
        .map(|domain| (domain, views::series(results, domain, solved.clone())));
    all.filter(|(_, series)| !series.is_empty()).collect()
}

/// Whether settings differ by the decimals of recorded numbers, as in the paper's Figure 7.
fn is_about_digits(results: &Results) -> bool {
    results.config.settings.iter().any(|setting| setting.decimals().is_some())
}

/// What the paper says of a domain's figure.
fn said(results: &Results, domain: &DomainConfig) -> Option<(&'static str, &'static str)> {
    let name = name_of(domain)?;
    if is_about_digits(results) {
        return (name == "zenotravel").then_some(("7", SAID_OF_DIGITS));
    }
    results.config.settings.iter().find_map(|setting| counterpart(domain, setting))?;
    SAID.iter().find(|(domain, ..)| *domain == name).map(|&(_, figure, words)| (figure, words))
}

fn body(page: &Page<'_>) -> Markup {
    let results = page.results;
    let limit = results.config.planning.as_ref().map_or(0.0, |planning| planning.time_limit);
    html! {
        p {
            "A planner makes plans for the test problems with the learned model; each plan is \
             executed in the real one. Coverage is the share \
             of problems whose plan reaches its goal there, with " (limit) " s for each problem. \
             The paper’s Figures 5 to 7 are pictures of which \
             the text has no data; below each plot stands what it says of them."
        }
        @for planner in planners(results) {
            @let plots = plots(results, planner);
            @if !plots.is_empty() {
                h3 { "Coverage with " (planner) }
                @if let Some((_, series)) = plots.first() {
                    ul.legend {
                        @for line in series {
                            li { (PreEscaped(plot::swatch(line.style))) " " (line.name) }
                        }
                    }
                }
                div.plots {
                    @for (domain, series) in &plots {
                        figure {
                            (PreEscaped(plot::curves(
                                &Frame {
                                    id: &format!("{}-coverage-{}", domain.name, word(planner)),
                                    title: &heading(domain),
                                    alone: false,
                                },
                                CurveQuantity::Share,
                                series,
                            )))
                            @if let Some((figure, words)) = said(results, domain) {
                                figcaption.note { "The paper, Figure " (figure) ": " (words) }
                            }
                        }
                    }
                }
            }
        }
        @for planner in planners(results) {
            details {
                summary { "Coverage with " (planner) " in numbers" }
                (coverage(results, planner).html())
            }
            @for table in ends(page, planner) { (table.html()) }
        }
        p.note {
            "A plan that cannot be executed has a step that the real world refuses. The paper’s \
             Table 10 has their share for PlanMiner, both versions \
             of Driverlog in one cell; its text says that N-SAM and N-SAM* made none. Where a \
             limit was reached, more time could still change \
             coverage, by at most that share."
        }
    }
}

fn tables(page: &Page<'_>) -> Vec<ReportTable> {
    let of_planner = |planner: &String| {
        std::iter::once(coverage(page.results, planner)).chain(ends(page, planner))
    };
    planners(page.results).iter().flat_map(of_planner).filter(|table| !table.is_empty()).collect()
}

/// What became of problems that were not solved, with one planner.
fn ends(page: &Page<'_>, planner: &str) -> Vec<ReportTable> {
    let ends = [
        ("a plan that cannot be executed", Some(page.paper), &[PlanOutcome::Inapplicable][..]),
        ("a plan that can be executed and misses the goal", None, &[PlanOutcome::GoalUnmet]),
        (
            "no answer: a limit was reached, or the planner failed",
            None,
            &[PlanOutcome::Limit, PlanOutcome::Failed],
        ),
    ];
    let tables = ends.map(|(what, paper, outcomes)| {
        let caption = format!(
            "{planner}: share of the test problems with {what}, over all numbers of traces"
        );
        shares(page.results, paper, planner, outcomes, caption)
    });
    tables.into_iter().filter(|table| !table.is_empty()).collect()
}

/// The settings and learners as columns: their names.
fn columns(results: &Results) -> Vec<(&Setting, &str, String)> {
    let mut columns = Vec::new();
    for setting in &results.config.settings {
        for word in results.algorithms() {
            let name = views::line_name(results, setting, word);
            columns.push((setting, word, name));
        }
    }
    columns
}

/// Coverage by domain and traces.
fn coverage(results: &Results, planner: &str) -> ReportTable {
    let columns = columns(results);
    let mut head = vec!["domain".to_owned(), "traces".into()];
    head.extend(columns.iter().map(|(_, _, name)| name.clone()));
    let mut rows = Vec::new();
    for domain in &results.config.domains {
        for traces in results.summary.traces(&domain.name) {
            let figures = columns.iter().map(|&(setting, word, _)| {
                let line =
                    SummaryLine { domain: &domain.name, setting: &setting.name, algorithm: word };
                results.summary.figure(line, traces, share(PlanOutcome::Solved, planner))
            });
            let figures: Vec<TableCell> =
                figures.map(|figure| TableCell::figure(figure, None)).collect();
            if figures.iter().any(|cell| !matches!(cell, TableCell::Missing)) {
                let names = [TableCell::Name(heading(domain)), TableCell::Text(traces.to_string())];
                rows.push(names.into_iter().chain(figures).collect());
            }
        }
    }
    if rows.is_empty() {
        ReportTable::default()
    } else {
        ReportTable { caption: format!("Coverage with {planner}"), head, rows, meters: false }
    }
}

/// The share of problems that came to one of some outcomes, by domain: means over all numbers of
/// traces.
fn shares(
    results: &Results,
    paper: Option<&Paper>,
    planner: &str,
    outcomes: &[PlanOutcome],
    caption: String,
) -> ReportTable {
    let columns = columns(results);
    let mut head = vec!["domain".to_owned()];
    head.extend(columns.iter().map(|(_, _, name)| name.clone()));
    let mut rows = Vec::new();
    for domain in &results.config.domains {
        let mut row = vec![TableCell::Name(heading(domain))];
        for &(setting, word, _) in &columns {
            let line =
                SummaryLine { domain: &domain.name, setting: &setting.name, algorithm: word };
            let printed =
                counterpart(domain, setting).and_then(|name| paper?.inapplicable(&name, word));
            row.push(match mean(results, line, planner, outcomes) {
                Some(mean) => TableCell::Derived(
                    percent(mean),
                    printed.map(|printed| (printed, differs(mean, printed))),
                ),
                None => TableCell::Missing,
            });
        }
        rows.push(row);
    }
    ReportTable { caption, head, rows, meters: false }
}

/// The mean over all numbers of traces of the share of problems that came to one of some outcomes;
/// `None` where nothing was planned.
fn mean(
    results: &Results,
    line: SummaryLine<'_>,
    planner: &str,
    outcomes: &[PlanOutcome],
) -> Option<f64> {
    let planned = results.summary.curve(line, share(PlanOutcome::Solved, planner)).count();
    let shares =
        outcomes.iter().flat_map(|&outcome| results.summary.curve(line, share(outcome, planner)));
    (planned > 0).then(|| shares.fold(0.0, |sum, figure| sum + figure.mean) / planned as f64)
}

/// Whether a share is notably another than one that is printed in per cent.
fn differs(share: f64, printed: Printed) -> bool {
    printed
        .value
        .trim_end_matches(" %")
        .parse::<f64>()
        .is_ok_and(|value| (share - value / 100.0).abs() > NOTABLE + 0.005)
}

/// A planner's name where file names and ids can have it.
fn word(planner: &str) -> String {
    planner
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' })
        .collect()
}

fn pictures(page: &Page<'_>) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for planner in planners(page.results) {
        for (domain, series) in plots(page.results, planner) {
            let title = format!("{}: coverage with {planner}", heading(domain));
            let svg = plot::curves(
                &Frame { id: "plot", title: &title, alone: true },
                CurveQuantity::Share,
                &series,
            ) + "\n";
            pictures.push(Picture {
                file: format!("{}-coverage-{}.svg", domain.name, word(planner)),
                svg,
            });
        }
    }
    pictures
}
