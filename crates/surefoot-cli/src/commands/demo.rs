//! `surefoot demo`: the whole story on a built-in example, the paper's running one.

use anyhow::{Result, anyhow};
use surefoot::exact::Rational;
use surefoot::explain::{Admission, admissions};
use surefoot::learn::{Algorithm, Class, Conclusion, LearnedAction, Learner, LeftOut, Lens, Monotone, Settings, learned_domain};
use surefoot::model::semantics::{Inapplicable, Semantics};
use surefoot::model::{ActionId, Domain, Ground, Problem, Universe};
use surefoot::pddl::{
    Numbers, Plan, Source, TrajectoryReader, read_domain, read_plan, read_problem, write_domain, write_trajectory,
};
use surefoot::validate::{trace, validate};

use super::validate::text;
use crate::args::Demo;
use crate::output::{Answer, Words, print};

macro_rules! file {
    ($name:literal) => {
        Source::new(concat!("domains/farmland/", $name), include_str!(concat!("../../../../domains/farmland/", $name)))
    };
}

pub fn run(_: &Demo) -> Result<Answer> {
    let domain = read_domain(&file!("domain.pddl"))?;
    let recorded = [
        (file!("demo/monday.pddl"), file!("demo/monday.plan")),
        (file!("demo/tuesday.pddl"), file!("demo/tuesday.plan")),
        (file!("demo/wednesday.pddl"), file!("demo/wednesday.plan")),
    ];
    say("Farmland: workers move between farms. Somebody who knows the rules worked there for three days:\n")?;
    let mut learner = Learner::new(&domain, Class::default())?;
    for (index, (problem, plan)) in recorded.iter().enumerate() {
        let (problem, plan) = task(&domain, problem, plan)?;
        let written = record(&domain, &problem, &plan)?;
        observe(&mut learner, &problem, &Source::new("trajectory", &*written))?;
        if index == 0 {
            say(&format!("{}'s record, as a trajectory:\n{}", problem.name, indented(&written)))?;
        }
    }

    let move_slow = action(&domain, "move-slow")?;
    say("What does move-slow need? We were not told; the rules are not in the records.\n")?;
    let nsam = Settings { algorithm: Algorithm::Nsam, ..Settings::default() };
    if let Conclusion::LeftOut(LeftOut::TooFew { distinct, needed }) = learner.conclude(move_slow, &nsam) {
        say(&format!("N-SAM does not learn it: {distinct} distinct observations, and it asks for {needed}.\n"))?;
    }
    let settings = Settings::default();
    let learned = learn(&learner, &settings)?;
    let model = learned_domain(&learner, &learned.iter().map(|(id, action)| (*id, action)).collect::<Vec<_>>());
    say(&format!("N-SAM* does:\n{}", indented(&excerpt(&write_domain(&model), "move-slow"))))?;
    say(&format!("The real rule, for comparison:\n{}", indented(&excerpt(&write_domain(&domain), "move-slow"))))?;
    say("The learned one allows less, but never too much: whatever it allows works in the real world, and does what it says.\n")?;

    let (problem, plan) = task(&domain, &file!("demo/thursday.pddl"), &file!("demo/thursday.plan"))?;
    let learned_plan = translated(&domain, &model, &plan)?;
    let words = Words::new(&domain, &problem.objects);
    let by_model =
        text(&Words::new(&model, &problem.objects), &problem, &learned_plan, &validate(&model, &problem, &learned_plan, &ZERO));
    let by_world = text(&words, &problem, &plan, &validate(&domain, &problem, &plan, &ZERO));
    say("Thursday, on other farms, a plan made with the learned rules:\n")?;
    say(&indented(&surefoot::pddl::write_plan(&domain, &problem.objects, &plan)))?;
    say(&format!("  by the learned rules: {by_model}  in the real world:    {by_world}"))?;

    refusal(&learner, &settings, &model, &problem)?;
    say("\nNext: surefoot learn -d DOMAIN -o LEARNED.pddl TRACES, then surefoot --help for the rest.\n")?;
    Ok(Answer::Yes)
}

const ZERO: Rational = Rational::ZERO;

