//! `surefoot learn`: from trajectories to a safe domain.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use surefoot::assumptions::{Algorithm, Misfit, misfits};
use surefoot::certificate::{Certificate, digest};
use surefoot::learn::{
    Class, Conclusion, Degree, Extent, Inconsistency, LearnedAction, Learner, LeftOut, NumericForm, Settings, assumptions,
    certificate, in_words, learned_domain, save,
};
use surefoot::model::semantics::Semantics;
use surefoot::model::{ActionId, Domain, GroundAction};
use surefoot::pddl::{Numbers, Writer, visible, write_domain};

use crate::args::{AlgorithmName, ClassArguments, Format, Learn, OnBadData, SettingsArguments};
use crate::bad_data::{self, BadData, Policy, SetAsideLimit};
use crate::corpus::{self, Audience, StepId, Trace, progress};
use crate::experiment::learning::in_words as left_out;
use crate::output::{Answer, print, print_json, shown_path, write_file};
use crate::{guard, input, maps};

pub fn run(arguments: &Learn) -> Result<Answer> {
    let domain = input::domain(&arguments.domain)?;
    let mut start = Learner::new(&domain, class(&arguments.class, &domain)?).map_err(|too_many| {
        let action = domain.action_name(too_many.action);
        anyhow::anyhow!("{action} has {too_many}; choose a smaller --degree, or give a --relevant map")
    })?;
    if let Some(path) = &arguments.resume {
        let earlier = input::learner(path)?;
        if !earlier.is_compatible(&start) {
            bail!(
                "{} is the state of another domain, or of another class of models (--degree, --squares, --relevant, --decimals)",
                shown_path(path)
            );
        }
        start = earlier;
    }
    if arguments.class.squares {
        eprintln!(
            "warning: a class that contains squares can refute almost nothing between two observed values: expect a model that \
             allows little more than what was seen"
        );
    }
    let settings = settings(&arguments.settings, &start)?;
    let traces = corpus::traces(&arguments.traces, arguments.problems.as_deref())?;
    if traces.is_empty() && arguments.resume.is_none() {
        bail!("name trajectories to learn from, or a folder of them");
    }
    guard::learn(arguments, &traces)?;
    for misfit in misfits(&domain, &assumptions(&start, &settings)) {
        eprintln!(
            "warning: {}: {}. No model of the class has that: nothing is promised of what is learned",
            shown_path(&arguments.domain),
            visible(&misfit.to_string())
        );
    }
    let reading = Reading {
        policy: Policy {
            on_bad: arguments.on_bad_data,
            limit: SetAsideLimit { share: arguments.set_aside_share, steps: arguments.set_aside_steps },
        },
        digests: arguments.state.is_some() || arguments.certificate.is_some(),
    };
    let outcome = learn(&start, &settings, &traces, reading, arguments.quiet)?;
    if let Some(path) = &arguments.state {
        write_file(path, &save(&outcome.learner)?)?;
    }
    let text = outcome.pddl();
    match &arguments.output {
        None => print(&text)?,
        Some(path) => write_file(path, text.as_bytes())?,
    }
    if let Some(path) = &arguments.certificate {
        write_file(path, outcome.certificate().to_json()?.as_bytes())?;
    }
    match arguments.format {
        Format::Json if arguments.output.is_some() => print_json(&outcome.summary())?,
        Format::Json => eprintln!("{}", serde_json::to_string_pretty(&outcome.summary())?),
        Format::Text if !arguments.quiet => eprint!("{}", outcome.table()),
        Format::Text => {}
    }
    Ok(Answer::Yes)
}

pub fn class(arguments: &ClassArguments, domain: &Domain) -> Result<Class> {
    Ok(Class {
        degree: Degree { degree: arguments.degree, squares: arguments.squares },
        relevant: arguments.relevant.as_deref().map_or(Ok(BTreeMap::new()), |path| maps::relevant(path, domain))?,
        numbers: arguments.decimals.map_or(Numbers::Exact, Numbers::Decimals),
    })
}

pub fn settings(arguments: &SettingsArguments, learner: &Learner) -> Result<Settings> {
    let settings = Settings {
        algorithm: match arguments.algorithm {
            AlgorithmName::NsamStar => Algorithm::NsamStar,
            AlgorithmName::Nsam => Algorithm::Nsam,
            AlgorithmName::Sam => Algorithm::Sam,
        },
        arity: arguments.arity,
        effect_arity: arguments.effect_arity,
        monotone: arguments.monotone.as_deref().map_or(Ok(BTreeMap::new()), |path| maps::monotone(path, learner))?,
        positive_preconditions: arguments.positive_preconditions,
        facet_budget: arguments.facet_budget,
        digits: arguments.digits,
    };
    settings.check(learner)?;
    Ok(settings)
}

