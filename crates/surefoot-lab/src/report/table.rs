//! Tables as values, and the same table as HTML, Markdown and LaTeX.

use maud::{Markup, html};
use surefoot_analysis::evaluate::Metric;

use super::numbers::{interval, shown};
use super::paper::Printed;
use super::results::Figure;
use crate::experiment::measure::Measure;

/// A table: a caption, a head and rows.
#[derive(Default)]
pub struct ReportTable {
    pub caption: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<TableCell>>,
    /// Whether shares have a bar below them.
    pub meters: bool,
}

/// What stands in a table.
#[derive(Clone)]
pub enum TableCell {
    /// The cell that names its row.
    Name(String),
    Text(String),
    /// A number of the summary, with the paper's where its setting is the same.
    Figure(Figure, Option<Printed>),
    /// A number that is none of the summary, or was worked out from several of it, with the paper's
    /// and whether that is another.
    Derived(String, Option<(Printed, bool)>),
    /// A verdict: good or not, and its word.
    Verdict(bool, String),
    /// Nothing was measured.
    Missing,
}

/// Further apart than this, our number and the paper's are marked; numbers above 1 by this share of
/// the paper's.
pub const NOTABLE: f64 = 0.03;

/// After a number of the paper that is the row above's, since the paper leaves this row out.
const DITTO: &str = "″";

/// Shares that grow while one learns. Precision has no bar: it is 1 from the beginning.
const METERED: [Metric; 4] =
    [Metric::PreconditionRecall, Metric::EffectRecall, Metric::SemanticRecall, Metric::Coverage];

impl TableCell {
    pub fn figure(figure: Option<&Figure>, paper: Option<Printed>) -> Self {
        figure.map_or(TableCell::Missing, |figure| TableCell::Figure(figure.clone(), paper))
    }

    fn differs(figure: &Figure, paper: Printed) -> bool {
        // The paper prints two decimals.
        paper
            .value
            .parse::<f64>()
            .is_ok_and(|value| (figure.mean - value).abs() > NOTABLE * value.abs().max(1.0) + 0.005)
    }

    /// The paper's number, small, below ours.
    fn printed_html(printed: Printed, differs: bool) -> Markup {
        let source = if printed.carried {
            format!(
                "Table {} of the paper leaves this row out, as one without change from the row \
                 above",
                printed.table
            )
        } else {
            format!("Table {} of the paper", printed.table)
        };
        html! {
            span.paper.carried[printed.carried] title=(source) {
                span.unseen { "; paper " } (printed.value) @if printed.carried { (DITTO) }
                @if differs { span.differs { " ≠" } }
            }
        }
    }

    /// The paper's number, in brackets, behind ours.
    fn printed_words(printed: Printed, differs: bool) -> String {
        let (ditto, mark) =
            (if printed.carried { DITTO } else { "" }, if differs { " ≠" } else { "" });
        format!(" ({}{ditto}{mark})", printed.value)
    }

    fn html(&self, meters: bool) -> Markup {
        match self {
            TableCell::Name(name) => html! { th scope="row" { (name) } },
            TableCell::Text(text) => html! { td.text.wide[text.chars().count() > 24] { (text) } },
            TableCell::Missing => html! { td.missing { span aria-label="not measured" { "–" } } },
            TableCell::Derived(text, paper) => html! {
                td.number {
                    (text)
                    @if let Some((printed, differs)) = paper {
                        (TableCell::printed_html(*printed, *differs))
                    }
                }
            },
            TableCell::Verdict(good, word) => {
                html! { td.text { span.verdict.good[*good].bad[!*good] { (word) } } }
            }
            TableCell::Figure(figure, paper) => {
                let width = figure.half_width;
                let share = figure.mean.clamp(0.0, 1.0);
                let is_metered = match figure.metric {
                    Measure::Metric(metric) => METERED.contains(&metric),
                    _ => false,
                };
                let meter = meters && is_metered;
                let title = format!("{} {}", figure.mean, interval(width));
                html! {
                    td.number data-mean=(figure.mean) title=(title) {
                        span.ours { (shown(figure.mean)) }
                        @if width.is_some_and(|width| width > 0.0) {
                            span.width { " " (interval(width)) }
                        }
                        @if let Some(printed) = paper {
                            (TableCell::printed_html(
                                *printed,
                                TableCell::differs(figure, *printed),
                            ))
                        }
                        @if meter {
                            span.meter aria-hidden="true" {
                                span style=(format!("width:{:.1}%", share * 100.0)) {}
                            }
                        }
                    }
                }
            }
        }
    }

    fn words(&self) -> String {
        match self {
            TableCell::Name(text) | TableCell::Text(text) | TableCell::Verdict(_, text) => {
                text.clone()
            }
            TableCell::Missing => "–".into(),
            TableCell::Derived(text, paper) => {
                text.clone()
                    + &paper
                        .map(|(printed, differs)| TableCell::printed_words(printed, differs))
                        .unwrap_or_default()
            }
            TableCell::Figure(figure, paper) => {
                let mut text = shown(figure.mean);
                let width = interval(figure.half_width);
                if !width.is_empty() {
                    text += &format!(" {width}");
                }
                text + &paper
                    .map(|printed| {
                        TableCell::printed_words(printed, TableCell::differs(figure, printed))
                    })
                    .unwrap_or_default()
            }
        }
    }
}

impl ReportTable {
    /// Whether there is anything in it besides names.
    pub fn is_empty(&self) -> bool {
        !self
            .rows
            .iter()
            .flatten()
            .any(|cell| !matches!(cell, TableCell::Name(_) | TableCell::Missing))
    }