fn say(text: &str) -> Result<()> {
    print(&format!("{text}\n"))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn task(domain: &Domain, problem: &Source, plan: &Source) -> Result<(Problem, Plan)> {
    let problem = read_problem(problem, domain, Numbers::Exact)?;
    let plan = read_plan(plan, domain, &problem.objects)?;
    Ok((problem, plan))
}

fn record(domain: &Domain, problem: &Problem, plan: &Plan) -> Result<String> {
    let trajectory = trace(domain, problem, plan).map_err(|failed| anyhow!("step {} of {}", failed.index + 1, problem.name))?;
    Ok(write_trajectory(domain, &problem.objects, &trajectory))
}

fn observe(learner: &mut Learner, problem: &Problem, source: &Source) -> Result<()> {
    let vocabulary = learner.clone();
    let mut reader = TrajectoryReader::new(source, vocabulary.domain(), &problem.objects, Numbers::Exact)?;
    let mut lens = Lens::default();
    while let Some(step) = reader.next_transition()? {
        if let Ok(observation) = lens.observe(&vocabulary, &step) {
            learner.observe(step.action.symbol, &observation);
        }
    }
    Ok(())
}

fn action(domain: &Domain, name: &str) -> Result<ActionId> {
    domain.actions.find(name).map(ActionId::from).ok_or_else(|| anyhow!("no action {name}"))
}

fn learn(learner: &Learner, settings: &Settings) -> Result<Vec<(ActionId, LearnedAction)>> {
    let mut learned = Vec::new();
    for id in learner.domain().action_ids() {
        match learner.conclude(id, settings) {
            Conclusion::Learned(action) => learned.push((id, *action)),
            _ => return Err(anyhow!("{} is not learned", learner.domain().action_name(id))),
        }
    }
    Ok(learned)
}

/// One action of a written domain.
fn excerpt(domain: &str, action: &str) -> String {
    let head = format!("(:action {action}");
    let lines = domain.lines().skip_while(|line| !line.contains(&head)).take_while(|line| !line.is_empty() && *line != ")");
    lines.map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line))).collect()
}

/// A plan of one domain as a plan of another with the same names.
fn translated(from: &Domain, to: &Domain, plan: &Plan) -> Result<Plan> {
    let step = |step: &Ground<ActionId>| {
        Ok(Ground { symbol: action(to, from.action_name(step.symbol))?, arguments: step.arguments.clone() })
    };
    Ok(Plan::of(plan.steps.iter().map(|each| step(&each.action)).collect::<Result<Vec<_>>>()?))
}

/// A step that is refused, why, and what would admit it.
fn refusal(learner: &Learner, settings: &Settings, model: &Domain, problem: &Problem) -> Result<()> {
    let mut universe = Universe::default();
    let mut state = problem.initial_state(&mut universe);
    let step = read_plan(&Source::new("step", "(move-slow east west)"), model, &problem.objects)?;
    let Some(step) = step.steps.first() else { return Ok(()) };
    // Twelve workers are more than were ever observed.
    let east = universe.find_value(&problem.values[0].0);
    if let Some(east) = east {
        state.set_value(east, Rational::integer(12));
    }
    let words = Words::new(model, &problem.objects);
    let Err(Inapplicable::Precondition(violations)) =
        Semantics::new(model, &problem.objects).applicable(&step.action, &universe, &state)
    else {
        return Ok(());
    };
    say("With 12 workers in the east, more than were ever seen, the learned rules refuse (move-slow east west), and say why:")?;
    for violation in &violations {
        say(&format!("  {}", words.violation(violation)))?;
    }
    let ground = Ground { symbol: action(learner.domain(), "move-slow")?, arguments: step.action.arguments.clone() };
    for admission in admissions(learner, settings, &ground, &problem.objects, &universe, &state) {
        if let Admission::Monotone(column, Monotone::More) = admission {
            let name = learner.written(ground.symbol.index(), &learner.vocabulary(ground.symbol).columns[column]);
            say(&format!(
                "Tell it that more of {name} never hurts (--monotone), and it is allowed: an assumption, written into the model."
            ))?;
        }
    }
    Ok(())
}
