//! The test of a cut by traces that are held out: without them a cut is found and a model is
//! learned anew, and what that model says of their events is compared with what was recorded.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use surefoot_base::assumptions::Spec;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Attempt, Condition, Domain, GroundAction};
use surefoot_base::parts::DeclaredParts;
use surefoot_base::pddl::Writer;

use super::rows::{Row, RowEvent, Rows};
use super::search::{Cut, CutPart, Search, Searcher};
use surefoot_learn::{Conclusion, ExampleStep, Learner, Settings};

/// The most sets of traces that are held out. Of more traces, each set has several.
const MOST_SETS: usize = 20;

/// What held-out events say of a cut.
#[derive(Default)]
pub(super) struct HeldOut {
    /// By part: the predicted steps.
    pub predicted: Vec<usize>,
    /// By part: the traces of these steps.
    pub traces: Vec<BTreeSet<usize>>,
    /// The first event that a model predicted wrongly, in the order of digests.
    pub wrong: Option<usize>,
}

/// What a model says of an event.
enum Prediction {
    Nothing,
    Right,
    Wrong,
}

/// How many sets of traces are held out, one after another.
pub(super) fn sets(rows: &Rows<'_>) -> usize {
    rows.traces.min(MOST_SETS)
}

/// Holds each trace out.
pub(super) fn held_out(rows: &Rows<'_>, spec: &Spec, cut: &Cut) -> HeldOut {
    let sets = sets(rows);
    let judged: Vec<Vec<(usize, Prediction)>> = (0..sets)
        .into_par_iter()
        .map(|set| judged(rows, spec, cut, |row| rows.rows[row].trace % sets == set))
        .collect();
    let part_of: BTreeMap<usize, usize> = (cut.parts.iter().enumerate())
        .flat_map(|(place, part)| part.rows.iter().map(move |&row| (row, place)))
        .collect();
    let mut held_out = HeldOut {
        predicted: vec![0; cut.parts.len()],
        traces: vec![BTreeSet::new(); cut.parts.len()],
        wrong: None,
    };
    // Equal steps of one trace, or of traces that repeat each other, count once.
    let mut counted: FxHashSet<(usize, &RowEvent)> = FxHashSet::default();
    for (row, prediction) in judged.into_iter().flatten() {
        match (prediction, part_of.get(&row)) {
            (Prediction::Wrong, _) => {
                held_out.wrong = Some(held_out.wrong.map_or(row, |earlier| earlier.min(row)));
            }
            (Prediction::Right, Some(&part)) => {
                let Row { trace, event, .. } = &rows.rows[row];
                held_out.predicted[part] += usize::from(counted.insert((*trace, event)));
                held_out.traces[part].insert(*trace);
            }
            (Prediction::Right | Prediction::Nothing, _) => {}
        }
    }
    held_out
}

/// What a model that is found and learned without some events says of them. Where fewer parts
/// suffice for the others, it says nothing: then it is no model with these parts.
fn judged(
    rows: &Rows<'_>,
    spec: &Spec,
    cut: &Cut,
    is_held_out: impl Fn(usize) -> bool,
) -> Vec<(usize, Prediction)> {
    let (left_out, others): (Vec<usize>, Vec<usize>) =
        (0..rows.rows.len()).partition(|&row| is_held_out(row));
    let Search::Cut(found) = Searcher::search(rows, &others, cut.count) else { return Vec::new() };
    if found.count != cut.count || left_out.is_empty() {
        return Vec::new();
    }
    let Some(model) = CutModel::learned(rows, spec, &found.parts) else { return Vec::new() };
    left_out.into_iter().map(|row| (row, model.prediction(rows, row))).collect()
}

/// The tests of some parts as PDDL, each part with all of its own.
pub(super) fn texts(rows: &Rows<'_>, parts: &[CutPart]) -> Vec<Vec<String>> {
    let domain = rows.learner.domain();
    let parameters = &domain.action(rows.action).parameters;
    let text = |test: &Condition| {
        let writer = Writer::new(domain, &domain.signature.constants);
        writer.with_parameters(parameters).condition(test)
    };
    parts.iter().map(|part| part.tests.iter().map(text).collect()).collect()
}

/// What is learned of an action with some parts.
pub(super) struct CutModel {
    pub learner: Learner,
    /// The learned domain with a body for each part of the action that was learned.
    pub model: Domain,
}

impl CutModel {
    /// Learns from the events in some parts; `None` if the parts are none that can be declared.
    pub fn learned(rows: &Rows<'_>, spec: &Spec, parts: &[CutPart]) -> Option<CutModel> {
        let (lens, given) = (rows.learner.lens(), rows.learner.given());
        let (id, _) = lens.parts().given_id(rows.action);
        let mut spec = spec.clone();
        let listed = DeclaredParts::Listed(texts(rows, parts));
        spec.parts.insert(given.action_name(id).to_ascii_lowercase(), listed);
        let mut learner = Learner::of(given, &spec).ok()?;
        let settings = Settings::of_spec(&spec, &learner).ok()?;
        let parts_of_action: Vec<_> = learner.lens().parts().learned_ids(id).collect();
        for (&action, part) in parts_of_action.iter().zip(parts) {
            for &row in &part.rows {
                match &rows.rows[row].event {
                    RowEvent::Worked(observation) => learner.observe(action, observation),
                    RowEvent::Failed(failed) => learner.observe_failure(action, failed),
                }
            }
        }
        let learned: Vec<Conclusion> = (parts_of_action.iter())
            .map(|&action| learner.conclude_spanned(action, &settings))
            .collect();
        let model = learner.domain().with_bodies(|action| {
            let place = parts_of_action.iter().position(|part| *part == action)?;
            match &learned[place] {
                Conclusion::Learned(learned) => Some(&learned.action),
                _ => None,
            }
        });
        Some(CutModel { learner, model })
    }

    /// What it says of an event, compared with what was recorded.
    fn prediction(&self, rows: &Rows<'_>, row: usize) -> Prediction {
        let given = self.learner.given();
        let (id, _) = rows.learner.lens().parts().given_id(rows.action);
        let event = &rows.rows[row].event;
        let observation = event.as_step();
        if !observation.is_complete() {
            return Prediction::Nothing;
        }
        let ExampleStep { objects, mut universe, action, before, after } =
            ExampleStep::of(given, id, rows.vocabulary(), &observation, &[]);
        let asked = Attempt { before: &before, action: &action, universe: &universe };
        let Some(symbol) = self.learner.lens().parts().part_of(given, asked) else {
            return Prediction::Nothing;
        };
        let action = GroundAction { symbol, arguments: action.arguments };
        // The objects of an observation have no types; recorded events are well typed.
        let semantics = Semantics::new(&self.model, &objects);
        let condition = &self.model.action(symbol).precondition;
        let is_allowed = semantics.holds_with(condition, &action.arguments, &universe, &before);
        if is_allowed != Ok(true) {
            return Prediction::Nothing;
        }
        let Ok(changes) = semantics.effects(&action, &universe, &before) else {
            return Prediction::Nothing;
        };
        let mut predicted = before.clone();
        changes.apply(&mut universe, &mut predicted);
        match event {
            RowEvent::Worked(_) if predicted == after => Prediction::Right,
            _ => Prediction::Wrong,
        }
    }
}
