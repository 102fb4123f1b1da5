//! The page: everything in one file that needs no network.

use maud::{DOCTYPE, PreEscaped, html};

use super::plot;
use super::sections::{Page, Section};
use super::story;

const STYLE: &str = include_str!("page.css");

/// The page of some results: its head, and all sections.
pub fn page(page: &Page<'_>, sections: &[Section]) -> String {
    let results = page.results;
    let sections: Vec<&Section> =
        sections.iter().filter(|section| (section.applies)(page)).collect();
    let title = story::title(results);
    let html = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(format!("surefoot {}", results.version));
                title { (title) }
                style { (PreEscaped(plot::STYLE)) (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header {
                    p.mark { "surefoot" }
                    h1 { (title) }
                    p.lead { (story::lead(results)) }
                    nav aria-label="Sections" {
                        ul {
                            @for section in &sections {
                                li { a href=(format!("#{}", section.anchor)) { (section.heading) } }
                            }
                        }
                    }
                }
                main id="main" {
                    @for section in &sections {
                        section id=(section.anchor) {
                            h2 { (section.heading) }
                            ((section.body)(page))
                        }
                    }
                }
                footer { p { "Made by surefoot " (results.version) " from the results alone; the \
                    same results give the same page." } }
            }
        }
    };
    html.into_string() + "\n"
}
