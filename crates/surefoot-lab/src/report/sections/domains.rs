//! Each domain: curves, what assumptions buy, tables beside the paper's, the learned models.

use maud::{Markup, PreEscaped, html};

use super::super::numbers::percent;
use super::super::plot::{self, CurveQuantity, Frame};
use super::super::results::{ModelFigures, Results};
use super::super::story;
use super::super::table::ReportTable;
use super::super::views::{self, CURVES, algorithm, heading, setting_words};
use super::{Page, Picture, Section, always};
use crate::experiment::config::DomainConfig;
use crate::portrait::{ActionPortrait, PlaneView};

pub const SECTION: Section = Section {
    anchor: "domains",
    heading: "Domain by domain",
    applies: always,
    body,
    tables,
    pictures,
};

fn body(page: &Page<'_>) -> Markup {
    let domains = &page.results.config.domains;
    html! {
        @if domains.len() > 1 {
            ul.chips { @for domain in domains {
                li { a href=(format!("#domain-{}", domain.name)) { (heading(domain)) } }
            } }
        }
        @for domain in domains { (of_domain(page, domain)) }
    }
}

fn tables(page: &Page<'_>) -> Vec<ReportTable> {
    let Page { results, paper, .. } = *page;
    let mut tables = Vec::new();
    for domain in &results.config.domains {
        if results.config.settings.len() > 1 {
            tables.push(views::dials(results, domain));
        }
        let setting = views::compared(results, paper, domain).or(results.config.settings.first());
        tables.extend(
            setting
                .map(|setting| views::correctness(results, paper, domain, setting))
                .unwrap_or_default(),
        );
    }
    tables
}

fn pictures(page: &Page<'_>) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for domain in &page.results.config.domains {
        for metric in CURVES {
            let series = views::series(page.results, domain, metric);
            if !series.is_empty() {
                let title = format!("{}: {}", heading(domain), metric.label());
                let frame = Frame { id: "plot", title: &title, alone: true };
                let file = format!("{}-{}.svg", domain.name, metric.label());
                pictures.push(Picture {
                    file,
                    svg: plot::curves(&frame, CurveQuantity::Share, &series) + "\n",
                });
            }
        }
    }
    page.results.models.iter().for_each(|model| pictures.extend(regions(model)));
    pictures
}

/// The regions of a model's actions.
fn regions(model: &ModelFigures) -> Vec<Picture> {
    let algorithm = model.algorithms.first().map_or("", String::as_str);
    let mut pictures = Vec::new();
    for (number, action) in model.portrait.actions.iter().enumerate() {
        let stem = format!(
            "{}-{}-{algorithm}-{}",
            model.domain,
            model.setting,
            file_word(&action.action, number)
        );
        for (index, view) in action.views.iter().enumerate() {
            let frame = Frame { id: "plot", title: &action.action, alone: true };
            let file = format!("{stem}-{}.svg", index + 1);
            pictures.push(Picture { file, svg: plot::projection(&frame, view) + "\n" });
        }
    }
    pictures
}

/// The name of an action where any file system takes it, else its number, with a sign that no such
/// name has.
fn file_word(name: &str, number: usize) -> String {
    let plain = name.len() <= 80
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
    if plain { name.to_owned() } else { format!("+{number}") }
}

fn of_domain(page: &Page<'_>, domain: &DomainConfig) -> Markup {
    let Page { results, paper, .. } = *page;
    let id = format!("domain-{}", domain.name);
    let compared = views::compared(results, paper, domain);
    let setting = compared.or(results.config.settings.first());
    let tables = setting
        .map(|setting| views::correctness(results, paper, domain, setting))
        .unwrap_or_default();
    let models: Vec<&ModelFigures> =
        results.models.iter().filter(|model| model.domain == domain.name).collect();
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
                    summary { "Tables by number of traces" @if compared.is_some() { ", with the \
                        paper’s numbers" } }
                    @if compared.is_some() { p.note { (story::comparison(domain)) } }
                    @for table in &tables { (table.html()) }
                }
            }
            @if !models.is_empty() {
                h4 { "The learned models" }
                @for (index, model) in models.iter().enumerate() {
                    (portrait(results, model, few && index == 0))
                }
            }
        }
    }
}

