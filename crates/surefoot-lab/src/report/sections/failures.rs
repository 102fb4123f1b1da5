//! The section of the cells that failed, and why.

use maud::{Markup, html};

use super::super::views::algorithm;
use super::{Page, Section, always, no_pictures, no_tables};

pub const SECTION: Section = Section {
    anchor: "failures",
    heading: "Failures",
    applies: always,
    body,
    tables: no_tables,
    pictures: no_pictures,
};

fn body(page: &Page<'_>) -> Markup {
    let results = page.results;
    html! {
        @if results.failures.is_empty() {
            p { "No cell of the experiment failed." }
        } @else {
            p {
                (results.failures.len()) " of the cells failed, wholly or in their coverage alone. \
                 What failed is missing in the means above; the \
                 rest is not affected."
            }
            div.scroll tabindex="0" role="region" aria-label="Cells that failed" {
                table {
                    caption { "Cells that failed, and why" }
                    thead {
                        tr {
                            @for word in [
                                "domain", "setting", "algorithm", "traces", "fold", "failed", "why",
                            ] {
                                th scope="col" { (word) }
                            }
                        }
                    }
                    tbody {
                        @for row in &results.failures {
                            tr {
                                th scope="row" { (row.domain) }
                                td.text { (row.setting) } td.text { (algorithm(&row.algorithm)) }
                                td.number { (row.traces) } td.number { (row.fold) }
                                td.text { (row.part.name()) }
                                td.text.wide { (row.error) }
                            }
                        }
                    }
                }
            }
        }
    }
}
