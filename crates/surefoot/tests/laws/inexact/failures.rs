//! Attempts that failed: what they forbid can be done in no true state, and no model allows one
//! with its margins.

use super::estimate::View;
use super::generate::{Case, Failed};
use super::laws::{Found, Law};
use super::opponent::symbols;
use super::product::{self, Asker, Learned};
use crate::chance::Chance;
use crate::promise::number::{Rat, TooLarge};
use crate::promise::world::State;

/// Estimates behind failures, seen from what worked: where one is forbidden, the step works in no
/// true state that it leaves possible.
pub fn forbidden(chance: &mut Chance, view: &View, found: &mut Found) -> Result<(), TooLarge> {
    let (case, world) = (view.case, &view.case.world);
    found.counts.add("attempts that failed", case.failed.len());
    if case.failed.is_empty() {
        return Ok(());
    }
    let asker = match Asker::new(case, &view.world) {
        Ok(asker) => asker,
        Err(why) => {
            found.tell(Law::Refused, why);
            return Ok(());
        }
    };
    for _ in 0..60 {
        let Failed { call, record, .. } = chance.of(&case.failed).clone();
        let real = &world.actions[call.action];
        let steps: Vec<(&State, &[usize])> = Case::steps_of(&case.records, call.action)
            .map(|(state, call, _)| (state, &call.arguments[..]))
            .collect();
        let (worked, bound) = *chance.of(&steps);
        let mut state = record.clone();
        let away = Rat::new(chance.between(4, 24).into(), 8);
        for function in world.applications(&world.functions, &real.parameters) {
            let place = world.function_index(&function, &call.arguments);
            let (Some(near), Some(far)) =
                (worked.values[world.function_index(&function, bound)], record.values[place])
            else {
                continue;
            };
            state.values[place] = Some(near.plus(far.minus(near)?.times(away)?)?);
        }
        let scale = *chance.of(&[0, 2, 4, 4, 8]);
        let of_place = symbols(world);
        let error = |at: usize| of_place[at].map_or(Rat::ZERO, |symbol| case.errors[symbol]);
        // Of records, where the model has no error functions.
        let scale = if view.error_at.iter().all(Option::is_none) { 4 } else { scale };
        let errors: Vec<Rat> = (0..of_place.len())
            .map(|at| error(at).times(Rat::new(scale, 4)))
            .collect::<Result<_, _>>()?;
        let estimate = view.estimate(&state, |at| errors[at]);
        found.counts.add("estimates behind failures", 1);
        if !asker.is_forbidden(&view.world, &call, &estimate) {
            continue;
        }
        found.counts.add("forbidden", 1);
        for trial in 0..12 {
            let mut truth = state.clone();
            for (at, value) in truth.values.iter_mut().enumerate() {
                let part = if trial < 2 { 16 * trial - 8 } else { *chance.of(&[-8, 8, -8, 8, 0]) };
                *value = value
                    .map(|value| value.plus(errors[at].times(Rat::new(part, 8))?))
                    .transpose()?;
            }
            if world.successor(real, &call.arguments, &truth)?.is_some() {
                let what = format!(
                    "{}: estimate{}\ntruth{}",
                    world.call(&call),
                    view.world.facts(&estimate),
                    world.facts(&truth)
                );
                found.tell(Law::ForbiddenWrong, what);
            }
        }
    }
    Ok(())
}

/// A failure is told in a recorded state that the model allows with its margins: no such model is
/// written, and `check` accepts none.
pub fn refuted(chance: &mut Chance, view: &View, learned: &Learned, found: &mut Found) {
    let (case, world) = (view.case, &view.case.world);
    let of_place = symbols(world);
    let error = |at: usize| of_place[at].map_or(Rat::ZERO, |symbol| case.errors[symbol]);
    let allowed = |action: &crate::promise::world::Action| {
        let index = world.actions.iter().position(|real| real.name == action.name)?;
        Case::steps_of(&case.records, index).find_map(|(record, call, _)| {
            let estimate = view.estimate(record, error);
            let allowed = view.world.successor(action, &call.arguments, &estimate).ok()?;
            allowed.map(|_| Failed {
                call: call.clone(),
                truth: record.clone(),
                record: record.clone(),
            })
        })
    };
    let mut all: Vec<Failed> = learned.actions.iter().flatten().filter_map(allowed).collect();
    if all.is_empty() {
        return;
    }
    let mut planted = case.clone();
    planted.failed.push(all.swap_remove(chance.below(all.len())));
    found.counts.add("models refuted by a failure", 1);
    let what = || world.call(&planted.failed[planted.failed.len() - 1].call);
    if let Ok(other) = product::learn(&planted, &product::Split::whole(planted.records.len())) {
        found.tell(
            Law::FailureAllowed,
            format!("{} is learned all the same\n{}", what(), other.model),
        );
    }
    let reasons = product::check(&planted, &product::of_traces(&planted, learned));
    if !reasons.iter().any(|reason| reason.contains("allows an attempt that failed")) {
        found.tell(
            Law::FailureAllowed,
            format!("{} is accepted: {reasons:?}\n{}", what(), learned.model),
        );
    }
}
