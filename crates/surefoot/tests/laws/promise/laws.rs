//! The promises, asked of one case.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::generate::{Case, Trace, case, ill_typed};
use super::product::{self, Learned, Method, Outcome, Split, Texts};
use super::questions::{Question, climb, grid, questions};
use super::tamper;
use super::world::Action;
use crate::chance::Chance;

/// How much is asked of each case.
#[derive(Clone, Copy)]
pub struct Effort {
    /// The number of questions for each action.
    pub questions: usize,
    /// Percent of the cases that are split, and tampered with.
    pub splits: usize,
    pub tampering: usize,
}

/// A promise that did not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub law: Law,
    pub what: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Law {
    /// An allowed step cannot be taken, or ends elsewhere.
    Unsafe,
    /// A shown step is not allowed, and nothing that cuts was asked for.
    ShownRefused,
    /// More or fewer shown steps are refused than the learner says.
    Uncounted,
    /// Honest data are called inconsistent.
    HonestInconsistent,
    /// An observed action is left out without need.
    LeftOut,
    /// Learning is refused as a whole.
    LearningRefused,
    /// `check` rejects what was learned.
    HonestRejected,
    /// Another split gives other bytes.
    OtherBytes,
    /// Another split gives the same model, but says another number of shown steps that it refuses.
    OtherCounts,
    /// `check` accepts an unsafe model.
    TamperedAccepted,
    /// A model of more traces refuses what one of fewer allows, and no reason is named.
    TakenBack,
    /// The reader takes a body whose types are wider than declared.
    WiderRead,
    /// The product panics.
    Panic,
}