/// A learned model, and how it came about.
pub struct Outcome {
    learner: Learner,
    settings: Settings,
    steps: Vec<usize>,
    conclusions: Vec<(ActionId, Conclusion)>,
    /// By action: how many of the steps it was shown its model refuses.
    refused: Vec<usize>,
    misfits: Vec<Misfit>,
}

/// How traces are read and what is done about bad ones.
#[derive(Clone, Copy, Default)]
pub struct Reading {
    /// What to do about steps that no model explains.
    pub policy: Policy,
    /// Whether the learner shall remember which trajectories it saw.
    pub digests: bool,
}

/// Reads all traces and concludes every action; bad data are dealt with as the user chose.
pub fn learn(start: &Learner, settings: &Settings, traces: &[Trace], reading: Reading, quiet: bool) -> Result<Outcome> {
    let bar = progress(traces.len(), quiet).with_message("reading");
    let outcome = learn_watched(start, settings, traces, reading, &bar);
    bar.finish_and_clear();
    outcome
}

/// The same before another audience.
pub fn learn_watched(
    start: &Learner,
    settings: &Settings,
    traces: &[Trace],
    Reading { policy, digests }: Reading,
    audience: &dyn Audience,
) -> Result<Outcome> {
    let mut reading = corpus::read(start, traces, &BTreeSet::new(), digests, audience)?;
    let steps = all_steps(start, &reading, digests);
    let contradictory = bad_data::contradictory(&reading.learner, settings.algorithm);
    let rows = bad_data::rows(&reading.learner, &contradictory, traces)?;
    let mut findings = std::mem::take(&mut reading.findings);
    findings.extend(bad_data::blamed(start, &reading.learner, &rows, traces, settings.algorithm)?);
    let excessive = bad_data::excessive(&steps, &findings, policy.limit);
    match policy.on_bad {
        _ if findings.is_empty() => {}
        OnBadData::Stop => {
            let advice = bad_data::wrong_class(&reading.learner, &excessive, &rows);
            return Err(BadData::new(&findings, policy, advice).into());
        }
        OnBadData::SkipAction => {
            for (action, step) in bad_data::named(&findings, traces)? {
                reading.learner.skip_action(action, step);
            }
        }
        OnBadData::Quarantine => {
            if !excessive.is_empty() {
                let advice = bad_data::wrong_class(&reading.learner, &excessive, &rows)
                    + "\nMore than --set-aside-share of its steps, and more than --set-aside-steps, cannot be set aside as recording errors";
                return Err(BadData::new(&findings, policy, advice).into());
            }
            if !bad_data::outweighed(start, &findings) {
                contradiction(&reading.learner, &contradictory, start)?;
            }
            let without: BTreeSet<StepId> = findings.iter().map(|finding| finding.step).collect();
            reading = corpus::read(start, traces, &without, digests, audience)?;
            for (_, step) in bad_data::named(&findings, traces)? {
                reading.learner.set_step_aside(step);
            }
        }
    }
    reading.learner.settle();
    if policy.on_bad != OnBadData::SkipAction {
        contradiction(&reading.learner, &bad_data::contradictory(&reading.learner, settings.algorithm), start)?;
    }
    let conclusions = conclude(&reading.learner, settings);
    refuted_assumption(&reading.learner, &conclusions)?;
    Outcome::new(reading.learner, settings, steps, conclusions, traces)
}

/// By action: how many steps were seen, now and before. A trajectory that is known by its digest counts once.
fn all_steps(start: &Learner, reading: &corpus::Reading, digests: bool) -> Vec<usize> {
    let (mut all, known) = match digests {
        true => (vec![0; reading.steps.len()], &reading.learner.history().traces),
        false => (reading.steps.clone(), &start.history().traces),
    };
    known.values().for_each(|steps| all.iter_mut().zip(steps).for_each(|(sum, more)| *sum += more));
    all
}