fn curves(results: &Results, domain: &DomainConfig) -> Markup {
    let lines = views::series(results, domain, CURVES[0]);
    html! {
        h4 { "Learning curves" }
        ul.legend {
            @for line in &lines { li { (PreEscaped(plot::swatch(line.style))) " " (line.name) } }
        }
        div.plots {
            @for metric in CURVES {
                @let series = views::series(results, domain, metric);
                @if !series.is_empty() {
                    figure {
                        (PreEscaped(plot::curves(
                            &Frame {
                                id: &format!("{}-{metric}", domain.name),
                                title: &metric.title(),
                                alone: false,
                            },
                            CurveQuantity::Share,
                            &series,
                        )))
                    }
                }
            }
        }
        p.note {
            "Means over " (results.config.folds) " folds, with 95 % confidence bands. Precision: \
             of the steps that the learned model allows, the \
             share that really works. Recall: of the steps that really work, the share that it \
             allows. Coverage: test problems solved with \
             the learned model by plans that are valid in the real one."
        }
    }
}

fn portrait(results: &Results, model: &ModelFigures, open: bool) -> Markup {
    let names: Vec<String> = model.algorithms.iter().map(|word| algorithm(word)).collect();
    let learned = model.portrait.actions.iter().filter(|action| action.left_out.is_none()).count();
    let several = results.config.settings.len() > 1;
    let setting = results.config.settings.iter().find(|setting| setting.name == model.setting);
    let id = format!(
        "model-{}-{}-{}",
        model.domain,
        model.setting,
        model.algorithms.first().map_or("", String::as_str)
    );
    html! {
        details.model id=(id) open[open] {
            summary {
                strong { (story::listed(&names)) } @if several { " · " (model.setting) }
                " · " (learned) " of " (model.portrait.actions.len()) " actions learned from "
                (model.traces) " traces"
            }
            @if let Some(setting) = setting {
                @if several { p { "Told the learner: " (setting_words(setting)) "." } }
            }
            details {
                summary {
                    "Safe if these assumptions hold (" (model.portrait.assumptions.len()) ")"
                }
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
                            @if action.atoms.is_empty() && action.numbers.is_empty() {
                                li { "nothing" }
                            }
                        }
                        h6 { "Does" }
                        ul {
                            @for words in &action.effects { li { (words) } }
                            @if action.effects.is_empty() { li { "nothing" } }
                        }
                    }
                    div {
                        (key(&action.views))
                        div.views {
                            @for (index, view) in action.views.iter().enumerate() {
                                (projection(&format!("{id}-{index}"), view))
                            }
                        }
                    }
                }
                @if action.inner { p.note { "The exact region has too many facets; what is learned \
                    is a smaller one inside the outline." } }
            }
            details {
                summary { "PDDL, learned and real" }
                div.columns {
                    @if !action.learned.is_empty() {
                        div { h6 { "Learned" } pre tabindex="0" { code { (action.learned) } } }
                    }
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

fn key(views: &[PlaneView]) -> Markup {
    html! {
        @if !views.is_empty() {
            ul.legend {
                li { (PreEscaped(plot::key("seen"))) " observed" }
                li {
                    (PreEscaped(plot::key("region"))) " learned region"
                    @if views.iter().any(|view| view.open) { ", open by assumption" }
                }
                @if views.iter().any(|view| !view.refused.is_empty()) {
                    li { (PreEscaped(plot::key("refused"))) " refused test state" }
                }
                @if views.iter().any(|view| !view.refused_by_atoms.is_empty()) {
                    li { (PreEscaped(plot::key("aside"))) " refused for its atoms alone" }
                }
            }
        }
    }
}

fn projection(id: &str, view: &PlaneView) -> Markup {
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
