//! `surefoot explain`: why an action is or is not applicable under a learned model.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use serde_json::{Value, json};
use surefoot_analysis::explain::{
    Admission, Applicability, Asked, Explanation, Grounds, Nearest, Reason, is_of_model,
};
use surefoot_base::certificate::vocabulary_digest;
use surefoot_base::exact::Rational;
use surefoot_base::margins::{ErrorFunctions, for_records};
use surefoot_base::model::semantics::{Inapplicable, Semantics, Violation, ViolationCause};
use surefoot_base::model::{
    ActionId, Condition, Domain, FunctionId, Ground, GroundFunction, State, Universe,
};
use surefoot_base::pddl::{Source, Writer};
use surefoot_learn::{Job, Learner, Monotone, Policy, Recording, Settings, Unwatched};

use crate::args::{Explain, Format};
use crate::by_part;
use crate::records::GivenRecords;
use crate::task;
use surefoot_io::input::{self, ModelFile};
use surefoot_io::output::{Answer, ConditionWriter, count, print_json, say, shown_path};
use surefoot_io::paint;
use surefoot_io::voice;

pub fn run(arguments: &Explain) -> Result<Answer> {
    let task::Task { model, domain, problem } = task::task(&arguments.task)?;
    let remade = model.remade()?.map(|saved| saved.model);
    if remade.is_some() && (arguments.state.is_some() || arguments.dials.is_turned()) {
        bail!(
            "{} holds its evidence and knows the options it was learned with: leave out --state \
             and options of learning",
            shown_path(&arguments.task.domain)
        );
    }
    let domain = remade.as_ref().map_or(domain, |model| Domain::clone(model.for_planning()));
    let step = by_part::steps(
        &Source::new("the action to explain", &*arguments.action),
        (&arguments.task.domain, &model),
        &domain,
        &problem.objects,
    )?;
    let [step] = &step.steps[..] else { bail!("name one action, such as '(drive truck1 a b)'") };
    let semantics = Semantics::new(&domain, &problem.objects);
    let mut universe = Universe::default();
    let mut state = problem.initial_state(&mut universe);
    let errors = model.errors(&domain)?;
    if as_recorded(&domain, &errors, &mut universe, &mut state) {
        let (problem, model) =
            (shown_path(&arguments.task.problem), shown_path(&arguments.task.domain));
        voice::note(&format!(
            "{problem} gives no errors, so its values are taken as recorded values, with the \
             errors in the header of {model}"
        ));
    }
    if let Some(path) = &arguments.after {
        let model = (&*arguments.task.domain, &model);
        let plan = by_part::plan(path, model, &domain, &problem.objects)?;
        for (index, before) in plan.steps.iter().enumerate() {
            match semantics.successor(&before.action, &mut universe, &state) {
                Ok(next) => state = next,
                Err(_) => bail!(
                    "{}: step {} cannot be taken, so there is no state after it",
                    shown_path(path),
                    index + 1
                ),
            }
        }
    }
    let asked =
        Asked { step: &step.action, objects: &problem.objects, universe: &universe, state: &state };
    let told = StepReport {
        domain: &domain,
        asked,
        words: ConditionWriter::new(&domain, &problem.objects),
    };
    let records = match &arguments.traces[..] {
        [] => None,
        paths => {
            let (domain, map, problems) =
                (&arguments.task.domain, arguments.map.as_deref(), arguments.problems.as_deref());
            let mut records = GivenRecords::open(paths, Some(domain), map, problems)?;
            // Records know nothing of the errors that the model carries along.
            if let GivenRecords::Traces(domain, _) = &mut records {
                **domain = for_records(domain, &errors);
            }
            Some(records)
        }
    };
    let recording = records.as_ref().map(|records| records as &dyn Recording);
    // What is allowed needs no grounds: the model does what it says.
    let allowed = semantics.applicable(asked.step, &universe, &state).is_ok();
    let learned = match allowed || remade.is_some() {
        true => None,
        false => learned(arguments, &model, records.as_ref())?,
    };
    let grounds = match &learned {
        None => remade.as_ref().and_then(|model| Grounds::of(model, step.action.symbol, recording)),
        Some((learner, settings, from)) => {
            let Some(action) = learner
                .given()
                .actions
                .find(domain.action_name(step.action.symbol))
                .map(ActionId::from)
            else {
                bail!("{from} is the state of another domain");
            };
            if !is_of_model(learner, settings, action, &domain, step.action.symbol) {
                bail!(
                    "{from} and these options do not give what {} has for {}: name the \
                     certificate of the model, which has the options it was learned with (-c \
                     CERTIFICATE){}, or give these options, such as {}",
                    shown_path(&arguments.task.domain),
                    domain.action_name(step.action.symbol),
                    if arguments.state.is_none() { ", or its state (--state STATE)" } else { "" },
                    if errors.is_empty() { "--relevant" } else { "--effect-decimals" }
                );
            }
            Some(Grounds { learner, settings, action, recording })
        }
    };
    let explanation = match &remade {
        Some(model) => Explanation::of(model, asked, recording)?,
        None => Explanation::within(&domain, asked, grounds, &errors)?,
    };
    match arguments.format {
        Format::Json => print_json(&told.json(&explanation, grounds))?,
        Format::Text => {
            let mut text = String::new();
            let lines = explanation.lines(&domain, asked, grounds, "--all");
            for line in &lines {
                text += &format!("{line}\n");
            }
            if explanation.is_allowed() {
                told.changes(&explanation)
                    .iter()
                    .for_each(|change| text += &format!("  {change}\n"));
            } else if arguments.all {
                text += &told.all(&explanation, grounds);
            } else if !arguments.quiet && grounds.is_none() && model.not_safe().is_none() {
                // A learner that promises nothing has no state to ask.
                text += "(with --state or --traces, explain also shows the nearest step that \
                worked)\n";
            }
            say(&paint::headed(&text))?;
        }
    }
    Ok(if allowed { Answer::Yes } else { Answer::No })
}

