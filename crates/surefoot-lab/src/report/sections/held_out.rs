//! What models say of held-out traces, where there is no real domain to compare them with.

use maud::{Markup, PreEscaped, html};
use surefoot_analysis::evaluate::{Kind, Metric};

use super::super::plot::{self, CurveQuantity, Frame, Series};
use super::super::results::{Results, SummaryLine};
use super::super::table::{ReportTable, TableCell};
use super::super::views::{self, heading, line_name};
use super::{Page, Picture, Section};
use crate::experiment::config::DomainConfig;

pub const SECTION: Section =
    Section { anchor: "held-out", heading: "Held-out traces", applies, body, tables, pictures };

fn applies(page: &Page<'_>) -> bool {
    !plots(page.results).is_empty()
}

/// The domains without a real one, with the curves of what their models allow.
fn plots(results: &Results) -> Vec<(&DomainConfig, Vec<Series>)> {
    let all = results
        .config
        .domains
        .iter()
        .map(|domain| (domain, views::series(results, domain, Metric::HeldOutRecall)));
    all.filter(|(_, series)| !series.is_empty()).collect()
}

fn body(page: &Page<'_>) -> Markup {
    let plots = plots(page.results);
    html! {
        p {
            "There is no real domain to compare these models with. Each model was tried on the \
             traces of its fold that it was not learned from: of \
             the recorded steps that worked, which share does it allow? Means over folds, by the \
             number of training traces."
        }
        p.note {
            "A safe model whose assumptions are true allows no attempt that failed, and ends in \
             the recorded state after each step that it \
             allows: “other outcome” and “failures allowed” are then 0. How precise it is where \
             nothing was recorded, nobody can say without a real \
             domain."
        }
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
                            id: &format!("{}-held-out", domain.name),
                            title: &heading(domain),
                            alone: false,
                        },
                        CurveQuantity::Share,
                        series,
                    )))
                }
            }
        }
        @for table in tables(page) { (table.html()) }
    }
}

/// A table for each domain: one row for each learner, setting and number of traces.
fn tables(page: &Page<'_>) -> Vec<ReportTable> {
    plots(page.results).into_iter().map(|(domain, _)| table(page.results, domain)).collect()
}

fn table(results: &Results, domain: &DomainConfig) -> ReportTable {
    let metrics: Vec<Metric> = Metric::of_kind(Kind::HeldOut).collect();
    let head = ["learner", "traces"]
        .into_iter()
        .chain(metrics.iter().map(|metric| metric.label()))
        .map(String::from)
        .collect();
    let mut rows = Vec::new();
    for setting in &results.config.settings {
        for word in results.algorithms() {
            let line =
                SummaryLine { domain: &domain.name, setting: &setting.name, algorithm: word };
            for traces in results.summary.traces(&domain.name) {
                if results.summary.figure(line, traces, Metric::HeldOutWorked).is_none() {
                    continue;
                }
                let mut row = vec![
                    TableCell::Name(line_name(results, setting, word)),
                    TableCell::Text(traces.to_string()),
                ];
                row.extend(metrics.iter().map(|&metric| {
                    TableCell::figure(results.summary.figure(line, traces, metric), None)
                }));
                rows.push(row);
            }
        }
    }
    ReportTable {
        caption: format!("{}: held-out steps and attempts, a fold on average", heading(domain)),
        head,
        rows,
        meters: false,
    }
}

fn pictures(page: &Page<'_>) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for (domain, series) in plots(page.results) {
        let title = format!("{}: held-out steps that are allowed", heading(domain));
        let frame = Frame { id: "plot", title: &title, alone: true };
        let svg = plot::curves(&frame, CurveQuantity::Share, &series) + "\n";
        pictures.push(Picture { file: format!("{}-held-out.svg", domain.name), svg });
    }
    pictures
}
