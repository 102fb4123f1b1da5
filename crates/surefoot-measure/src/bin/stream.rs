//! Ten million steps of one action through a learner: memory must stay flat, and time grow with the
//! number of steps.
//!
//! `cargo run --release -p surefoot-measure --bin stream [millions]`
#![allow(clippy::unwrap_used, reason = "an experiment")]

use surefoot_base::exact::Rational;
use surefoot_base::model::ActionId;
use surefoot_base::pddl::{Source, read_domain};
use surefoot_learn::{Class, Learner, Observation, Pattern, UnknownValues};

const DOMAIN: &str = "(define (domain walk) (:functions (x) (y) (z)) (:action go :parameters ()))";

fn main() {
    let millions: u64 = std::env::args().nth(1).map_or(10, |word| word.parse().unwrap());
    let domain = read_domain(&Source::new("walk", DOMAIN)).unwrap();
    let mut learner = Learner::new(&domain, Class::default()).unwrap();
    let mut walk = RandomWalk { at: [0, 0, 0], random: 1 };
    println!("{:>10} {:>14} {:>10}", "steps", "CPU ms", "peak MB");
    let mut before = cpu_ms();
    for million in 1..=millions {
        for _ in 0..1_000_000 {
            learner.observe(ActionId::from(0), &walk.step());
        }
        let now = cpu_ms();
        println!("{:>10} {:>14.0} {:>10.1}", million * 1_000_000, now - before, peak_mb());
        before = now;
    }
    let evidence = learner.evidence(ActionId::from(0));
    let columns = evidence.columns(learner.vocabulary(ActionId::from(0)));
    println!(
        "{} vectors kept, affine hull of rank {}",
        evidence.points(&columns).len(),
        evidence.patterns.values().next().unwrap().joint.rank()
    );
}

/// A random walk in thousandths, with the affine effect `z += x / 2 - y + 3`.
struct RandomWalk {
    at: [i64; 3],
    random: u64,
}

impl RandomWalk {
    fn step(&mut self) -> Observation {
        for value in &mut self.at {
            self.random = self
                .random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            *value += (self.random >> 33) as i64 % 2001 - 1000;
        }
        let [x, y, z] = self.at.map(|value| Rational::new(value, 1000).unwrap());
        let change = &(&(&x * &Rational::new(1, 2).unwrap()) - &y) + &Rational::integer(3);
        Observation {
            pattern: Pattern(Vec::new()),
            seen: Vec::new(),
            after: [Some(x.clone()), Some(y.clone()), Some(&z + &change)].into_iter().collect(),
            before: [Some(x), Some(y), Some(z)].into_iter().collect(),
            unknown: UnknownValues::default(),
        }
    }
}

/// Time of this thread on a core.
fn cpu_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e6
}

fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}
