//! The results in a few numbers and words, and a table of all domains.

use maud::{Markup, html};

use super::super::story::{self, Tile};
use super::super::views;
use super::{Page, Section, always, no_pictures};

pub const SECTION: Section = Section {
    anchor: "summary",
    heading: "Summary",
    applies: always,
    body,
    tables: |page| vec![views::glance(page.results)],
    pictures: no_pictures,
};

fn body(page: &Page<'_>) -> Markup {
    let results = page.results;
    html! {
        div.tiles {
            @for Tile { number, name, note } in story::tiles(results) {
                div.tile { p.number { (number) } p.name { (name) } p.note { (note) } }
            }
        }
        @for paragraph in story::paragraphs(results) { p { (paragraph) } }
        (views::glance(results).html())
    }
}
