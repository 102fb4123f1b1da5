//! The page: everything in one file that needs no network.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::numbers::{percent, shown};
use super::paper::Paper;
use super::plot::{self, Frame};
use super::results::{Model, Results};
use super::story::{self, Tile};
use super::views::{self, CURVES, algorithm, heading, setting_words};
use crate::experiment::config::DomainConfig;
use crate::portrait::{ActionPortrait, View};

const STYLE: &str = include_str!("page.css");

/// The page of some results. `beside` is the folder of the files that are written with it.
pub fn page(results: &Results, paper: &Paper, beside: &str) -> String {
    let title = story::title(results);
    let sections = [
        ("summary", "Summary"),
        ("domains", "Domain by domain"),
        ("assumptions", "Assumptions"),
        ("failures", "Failures"),
        ("reading", "How to read this"),
    ];
    let page = html! {
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
                        ul { @for (id, name) in sections { li { a href=(format!("#{id}")) { (name) } } } }
                    }
                }
                main id="main" {
                    section id="summary" { (summary(results)) }
                    section id="domains" {
                        h2 { "Domain by domain" }
                        @if results.config.domains.len() > 1 {
                            ul.chips { @for domain in &results.config.domains {
                                li { a href=(format!("#domain-{}", domain.name)) { (heading(domain)) } }
                            } }
                        }
                        @for domain in &results.config.domains { (section(results, paper, domain)) }
                    }
                    section id="assumptions" { (assumptions(results)) }
                    section id="failures" { (failures(results)) }
                    section id="reading" { (reading(beside)) }
                }
                footer { p { "Made by surefoot " (results.version) " from the results alone; the same results give the same page." } }
            }
        }
    };
    page.into_string() + "\n"
}

fn summary(results: &Results) -> Markup {
    html! {
        h2 { "Summary" }
        div.tiles {
            @for Tile { number, name, note } in story::tiles(results) {
                div.tile { p.number { (number) } p.name { (name) } p.note { (note) } }
            }
        }
        @for paragraph in story::paragraphs(results) { p { (paragraph) } }
        (views::glance(results).html())
    }
}

fn section(results: &Results, paper: &Paper, domain: &DomainConfig) -> Markup {
    let id = format!("domain-{}", domain.name);
    let compared = views::compared(results, paper, domain);
    let setting = compared.or(results.config.settings.first());
    let tables = setting.map(|setting| views::correctness(results, paper, domain, setting)).unwrap_or_default();
    let models: Vec<&Model> = results.models.iter().filter(|model| model.domain == domain.name).collect();
    let few = results.config.domains.len() <= 2;
    html! {
        section.domain id=(id) {
            h3 { (heading(domain)) }
            p.source { (story::source(domain)) }
            (curves(results, domain))
            @if results.config.settings.len() > 1 {
                h4 { "What each assumption buys" }
                (views::dials(results, domain).html())
            }
            @if !tables.is_empty() {
                h4 { @if compared.is_some() { "Beside the paper" } @else { "Correctness" } }
                details open[few] {
                    summary { "Tables by number of traces" @if compared.is_some() { ", with the paper’s numbers" } }
                    @if compared.is_some() { p.note { (story::comparison(domain)) } }
                    @for table in &tables { (table.html()) }
                }
            }
            @if !models.is_empty() {
                h4 { "The learned models" }
                @for (index, model) in models.iter().enumerate() { (portrait(results, model, few && index == 0)) }
            }
        }
    }
}

fn curves(results: &Results, domain: &DomainConfig) -> Markup {
    let lines = views::series(results, domain, CURVES[0].0);
    html! {
        h4 { "Learning curves" }
        ul.legend { @for line in &lines { li { (PreEscaped(plot::swatch(line.style))) " " (line.name) } } }
        div.plots {
            @for (metric, name) in CURVES {
                @let series = views::series(results, domain, metric);
                @if !series.is_empty() {
                    figure { (PreEscaped(plot::curves(&Frame { id: &format!("{}-{metric}", domain.name), title: name, alone: false }, &series))) }
                }
            }
        }
        p.note {
            "Means over " (results.config.folds) " folds, with 95 % confidence bands. Precision: of the steps that the learned model allows, the \
             share that really works. Recall: of the steps that really work, the share that it allows. Coverage: test problems solved with \
             the learned model by plans that are valid in the real one."
        }
    }
}

