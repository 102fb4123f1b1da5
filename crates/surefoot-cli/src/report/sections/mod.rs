//! The parts of a page, in order: a part is a file here and a line in [`SECTIONS`]. The page's navigation, its tables as Markdown and LaTeX
//! and the files of its pictures are made of the same line.

mod assumptions;
mod domains;
mod failures;
mod reading;
mod summary;

use maud::Markup;

use super::paper::Paper;
use super::results::Results;
use super::table::Table;

/// All parts.
pub static SECTIONS: &[Section] =
    &[summary::SECTION, domains::SECTION, assumptions::SECTION, failures::SECTION, reading::SECTION];

/// What parts are made of.
pub struct Page<'a> {
    pub results: &'a Results,
    pub paper: &'a Paper,
    /// The folder of the files that are written with the page.
    pub beside: &'a str,
}

/// A part of a page.
pub struct Section {
    /// Its id on the page.
    pub anchor: &'static str,
    /// Its heading, in the navigation, too.
    pub heading: &'static str,
    /// What comes below the heading.
    pub body: fn(&Page<'_>) -> Markup,
    /// Tables that are written to files of their own, too.
    pub tables: fn(&Page<'_>) -> Vec<Table>,
    /// Pictures that are written to files of their own, too.
    pub pictures: fn(&Page<'_>) -> Vec<Picture>,
}

/// A picture in a file.
pub struct Picture {
    /// The name of its file.
    pub file: String,
    pub svg: String,
}

fn no_tables(_: &Page<'_>) -> Vec<Table> {
    Vec::new()
}

fn no_pictures(_: &Page<'_>) -> Vec<Picture> {
    Vec::new()
}