/// A state of a problem that gives no errors is taken for a recorded one: its values are as far off
/// as records are. Whether it was.
fn as_recorded(
    domain: &Domain,
    errors: &BTreeMap<FunctionId, Rational>,
    universe: &mut Universe,
    state: &mut State,
) -> bool {
    let functions = ErrorFunctions::of(&domain.signature);
    let known: Vec<GroundFunction> =
        state.values().map(|(id, _)| universe.ground_function(id).clone()).collect();
    if functions.is_empty() || known.iter().any(|function| functions.is_error(function.symbol)) {
        return false;
    }
    for function in known {
        if let Some(symbol) = functions.get(function.symbol) {
            let error = errors.get(&function.symbol).cloned().unwrap_or(Rational::ZERO);
            let id = universe.value(&Ground { symbol, arguments: function.arguments });
            state.set_value(id, error);
        }
    }
    true
}

/// What the model was learned from, as a state holds it or as records show it; with its name for
/// messages.
fn learned(
    arguments: &Explain,
    model: &ModelFile,
    records: Option<&GivenRecords>,
) -> Result<Option<(Learner, Settings, String)>> {
    let certificate = match &arguments.task.certificate {
        Some(path) if arguments.dials.is_turned() => {
            bail!(
                "{} says which options the model was learned with: leave them out here",
                shown_path(path)
            );
        }
        Some(path) => Some((path, input::certificate(path)?)),
        None => None,
    };
    let spec = match (&certificate, model.spec()) {
        (Some((_, certificate)), _) => certificate.assumptions.spec.clone(),
        (None, Some(spec)) if !arguments.dials.is_turned() => spec.clone(),
        _ => {
            let error = model.error_map()?;
            let spec = arguments.dials.spec()?.with(|spec| spec.error = error);
            match records {
                Some(records) => records.with_parts(spec)?,
                None => spec,
            }
        }
    };
    if let Some(state) = &arguments.state {
        let learner = input::learner(state)?;
        if let Some((path, certificate)) = &certificate {
            let seen: BTreeSet<&String> = learner.history().traces.keys().collect();
            if seen != certificate.traces.iter().collect()
                || vocabulary_digest(learner.given()) != certificate.vocabulary
            {
                bail!(
                    "{} and {} are not of one model: they rest on different trajectories",
                    shown_path(state),
                    shown_path(path)
                );
            }
        }
        let settings =
            Settings::of_spec(&spec, &learner).map_err(|error| arguments.dials.explained(error))?;
        return Ok(Some((learner, settings, shown_path(state))));
    }
    let Some(records) = records else { return Ok(None) };
    let start = arguments.dials.start(records.domain(), &spec)?;
    let settings =
        Settings::of_spec(&spec, &start).map_err(|error| arguments.dials.explained(error))?;
    let (policy, progress) = (Policy::default(), &Unwatched);
    let job = Job {
        start: &start,
        settings: &settings,
        recording: records,
        policy,
        digests: false,
        progress,
    };
    let learner = job.read(&BTreeSet::new())?.learner;
    Ok(Some((learner, settings, "the records".to_owned())))
}