fn portrait(results: &Results, model: &Model, open: bool) -> Markup {
    let names: Vec<&str> = model.algorithms.iter().map(|word| algorithm(word)).collect();
    let learned = model.portrait.actions.iter().filter(|action| action.left_out.is_none()).count();
    let several = results.config.settings.len() > 1;
    let setting = results.config.settings.iter().find(|setting| setting.name == model.setting);
    let id = format!("model-{}-{}-{}", model.domain, model.setting, model.algorithms.first().map_or("", String::as_str));
    html! {
        details.model id=(id) open[open] {
            summary {
                strong { (names.join(" and ")) } @if several { " · " (model.setting) }
                " · " (learned) " of " (model.portrait.actions.len()) " actions learned from " (model.traces) " traces"
            }
            @if let Some(setting) = setting { @if several { p { "Told the learner: " (setting_words(setting)) "." } } }
            details {
                summary { "Safe if these assumptions hold (" (model.portrait.assumptions.len()) ")" }
                ul { @for words in &model.portrait.assumptions { li { (words) } } }
            }
            @for action in &model.portrait.actions { (action_view(&id, action)) }
        }
    }
}

fn action_view(model: &str, action: &ActionPortrait) -> Markup {
    let id = format!("{model}-{}", action.action);
    let hidden = action.number_count - action.numbers.len().min(action.number_count);
    html! {
        article.action {
            h5 { (action.action) }
            @if let Some(why) = &action.left_out {
                p { "Not learned: " (why) "." }
            } @else {
                p.share { (share(action)) }
                div.columns {
                    div {
                        h6 { "Needs" }
                        ul {
                            @for words in &action.atoms { li { (words) } }
                            @for words in &action.numbers { li { (words) } }
                            @if hidden > 0 { li { "… and " (hidden) " more linear conditions" } }
                            @if action.atoms.is_empty() && action.numbers.is_empty() { li { "nothing" } }
                        }
                        h6 { "Does" }
                        ul {
                            @for words in &action.effects { li { (words) } }
                            @if action.effects.is_empty() { li { "nothing" } }
                        }
                    }
                    div { (key(&action.views)) div.views { @for (index, view) in action.views.iter().enumerate() { (projection(&format!("{id}-{index}"), view)) } } }
                }
                @if action.inner { p.note { "The exact region has too many facets; what is learned is a smaller one inside the outline." } }
            }
            details {
                summary { "PDDL, learned and real" }
                div.columns {
                    @if !action.learned.is_empty() { div { h6 { "Learned" } pre tabindex="0" { code { (action.learned) } } } }
                    div { h6 { "Real" } pre tabindex="0" { code { (action.real) } } }
                }
            }
        }
    }
}

fn share(action: &ActionPortrait) -> String {
    if action.real_steps == 0 {
        return "The tests have no step that the real action allows.".into();
    }
    format!(
        "Of {} test steps that the real action allows, the learned one allows {} ({}).",
        action.real_steps,
        action.allowed_steps,
        percent(action.allowed_steps as f64 / action.real_steps as f64)
    )
}

fn key(views: &[View]) -> Markup {
    html! {
        @if !views.is_empty() {
            ul.legend {
                li { (PreEscaped(plot::key("seen"))) " observed" }
                li { (PreEscaped(plot::key("region"))) " learned region" @if views.iter().any(|view| view.open) { ", open by assumption" } }
                @if views.iter().any(|view| !view.refused.is_empty()) { li { (PreEscaped(plot::key("refused"))) " refused test state" } }
                @if views.iter().any(|view| !view.refused_by_atoms.is_empty()) {
                    li { (PreEscaped(plot::key("aside"))) " refused for its atoms alone" }
                }
            }
        }
    }
}

fn projection(id: &str, view: &View) -> Markup {
    let title = match &view.y {
        Some(y) => format!("{y} against {}", view.x),
        None => view.x.clone(),
    };
    html! {
        figure {
            (PreEscaped(plot::projection(&Frame { id, title: &title, alone: false }, view)))
        }
    }
}

