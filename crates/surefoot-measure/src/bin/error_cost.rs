//! What error functions cost the planner: the CPU time of `plan` on problems with them, beside the
//! same problems without.
//!
//! ```text
//! cargo run --release -p surefoot-measure --bin error_cost [SECONDS [PROBLEMS]]
//! ```
//!
//! The domains in `errors/` are written as learned ones are: margins in preconditions and goals,
//! and errors that grow, shrink or start again with every step. Each of PROBLEMS (20 unless told)
//! of a domain is planned for again and again until that took SECONDS (0.2 unless told); each is
//! listed on standard error.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fmt::Write;

use surefoot_base::model::{Domain, Problem};
use surefoot_base::pddl::{Numbers, Source, read_domain, read_problem};
use surefoot_plan::{SearchLimits, SearchOptions, SearchOutcome, plan};

/// The CPU seconds of this process so far, in hundredths.
fn seconds_used() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

/// A template with errors, or without.
fn instance(template: &str, errors: bool) -> String {
    let (keep, leave) =
        if errors { (["[[", "]]"], ["{{", "}}"]) } else { (["{{", "}}"], ["[[", "]]"]) };
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once(leave[0]) {
        text.push_str(before);
        rest = after.split_once(leave[1]).unwrap().1;
    }
    text.push_str(rest);
    text.replace(keep[0], "").replace(keep[1], "")
}

fn read(domain: &str, problem: &str, errors: bool) -> (Domain, Problem) {
    let domain = read_domain(&Source::new("domain", instance(domain, errors))).unwrap();
    let problem =
        read_problem(&Source::new("problem", instance(problem, errors)), &domain, Numbers::Exact)
            .unwrap();
    (domain, problem)
}

/// At least so much of a function, for certain.
fn at_least(function: &str, bound: f64) -> String {
    format!("(>= (- ({function}) [[(error-of-{function})]]{{{{0}}}}) {bound}) ")
}

/// At most so much.
fn at_most(function: &str, bound: f64) -> String {
    format!("(<= (+ ({function}) [[(error-of-{function})]]{{{{0}}}}) {bound}) ")
}

/// An initial value, and how far it may be off.
fn starts(function: &str, value: f64, error: f64) -> String {
    format!("(= ({function}) {value}) [[(= (error-of-{function}) {error})]] ")
}

fn problem(domain: &str, objects: &str, init: &str, goal: &str) -> String {
    format!(
        "(define (problem p) (:domain {domain}) (:objects {objects}) (:init {init}) (:goal (and \
         {goal})))"
    )
}

/// Numbers that look random but are the same every time.
struct PseudoRandom(u64);

impl PseudoRandom {
    /// A whole number below a bound.
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// A number from `low` to `high`, in tenths.
    fn between(&mut self, low: i32, high: i32) -> f64 {
        f64::from(10 * low + self.below(10 * (high - low) as usize + 1) as i32) / 10.0
    }
}

fn tanks(chance: &mut PseudoRandom) -> String {
    let (mut objects, mut init, mut goal) = (String::new(), String::new(), String::new());
    for tank in 0..1 + chance.below(3) {
        write!(objects, "t{tank} ").unwrap();
        init += &starts(&format!("temperature t{tank}"), chance.between(12, 30), 0.01);
        init += &starts(&format!("level t{tank}"), chance.between(3, 40), 0.01);
        let warm = chance.between(45, 60);
        goal += &at_least(&format!("temperature t{tank}"), warm);
        goal += &at_most(&format!("temperature t{tank}"), warm + 6.0);
        goal += &at_least(&format!("level t{tank}"), chance.between(10, 30));
    }
    problem("tanks", &format!("{objects}- tank"), &init, &goal)
}

fn random_place(chance: &mut PseudoRandom, side: usize) -> String {
    format!("p{}-{}", chance.below(side), chance.below(side))
}