/// What is said of one step.
struct StepReport<'a> {
    domain: &'a surefoot_base::model::Domain,
    asked: Asked<'a>,
    words: ConditionWriter<'a>,
}

impl StepReport<'_> {
    /// What an allowed step changes.
    fn changes(&self, explanation: &Explanation) -> Vec<String> {
        let Applicability::Applicable(changes) = &explanation.applicability else {
            return Vec::new();
        };
        let Asked { objects, universe, state, .. } = self.asked;
        let writer = Writer::new(self.domain, objects);
        let mut lines: Vec<String> = Vec::new();
        lines.extend(
            changes.deletes.iter().map(|atom| format!("makes {} false", writer.ground_atom(atom))),
        );
        lines.extend(
            changes.adds.iter().map(|atom| format!("makes {} true", writer.ground_atom(atom))),
        );
        let errors = ErrorFunctions::of(&self.domain.signature);
        for (function, value) in
            changes.values.iter().filter(|(function, _)| !errors.is_error(function.symbol))
        {
            let old = universe.find_value(function).and_then(|id| state.value(id));
            let old = old.map_or("undefined".into(), ToString::to_string);
            lines.push(format!(
                "changes {} from {old} to {value}",
                writer.ground_function(function)
            ));
        }
        lines
    }

    /// Every condition that does not hold, as the model has it.
    fn violations(&self, explanation: &Explanation) -> Vec<String> {
        match &explanation.applicability {
            Applicability::Refused(Inapplicable::Precondition(violations)) => violations
                .iter()
                .map(|violation| format!("{}{}", self.words.violation(violation), gap(violation)))
                .collect(),
            Applicability::Refused(other) => self.words.reasons(self.asked.step, other),
            _ => Vec::new(),
        }
    }

    /// All that there is to say beyond the first lines.
    fn all(&self, explanation: &Explanation, grounds: Option<Grounds<'_>>) -> String {
        let violations = self.violations(explanation);
        let mut text = format!("{}:\n", count(violations.len(), "violated condition"));
        violations.iter().for_each(|line| text += &format!("  {line}\n"));
        let in_part = grounds.and_then(|grounds| grounds.in_part(self.asked));
        let Some(grounds) = in_part else { return text };
        if let Some(nearest) = &explanation.nearest {
            text += &format!("the nearest of {}:\n", count(nearest.among, "observed vector"));
            for (name, here, observed) in columns(grounds, nearest) {
                let marker = if here == observed { "" } else { "   <-" };
                text += &format!("  {name}: {observed}, here {here}{marker}\n");
            }
        }
        match explanation.questions.is_empty() {
            true => text += "no single assumption that the records support would allow this step\n",
            false => text += "questions, and how to say yes to them:\n",
        }
        for question in &explanation.questions {
            let (words, options) = (
                question.in_words(grounds.learner, grounds.action),
                options(grounds, &question.admission),
            );
            text += &format!("  {words}\n    {options}\n");
        }
        text
    }

    /// By how much a bound with a margin is missed, as the reason says it in words.
    fn margin(&self, explanation: &Explanation, reason: &Reason) -> Option<Value> {
        let (refused_by, margin) = reason.refused_by()?;
        let words = explanation.reason_in_words(reason, self.domain, self.asked);
        Some(json!({
            "reason": words,
            "refused_by": refused_by.to_string(),
            "margin": margin.to_string(),
        }))
    }

    fn json(&self, explanation: &Explanation, grounds: Option<Grounds<'_>>) -> Value {
        let reasons = explanation
            .reasons
            .iter()
            .filter_map(|reason| explanation.reason_in_words(reason, self.domain, self.asked));
        let grounds = grounds.and_then(|grounds| grounds.in_part(self.asked));
        let nearest = grounds.zip(explanation.nearest.as_ref()).map(|(grounds, nearest)| {
            let columns = columns(grounds, nearest).map(|(name, here, observed)| {
                json!({"column": name, "here": here, "observed": observed})
            });
            let recorded = nearest.recorded.as_ref().map(|recorded| {
                let place = &recorded.place;
                json!({"step": recorded.step, "file": place.file, "line": place.position.line})
            });
            let columns = columns.collect::<Vec<_>>();
            json!({"columns": columns, "among": nearest.among, "recorded": recorded})
        });
        let questions: Vec<Value> = grounds.map_or_else(Vec::new, |grounds| {
            let question = |question: &surefoot_analysis::explain::Question| {
                json!({
                    "question": question.in_words(grounds.learner, grounds.action),
                    "foreseen": question.foreseen,
                    "options": options(grounds, &question.admission),
                })
            };
            explanation.questions.iter().map(question).collect()
        });
        let mut told = json!({
            "action": self.words.action(self.asked.step),
            "applicable": explanation.is_allowed(),
            "answer": explanation.answer.as_ref().map(surefoot_learn::Answer::name),
            "witness": explanation.witness,
            "lines": explanation.lines(self.domain, self.asked, grounds, "violations"),
            "reasons": reasons.collect::<Vec<_>>(),
            "violations": self.violations(explanation),
            "changes": self.changes(explanation),
            "nearest": nearest,
            "questions": questions,
        });
        // Only of models that know numbers within errors.
        let margins: Vec<Value> = explanation
            .reasons
            .iter()
            .filter_map(|reason| self.margin(explanation, reason))
            .collect();
        if !margins.is_empty() {
            told["margins"] = margins.into();
        }
        told
    }
}