fn assumptions(results: &Results) -> Markup {
    let marked = |word: &str| results.assumptions.iter().filter(|row| row.assumption == word).count();
    html! {
        h2 { "Assumptions" }
        p {
            "A learned model is safe as far as what the learner was told is true. For built-in domains and others whose real actions are known, \
             surefoot checks that: of " (results.assumptions.len()) " combinations of a domain, a setting and an algorithm, "
            (marked("holds")) " hold and " (marked("refuted")) @if marked("refuted") == 1 { " is" } @else { " are" } " refuted"
            @if marked("undecided") > 0 { "; of " (marked("undecided")) " it is not decided" } "."
        }
        p { (story::measured(results)) }
        div.scroll tabindex="0" role="region" aria-label="Assumptions by domain and setting" {
            table {
                caption { "Whether what is assumed is true, by domain, setting and algorithm" }
                thead { tr { th scope="col" { "domain" } th scope="col" { "setting" } th scope="col" { "algorithm" } th scope="col" { "measured" } th scope="col" { "verdict" } th scope="col" { "refuted by, or undecided" } } }
                tbody {
                    @for row in &results.assumptions {
                        tr {
                            th scope="row" { (row.domain) }
                            td.text { (row.setting) }
                            td.text { (algorithm(&row.algorithm)) }
                            td.text { (row.measured) }
                            td { span.verdict.good[row.holds()].bad[!row.holds()] { (row.assumption) } }
                            td.text.wide { (row.refuted_by) @if !row.refuted_by.is_empty() && !row.undecided.is_empty() { "; " } (row.undecided) }
                        }
                    }
                }
            }
        }
    }
}

fn failures(results: &Results) -> Markup {
    html! {
        h2 { "Failures" }
        @if results.failures.is_empty() {
            p { "No cell of the experiment failed." }
        } @else {
            p {
                (results.failures.len()) " of the cells failed, wholly or in their coverage alone. What failed is missing in the means above; the \
                 rest is not affected."
            }
            div.scroll tabindex="0" role="region" aria-label="Cells that failed" {
                table {
                    caption { "Cells that failed, and why" }
                    thead { tr { @for word in ["domain", "setting", "algorithm", "traces", "fold", "failed", "why"] { th scope="col" { (word) } } } }
                    tbody {
                        @for row in &results.failures {
                            tr {
                                th scope="row" { (row.domain) }
                                td.text { (row.setting) } td.text { (algorithm(&row.algorithm)) }
                                td.number { (row.traces) } td.number { (row.fold) }
                                td.text { (row.part) }
                                td.text.wide { (row.error) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn reading(beside: &str) -> Markup {
    html! {
        h2 { "How to read this" }
        dl {
            dt { "Precision" }
            dd { "Of the test steps that the learned model allows, the share that the real world allows, too. " (shown(1.0)) " means that it was never wrong." }
            dt { "Recall" }
            dd { "Of the test steps that the real world allows, the share that the learned model allows. What is missing was refused out of caution." }
            dt { "Coverage" }
            dd { "The share of test problems that a planner solves with the learned model, by plans that are valid in the real domain." }
            dt { "MSE" }
            dd { "The mean squared error of numeric effects, where both models allow a step." }
            dt { "P pre, R pre, P eff, R eff" }
            dd { "Precision and recall of the literals in preconditions and effects, compared as text. A learned precondition that asks for too much has a low precision here and is still safe." }
            dt { "±" }
            dd { "Half the width of the 95 % confidence interval over folds (Student’s t). Hover over a number to see all its digits; >0.99 is not 1, and <0.01 is not 0." }
            dt { "≠" }
            dd { "This run and the paper are more than 0.03 apart." }
            dt { "Pictures of actions" }
            dd {
                "Dots are observed states in which the action worked, seen on two of its numbers (of many observations only the corners of their hull \
                 are kept). The outline is the learned region, projected. Crosses are test states in which the real action works and the learned \
                 region says no. A cross inside the outline lies outside in a direction that the picture does not show. Triangles are refused by \
                 the Boolean part alone."
            }
        }
        p { "Beside this page, in " code { (beside) } ": the tables as Markdown and LaTeX, and every curve and picture as an SVG file." }
    }
}
