//! The sizes of the domains beside the paper's Table 2.

use maud::{Markup, html};

use super::super::paper::{Printed, name_of};
use super::super::table::{ReportTable, TableCell};
use super::super::views::heading;
use super::{Page, Section, no_pictures};

pub const SECTION: Section = Section {
    anchor: "sizes",
    heading: "The domains",
    applies: |page| !page.results.sizes.is_empty(),
    body,
    tables: |page| vec![table(page)],
    pictures: no_pictures,
};

/// The heads of the paper's columns.
const HEADS: [&str; 8] = [
    "|A|",
    "|A_X|",
    "|F|",
    "|X|",
    "numeric preconditions",
    "numeric effects",
    "max literals",
    "max functions",
];

fn body(page: &Page<'_>) -> Markup {
    html! {
        p {
            "What the paper’s Table 2 counts: actions, those with numbers, predicates, functions; \
             numeric conditions and effects of an action, on \
             average, with the most and the fewest; the most literals and functions that an action \
             can mention, as products where products are \
             learned about, with the most that a map of relevant functions leaves in brackets. \
             Means are cut off, so that 1.375 is 1.3. Small: the paper, where it has the domain."
        }
        (table(page).html())
    }
}

fn table(page: &Page<'_>) -> ReportTable {
    let Page { results, paper, .. } = *page;
    let mut head = vec!["domain".to_owned()];
    head.extend(HEADS.map(String::from));
    let mut rows = Vec::new();
    for domain in &results.config.domains {
        let Some(size) = results.sizes.iter().find(|size| size.domain == domain.name) else {
            continue;
        };
        let printed = name_of(domain).and_then(|name| paper.size(&name)).unwrap_or_default();
        let mut row = vec![TableCell::Name(heading(domain))];
        for (index, count) in size.counts().into_iter().enumerate() {
            let printed = printed
                .get(index)
                .map(|&value| (Printed { table: "2", value, carried: false }, count != value));
            row.push(TableCell::Derived(count.to_owned(), printed));
        }
        rows.push(row);
    }
    ReportTable { caption: "The sizes of the domains".into(), head, rows, meters: false }
}