/// What is left contradicts itself although no step of the traces at hand is to blame: it lies in what was learned before.
fn contradiction(learner: &Learner, contradictory: &BTreeSet<ActionId>, start: &Learner) -> Result<()> {
    let Some(action) = contradictory.first() else { return Ok(()) };
    let name = learner.domain().action_name(*action);
    if start.evidence(*action).is_empty() {
        bail!("no model of the class explains the steps of {name}, and setting single steps aside does not help");
    }
    bail!(
        "no model of the class explains the steps of {name}: those of earlier runs, which the learner's state holds, and those read \
         now contradict each other. Learn from all their trajectories together to see which steps are to blame; \
         --on-bad-data skip-action leaves the action out"
    )
}

impl Outcome {
    fn new(
        learner: Learner,
        settings: &Settings,
        steps: Vec<usize>,
        mut conclusions: Vec<(ActionId, Conclusion)>,
        traces: &[Trace],
    ) -> Result<Self> {
        let refused = refused(&learner, &conclusions, traces)?;
        for (id, conclusion) in &mut conclusions {
            let (refused, all) = (refused[id.index()], steps[id.index()]);
            if refused > 0 && refused == all && matches!(conclusion, Conclusion::Learned(_)) {
                *conclusion = Conclusion::LeftOut(LeftOut::Useless);
            }
        }
        let misfits = misfits(learner.domain(), &assumptions(&learner, settings));
        Ok(Outcome { learner, settings: settings.clone(), steps, conclusions, refused, misfits })
    }

    /// What a learner amounts to, whatever it learned from. Of actions that nothing explains, the steps to blame are looked for in
    /// `traces`; they cannot be set aside any more.
    pub fn of(learner: &Learner, settings: &Settings, traces: &[Trace], on_bad: OnBadData) -> Result<Outcome> {
        let mut learner = learner.clone();
        learner.settle();
        if on_bad != OnBadData::SkipAction {
            let contradictory = bad_data::contradictory(&learner, settings.algorithm);
            let rows = bad_data::rows(&learner, &contradictory, traces)?;
            let findings = bad_data::blamed(&learner.empty(), &learner, &rows, traces, settings.algorithm)?;
            if !findings.is_empty() {
                return Err(BadData::new(&findings, on_bad.into(), String::new()).into());
            }
            contradiction(&learner, &contradictory, &learner)?;
        }
        let conclusions = conclude(&learner, settings);
        refuted_assumption(&learner, &conclusions)?;
        let steps = vec![0; learner.domain().actions.len()];
        Outcome::new(learner, settings, steps, conclusions, &[])
    }

    /// What it was learned from.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// What it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

/// By action: how many of the steps it was shown its model refuses. Nothing is refused where the region leaves out no vector and the
/// guards forbid nothing that was seen, so only then are the traces looked at once more.
fn refused(learner: &Learner, conclusions: &[(ActionId, Conclusion)], traces: &[Trace]) -> Result<Vec<usize>> {
    let mut refused = vec![0; conclusions.len()];
    let doubtful = |conclusion: &Conclusion| matches!(conclusion, Conclusion::Learned(action) if !action.allows_all_seen());
    let doubtful: BTreeSet<ActionId> =
        conclusions.iter().filter(|(_, conclusion)| doubtful(conclusion)).map(|(id, _)| *id).collect();
    if doubtful.is_empty() {
        return Ok(refused);
    }
    let model = learned_domain(learner, &learned(conclusions));
    let set_aside: BTreeSet<(&str, usize)> = learner.set_aside().iter().map(|step| (&*step.trace, step.step)).collect();
    for trace in traces {
        let name = if set_aside.is_empty() { String::new() } else { digest(trace.source()?.text()) };
        trace.steps(learner, |index, step, objects, _| {
            let id = step.action.symbol;
            if doubtful.contains(&id)
                && !set_aside.contains(&(&*name, index))
                && let Some(known) = model.actions.find(learner.domain().action_name(id))
            {
                let ground = GroundAction { symbol: known.into(), arguments: step.action.arguments.clone() };
                let allowed = Semantics::new(&model, objects).applicable(&ground, step.universe, step.before).is_ok();
                refused[id.index()] += usize::from(!allowed);
            }
            true
        })?;
    }
    Ok(refused)
}

fn learned(conclusions: &[(ActionId, Conclusion)]) -> Vec<(ActionId, &LearnedAction)> {
    let learned = conclusions.iter().filter_map(|(id, conclusion)| match conclusion {
        Conclusion::Learned(action) => Some((*id, &**action)),
        _ => None,
    });
    learned.collect()
}

fn conclude(learner: &Learner, settings: &Settings) -> Vec<(ActionId, Conclusion)> {
    use rayon::prelude::*;
    let actions: Vec<ActionId> = learner.domain().action_ids().collect();
    actions.into_par_iter().map(|action| (action, learner.conclude(action, settings))).collect()
}

/// An assumption that the data refute is said loudly, not worked around.
fn refuted_assumption(learner: &Learner, conclusions: &[(ActionId, Conclusion)]) -> Result<()> {
    for (action, conclusion) in conclusions {
        if let Conclusion::Inconsistent(Inconsistency::EffectArity { function }) = conclusion {
            bail!(
                "--effect-arity is refuted: no effect that reads so few functions explains the changes of {} in {}; \
                 choose a larger one",
                function_name(learner, *action, *function),
                learner.domain().action_name(*action)
            );
        }
    }
    Ok(())
}

fn function_name(learner: &Learner, action: ActionId, function: usize) -> String {
    let domain = learner.domain();
    let writer = Writer::new(domain, &domain.signature.constants).with_parameters(&domain.action(action).parameters);
    writer.function(&learner.vocabulary(action).functions[function])
}

impl Outcome {
    /// The actions that were learned.
    pub fn learned(&self) -> Vec<(ActionId, &LearnedAction)> {
        learned(&self.conclusions)
    }

