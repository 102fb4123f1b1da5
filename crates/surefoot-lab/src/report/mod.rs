//! `surefoot report`: the results of an experiment as a page to read, and as tables and figures for
//! a paper.

mod html;
mod numbers;
mod paper;
mod plot;
mod results;
mod sections;
mod story;
mod table;
mod views;

use std::path::{Path, PathBuf};

use anyhow::Result;

use surefoot_analysis::evaluate::Metric;
use surefoot_base::model::ActionId;
use surefoot_learn::{LearnedAction, Learner, Settings};

use crate::experiment::measure::Standing;
use crate::portrait::views;
use paper::Paper;
use plot::Frame;
use results::{Results, SummaryLine};
use sections::{Page, Picture, SECTIONS};
use surefoot_io::output::{make_folder, shown_path, write_file};
use table::ReportTable;

/// The files of a report that were written.
pub struct WrittenReport {
    /// The path of the page.
    pub page: PathBuf,
    /// The folder beside it.
    pub beside: PathBuf,
    /// How many pictures were written.
    pub figures: usize,
    /// How many tables were written.
    pub tables: usize,
}

/// Pictures of an action that was learned, each complete in itself: what was observed, and the
/// region around it. `name` is unique on the page they are put on.
pub fn pictures(
    name: &str,
    learner: &Learner,
    settings: &Settings,
    id: ActionId,
    action: &LearnedAction,
) -> Vec<String> {
    let title = learner.domain().action_name(id);
    let mut pictures = Vec::new();
    for (index, view) in views(learner, settings, id, action).iter().enumerate() {
        pictures.push(plot::projection(
            &Frame { id: &format!("{name}-{title}-{index}"), title, alone: true },
            view,
        ));
    }
    pictures
}

/// Reads a folder of results and writes its page, and beside it a folder of the same stem with
/// tables and figures. The same results give the same bytes.
pub fn write(folder: &Path, page: Option<&Path>) -> Result<WrittenReport> {
    let results = Results::read(folder)?;
    let paper = Paper::read();
    let page = page.map_or_else(|| folder.join("report.html"), Path::to_owned);
    let beside = beside(&page);
    let name = beside.file_name().map(|name| format!("{}/", shown_path(name))).unwrap_or_default();
    let contents = Page { results: &results, paper: &paper, beside: &name };
    let html = html::page(&contents, SECTIONS);
    let shown = || SECTIONS.iter().filter(|section| (section.applies)(&contents));
    let pictures: Vec<Picture> =
        shown().flat_map(|section| (section.pictures)(&contents)).collect();
    let tables: Vec<ReportTable> =
        shown().flat_map(|section| (section.tables)(&contents)).collect();
    let folder = beside.join("figures");
    make_folder(&folder)?;
    for Picture { file, svg } in &pictures {
        write_file(&folder.join(file), svg.as_bytes())?;
    }
    let title = story::title(&results);
    let markdown: String = tables.iter().map(ReportTable::markdown).collect();
    let latex: String = tables.iter().map(ReportTable::latex).collect();
    let tolerance = &results.config.test.tolerance;
    let [in_markdown, in_latex] = if tolerance.is_zero() {
        Default::default()
    } else {
        [format!("{}.\n\n", tolerance.in_words()), format!("% {}.\n", tolerance.in_words())]
    };
    write_file(
        &beside.join("tables.md"),
        format!(
            "# {title}\n\n{in_markdown}Numbers in brackets \
        are the paper’s; ″: of the row above, since the paper leaves out rows without \
        change.\n\n{markdown}"
        )
        .as_bytes(),
    )?;
    let head = "% \\usepackage{booktabs}. Numbers in brackets are the paper's; those with '' are \
                of the row above, since it leaves out rows without change.\n";
    write_file(&beside.join("tables.tex"), format!("{head}{in_latex}\n{latex}").as_bytes())?;
    // Last, so that a page never names files that are not there.
    write_file(&page, html.as_bytes())?;
    Ok(WrittenReport { page, beside, figures: pictures.len(), tables: tables.len() })
}

/// Reads a folder of results and makes its page alone, which names no files beside it.
pub fn page(folder: &Path) -> Result<String> {
    let results = Results::read(folder)?;
    Ok(html::page(&Page { results: &results, paper: &Paper::read(), beside: "" }, SECTIONS))
}

/// The metrics of a short table.
const DIGEST: [Metric; 3] = [Metric::SemanticPrecision, Metric::SemanticRecall, Metric::Coverage];

/// The rows of a short table: setting, algorithm, precision, recall, coverage with the most traces,
/// headed by their names; and whether precision is exactly 1 wherever the learner's assumptions are
/// true.
pub fn digest(folder: &Path) -> Result<(Vec<Vec<String>>, bool)> {
    let results = Results::read(folder)?;
    let head = ["setting", "algorithm"].into_iter().chain(DIGEST.map(Metric::label));
    let mut rows = vec![head.map(String::from).collect::<Vec<_>>()];
    for domain in &results.config.domains {
        for setting in &results.config.settings {
            for word in results.algorithms() {
                let line =
                    SummaryLine { domain: &domain.name, setting: &setting.name, algorithm: word };
                let refuted = results.assumption(line).is_some_and(|row| !row.holds());
                let name = if refuted {
                    format!("{} (not true here)", setting.name)
                } else {
                    setting.name.clone()
                };
                let figures = DIGEST.map(|metric| digest_number(&results, line, metric));
                rows.push([name, views::algorithm(word)].into_iter().chain(figures).collect());
            }
        }
    }
    let told_truth = results
        .summary
        .of(Metric::SemanticPrecision)
        .filter(|figure| figure.standing == Standing::Holds);
    let worst = told_truth.map(|figure| figure.mean).reduce(f64::min);
    let precise = worst.is_some_and(|worst| worst >= 1.0);
    Ok((rows, precise))
}

/// The figure with the most traces, with its interval; a dash where nothing was measured.
fn digest_number(results: &Results, line: SummaryLine<'_>, metric: Metric) -> String {
    results.summary.last(line, metric).map_or("-".into(), |figure| {
        format!("{} {}", numbers::shown(figure.mean), numbers::interval(figure.half_width))
            .trim_end()
            .to_owned()
    })
}

/// `results/report.html` has its files in `results/report/`; a page without an ending in one with
/// `-files`.
fn beside(page: &Path) -> PathBuf {
    if page.extension().is_some() {
        return page.with_extension("");
    }
    let mut name = page.file_name().unwrap_or_default().to_owned();
    name.push("-files");
    page.with_file_name(name)
}
