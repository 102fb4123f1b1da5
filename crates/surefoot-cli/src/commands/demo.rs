//! `surefoot demo`: the story so far, on a built-in example.

use anyhow::Result;
use surefoot::exact::Rational;
use surefoot::pddl::{Numbers, Plan, Source, Trajectory, read_domain, read_plan, read_problem, write_trajectory};
use surefoot::validate::{trace, validate};

use super::validate::text;
use crate::args::Demo;
use crate::output::{Answer, Words, print};

const DOMAIN: &str = include_str!("../../../../domains/farmland/domain.pddl");
const PROBLEM: &str = include_str!("../../../../domains/farmland/demo.pddl");
const PLAN: &str = include_str!("../../../../domains/farmland/demo.plan");

pub fn run(_: &Demo) -> Result<Answer> {
    let domain = read_domain(&Source::new("domains/farmland/domain.pddl", DOMAIN))?;
    let problem = read_problem(&Source::new("domains/farmland/demo.pddl", PROBLEM), &domain, Numbers::Exact)?;
    let plan = read_plan(&Source::new("domains/farmland/demo.plan", PLAN), &domain, &problem.objects)?;
    let words = Words::new(&domain, &problem.objects);
    let verdict = |plan: &Plan| text(&words, &problem, plan, &validate(&domain, &problem, plan, &Rational::ZERO));

    print(&format!("Farmland: workers move between farms.\n\nThe problem:\n{PROBLEM}\n"))?;
    print(&format!("A plan for it:\n{PLAN}\n  {}\n", verdict(&plan)))?;
    let mut wrong = plan.clone();
    wrong.steps.reverse();
    print(&format!("The same plan backwards:\n  {}\n", verdict(&wrong)))?;
    let trajectory = match trace(&domain, &problem, &plan) {
        Ok(trajectory) => trajectory,
        Err(_) => return Ok(Answer::No),
    };
    let written = write_trajectory(&domain, &problem.objects, &trajectory);
    print(&format!("Its trajectory, the kind of record that action models are learned from:\n{written}\n"))?;
    let read = Trajectory::read(&Source::new("trajectory", written), &domain, &problem.objects, Numbers::Exact)?;
    print(&format!("Read back: {} states, {} transitions, exactly the same.\n", read.states.len(), read.actions.len()))?;
    Ok(Answer::Yes)
}
