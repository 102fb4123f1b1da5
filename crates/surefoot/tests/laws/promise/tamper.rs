//! Models and certificates that someone changed. Where the oracle finds a changed model unsafe, no
//! certificate may pass for it.

use serde_json::Value;

use super::generate::{Case, Trace};
use super::laws::{Counts, Law, Violation, unsafe_step};
use super::number::Rat;
use super::product::{self, Learned, Mark, Method, Options, Split, Texts};
use super::questions::{Question, climb};
use super::world::{Action, Comparison, Condition, Effect, Expression, Operator, World};
use crate::chance::Chance;

pub fn tamper(
    chance: &mut Chance,
    case: &Case,
    texts: &Texts,
    learned: &Learned,
    asked: &[Vec<Question>],
    counts: &mut Counts,
    found: &mut Vec<Violation>,
) {
    let mut scene = Scene { case, texts, learned, asked, counts, found };
    scene.changed_models(chance);
    scene.false_records(chance);
    scene.false_options(chance);
}

struct Scene<'a> {
    case: &'a Case,
    texts: &'a Texts,
    learned: &'a Learned,
    asked: &'a [Vec<Question>],
    counts: &'a mut Counts,
    found: &'a mut Vec<Violation>,
}

impl Scene<'_> {
    fn unsafe_action(&mut self, chance: &mut Chance, action: &Action) -> Option<String> {
        let at = self.learned.actions.iter().position(|own| own.name == action.name)?;
        unsafe_step(self.case, action, &self.asked[at], &mut Counts::default()).or_else(|| {
            unsafe_step(
                self.case,
                action,
                &climb(chance, self.case, action, 40),
                &mut Counts::default(),
            )
        })
    }

    fn must_reject(&mut self, kind: &str, model: &str, certificate: &str, why: &str) {
        self.counts.add("forged certificates", 1);
        if product::check(self.texts, model, certificate).is_empty() {
            let what = format!("{kind}: {why}\n{model}\n{certificate}");
            self.found.push(Violation { law: Law::TamperedAccepted, what });
        }
    }

    /// One thing in one action is changed, and perhaps the certificate with it.
    fn changed_models(&mut self, chance: &mut Chance) {
        for (at, action) in self.learned.actions.iter().enumerate() {
            let mut tried = 0;
            for _ in 0..24 {
                let Some(Change { action: changed, old, new }) =
                    change(chance, &self.case.world, action)
                else {
                    break;
                };
                if tried == 3 {
                    break;
                }
                self.counts.add("changed models", 1);
                let Some(why) = self.unsafe_action(chance, &changed) else { continue };
                self.counts.add("changed models that are unsafe", 1);
                tried += 1;
                let mut actions = self.learned.actions.clone();
                actions[at] = changed;
                let model = self.case.world.domain(&actions, true);
                self.must_reject("the model alone", &model, &self.learned.certificate, &why);
                let Ok(certificate) = serde_json::from_str::<Value>(&self.learned.certificate)
                else {
                    continue;
                };
                for forged in forgeries(chance, &certificate, &action.name, &old, new.as_deref()) {
                    self.must_reject("both", &model, &forged.to_string(), &why);
                }
            }
        }
    }

    /// An honest learner of records that are not the real ones.
    fn false_records(&mut self, chance: &mut Chance) {
        let mut forged = self.case.clone();
        let at = chance.below(forged.traces.len());
        let Trace { states, calls } = &mut forged.traces[at];
        let step = chance.below(calls.len());
        let (atoms, values) = (self.case.world.atoms(), self.case.world.values());
        // Both states alike, so that a condition is refuted; or the one after, so that an effect is
        // another.
        let both = chance.percent(75);
        let (from, to) = if both { (step, step + 1) } else { (step + 1, step + 1) };
        let (flipped, moved) = (
            (!atoms.is_empty()).then(|| *chance.of(&atoms)),
            (!values.is_empty()).then(|| *chance.of(&values)),
        );
        let use_atom = flipped.is_some() && (moved.is_none() || chance.percent(50));
        for state in &mut states[from..=to] {
            match (use_atom, flipped, moved) {
                (true, Some(atom), _) => state.atoms[atom] = !state.atoms[atom],
                (_, _, Some(value)) => {
                    state.values[value] =
                        state.values[value].and_then(|old| old.plus(Rat::int(9)).ok())
                }
                _ => return,
            }
        }
        let texts = forged.texts();
        let Ok(learned) =
            product::learn(&texts, &self.case.options, &Split::whole(texts.traces.len()))
        else {
            return;
        };
        self.counts.add("models of false records", 1);
        for action in &learned.actions {
            if self.learned.actions.iter().all(|own| own.name != action.name) {
                continue;
            }
            let Some(why) = self.unsafe_action(chance, action) else { continue };
            self.counts.add("models of false records that are unsafe", 1);
            let mut certificate = learned.certificate.clone();
            for (false_trace, true_trace) in texts.traces.iter().zip(&self.texts.traces) {
                certificate = certificate
                    .replace(&product::digest_of(false_trace), &product::digest_of(true_trace));
            }
            self.must_reject("false records", &learned.model, &certificate, &why);
            return;
        }
    }

    /// An honest learner that assumes too much, with the head of a certificate that does not.
    fn false_options(&mut self, chance: &mut Chance) {
        let mut options: Options = self.case.options.clone();
        match chance.below(6) {
            0 => options.arity = Some(1),
            1 => options.effect_arity = Some(chance.below(2)),
            2 => options.positive = true,
            3 => options.method = Method::Sam,
            4 => {
                for action in &self.case.world.actions {
                    let functions = self
                        .case
                        .world
                        .applications(&self.case.world.functions, &action.parameters);
                    let marks = functions.iter().map(|one| {
                        (
                            self.case.world.function(one),
                            *chance.of(&[Mark::More, Mark::Less, Mark::Any]),
                        )
                    });
                    options.monotone.insert(action.name.clone(), marks.collect());
                }
            }
            _ => {
                for action in &self.case.world.actions {
                    options.relevant.insert(action.name.clone(), Vec::new());
                }
            }
        }
        if options == self.case.options {
            return;
        }
        let Ok(learned) =
            product::learn(self.texts, &options, &Split::whole(self.texts.traces.len()))
        else {
            return;
        };
        self.counts.add("models of false options", 1);
        let Some(why) =
            learned.actions.iter().find_map(|action| self.unsafe_action(chance, action))
        else {
            return;
        };
        self.counts.add("models of false options that are unsafe", 1);
        let (Ok(honest), Ok(mut forged)) = (
            serde_json::from_str::<Value>(&self.learned.certificate),
            serde_json::from_str::<Value>(&learned.certificate),
        ) else {
            return;
        };
        if let (Some(forged), Some(honest)) = (forged.as_object_mut(), honest.as_object()) {
            for (key, value) in honest.iter().filter(|(key, _)| *key != "actions") {
                forged.insert(key.clone(), value.clone());
            }
        }
        self.must_reject("false options", &learned.model, &forged.to_string(), &why);
    }
}

