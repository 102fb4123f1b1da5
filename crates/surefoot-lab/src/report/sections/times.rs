//! How long learning takes, against the number of traces: the paper's theorems of runtime,
//! measured.

use maud::{Markup, PreEscaped, html};

use super::super::plot::{self, CurveQuantity, Frame, Series};
use super::super::results::Results;
use super::super::views::{self, heading};
use super::{Page, Picture, Section, no_tables};
use crate::experiment::config::DomainConfig;

pub const SECTION: Section = Section {
    anchor: "times",
    heading: "Learning time",
    applies,
    body,
    tables: no_tables,
    pictures,
};

fn applies(page: &Page<'_>) -> bool {
    !plots(page.results).is_empty()
}

/// The domains that have times, with their curves.
fn plots(results: &Results) -> Vec<(&DomainConfig, Vec<Series>)> {
    let all = results
        .config
        .domains
        .iter()
        .map(|domain| (domain, views::learning_times(results, domain)));
    all.filter(|(_, series)| series.iter().any(|line| line.points.len() > 1)).collect()
}

fn body(page: &Page<'_>) -> Markup {
    let plots = plots(page.results);
    html! {
        p {
            "Seconds to read the traces, observe their steps and conclude a model; evaluation and \
             planning are not part of it. Means over folds, by \
             the clock of the machine that ran the experiment, with several cells at once: this \
             part of the page differs from run to run, and beside it only coverage can, where a \
             time limit was reached."
        }
        p.note {
            "The paper’s theorems (its sections 4.2 and 5.6): the time of N-SAM and N-SAM* grows \
             linearly with steps, literals and actions, and, for \
             the hull of what was observed, exponentially with the number of functions of an \
             action. On these axes a line that climbs one decade \
             for ten times the traces is linear."
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
                            id: &format!("{}-time", domain.name),
                            title: &heading(domain),
                            alone: false,
                        },
                        CurveQuantity::Seconds,
                        series,
                    )))
                }
            }
        }
    }
}

fn pictures(page: &Page<'_>) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for (domain, series) in plots(page.results) {
        let title = format!("{}: learning time", heading(domain));
        let frame = Frame { id: "plot", title: &title, alone: true };
        let svg = plot::curves(&frame, CurveQuantity::Seconds, &series) + "\n";
        pictures.push(Picture { file: format!("{}-learning-time.svg", domain.name), svg });
    }
    pictures
}