fn robots(chance: &mut PseudoRandom) -> String {
    let (robots, side, parcels) = (1 + chance.below(2), 3 + chance.below(2), 2 + chance.below(2));
    let (mut objects, mut init, mut goal) = (String::new(), String::new(), String::new());
    for robot in 0..robots {
        write!(objects, "r{robot} ").unwrap();
        write!(init, "(at r{robot} {}) (empty r{robot}) ", random_place(chance, side)).unwrap();
        init += &starts(&format!("battery r{robot}"), chance.between(10, 18), 0.15);
        init += &starts(&format!("wear r{robot}"), chance.between(0, 20), 0.15);
    }
    objects += "- robot ";
    for row in 0..side {
        for column in 0..side {
            write!(objects, "p{row}-{column} ").unwrap();
            if (row + column) % 3 == 0 {
                write!(init, "(station p{row}-{column}) ").unwrap();
            }
            for (other, beside) in [(row + 1, column), (row, column + 1)] {
                if other < side && beside < side {
                    write!(
                        init,
                        "(way p{row}-{column} p{other}-{beside}) (way p{other}-{beside} \
                                  p{row}-{column}) "
                    )
                    .unwrap();
                }
            }
        }
    }
    objects += "- place ";
    for parcel in 0..parcels {
        write!(objects, "c{parcel} ").unwrap();
        write!(init, "(lies c{parcel} {}) ", random_place(chance, side)).unwrap();
        write!(goal, "(lies c{parcel} {}) ", random_place(chance, side)).unwrap();
    }
    goal += &at_least("battery r0", 3.0);
    problem("robots", &format!("{objects}- parcel"), &init, &goal)
}

fn rover(chance: &mut PseudoRandom) -> String {
    let (mut objects, mut goal) = (String::new(), String::new());
    let mut init = starts("x", 0.1, 0.05) + &starts("y", -0.2, 0.05) + &starts("power", 90.0, 0.2);
    for site in 0..2 + chance.below(4) {
        write!(objects, "s{site} ").unwrap();
        let (x, y) = (chance.between(-12, 12), chance.between(-12, 12));
        write!(init, "(= (at-x s{site}) {x}) (= (at-y s{site}) {y}) ").unwrap();
        write!(goal, "(seen s{site}) ").unwrap();
    }
    goal += &at_least("power", 20.0);
    problem("rover", &format!("{objects}- site"), &init, &goal)
}

fn plant(chance: &mut PseudoRandom) -> String {
    let (mut objects, mut init, mut goal) = (String::new(), String::new(), String::new());
    let count = 2 + chance.below(3);
    for vessel in 0..count {
        write!(objects, "v{vessel} ").unwrap();
        init += &starts(&format!("volume v{vessel}"), chance.between(3, 40), 0.01);
        init += &starts(&format!("salt v{vessel}"), chance.between(1, 4), 0.01);
        if vessel > 0 {
            write!(init, "(pipe v{} v{vessel}) ", vessel - 1).unwrap();
        }
        let salt = chance.between(4, 12);
        goal += &at_least(&format!("volume v{vessel}"), chance.between(10, 40));
        goal += &at_least(&format!("salt v{vessel}"), salt);
        goal += &at_most(&format!("salt v{vessel}"), salt + 4.0);
    }
    problem("plant", &format!("{objects}- vessel"), &init, &goal)
}

/// Plates on piles, to be piled up otherwise; one time in five it cannot be done: two would have to
/// be held at once.
fn crane(chance: &mut PseudoRandom) -> String {
    let piles = 3;
    let plates = 2 + chance.below(4);
    let (mut objects, mut init, mut goal) =
        (String::from("c0 c1 c2 - pile "), String::from("(free) "), String::new());
    init += &starts("x", chance.below(piles) as f64, 0.02);
    for pile in 0..piles {
        write!(init, "(= (place c{pile}) {pile}) (in c{pile} c{pile}) ").unwrap();
    }
    // The largest first.
    for plate in 0..plates {
        write!(objects, "p{plate} ").unwrap();
        (0..piles).for_each(|pile| write!(init, "(fits p{plate} c{pile}) ").unwrap());
        (0..plate).for_each(|larger| write!(init, "(fits p{plate} p{larger}) ").unwrap());
    }
    let (mut from, mut to) =
        (["c0", "c1", "c2"].map(str::to_owned), ["c0", "c1", "c2"].map(str::to_owned));
    for plate in 0..plates {
        let (pile, wanted) = (chance.below(piles), chance.below(piles));
        write!(init, "(in p{plate} c{pile}) (on p{plate} {}) ", from[pile]).unwrap();
        write!(goal, "(on p{plate} {}) ", to[wanted]).unwrap();
        (from[pile], to[wanted]) = (format!("p{plate}"), format!("p{plate}"));
    }
    from.iter().for_each(|top| write!(init, "(clear {top}) ").unwrap());
    if chance.below(5) == 4 {
        goal = "(held p0) (held p1)".to_owned();
    }
    problem("crane", &format!("{objects}- plate"), &init, &goal)
}