    fn is_text(&self, column: usize) -> bool {
        self.rows
            .iter()
            .any(|row| matches!(row.get(column), Some(TableCell::Text(_) | TableCell::Verdict(..))))
    }

    /// Scrolls within itself where the page is narrow; the frame can be focused, so that keys
    /// scroll it.
    pub fn html(&self) -> Markup {
        html! {
            div.scroll tabindex="0" role="region" aria-label=(self.caption) {
                table {
                    caption { (self.caption) }
                    thead {
                        tr {
                            @for (index, word) in self.head.iter().enumerate() {
                                th.text[self.is_text(index)] scope="col" { (word) }
                            }
                        }
                    }
                    tbody {
                        @for row in &self.rows {
                            tr { @for cell in row { (cell.html(self.meters)) } }
                        }
                    }
                }
            }
        }
    }

    pub fn markdown(&self) -> String {
        let rules = self
            .head
            .iter()
            .enumerate()
            .map(|(index, _)| if index == 0 { "---" } else { "--:" }.to_owned());
        let mut text = format!("**{}**\n\n", self.caption);
        text += &markdown_row(self.head.iter().cloned());
        text += &markdown_row(rules);
        self.rows.iter().for_each(|row| text += &markdown_row(row.iter().map(TableCell::words)));
        text + "\n"
    }

    /// A `table` with rules of the `booktabs` package.
    pub fn latex(&self) -> String {
        let columns = format!("l{}", "r".repeat(self.head.len().saturating_sub(1)));
        let mut text = format!(
            "\\begin{{table}}[ht]\n\\centering\n\\caption{{{}}}\n\\begin{{tabular}}{{{columns}}}\n\
             \\toprule\n",
            escaped(&self.caption)
        );
        text += &latex_row(self.head.iter().cloned());
        text += "\\midrule\n";
        self.rows.iter().for_each(|row| text += &latex_row(row.iter().map(TableCell::words)));
        text + "\\bottomrule\n\\end{tabular}\n\\end{table}\n\n"
    }
}

fn markdown_row(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
}

fn latex_row(cells: impl Iterator<Item = String>) -> String {
    cells.map(|cell| escaped(&cell)).collect::<Vec<_>>().join(" & ") + " \\\\\n"
}

/// Text that means itself in LaTeX.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            '~' => escaped += "\\textasciitilde{}",
            '^' => escaped += "\\textasciicircum{}",
            '\\' => escaped += "\\textbackslash{}",
            '±' => escaped += "$\\pm$",
            '≠' => escaped += "$\\neq$",
            '<' => escaped += "$<$",
            '>' => escaped += "$>$",
            '≤' => escaped += "$\\leq$",
            '≥' => escaped += "$\\geq$",
            '·' => escaped += "$\\cdot$",
            '–' => escaped += "--",
            '″' => escaped += "$''$",
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::measure::Standing;

    fn figure(mean: f64, half_width: Option<f64>) -> Figure {
        Figure {
            domain: "d".into(),
            setting: "plain".into(),
            algorithm: "nsam".into(),
            traces: 1,
            standing: Standing::Holds,
            metric: Metric::PreconditionPrecision.into(),
            folds: 5,
            mean,
            half_width,
        }
    }

    fn table() -> ReportTable {
        let printed = |value| Some(Printed { table: "3", value, carried: false });
        let rows = vec![
            vec![
                TableCell::Name("a_b".into()),
                TableCell::figure(Some(&figure(0.5312, Some(0.021))), printed("0.53")),
                TableCell::Missing,
            ],
            vec![
                TableCell::Name("c|d".into()),
                TableCell::figure(Some(&figure(0.6, None)), printed("0.53")),
                TableCell::figure(None, None),
            ],
        ];
        ReportTable {
            caption: "100 % & more".into(),
            head: ["domain", "precision", "recall"].map(String::from).to_vec(),
            rows,
            meters: false,
        }
    }

    #[test]
    fn one_table_three_ways() {
        let markdown = table().markdown();
        assert!(markdown.contains("| a_b | 0.53 ±0.02 (0.53) | – |\n"), "{markdown}");
        assert!(markdown.contains("| c\\|d | 0.60 (0.53 ≠) | – |\n"), "{markdown}");
        let latex = table().latex();
        assert!(latex.contains("\\caption{100 \\% \\& more}"), "{latex}");
        assert!(latex.contains("a\\_b & 0.53 $\\pm$0.02 (0.53) & -- \\\\\n"), "{latex}");
        let html = table().html().into_string();
        assert!(html.contains("data-mean=\"0.5312\""), "{html}");
        assert_eq!(html.matches("≠").count(), 1, "only what is more than 0.03 apart is marked");
        let left_out = Some(Printed { table: "8", value: "22159.24", carried: true });
        assert_eq!(
            TableCell::figure(Some(&figure(22000.0, None)), left_out).words(),
            "2.2e4 (22159.24″)",
            "within 3 %"
        );
        assert_eq!(
            TableCell::figure(Some(&figure(21000.0, None)), left_out).words(),
            "2.1e4 (22159.24″ ≠)"
        );
        let printed = left_out.map(|printed| (printed, true));
        assert_eq!(TableCell::Derived("30 %".into(), printed).words(), "30 % (22159.24″ ≠)");
        assert!(html.contains("<caption>100 % &amp; more</caption>"), "{html}");
    }
}
