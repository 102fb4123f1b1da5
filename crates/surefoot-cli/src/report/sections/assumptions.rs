//! Whether what learners were told is true.

use maud::{Markup, html};

use super::super::story;
use super::super::views::algorithm;
use super::{Page, Section, always, no_pictures, no_tables};
use crate::experiment::measure::Standing;

pub const SECTION: Section =
    Section { anchor: "assumptions", heading: "Assumptions", applies: always, body, tables: no_tables, pictures: no_pictures };

fn body(page: &Page<'_>) -> Markup {
    let results = page.results;
    let [holds, refuted, undecided] =
        [Standing::Holds, Standing::Refuted, Standing::Undecided].map(|standing| results.marked(standing));
    html! {
        p {
            "A learned model is safe as far as what the learner was told is true. For built-in domains and others whose real actions are known, \
             surefoot checks that: of " (results.assumptions.len()) " combinations of a domain, a setting and an algorithm, "
            (holds) " hold and " (refuted) @if refuted == 1 { " is" } @else { " are" } " refuted"
            @if undecided > 0 { "; of " (undecided) " it is not decided" } "."
        }
        p { (story::measured(results)) }
        div.scroll tabindex="0" role="region" aria-label="Assumptions by domain and setting" {
            table {
                caption { "Whether what is assumed is true, by domain, setting and algorithm" }
                thead { tr { th scope="col" { "domain" } th scope="col" { "setting" } th scope="col" { "algorithm" } th scope="col" { "measured" } th scope="col" { "verdict" } th scope="col" { "refuted by, or undecided" } } }
                tbody {
                    @for row in &results.assumptions {
                        tr {
                            th scope="row" { (row.domain) }
                            td.text { (row.setting) }
                            td.text { (algorithm(&row.algorithm)) }
                            td.text { (row.measured) }
                            td { span.verdict.good[row.holds()].bad[!row.holds()] { (row.standing) } }
                            td.text.wide { (row.refuted_by) @if !row.refuted_by.is_empty() && !row.undecided.is_empty() { "; " } (row.undecided) }
                        }
                    }
                }
            }
        }
    }
}
