//! What models allow that promise nothing, and what becomes of it: shares over all test steps, and
//! steps of these very tests.

use maud::{Markup, html};
use surefoot_analysis::evaluate::Metric;

use super::super::numbers::percent;
use super::super::results::{MistakenModel, Results, SummaryLine};
use super::super::story::listed;
use super::super::table::{ReportTable, TableCell};
use super::super::views::{algorithm, heading, is_safe};
use super::{Page, Section, no_pictures};
use crate::portrait::{ActionMistakes, Example, MistakePlace};

pub const SECTION: Section = Section {
    anchor: "unsafe",
    heading: "What an unsafe model allows",
    applies: |page| page.results.algorithms().into_iter().any(|word| !is_safe(word)),
    body,
    tables: |page| tables(page.results),
    pictures: no_pictures,
};

fn body(page: &Page<'_>) -> Markup {
    let results = page.results;
    let names: Vec<String> =
        results.algorithms().into_iter().filter(|word| !is_safe(word)).map(algorithm).collect();
    let examples: Vec<&MistakenModel> =
        results.mistaken.iter().filter(|model| worst(model).is_some()).collect();
    let lost: Vec<(&MistakenModel, &str)> =
        results.mistaken.iter().filter_map(|model| Some((model, lost(model)?))).collect();
    html! {
        p {
            (listed(&names)) @if names.len() == 1 { " promises" } @else { " promise" } " nothing. \
             A model can be right about nearly every literal \
             and still allow steps that fail: the first table has the share of test steps that \
             each learner’s model allows and the real world \
             refuses, the second the share that takes place and ends in another state than the \
             model says. Every step of every action counts \
             once, over all folds, with the most traces. Of a safe learner both are 0 wherever its \
             assumptions hold."
        }
        @for table in tables(results) { (table.html()) }
        @if !examples.is_empty() {
            h3 { "Steps of these tests that go wrong" }
            p.note { "Of the first fold and the most traces: the action of each model that fails \
                      most often, and its first such step." }
            @for model in examples { (example(results, model)) }
        }
        @if !lost.is_empty() {
            h3 { "No model at all" }
            ul { @for (model, why) in lost {
                li {
                    (titled(results, &model.domain)) ", " (algorithm(&model.algorithm)) ", "
                    (model.traces) " traces, first fold: " (why) "."
                }
            } }
        }
    }
}

fn tables(results: &Results) -> Vec<ReportTable> {
    let tables = [
        (
            "Of the test steps that a model allows: the share that the real world refuses",
            Metric::StepsFailing,
        ),
        (
            "Of the test steps that a model allows: the share that ends in another state",
            Metric::StepsElsewhere,
        ),
    ];
    let tables = tables.map(|(caption, metric)| shares(results, caption, metric));
    tables.into_iter().filter(|table| !table.is_empty()).collect()
}

/// The share of allowed steps that a metric counts, by domain and setting, for all learners.
fn shares(results: &Results, caption: &str, metric: Metric) -> ReportTable {
    let several = results.config.settings.len() > 1;
    let mut head = vec!["domain".to_owned()];
    head.extend(results.algorithms().into_iter().map(algorithm));
    let mut rows = Vec::new();
    for domain in &results.config.domains {
        for setting in &results.config.settings {
            let name = if several {
                format!("{}, {}", heading(domain), setting.name)
            } else {
                heading(domain)
            };
            let mut row = vec![TableCell::Name(name)];
            for word in results.algorithms() {
                let line =
                    SummaryLine { domain: &domain.name, setting: &setting.name, algorithm: word };
                row.push(
                    share(results, line, metric)
                        .map_or(TableCell::Missing, |words| TableCell::Derived(words, None)),
                );
            }
            rows.push(row);
        }
    }
    ReportTable { caption: caption.into(), head, rows, meters: false }
}

/// The share of allowed steps that a metric counts, with the counts: means over folds, so that
/// their quotient weighs all steps alike.
fn share(results: &Results, line: SummaryLine<'_>, metric: Metric) -> Option<String> {
    let allowed = results.summary.last(line, Metric::StepsAllowed)?;
    let counted = results.summary.figure(line, allowed.traces, metric)?;
    if allowed.mean <= 0.0 {
        return Some("allows nothing".into());
    }
    Some(format!("{} of {:.0}", percent(counted.mean / allowed.mean), allowed.total()))
}

/// Why a model has no action at all; `None` where it has one.
fn lost(model: &MistakenModel) -> Option<&str> {
    let reasons: Option<Vec<&str>> =
        model.mistakes.actions.iter().map(|action| action.left_out.as_deref()).collect();
    reasons?.first().copied()
}

/// A domain's heading, by its name.
fn titled(results: &Results, name: &str) -> String {
    results
        .config
        .domains
        .iter()
        .find(|domain| domain.name == name)
        .map_or(name.to_owned(), heading)
}

/// The action of a model that fails most often, or else ends in another state most often; of
/// equals, the first.
fn worst(model: &MistakenModel) -> Option<&ActionMistakes> {
    let wrong =
        model.mistakes.actions.iter().filter(|action| action.failing + action.elsewhere > 0);
    let weight = |action: &ActionMistakes| (action.failing, action.elsewhere);
    wrong.reduce(|one, other| if weight(other) > weight(one) { other } else { one })
}

fn example(results: &Results, model: &MistakenModel) -> Markup {
    let several = results.config.settings.len() > 1;
    html! {
        @if let Some(action) = worst(model) {
            details.model open[results.config.domains.len() <= 2] {
                summary {
                    strong { (titled(results, &model.domain)) } " · " (algorithm(&model.algorithm))
                    @if several { " · " (model.setting) }
                    " · " code { (action.action) } ": of " (action.allowed) " steps that it \
                        allows, " (action.failing) " fail"
                    @if action.elsewhere > 0 { " and " (action.elsewhere) " end in another state" }
                }
                @if let Some(failure) = &action.failure {
                    (told(failure, "The model allows", "The real world refuses it:"))
                }
                @if let Some(surprise) = &action.surprise {
                    (told(surprise, "Both allow", "But:"))
                }
                div.columns {
                    div {
                        h6 { "Learned from " (model.traces) " traces" }
                        pre tabindex="0" { code { (action.learned) } }
                    }
                    div { h6 { "Real" } pre tabindex="0" { code { (action.real) } } }
                }
            }
        }
    }
}

fn told(example: &Example, before: &str, after: &str) -> Markup {
    let MistakePlace { problem, recorded, number } = &example.place;
    html! {
        p {
            (before) " " code { (example.step) } ", step " (number) @if *recorded { " of the \
                trace" } @else { " of a random walk" } " of " (problem)
            ", in a state where"
        }
        ul {
            @for fact in &example.state { li { (fact) } }
            @if example.state.is_empty() { li { "nothing is known of its objects" } }
        }
        p { (after) }
        ul { @for reason in &example.reasons { li { (reason) } } }
    }
}