/// What became of a problem.
struct ProblemOutcome {
    /// The plan's length; zero where it was proved that there is none, and nothing where a limit
    /// was reached.
    steps: Option<usize>,
    /// The processor time of the search, in seconds.
    time: f64,
    /// The number of states that the search stored.
    states: u64,
}

impl std::fmt::Display for ProblemOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.steps {
            Some(0) => write!(f, "unsolvable")?,
            Some(steps) => write!(f, "{steps} steps")?,
            None => write!(f, "a limit")?,
        }
        write!(f, ", {:.2} ms, {} states", 1e3 * self.time, self.states)
    }
}

/// Plans again and again for so many seconds.
fn measured(domain: &Domain, problem: &Problem, seconds: f64) -> ProblemOutcome {
    let limits =
        SearchLimits { time: Some(std::time::Duration::from_secs(20)), memory: Some(2 << 30) };
    let options = SearchOptions::default().with(|options| options.limits = limits);
    let (started, mut runs) = (seconds_used(), 0.0);
    loop {
        let report = plan(domain, problem, &options, &|_| true);
        runs += 1.0;
        let used = seconds_used() - started;
        if used >= seconds {
            let steps = match &report.outcome {
                SearchOutcome::Solved(plan) => Some(plan.steps.len()),
                SearchOutcome::Unsolvable => Some(0),
                _ => None,
            };
            return ProblemOutcome { steps, time: used / runs, states: report.effort.stored };
        }
    }
}

/// A family of problems: its name, the domain's template, and a problem's.
type ProblemFamily = (&'static str, &'static str, fn(&mut PseudoRandom) -> String);

const FAMILIES: [ProblemFamily; 5] = [
    ("tank", include_str!("../../errors/tank.pddl"), tanks),
    ("robots", include_str!("../../errors/robots.pddl"), robots),
    ("rover", include_str!("../../errors/rover.pddl"), rover),
    ("plant", include_str!("../../errors/plant.pddl"), plant),
    ("crane", include_str!("../../errors/crane.pddl"), crane),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 =
        arguments.next().map_or(0.2, |text| text.parse().expect("a number of seconds"));
    let count: u64 =
        arguments.next().map_or(20, |text| text.parse().expect("a number of problems"));
    for (name, domain, problem) in FAMILIES {
        let (mut ratios, mut sums, mut steps) = (Vec::new(), [0.0, 0.0], Vec::new());
        for index in 0..count {
            let problem = problem(&mut PseudoRandom(index));
            let [without, with] = [false, true].map(|errors| {
                let (domain, problem) = read(domain, &problem, errors);
                measured(&domain, &problem, seconds)
            });
            let ratio = with.time / without.time;
            eprintln!("{name} {index}: without {without}; with {with}; ratio {ratio:.2}");
            // What takes all its time with or without tells nothing.
            if let (Some(short), Some(long)) = (without.steps, with.steps) {
                ratios.push(ratio);
                sums = [sums[0] + without.time, sums[1] + with.time];
                steps.extend([short, long]);
            }
        }
        ratios.sort_by(f64::total_cmp);
        steps.sort_unstable();
        println!(
            "{name}: {} of {count} decided with and without errors, up to {} steps; CPU with \
             errors beside without: median {:.2}, most \
             {:.2}, of all together {:.2}",
            ratios.len(),
            steps[steps.len() - 1],
            ratios[ratios.len() / 2],
            ratios[ratios.len() - 1],
            sums[1] / sums[0],
        );
    }
}