struct Change {
    action: Action,
    /// What was changed, as it is written, and what it is now.
    old: String,
    new: Option<String>,
}

/// Changes one thing in an action so that it may allow more, or do something else. `None` where it
/// has nothing to change.
fn change(chance: &mut Chance, world: &World, action: &Action) -> Option<Change> {
    let parts = action.conjuncts();
    let at = chance.below(parts.len() + 2 * action.effects.len());
    if parts.is_empty() && action.effects.is_empty() {
        return None;
    }
    let removed = chance.percent(50);
    let Some(part) = parts.get(at) else {
        let at = (at - parts.len()) / 2;
        let effect = &action.effects[at];
        let mut effects = action.effects.clone();
        let new = if removed {
            effects.remove(at);
            None
        } else {
            effects[at] = another(effect);
            Some(world.effect(&effects[at]))
        };
        return Some(Change {
            action: Action { effects, ..action.clone() },
            old: world.effect(effect),
            new,
        });
    };
    let mut parts = parts.to_vec();
    let new = match looser(chance, part).filter(|_| !removed) {
        Some(looser) => {
            let new = world.condition(&looser);
            parts[at] = looser;
            Some(new)
        }
        None => {
            parts.remove(at);
            None
        }
    };
    let old = world.condition(part);
    Some(Change { action: Action { condition: Condition::And(parts), ..action.clone() }, old, new })
}

