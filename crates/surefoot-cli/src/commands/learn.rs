//! `surefoot learn`: from trajectories to a safe domain.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::{Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use surefoot::learn::{
    Algorithm, Certificate, Class, Conclusion, Degree, Extent, Inconsistency, LearnedAction, Learner, NumericForm, Observation,
    SetAside, Settings, digest, in_words, learned_domain, outliers, save,
};
use surefoot::model::{ActionId, Domain};
use surefoot::pddl::{Diagnostic, Numbers, Writer, visible, write_domain};

use crate::args::{AlgorithmName, ClassArguments, Format, Learn, OnBadData, SettingsArguments};
use crate::corpus::{self, Audience, Finding, Reading, StepId, Trace, progress};
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
    let outcome = learn(&start, &settings, &traces, arguments.on_bad_data, arguments.quiet)?;
    if let Some(path) = &arguments.state {
        write_file(path, &save(&outcome.learner))?;
    }
    let text = outcome.pddl();
    match &arguments.output {
        None => print(&text)?,
        Some(path) => write_file(path, text.as_bytes())?,
    }
    if let Some(path) = &arguments.certificate {
        write_file(path, outcome.certificate(&traces)?.to_json()?.as_bytes())?;
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
    Ok(Settings {
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
    })
}

/// A learned model, and how it came about.
pub struct Outcome {
    learner: Learner,
    settings: Settings,
    steps: Vec<usize>,
    conclusions: Vec<(ActionId, Fate)>,
    set_aside: BTreeSet<StepId>,
}

enum Fate {
    Concluded(Conclusion),
    /// Left out because of steps that nothing explains.
    Skipped(usize),
}

/// Reads all traces and concludes every action; bad data are dealt with as the user chose.
pub fn learn(start: &Learner, settings: &Settings, traces: &[Trace], on_bad: OnBadData, quiet: bool) -> Result<Outcome> {
    let bar = progress(traces.len(), quiet).with_message("reading");
    let outcome = learn_watched(start, settings, traces, on_bad, &bar);
    bar.finish_and_clear();
    outcome
}

/// The same before another audience.
pub fn learn_watched(
    start: &Learner,
    settings: &Settings,
    traces: &[Trace],
    on_bad: OnBadData,
    audience: &dyn Audience,
) -> Result<Outcome> {
    let mut reading = corpus::read(start, traces, &BTreeSet::new(), audience)?;
    let mut conclusions = conclude(&reading.learner, settings);
    let mut findings = std::mem::take(&mut reading.findings);
    findings.extend(audit(&reading.learner, &conclusions, traces)?);
    refuted_assumption(&reading.learner, &conclusions)?;
    let mut set_aside = BTreeSet::new();
    if !findings.is_empty() {
        match on_bad {
            OnBadData::Stop => return Err(BadData::new(&findings, class_too_small(start, &reading.steps, &findings)).into()),
            OnBadData::SkipAction => {}
            OnBadData::Quarantine => {
                let without: BTreeSet<StepId> = findings.iter().map(|finding| finding.step).collect();
                reading = corpus::read(start, traces, &without, &progress(traces.len(), true))?;
                conclusions = conclude(&reading.learner, settings);
                let again = audit(&reading.learner, &conclusions, traces)?;
                if !again.is_empty() {
                    bail!("setting {} steps aside is not enough:\n{}", without.len(), refusal(&again));
                }
                set_aside = without;
                for finding in std::mem::take(&mut findings) {
                    let place = &finding.diagnostic.place;
                    let words = format!("{}:{}, {}.", place.file, place.position.line, finding.diagnostic.message);
                    reading.learner.set_step_aside(words);
                }
            }
        }
    }
    let Reading { learner, steps, .. } = reading;
    let fate = |(id, conclusion): (ActionId, Conclusion)| {
        let bad = findings.iter().filter(|finding| finding.action == id).count();
        (id, if bad > 0 { Fate::Skipped(bad) } else { Fate::Concluded(conclusion) })
    };
    let conclusions = conclusions.into_iter().map(fate).collect();
    Ok(Outcome { learner, settings: settings.clone(), steps, conclusions, set_aside })
}