#[derive(Clone, Default, Debug)]
pub struct Counts(pub BTreeMap<&'static str, usize>);

impl Counts {
    pub fn add(&mut self, what: &'static str, number: usize) {
        *self.0.entry(what).or_default() += number;
    }

    pub fn merge(&mut self, other: &Counts) {
        other.0.iter().for_each(|(what, number)| self.add(what, *number));
    }
}

/// Tries all promises on the case of a seed.
pub fn examine(seed: u64, effort: Effort, counts: &mut Counts) -> (Case, Vec<Violation>) {
    let case = case(seed);
    let violations = examine_case(&case, seed, effort, counts);
    (case, violations)
}

pub fn examine_case(case: &Case, seed: u64, effort: Effort, counts: &mut Counts) -> Vec<Violation> {
    let mut found = Vec::new();
    let asked = catch_unwind(AssertUnwindSafe(|| promises(case, seed, effort, counts, &mut found)));
    if let Err(panic) = asked {
        let text = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        found.push(Violation { law: Law::Panic, what: text.unwrap_or_default() });
    }
    found
}

fn promises(
    case: &Case,
    seed: u64,
    effort: Effort,
    counts: &mut Counts,
    found: &mut Vec<Violation>,
) {
    let mut chance = Chance::scattered(seed ^ 0xA5A5_5A5A_0F0F_F0F0);
    let texts = case.texts();
    counts.add("pairs", 1);
    counts.add("traces", case.traces.len());
    note_kinds(case, counts);
    if let Some(text) = ill_typed(&mut chance, case) {
        counts.add("ill typed domains", 1);
        if product::reads(&text) {
            found.push(Violation { law: Law::WiderRead, what: text });
        }
    }
    let start = Instant::now();
    let learned = product::learn(&texts, &case.options, &Split::whole(texts.traces.len()));
    counts.add("microseconds of learning", start.elapsed().as_micros() as usize);
    let learned = match learned {
        Ok(learned) => learned,
        Err(why) => return found.push(Violation { law: Law::LearningRefused, what: why }),
    };
    outcomes(case, &learned, counts, found);
    let mut asked = Vec::new();
    for action in &learned.actions {
        let mut questions = questions(&mut chance, case, action, effort.questions);
        questions.extend(grid(&mut chance, case, action));
        questions.extend(climb(&mut chance, case, action, effort.questions / 2));
        if let Some(what) = unsafe_step(case, action, &questions, counts) {
            found.push(Violation { law: Law::Unsafe, what });
        }
        asked.push(questions);
    }
    let start = Instant::now();
    let reasons = product::check(&texts, &learned.model, &learned.certificate);
    counts.add("microseconds of checking", start.elapsed().as_micros() as usize);
    counts.add("checks of honest models", 1);
    if !reasons.is_empty() {
        found.push(Violation { law: Law::HonestRejected, what: reasons.join("\n") });
    }
    if chance.percent(effort.splits) {
        splits(&mut chance, case, &texts, &learned, counts, found);
    }
    let is_safe = found.iter().all(|violation| violation.law != Law::Unsafe);
    if chance.percent(effort.tampering) && reasons.is_empty() && is_safe {
        tamper::tamper(&mut chance, case, &texts, &learned, &asked, counts, found);
    }
}

fn note_kinds(case: &Case, counts: &mut Counts) {
    let options = &case.options;
    let kinds = [
        ("pairs with nsam", options.method == Method::Nsam),
        ("pairs with nsam-literal", options.method == Method::NsamLiteral),
        ("pairs with sam", options.method == Method::Sam),
        ("pairs with degree 2", options.degree == 2),
        ("pairs with arity", options.arity.is_some()),
        ("pairs with effect arity", options.effect_arity.is_some()),
        ("pairs with relevant maps", !options.relevant.is_empty()),
        ("pairs with monotone marks", !options.monotone.is_empty()),
        ("pairs with positive preconditions", options.positive),
        ("pairs with a facet budget", options.facet_budget.is_some()),
        ("pairs with digits", options.digits.is_some()),
        ("pairs with default options", *options == product::Options::default()),
    ];
    for (kind, is) in kinds {
        counts.add(kind, usize::from(is));
    }
}

/// What became of each action, and whether it allows what was shown.
fn outcomes(case: &Case, learned: &Learned, counts: &mut Counts, found: &mut Vec<Violation>) {
    let world = &case.world;
    for (index, real) in world.actions.iter().enumerate() {
        let steps: Vec<_> = case.steps().filter(|(_, call, _)| call.action == index).collect();
        counts.add("shown steps", steps.len());
        match learned.outcomes.get(&real.name) {
            None => found.push(Violation {
                law: Law::LeftOut,
                what: format!("{}: nothing is said of it", real.name),
            }),
            Some(Outcome::Inconsistent(why)) => {
                found.push(Violation {
                    law: Law::HonestInconsistent,
                    what: format!("{}: {why}", real.name),
                });
            }
            Some(Outcome::LeftOut(why)) => {
                counts.add("actions left out", 1);
                let columns = columns(case, real);
                let functions = world.applications(&world.functions, &real.parameters);
                let mut vectors: Vec<Vec<_>> = steps
                    .iter()
                    .map(|(state, call, _)| {
                        functions
                            .iter()
                            .map(|one| {
                                state.values[world.function_index(one, &call.arguments)]
                                    .map(|v| (v.num, v.den))
                            })
                            .collect()
                    })
                    .collect();
                vectors.sort();
                vectors.dedup();
                let mapped = case.options.relevant.contains_key(&real.name);
                // How many independent ones Algorithm 1 asks for is a law of its own:
                // learn_strength.rs.
                let literal = case.options.method == Method::NsamLiteral;
                let few = literal
                    || case.options.method == Method::Nsam
                        && (mapped || vectors.len() < columns + 1);
                // Coefficients of few digits may leave no number.
                let rounded = case.options.digits.is_some() && why == "NeverApplicable(Numbers)";
                if !steps.is_empty() && !few && !rounded {
                    found.push(Violation {
                        law: Law::LeftOut,
                        what: format!("{}: {why}", real.name),
                    });
                }
            }
            Some(Outcome::Learned(said)) => {
                counts.add("actions learned", 1);
                let Some(action) = learned.actions.iter().find(|action| action.name == real.name)
                else {
                    found.push(Violation {
                        law: Law::LeftOut,
                        what: format!("{}: learned, but not written", real.name),
                    });
                    continue;
                };
                let mut refused = 0;
                for (before, call, after) in &steps {
                    let atoms_only = case.options.method == Method::Sam;
                    match world.successor(action, &call.arguments, before) {
                        Ok(Some(mine))
                            if mine == **after || atoms_only && mine.atoms == after.atoms => {}
                        Ok(Some(mine)) => {
                            let what = format!(
                                "shown: {} leads elsewhere:{}",
                                world.call(call),
                                world.facts(&mine)
                            );
                            found.push(Violation { law: Law::Unsafe, what });
                        }
                        Ok(None) => refused += 1,
                        Err(_) => counts.add("too large numbers", 1),
                    }
                }
                let cut = case.options.facet_budget.is_some() || case.options.digits.is_some();
                let what = format!(
                    "{}: {refused} of {} shown steps are refused, {said} said",
                    real.name,
                    steps.len()
                );
                if refused > 0 && !cut {
                    found.push(Violation { law: Law::ShownRefused, what });
                } else if (refused > 0) != (*said > 0) {
                    found.push(Violation { law: Law::Uncounted, what });
                }
                counts.add("shown steps refused", refused);
            }
        }
    }
}

/// How many columns the class gives an action that has no map.
fn columns(case: &Case, action: &Action) -> usize {
    let functions = case.world.applications(&case.world.functions, &action.parameters).len();
    if case.options.degree == 2 { functions * (functions + 1) / 2 } else { functions }
}

/// A step that a learned action allows, and the real one does not, or that ends elsewhere.
pub fn unsafe_step(
    case: &Case,
    action: &Action,
    questions: &[Question],
    counts: &mut Counts,
) -> Option<String> {
    let world = &case.world;
    let real = world.actions.iter().find(|real| real.name == action.name)?;
    let atoms_only = case.options.method == Method::Sam;
    let real = if atoms_only { real.without_numbers() } else { real.clone() };
    for Question { state, arguments } in questions {
        counts.add("questions", 1);
        let Ok(mine) = world.successor(action, arguments, state) else {
            counts.add("too large numbers", 1);
            continue;
        };
        let Some(mine) = mine else { continue };
        counts.add("questions allowed", 1);
        let Ok(theirs) = world.successor(&real, arguments, state) else {
            counts.add("too large numbers", 1);
            continue;
        };
        let asked = || {
            let call = super::world::Call {
                action: world.actions.iter().position(|one| one.name == action.name).unwrap_or(0),
                arguments: arguments.clone(),
            };
            format!("{} in{}", world.call(&call), world.facts(state))
        };
        match theirs {
            None => return Some(format!("allowed, but not applicable: {}", asked())),
            Some(theirs) if theirs == mine || atoms_only && theirs.atoms == mine.atoms => {}
            Some(theirs) => {
                return Some(format!(
                    "{}\nlearned:{}\nreal:   {}",
                    asked(),
                    world.facts(&mine),
                    world.facts(&theirs)
                ));
            }
        }
    }
    None
}

/// Other orders, several learners, states that were saved and loaded: the same bytes.
pub fn splits(
    chance: &mut Chance,
    case: &Case,
    texts: &Texts,
    whole: &Learned,
    counts: &mut Counts,
    found: &mut Vec<Violation>,
) {
    let traces = texts.traces.len();
    for variant in 0..3 {
        let mut order: Vec<usize> = (0..traces).collect();
        chance.shuffle(&mut order);
        let learners = if variant == 0 { 1 } else { 1 + chance.below(traces.min(4)) };
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); learners];
        for trace in order {
            groups[chance.below(learners)].push(trace);
        }
        // Seen twice is seen once.
        if chance.percent(30) {
            let group = chance.below(learners);
            groups[group].push(chance.below(traces));
        }
        let split = Split { groups, stored: variant == 2 || chance.percent(30) };
        counts.add("splits", 1);
        let differs = match product::learn(texts, &case.options, &split) {
            Err(why) => Some((Law::OtherBytes, format!("refused: {why}"))),
            Ok(other) if other.model != whole.model => {
                Some((Law::OtherBytes, format!("{}\n{}", whole.model, other.model)))
            }
            Ok(other) if other.state != whole.state => {
                Some((Law::OtherBytes, "the states differ".into()))
            }
            Ok(other) if other.certificate != whole.certificate => Some((
                Law::OtherBytes,
                format!("the certificates differ: {}\n{}", whole.certificate, other.certificate),
            )),
            Ok(other) if other.outcomes != whole.outcomes => {
                Some((Law::OtherCounts, format!("{:?} and {:?}", whole.outcomes, other.outcomes)))
            }
            Ok(_) => None,
        };
        if let Some((law, what)) = differs {
            found.push(Violation { law, what: format!("{split:?}\n{what}") });
            return;
        }
    }
}

