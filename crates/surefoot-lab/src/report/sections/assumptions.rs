//! Whether what learners were told is true.

use maud::{Markup, html};

use super::super::results::Assumption;
use super::super::story;
use super::super::views::{algorithm, is_safe, verdict_word};
use super::{Page, Section, always, no_pictures, no_tables};
use crate::experiment::measure::Standing;
use surefoot_io::output::count;

pub const SECTION: Section = Section {
    anchor: "assumptions",
    heading: "Assumptions",
    applies: always,
    body,
    tables: no_tables,
    pictures: no_pictures,
};

fn body(page: &Page<'_>) -> Markup {
    let results = page.results;
    let (promised, nothing): (Vec<&Assumption>, Vec<&Assumption>) = results
        .assumptions
        .iter()
        .partition(|row| row.algorithm.is_empty() || is_safe(&row.algorithm));
    let [holds, refuted, undecided] = [Standing::Holds, Standing::Refuted, Standing::Undecided]
        .map(|standing| promised.iter().filter(|row| row.standing == standing).count());
    html! {
        p {
            "A learned model is safe as far as what the learner was told is true. For built-in \
             domains and others whose real actions are known, \
             surefoot checks that: of " (count(promised.len(), "combination")) " of a domain, a \
                 setting and a safe learner, "
            (holds) @if holds == 1 { " holds" } @else { " hold" }
            " and " (refuted) @if refuted == 1 { " is" } @else { " are" } " refuted"
            @if undecided > 0 { "; of " (undecided) " it is not decided" } "."
            @if !nothing.is_empty() {
                " Learners that are not safe promise nothing, so that there is nothing to check \
                 in " (count(nothing.len(), "combination")) " more."
            }
        }
        p { (story::measured(results)) }
        div.scroll tabindex="0" role="region" aria-label="Assumptions by domain and setting" {
            table {
                caption { "Whether what is assumed is true, by domain, setting and algorithm" }
                thead {
                    tr {
                        th scope="col" { "domain" }
                        th scope="col" { "setting" }
                        th scope="col" { "algorithm" }
                        th scope="col" { "measured" }
                        th scope="col" { "verdict" }
                        th scope="col" { "refuted by, or undecided" }
                    }
                }
                tbody {
                    @for row in &results.assumptions {
                        tr {
                            th scope="row" { (row.domain) }
                            td.text { (row.setting) }
                            td.text { (algorithm(&row.algorithm)) }
                            td.text { (row.measured) }
                            td {
                                span.verdict.good[row.holds()].bad[!row.holds()] {
                                    (verdict_word(&row.algorithm, row.standing))
                                }
                            }
                            td.text.wide {
                                (row.refuted_by)
                                @if !row.refuted_by.is_empty() && !row.undecided.is_empty() { "; " }
                                (row.undecided)
                            }
                        }
                    }
                }
            }
        }
    }
}