/// By how much a comparison is missed.
fn gap(violation: &Violation) -> String {
    match (&violation.cause, &violation.condition) {
        (ViolationCause::Values(left, right), Condition::Compare(..)) if left != right => {
            format!(", by {}", (left - right).abs())
        }
        _ => String::new(),
    }
}

/// The columns of the nearest vector: written, here, observed.
fn columns<'a>(
    grounds: Grounds<'a>,
    nearest: &'a Nearest,
) -> impl Iterator<Item = (String, String, String)> + 'a {
    let Grounds { learner, action, .. } = grounds;
    let written =
        move |column| learner.written(action, &learner.vocabulary(action).columns[column]);
    nearest.columns.iter().map(move |(column, here, observed)| {
        (written(*column), here.to_string(), observed.to_string())
    })
}

/// How to say yes to an assumption.
fn options(grounds: Grounds<'_>, admission: &Admission) -> String {
    let Grounds { learner, action, .. } = grounds;
    match admission {
        Admission::Arity(arity, false) => format!("--arity {arity}"),
        Admission::Arity(arity, true) => format!("--arity {arity} --effect-arity {arity}"),
        Admission::Monotone(column, mark) => {
            let name = learner.domain().action_name(action);
            let column = learner.written(action, &learner.vocabulary(action).columns[*column]);
            let word = if *mark == Monotone::More { "more" } else { "less" };
            format!("--monotone with {{\"{name}\": {{\"{column}\": \"{word}\"}}}}")
        }
        Admission::PositivePreconditions => "--positive-preconditions".into(),
    }
}