/// A smaller case in which the same promise is broken.
pub fn smallest(case: &Case, seed: u64, effort: Effort, law: Law) -> Case {
    let broken = |case: &Case| {
        !case.traces.is_empty()
            && examine_case(case, seed, effort, &mut Counts::default())
                .iter()
                .any(|violation| violation.law == law)
    };
    let mut best = case.clone();
    // Each step a trace of its own, so that any of them can go.
    let mut apart = case.clone();
    apart.traces = case
        .traces
        .iter()
        .flat_map(|trace| {
            (0..trace.calls.len()).map(|at| Trace {
                states: trace.states[at..at + 2].to_vec(),
                calls: vec![trace.calls[at].clone()],
            })
        })
        .collect();
    if broken(&apart) {
        best = apart;
    }
    let mut index = 0;
    while index < best.traces.len() {
        let mut fewer = best.clone();
        fewer.traces.remove(index);
        if broken(&fewer) { best = fewer } else { index += 1 }
    }
    let simpler: [fn(&mut Case); 8] = [
        |case| case.options.digits = None,
        |case| case.options.facet_budget = None,
        |case| case.options.positive = false,
        |case| case.options.monotone.clear(),
        |case| case.options.effect_arity = None,
        |case| case.options.arity = None,
        |case| case.options.relevant.clear(),
        |case| case.bodies = true,
    ];
    for simplify in simpler {
        let mut plain = best.clone();
        simplify(&mut plain);
        if broken(&plain) {
            best = plain;
        }
    }
    // Parts of bodies that do not matter. The records stay what they are, so only what they agree
    // with may go.
    for action in 0..best.world.actions.len() {
        let mut at = 0;
        while at < best.world.actions[action].effects.len() {
            let mut fewer = best.clone();
            fewer.world.actions[action].effects.remove(at);
            if consistent(&fewer) && broken(&fewer) { best = fewer } else { at += 1 }
        }
        let mut at = 0;
        while at < best.world.actions[action].conjuncts().len() {
            let mut fewer = best.clone();
            let mut parts = fewer.world.actions[action].conjuncts().to_vec();
            let part = parts.remove(at);
            // A mark may be true because of this condition.
            if matches!(part, super::world::Condition::Compare(..))
                && !fewer.options.monotone.is_empty()
            {
                at += 1;
                continue;
            }
            fewer.world.actions[action].condition = super::world::Condition::And(parts);
            if consistent(&fewer) && broken(&fewer) { best = fewer } else { at += 1 }
        }
    }
    best
}

fn consistent(case: &Case) -> bool {
    case.steps().all(|(before, call, after)| {
        case.world
            .successor(&case.world.actions[call.action], &call.arguments, before)
            .ok()
            .flatten()
            .as_ref()
            == Some(after)
    })
}
