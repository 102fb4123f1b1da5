//! `surefoot report`: the results of an experiment as a page to read, and as tables and figures for a paper.

mod html;
mod numbers;
mod paper;
mod plot;
mod results;
mod story;
mod table;
mod views;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use surefoot::learn::{LearnedAction, Learner, Settings};
use surefoot::model::ActionId;

use crate::output::{shown_path, write_file};
use crate::portrait::{View, views};
use paper::Paper;
use plot::Frame;
use results::Results;
use table::Table;
use views::CURVES;

/// What was written.
pub struct Written {
    pub page: PathBuf,
    /// The folder beside it.
    pub beside: PathBuf,
    pub figures: usize,
    pub tables: usize,
}

/// Pictures of an action that was learned, each complete in itself: what was observed, and the region around it. `name` is unique on
/// the page they are put on.
pub fn pictures(name: &str, learner: &Learner, settings: &Settings, id: ActionId, action: &LearnedAction) -> Vec<String> {
    let title = learner.domain().action_name(id);
    let picture = |(index, view): (usize, &View)| {
        plot::projection(&Frame { id: &format!("{name}-{title}-{index}"), title, alone: true }, view)
    };
    views(learner, settings, id, action).iter().enumerate().map(picture).collect()
}

/// Reads a folder of results and writes its page, and beside it a folder of the same stem with tables and figures. The same results
/// give the same bytes.
pub fn write(folder: &Path, page: Option<&Path>) -> Result<Written> {
    let results = Results::read(folder)?;
    let paper = Paper::read();
    let page = page.map_or_else(|| folder.join("report.html"), Path::to_owned);
    let beside = beside(&page);
    let name = beside.file_name().map(|name| format!("{}/", shown_path(name))).unwrap_or_default();
    let html = html::page(&results, &paper, &name);
    let figures = figures(&results);
    let tables = tables(&results, &paper);
    let folder = beside.join("figures");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make folder {}", shown_path(&folder)))?;
    for (name, picture) in &figures {
        write_file(&folder.join(name), picture.as_bytes())?;
    }
    let title = story::title(&results);
    let markdown: String = tables.iter().map(Table::markdown).collect();
    let latex: String = tables.iter().map(Table::latex).collect();
    write_file(&beside.join("tables.md"), format!("# {title}\n\nNumbers in brackets are the paper’s.\n\n{markdown}").as_bytes())?;
    let head = "% \\usepackage{booktabs}. Numbers in brackets are the paper's.\n\n";
    write_file(&beside.join("tables.tex"), format!("{head}{latex}").as_bytes())?;
    // Last, so that a page never names files that are not there.
    write_file(&page, html.as_bytes())?;
    Ok(Written { page, beside, figures: figures.len(), tables: tables.len() })
}

/// What the paper calls a built-in domain.
pub fn domain_title(name: &str) -> String {
    paper::title(name)
}

/// The rows of a short table: setting, algorithm, precision, recall, coverage with the most traces, headed by their names; and whether
/// precision is exactly 1 wherever what the learner was told is true.
pub fn digest(folder: &Path) -> Result<(Vec<Vec<String>>, bool)> {
    let results = Results::read(folder)?;
    let mut rows = vec![["setting", "algorithm", "precision", "recall", "coverage"].map(String::from).to_vec()];
    for domain in &results.config.domains {
        for setting in &results.config.settings {
            for word in results.algorithms() {
                let number = |metric: &str| {
                    results.last(&domain.name, &setting.name, word, metric).map_or("-".into(), |figure| {
                        format!("{} {}", numbers::shown(figure.value()), numbers::interval(figure.half_width()))
                            .trim_end()
                            .to_owned()
                    })
                };
                let refuted = results.assumption(&domain.name, &setting.name, word).is_some_and(|row| !row.holds());
                let name = if refuted { format!("{} (not true here)", setting.name) } else { setting.name.clone() };
                let figures = ["semantic_precision", "semantic_recall", "coverage"].map(number);
                rows.push([name, views::algorithm(word).to_owned()].into_iter().chain(figures).collect());
            }
        }
    }
    let told_truth = results.summary.iter().filter(|row| row.metric == "semantic_precision" && row.assumption == "holds");
    let worst = told_truth.map(results::Figure::value).reduce(f64::min);
    let precise = worst.is_some_and(|worst| worst >= 1.0);
    Ok((rows, precise))
}

/// `results/report.html` has its files in `results/report/`; a page without an ending in one with `-files`.
fn beside(page: &Path) -> PathBuf {
    if page.extension().is_some() {
        return page.with_extension("");
    }
    let mut name = page.file_name().unwrap_or_default().to_owned();
    name.push("-files");
    page.with_file_name(name)
}

/// Files of pictures by name: the learning curves, then the regions of all actions that were kept.
fn figures(results: &Results) -> Vec<(String, String)> {
    let mut figures = curves(results);
    for model in &results.models {
        let algorithm = model.algorithms.first().map_or("", String::as_str);
        for (number, action) in model.portrait.actions.iter().enumerate() {
            let stem = format!("{}-{}-{algorithm}-{}", model.domain, model.setting, file_word(&action.action, number));
            for (index, view) in action.views.iter().enumerate() {
                let frame = Frame { id: "plot", title: &action.action, alone: true };
                figures.push((format!("{stem}-{}.svg", index + 1), plot::projection(&frame, view) + "\n"));
            }
        }
    }
    figures
}

/// The name of an action where any file system takes it, else its number, with a sign that no such name has.
fn file_word(name: &str, number: usize) -> String {
    let plain = name.len() <= 80 && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
    if plain { name.to_owned() } else { format!("+{number}") }
}

fn curves(results: &Results) -> Vec<(String, String)> {
    let mut figures = Vec::new();
    for domain in &results.config.domains {
        for (metric, name) in CURVES {
            let series = views::series(results, domain, metric);
            if !series.is_empty() {
                let title = format!("{}: {}", views::heading(domain), name.to_lowercase());
                let frame = Frame { id: "plot", title: &title, alone: true };
                figures.push((format!("{}-{}.svg", domain.name, name.to_lowercase()), plot::curves(&frame, &series) + "\n"));
            }
        }
    }
    figures
}

fn tables(results: &Results, paper: &Paper) -> Vec<Table> {
    let mut tables = vec![views::glance(results)];
    for domain in &results.config.domains {
        if results.config.settings.len() > 1 {
            tables.push(views::dials(results, domain));
        }
        let setting = views::compared(results, paper, domain).or(results.config.settings.first());
        tables.extend(setting.map(|setting| views::correctness(results, paper, domain, setting)).unwrap_or_default());
    }
    tables
}