fn looser(chance: &mut Chance, part: &Condition) -> Option<Condition> {
    let (comparison, left, right) = match part {
        Condition::Compare(comparison, left, right) => (comparison, left, right),
        // A guard: one of its alternatives asks for less, or there is none of it.
        Condition::Or(parts) | Condition::And(parts) if !parts.is_empty() => {
            let (mut parts, at) = (parts.clone(), chance.below(parts.len()));
            match looser(chance, &parts[at]).filter(|_| chance.percent(60)) {
                Some(looser) => parts[at] = looser,
                None => drop(parts.remove(at)),
            }
            return Some(if matches!(part, Condition::Or(_)) {
                Condition::Or(parts)
            } else {
                Condition::And(parts)
            });
        }
        _ => return None,
    };
    let more =
        |side: &Expression| Expression::Sum(vec![side.clone(), Expression::Number(Rat::int(2))]);
    Some(match comparison {
        Comparison::AtLeast | Comparison::More => {
            Condition::Compare(*comparison, more(left), right.clone())
        }
        Comparison::AtMost | Comparison::Less => {
            Condition::Compare(*comparison, left.clone(), more(right))
        }
        Comparison::Equal => match chance.below(3) {
            0 => Condition::Compare(Comparison::Equal, left.clone(), more(right)),
            1 => Condition::Compare(Comparison::AtMost, left.clone(), right.clone()),
            _ => Condition::Compare(Comparison::AtLeast, left.clone(), right.clone()),
        },
    })
}

fn another(effect: &Effect) -> Effect {
    match effect {
        Effect::Add(atom) => Effect::Delete(atom.clone()),
        Effect::Delete(atom) => Effect::Add(atom.clone()),
        Effect::Change(operator, target, value) => {
            let value = Expression::Sum(vec![value.clone(), Expression::Number(Rat::ONE)]);
            let operator =
                if *operator == Operator::Decrease { Operator::Increase } else { *operator };
            Effect::Change(operator, target.clone(), value)
        }
    }
}

/// Certificates that were changed along with the model: the text of what was changed follows, where
/// it is found, and then at most one entry of one list of the action's record is missing.
fn forgeries(
    chance: &mut Chance,
    certificate: &Value,
    action: &str,
    old: &str,
    new: Option<&str>,
) -> Vec<Value> {
    let mut synced = certificate.clone();
    let Some(record) = synced.get_mut("actions").and_then(|actions| actions.get_mut(action)) else {
        return Vec::new();
    };
    replace(record, old, new);
    let mut paths = Vec::new();
    entries(record, &mut Vec::new(), &mut paths);
    chance.shuffle(&mut paths);
    let mut all = vec![synced.clone()];
    for path in paths.into_iter().take(12) {
        let mut forged = synced.clone();
        if let Some(record) = forged.get_mut("actions").and_then(|actions| actions.get_mut(action))
        {
            remove(record, &path);
            all.push(forged);
        }
    }
    all
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(" )", ")")
}

fn replace(value: &mut Value, old: &str, new: Option<&str>) {
    match value {
        Value::Array(items) => {
            items.iter_mut().for_each(|item| replace(item, old, new));
            let is_old = |item: &Value| item.as_str().is_some_and(|text| plain(text) == plain(old));
            match new {
                Some(new) => items
                    .iter_mut()
                    .filter(|item| is_old(item))
                    .for_each(|item| *item = Value::String(new.to_owned())),
                None => items.retain(|item| !is_old(item)),
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(|field| replace(field, old, new)),
        _ => {}
    }
}

#[derive(Clone)]
enum Place {
    Field(String),
    Entry(usize),
}

/// The places of all entries of all lists.
fn entries(value: &Value, path: &mut Vec<Place>, found: &mut Vec<Vec<Place>>) {
    let mut visit = |place: Place, inner: &Value, is_entry: bool| {
        path.push(place);
        if is_entry {
            found.push(path.clone());
        }
        entries(inner, path, found);
        path.pop();
    };
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| visit(Place::Entry(at), item, true))
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| visit(Place::Field(name.clone()), field, false))
        }
        _ => {}
    }
}

fn remove(value: &mut Value, path: &[Place]) {
    match (value, path) {
        (Value::Array(items), [Place::Entry(at)]) => drop(items.remove(*at)),
        (Value::Array(items), [Place::Entry(at), rest @ ..]) => remove(&mut items[*at], rest),
        (Value::Object(fields), [Place::Field(name), rest @ ..]) => {
            if let Some(field) = fields.get_mut(name) {
                remove(field, rest);
            }
        }
        _ => {}
    }
}
