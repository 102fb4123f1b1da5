//! The sections of a report, in order: a section is a file here and a line in [`SECTIONS`]. The
//! page's navigation, its tables as Markdown and LaTeX, and the files of its pictures come from the
//! same line.

mod assumptions;
mod domains;
mod effectiveness;
mod failures;
mod held_out;
mod reading;
mod sizes;
mod summary;
mod times;
mod unsafe_models;

use maud::Markup;

use super::paper::Paper;
use super::results::Results;
use super::table::ReportTable;

/// All sections, in the order of the page.
pub static SECTIONS: &[Section] = &[
    summary::SECTION,
    held_out::SECTION,
    effectiveness::SECTION,
    unsafe_models::SECTION,
    domains::SECTION,
    sizes::SECTION,
    times::SECTION,
    assumptions::SECTION,
    failures::SECTION,
    reading::SECTION,
];

/// What parts are made of.
pub struct Page<'a> {
    pub results: &'a Results,
    pub paper: &'a Paper,
    /// The folder of the files that are written with the page; empty if there are none.
    pub beside: &'a str,
}

/// A part of a page.
pub struct Section {
    /// Its id on the page.
    pub anchor: &'static str,
    /// Its heading, in the navigation, too.
    pub heading: &'static str,
    /// Whether there is anything to be said; a section without is left out.
    pub applies: fn(&Page<'_>) -> bool,
    /// What comes below the heading.
    pub body: fn(&Page<'_>) -> Markup,
    /// Tables that are written to files of their own, too.
    pub tables: fn(&Page<'_>) -> Vec<ReportTable>,
    /// Pictures that are written to files of their own, too.
    pub pictures: fn(&Page<'_>) -> Vec<Picture>,
}

/// A picture in a file.
pub struct Picture {
    /// The name of its file.
    pub file: String,
    pub svg: String,
}

fn always(_: &Page<'_>) -> bool {
    true
}

fn no_tables(_: &Page<'_>) -> Vec<ReportTable> {
    Vec::new()
}

fn no_pictures(_: &Page<'_>) -> Vec<Picture> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use maud::html;

    use super::*;
    use crate::report::html;

    /// A section that is none of ours.
    const TOY: Section = Section {
        anchor: "toy",
        heading: "A toy",
        applies: always,
        body: |page| html! { p { "Folds: " (page.results.config.folds) } },
        tables: no_tables,
        pictures: no_pictures,
    };

    fn results() -> Results {
        let folder = tempfile::tempdir().unwrap();
        let config = r#"{"version": "0.0", "config": {"title": "T", "seed": 1, "folds": 2,
            "traces": [1], "algorithms": ["nsam"], "setting": [{"name": "plain"}],
            "domain": [{"name": "farmland", "generate": "farmland", "problems": 10}]}}"#;
        let summary = "domain,setting,algorithm,traces,assumption,metric,folds,mean,half_width_95\n\
            farmland,plain,nsam,1,holds,semantic_precision,2,1,0\n";
        let files = [
            ("experiment.json", config),
            ("summary.csv", summary),
            ("assumptions.csv", "domain,setting,assumption,refuted_by\n"),
            ("failures.csv", "domain,setting,algorithm,traces,fold,error\n"),
        ];
        files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
        Results::read(folder.path()).unwrap()
    }

    #[test]
    fn a_section_is_a_value_of_the_table() {
        let (results, paper) = (results(), Paper::read());
        let page = Page { results: &results, paper: &paper, beside: "report/" };
        let written = html::page(&page, &[summary::SECTION, TOY]);
        assert!(
            written.contains(
                "<li><a href=\"#summary\">Summary</a></li><li><a href=\"#toy\">A toy</a></li>"
            ),
            "{written}"
        );
        assert!(
            written.contains("<section id=\"toy\"><h2>A toy</h2><p>Folds: 2</p></section>"),
            "{written}"
        );
        assert!(!written.contains("id=\"failures\""));
        assert_eq!((summary::SECTION.tables)(&page).len(), 1);
    }

    #[test]
    fn every_section_has_an_anchor_of_its_own() {
        for (index, section) in SECTIONS.iter().enumerate() {
            assert!(
                SECTIONS[..index].iter().all(|other| other.anchor != section.anchor),
                "{}",
                section.anchor
            );
        }
    }
}
