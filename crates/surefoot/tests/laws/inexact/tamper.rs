//! Models and certificates that someone changed: where the oracle finds the changed model unsafe,
//! `check` accepts no certificate for it.

use serde_json::Value;
use surefoot_base::certificate::{Certificate, model_digest};
use surefoot_base::pddl::{Source, read_domain};

use super::estimate::View;
use super::generate::Case;
use super::laws::{Counts, Found, Law, steps, walk};
use super::product::{self, Learned};
use crate::chance::Chance;
use crate::promise::product::read_actions;

/// A number of a text, by place, and another one for it.
struct Change {
    old: String,
    new: String,
    model: String,
}

pub fn tamper(chance: &mut Chance, case: &Case, learned: &Learned, found: &mut Found) {
    for _ in 0..6 {
        let Some(change) = change(chance, &learned.model) else { return };
        let Ok(model) = read_domain(&Source::new("model.pddl", change.model.clone())) else {
            continue;
        };
        let Ok(actions) = read_actions(&change.model) else { continue };
        let changed =
            Learned { model: change.model.clone(), actions: Some(actions), ..learned.clone() };
        found.counts.add("changed models", 1);
        let Some(why) = unsafe_somewhere(chance, case, &changed) else { continue };
        found.counts.add("changed models that are unsafe", 1);
        for forged in forgeries(chance, &learned.certificate, &change) {
            let Ok(mut certificate) = Certificate::from_json(&forged.to_string()) else { continue };
            certificate.model = model_digest(&model);
            let Ok(certificate) = certificate.to_json() else { continue };
            found.counts.add("forged certificates", 1);
            let forged = Learned { certificate, ..changed.clone() };
            if product::check(case, &forged).is_empty() {
                found.tell(
                    Law::TamperedAccepted,
                    format!("{why}\n{}\n{}", forged.model, forged.certificate),
                );
            }
        }
    }
}

/// Something that the model promises and that is not so.
fn unsafe_somewhere(chance: &mut Chance, case: &Case, changed: &Learned) -> Option<String> {
    let mut counts = Counts::default();
    let mut found = Found::new(&mut counts);
    let view = View::new(case, changed);
    let actions = changed.actions.as_deref()?;
    for action in actions {
        steps(chance, &view, action, &mut found);
    }
    for _ in 0..12 {
        // Numbers too large for the oracle show nothing.
        let _ = walk(chance, &view, actions, &mut found);
    }
    found.violations.into_iter().next().map(|violation| violation.what)
}

/// A number of an action that is another one, or a line that is gone.
fn change(chance: &mut Chance, model: &str) -> Option<Change> {
    let start = model.find("(:action")?;
    let places: Vec<(usize, usize)> =
        numbers(&model[start..]).map(|(from, to)| (start + from, start + to)).collect();
    if places.is_empty() || chance.percent(25) {
        let lines: Vec<&str> = model.lines().collect();
        let whole = |line: &&str| {
            ["(<=", "(>=", "(increase (error", "(not (= "]
                .iter()
                .any(|word| line.trim_start().starts_with(word))
        };
        let at: Vec<usize> =
            (0..lines.len()).filter(|&at| whole(&lines[at]) && balanced(lines[at])).collect();
        let gone = *at.get(chance.below(at.len()))?;
        let rest: Vec<&str> =
            lines.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, line)| *line).collect();
        return Some(Change { old: String::new(), new: String::new(), model: rest.join("\n") });
    }
    let (from, to) = *chance.of(&places);
    let old = model[from..to].to_owned();
    let value: f64 = old.parse().ok()?;
    let new = match chance.below(6) {
        0 => value * 2.0,
        1 => value / 2.0,
        2 => value + 1.0,
        3 => value - 0.5,
        4 => 0.0,
        _ => -value,
    };
    let new = format!("{new}");
    Some(Change { model: format!("{}{new}{}", &model[..from], &model[to..]), old, new })
}

fn balanced(line: &str) -> bool {
    line.matches('(').count() == line.matches(')').count()
}

/// Where numbers stand that are no part of a name.
fn numbers(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let bounds = text
        .split([' ', '(', ')', '\n'])
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word));
    bounds.filter(|(_, word)| word.parse::<f64>().is_ok()).map(|(at, word)| (at, at + word.len()))
}

/// The certificate as it is, with the new number wherever the old one stands, and with smaller
/// residuals and bounds.
fn forgeries(chance: &mut Chance, certificate: &str, change: &Change) -> Vec<Value> {
    let Ok(honest) = serde_json::from_str::<Value>(certificate) else { return Vec::new() };
    let mut replaced = honest.clone();
    visit(&mut replaced, "", &mut |_, text| {
        if !change.old.is_empty() && *text == change.old {
            text.clone_from(&change.new);
        }
    });
    // With other assumptions it is another promise, which `check` names.
    replaced["assumptions"] = honest["assumptions"].clone();
    let mut forged = vec![honest.clone(), replaced.clone()];
    for base in [honest, replaced] {
        for words in [&["bound"][..], &["bound", "residual"][..]] {
            let mut less = base.clone();
            let to = chance.of(&["0", &change.new]).to_string();
            visit(&mut less, "", &mut |key, text| {
                if words.contains(&key) {
                    text.clone_from(&to);
                }
            });
            forged.push(less);
        }
    }
    forged
}

/// Visits all texts with the key that they stand under.
fn visit(value: &mut Value, key: &str, change: &mut impl FnMut(&str, &mut String)) {
    match value {
        Value::String(text) => change(key, text),
        Value::Array(items) => items.iter_mut().for_each(|item| visit(item, key, change)),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(key, value)| visit(value, key, change))
        }
        _ => {}
    }
}