impl Outcome {
    /// What a learner amounts to, whatever it learned from. Of actions that nothing explains, the steps to blame are looked for in
    /// `traces`; they cannot be set aside any more.
    pub fn of(learner: &Learner, settings: &Settings, traces: &[Trace], on_bad: OnBadData) -> Result<Outcome> {
        let conclusions = conclude(learner, settings);
        refuted_assumption(learner, &conclusions)?;
        let inconsistent = |conclusion: &Conclusion| matches!(conclusion, Conclusion::Inconsistent(_));
        if let (Some((action, _)), OnBadData::Stop) = (conclusions.iter().find(|(_, what)| inconsistent(what)), on_bad) {
            let findings = audit(learner, &conclusions, traces)?;
            if findings.is_empty() {
                bail!("no model of the class explains the steps of {}", learner.domain().action_name(*action));
            }
            return Err(BadData::new(&findings, String::new()).into());
        }
        let conclusions = conclusions.into_iter().map(|(id, conclusion)| (id, Fate::Concluded(conclusion))).collect();
        let steps = vec![0; learner.domain().actions.len()];
        Ok(Outcome { learner: learner.clone(), settings: settings.clone(), steps, conclusions, set_aside: BTreeSet::new() })
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

/// For actions that no model explains: the steps to blame.
fn audit(learner: &Learner, conclusions: &[(ActionId, Conclusion)], traces: &[Trace]) -> Result<Vec<Finding>> {
    let inconsistent = |conclusion: &Conclusion| matches!(conclusion, Conclusion::Inconsistent(why) if !matches!(why, Inconsistency::EffectArity { .. }));
    let bad: BTreeSet<ActionId> = conclusions.iter().filter(|(_, what)| inconsistent(what)).map(|(action, _)| *action).collect();
    if bad.is_empty() {
        return Ok(Vec::new());
    }
    let mut rows: BTreeMap<ActionId, Vec<(StepId, Observation)>> = BTreeMap::new();
    for (number, trace) in traces.iter().enumerate() {
        trace.steps(learner, |index, step, _, observation| {
            if let (true, Ok(observation)) = (bad.contains(&step.action.symbol), observation) {
                rows.entry(step.action.symbol).or_default().push(((number, index), observation));
            }
            true
        })?;
    }
    let mut blamed: BTreeSet<StepId> = BTreeSet::new();
    for (action, rows) in &rows {
        let (ids, observations): (Vec<StepId>, Vec<Observation>) = rows.iter().cloned().unzip();
        blamed.extend(outliers(learner.vocabulary(*action), &observations).into_iter().map(|index| ids[index]));
    }
    let mut findings = Vec::new();
    for (number, trace) in traces.iter().enumerate() {
        if !blamed.iter().any(|(file, _)| *file == number) {
            continue;
        }
        trace.steps(learner, |index, step, objects, _| {
            if blamed.contains(&(number, index)) {
                let action = Writer::new(learner.domain(), objects).ground_action(step.action);
                let same = step.before == step.after;
                let what = if same { "changes nothing, unlike its other steps" } else { "does not fit its other steps" };
                let diagnostic = step.error(format!("{action} {what}"));
                findings.push(Finding { action: step.action.symbol, step: (number, index), diagnostic });
            }
            true
        })?;
    }
    Ok(findings)
}

/// Steps that contradict every model of the class.
#[derive(Debug)]
pub struct BadData {
    /// The first of them.
    pub first: Diagnostic,
    message: String,
}

impl BadData {
    /// A message about some findings, of which there is at least one, with advice at its end.
    pub fn new(findings: &[Finding], advice: String) -> Self {
        let first = findings.first().map_or_else(|| Diagnostic::of_file("", ""), |finding| finding.diagnostic.clone());
        BadData { first, message: refusal(findings) + &advice }
    }
}

impl fmt::Display for BadData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BadData {}

fn refusal(findings: &[Finding]) -> String {
    const SHOWN: usize = 10;
    let mut text: String = findings.iter().take(SHOWN).map(|finding| format!("{}\n\n", finding.diagnostic)).collect();
    if findings.len() > SHOWN {
        text += &format!("and {} more\n\n", findings.len() - SHOWN);
    }
    let (noun, verb) = if findings.len() == 1 { ("step", "contradicts") } else { ("steps", "contradict") };
    text + &format!(
        "{} {noun} {verb} every model of the class. --on-bad-data skip-action leaves such actions out; --on-bad-data quarantine sets \
         the steps aside as recording errors",
        findings.len()
    )
}

/// Where much of an action contradicts the class, the class is to blame rather than the records.
fn class_too_small(learner: &Learner, steps: &[usize], findings: &[Finding]) -> String {
    let blamed = |id: &ActionId| findings.iter().filter(|finding| finding.action == *id).count();
    let much: Vec<&str> = (learner.domain().action_ids())
        .filter(|id| blamed(id) >= 10 && 10 * blamed(id) > steps[id.index()])
        .map(|id| learner.domain().action_name(id))
        .collect();
    if much.is_empty() || learner.class().degree.degree > 1 {
        return String::new();
    }
    format!(
        ".\nSo many steps of {} contradict it that the class may be too small: effects that multiply functions need --degree 2, or a \
         --relevant map with products",
        much.join(", ")
    )
}

impl Outcome {
    /// The actions that were learned.
    pub fn learned(&self) -> Vec<(ActionId, &LearnedAction)> {
        let learned = self.conclusions.iter().filter_map(|(id, fate)| match fate {
            Fate::Concluded(Conclusion::Learned(action)) => Some((*id, &**action)),
            _ => None,
        });
        learned.collect()
    }

    /// The learned domain, headed by what it promises and on which assumptions.
    pub fn pddl(&self) -> String {
        let domain = learned_domain(&self.learner, &self.learned());
        let mut head = promise(self.settings.algorithm, &self.assumptions());
        for (id, fate) in &self.conclusions {
            if !matches!(fate, Fate::Concluded(Conclusion::Learned(_))) {
                head += &format!("; Left out: {} ({}).\n", self.learner.domain().action_name(*id), self.why(fate));
            }
        }
        head + &write_domain(&domain)
    }

    /// The certificate of the model. Reads the traces once more, for their digests.
    pub fn certificate(&self, traces: &[Trace]) -> Result<Certificate> {
        let digests = traces.iter().map(|trace| Ok(digest(trace.source()?.text()))).collect::<Result<Vec<_>>>()?;
        let aside = self.set_aside.iter().map(|&(number, step)| SetAside { trace: digests[number].clone(), step }).collect();
        Ok(Certificate::new(&self.learner, &self.settings, &self.learned(), digests.into_iter().collect(), aside))
    }

    /// What it takes for granted, in words.
    pub fn assumptions(&self) -> Vec<String> {
        in_words(self.learner.domain(), &self.learner, &self.settings)
    }

    fn why(&self, fate: &Fate) -> String {
        match fate {
            Fate::Skipped(steps) => format!("contradicted by {steps} of its steps"),
            Fate::Concluded(Conclusion::Learned(_)) => "learned".into(),
            Fate::Concluded(Conclusion::Inconsistent(_)) => "no model of the class explains its steps".into(),
            Fate::Concluded(Conclusion::LeftOut(reason)) => left_out(reason),
        }
    }

    /// What `--format json` prints.
    pub fn summary(&self) -> Summary {
        Summary {
            domain: self.learner.domain().name.to_string(),
            algorithm: algorithm_name(self.settings.algorithm).into(),
            assumptions: self.assumptions(),
            actions: self.conclusions.iter().map(|(id, fate)| self.row(*id, fate)).collect(),
        }
    }

    fn row(&self, id: ActionId, fate: &Fate) -> ActionSummary {
        let mut row = ActionSummary {
            action: self.learner.domain().action_name(id).to_owned(),
            steps: self.steps[id.index()],
            result: self.why(fate),
            ..ActionSummary::default()
        };
        if let Fate::Concluded(Conclusion::Learned(learned)) = fate {
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
            text += &row.advice();
        }
        text
    }
}

/// The head of a learned domain: what it promises, and on which assumptions.
pub fn promise(algorithm: Algorithm, assumptions: &[String]) -> String {
    let mut head = format!("; Learned by surefoot {} with {}.\n", env!("CARGO_PKG_VERSION"), algorithm_name(algorithm));
    head += "; Every plan made with this domain can be executed in the real world, and does what it says, if:\n";
    assumptions.iter().for_each(|assumption| head += &format!(";  - {}\n", visible(assumption)));
    head
}

/// The paper's name of an algorithm.
pub fn algorithm_name(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::NsamStar => "N-SAM*",
        Algorithm::Nsam => "N-SAM",
        Algorithm::Sam => "SAM",
    }
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
    /// How many observed vectors that part leaves out.
    pub uncovered: usize,
    /// What became of it, in words.
    pub result: String,
}

/// More conditions than this make planners slow.
const MANY_FACETS: usize = 200;

impl ActionSummary {
    fn advice(&self) -> String {
        let Self { action, columns, facets, uncovered, .. } = self;
        if self.inner {
            return format!(
                "warning: {action}: its facets exceed the budget in {columns} dimensions; the region learned is inside the safe one and \
                 leaves out {uncovered} observed vectors. Consider --arity 2, a --relevant map, a \
                 larger --facet-budget, or --certificate: plan and validate with -c use the whole\n"
            );
        }
        if *facets > MANY_FACETS {
            return format!(
                "warning: {action}: {} dimensions, {facets} facets: planners will not like this. Consider --arity 2, or a --relevant \
                 map\n",
                self.dimension
            );
        }
        String::new()
    }
}