    /// The learned domain.
    pub fn domain(&self) -> Domain {
        learned_domain(&self.learner, &self.learned())
    }

    /// The learned domain, headed by what it promises and on which assumptions.
    pub fn pddl(&self) -> String {
        let mut head = promise(self.settings.algorithm, &self.assumptions(), &self.misfits);
        for (id, conclusion) in &self.conclusions {
            if !matches!(conclusion, Conclusion::Learned(_)) {
                head += &format!("; Left out: {} ({}).\n", self.learner.domain().action_name(*id), why(conclusion));
            }
        }
        head + &write_domain(&self.domain())
    }

    /// The certificate of the model. It names the trajectories that the learner remembers.
    pub fn certificate(&self) -> Certificate {
        certificate(&self.learner, &self.settings, &self.domain(), &self.learned())
    }

    /// What it takes for granted, in words.
    pub fn assumptions(&self) -> Vec<String> {
        in_words(&self.learner, &self.settings)
    }

    /// What in the given domain shows that the class does not fit.
    pub fn misfits(&self) -> &[Misfit] {
        &self.misfits
    }

    /// What `--format json` prints.
    pub fn summary(&self) -> Summary {
        Summary {
            domain: self.learner.domain().name.to_string(),
            algorithm: self.settings.algorithm.title().into(),
            assumptions: self.assumptions(),
            actions: self.conclusions.iter().map(|(id, conclusion)| self.row(*id, conclusion)).collect(),
        }
    }

    fn row(&self, id: ActionId, conclusion: &Conclusion) -> ActionSummary {
        let mut row = ActionSummary {
            action: self.learner.domain().action_name(id).to_owned(),
            steps: self.steps[id.index()],
            result: why(conclusion),
            refused: self.refused[id.index()],
            ..ActionSummary::default()
        };
        if let Conclusion::Learned(learned) = conclusion {
            let (boolean, numeric) = (&learned.boolean, &learned.numeric);
            row.learned = true;
            row.vectors = self.learner.evidence(id).points(&numeric.columns).len();
            row.columns = numeric.columns.len();
            row.dimension = numeric.region.dimension;
            row.literals = boolean.positive.len() + boolean.negative.len() + boolean.equal.len() + boolean.different.len();
            row.literals += boolean.guards.len() + numeric.guards.len();
            row.equations = numeric.region.equations.len();
            row.facets = numeric.region.inequalities.len();
            row.effects = boolean.effects.iter().filter(|effect| **effect != surefoot::learn::BooleanEffect::None).count();
            row.numeric_effects = numeric.effects.iter().filter(|form| **form != NumericForm::Unchanged).count();
            row.uncovered = numeric.region.uncovered;
            row.inner = numeric.region.extent == Extent::Inner;
        }
        row
    }

    /// The summary for people, with what to do about what is odd.
    pub fn table(&self) -> String {
        let summary = self.summary();
        let mut table = Table::new();
        let header = ["action", "steps", "vectors", "dim", "literals", "equations", "facets", "effects", "result"];
        table.load_style(presets::NOTHING).set_header(header);
        for row in &summary.actions {
            let dash = |number: String| if row.learned { number } else { "-".into() };
            table.add_row(vec![
                row.action.clone(),
                row.steps.to_string(),
                dash(row.vectors.to_string()),
                dash(format!("{}/{}", row.dimension, row.columns)),
                dash(row.literals.to_string()),
                dash(row.equations.to_string()),
                dash(row.facets.to_string()),
                dash((row.effects + row.numeric_effects).to_string()),
                row.result.clone(),
            ]);
        }
        for column in table.column_iter_mut().skip(1).take(7) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        let mut text: String = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
        for row in &summary.actions {
            text += &row.advice(&self.settings);
        }
        text
    }
}

/// What became of an action, in words.
fn why(conclusion: &Conclusion) -> String {
    match conclusion {
        Conclusion::Learned(_) => "learned".into(),
        Conclusion::Inconsistent(_) => "no model of the class explains its steps".into(),
        Conclusion::LeftOut(reason) => left_out(reason),
    }
}

/// The head of a learned domain: what it promises, on which assumptions, and what shows that these do not hold.
pub fn promise(algorithm: Algorithm, assumptions: &[String], misfits: &[Misfit]) -> String {
    let mut head = format!("; Learned by surefoot {} with {}.\n", env!("CARGO_PKG_VERSION"), algorithm.title());
    head += "; Every plan made with this domain can be executed in the real world, and does what it says, if:\n";
    assumptions.iter().for_each(|assumption| head += &format!(";  - {assumption}\n"));
    if !misfits.is_empty() {
        head += "; THE PROMISE IS VOID: the domain that was given is outside this class, since\n";
        misfits.iter().for_each(|misfit| head += &format!(";  - {}.\n", visible(&misfit.to_string())));
    }
    head
}

/// A model in numbers.
#[derive(Serialize)]
pub struct Summary {
    /// The domain's name.
    pub domain: String,
    /// The paper's name of the algorithm.
    pub algorithm: String,
    /// What is taken for granted.
    pub assumptions: Vec<String>,
    /// One line an action.
    pub actions: Vec<ActionSummary>,
}

/// An action in numbers; zeros where it is not learned.
#[derive(Serialize, Default)]
pub struct ActionSummary {
    /// Its name.
    pub action: String,
    /// How often it was seen.
    pub steps: usize,
    /// Whether it is in the model.
    pub learned: bool,
    /// Distinct observed vectors that are kept.
    pub vectors: usize,
    /// Functions, or products of them, that its conditions are linear in.
    pub columns: usize,
    /// The dimension of what was observed.
    pub dimension: usize,
    /// Conditions that are not numeric.
    pub literals: usize,
    /// Numeric equations.
    pub equations: usize,
    /// Numeric inequalities.
    pub facets: usize,
    /// Atoms that it changes.
    pub effects: usize,
    /// Functions that it changes.
    pub numeric_effects: usize,
    /// Whether the facets exceeded the budget, so that the region is a part of the safe one.
    pub inner: bool,
    /// How many observed vectors the region leaves out.
    pub uncovered: usize,
    /// How many of the steps it was shown the model refuses.
    pub refused: usize,
    /// What became of it, in words.
    pub result: String,
}

/// More conditions than this make planners slow.
const MANY_FACETS: usize = 200;

impl ActionSummary {
    fn advice(&self, settings: &Settings) -> String {
        let Self { action, columns, facets, uncovered, refused, .. } = self;
        // An assumption is the user's to make: what is offered is what the data cannot decide, and never what was given already.
        let arity = if settings.arity.is_none() { "if each condition mentions few functions, --arity; " } else { "" };
        let mut text = String::new();
        if *refused > 0 {
            text += &format!("warning: {action}: its model refuses {refused} of the {} steps it was learned from\n", self.steps);
        }
        if self.inner {
            text += &format!(
                "warning: {action}: its facets exceed the budget in {columns} dimensions; the region learned is inside the safe one and \
                 leaves out {uncovered} observed vectors. What helps: {arity}if some functions do not matter to it, a --relevant map; \
                 a larger --facet-budget; --certificate, with which plan and validate -c use the whole\n"
            );
        } else if *facets > MANY_FACETS {
            text += &format!(
                "warning: {action}: {} dimensions, {facets} facets: planners will not like this. What helps: {arity}if some functions do \
                 not matter to it, a --relevant map\n",
                self.dimension
            );
        }
        text
    }
}
