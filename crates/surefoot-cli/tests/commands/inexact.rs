//! Records that are not exact, as users meet them: learned with `--error`, checked, planned with,
//! and tried in the real domain.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use surefoot_base::exact::Rational;
use surefoot_base::model::Domain;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{ActionId, GroundAction, GroundFunction, State, Universe};
use surefoot_base::pddl::{Numbers, Source, read_domain, read_problem};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(domain: &str) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("domain.pddl", domain);
        fs::create_dir(folder.path().join("new")).unwrap();
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        command.current_dir(self.path()).args(words).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs a command that is to end well.
    fn well(&self, words: &[&str]) -> String {
        let done = self.run(words);
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr)
        );
        assert_eq!(done.status.code(), Some(0), "{words:?}: {said}");
        said
    }

    fn learn(&self, options: &[&str]) -> String {
        let words = [
            "learn",
            "-d",
            "domain.pddl",
            "-o",
            "learned.pddl",
            "--certificate",
            "learned.json",
            ".",
        ];
        self.well(&[&words, options].concat())
    }

    fn check(&self) {
        self.well(&["check", "-d", "domain.pddl", "-m", "learned.pddl", "-c", "learned.json", "."]);
    }

    /// A plan with margins for a problem, valid in the real domain.
    fn plan(&self, problem: &str) -> String {
        self.well(&["problem", "-d", "learned.pddl", "-p", problem, "-o", "new/with-margins.pddl"]);
        self.well(&["plan", "-d", "learned.pddl", "-p", "new/with-margins.pddl", "-o", "new/plan"]);
        self.well(&["validate", "-d", "domain.pddl", "-p", problem, "new/plan"]);
        self.read("new/plan")
    }
}

const TANK: &str =
    "(define (domain tank) (:requirements :numeric-fluents) (:functions (temperature ?t))
  (:action heat :parameters (?t) :precondition (<= (temperature ?t) 79)
    :effect (assign (temperature ?t) (+ (* 0.97 (temperature ?t)) 2.4))))";

/// What a simulator that computes in doubles writes, with all digits.
fn heated_in_floats(steps: usize) -> String {
    let mut temperature: f64 = 20.0;
    let mut text = format!("((:init (= (temperature t) {temperature:?}))\n");
    for _ in 0..steps {
        temperature = 0.97 * temperature + 2.4;
        text += &format!("(operator: (heat t))\n(:state (= (temperature t) {temperature:?}))\n");
    }
    text + ")\n"
}

#[test]
fn a_tank_simulated_in_floats_is_learned_planned_with_and_checked() {
    let folder = Folder::new(TANK);
    folder.write("one.trajectory", &heated_in_floats(60));
    let problem = "(define (problem new) (:domain tank) (:objects t) (:init (= (temperature t) \
                   30)) (:goal (>= (temperature t) 60)))";
    folder.write("new/new.pddl", problem);
    // As exact numbers they contradict every model.
    assert_eq!(
        folder
            .run(&["learn", "-d", "domain.pddl", "-o", "learned.pddl", "one.trajectory"])
            .status
            .code(),
        Some(2)
    );
    for options in [&["--error", "1e-9"][..], &["--error", "1e-9", "--effect-decimals", "2"]] {
        folder.learn(options);
        folder.check();
        // 30 to 60 takes 31 steps: a shorter plan cannot be valid, and a longer one is no worse.
        assert!(
            folder.plan("new/new.pddl").lines().filter(|line| line.starts_with('(')).count() >= 31
        );
    }
    // With its decimals told, the effect is the real one.
    let learned = folder.read("learned.pddl");
    assert!(learned.contains("0.97") && learned.contains("2.4"), "{learned}");
}

const BATTERY: &str = "(define (domain robot) (:requirements :typing :numeric-fluents) (:types \
                       robot way)
  (:functions (battery ?r - robot) (length ?w - way))
  (:action drive :parameters (?r - robot ?w - way)
    :precondition (>= (battery ?r) (+ (* 2 (length ?w)) 5)) :effect (decrease (battery ?r) (* 2 \
                       (length ?w))))
  (:action charge :parameters (?r - robot)
    :precondition (<= (battery ?r) 80) :effect (increase (battery ?r) 12.5)))";

/// A source of numbers that is the same everywhere.
struct Numbered(u64);

impl Numbered {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A number of tenths as a decimal.
fn tenths(value: i64) -> String {
    format!("{}.{}", value / 10, value % 10)
}

/// Steps whose battery is recorded with uniform noise: the sensor is within 0.1 of the truth, which
/// has halves of tenths, and shows one decimal, so that it is within 0.15. All in twentieths.
fn noisy_runs(folder: &Folder, runs: u64, chance: &mut Numbered) {
    for run in 0..runs {
        let lengths: Vec<i64> = (0..2).map(|_| 1 + chance.below(15) as i64).collect();
        let mut battery = 20 * 3 + chance.below(20 * 95) as i64;
        let sensed = |battery: i64, chance: &mut Numbered| {
            let noise = chance.below(5) as i64 - 2;
            let shown = (battery + noise + 1).div_euclid(2);
            assert!((2 * shown - battery).abs() <= 3);
            tenths(shown)
        };
        let statics = format!("(= (length w0) {}) (= (length w1) {})", lengths[0], lengths[1]);
        let mut text = format!("((:init (= (battery r) {}) {statics})\n", sensed(battery, chance));
        for _ in 0..8 {
            let way = chance.below(2) as usize;
            let (word, after) = if battery >= 20 * (2 * lengths[way] + 5) && chance.below(3) > 0 {
                (format!("(drive r w{way})"), battery - 40 * lengths[way])
            } else if battery <= 20 * 80 {
                ("(charge r)".to_owned(), battery + 250)
            } else {
                continue;
            };
            battery = after;
            text += &format!(
                "(operator: {word})\n(:state (= (battery r) {}) {statics})\n",
                sensed(battery, chance)
            );
        }
        folder.write(&format!("{run}.trajectory"), &(text + ")\n"));
    }
}

/// A state of the robot and one way, with the error of the battery where it is given.
fn robot(
    domain: &Domain,
    universe: &mut Universe,
    battery: &Rational,
    length: i64,
    error: Option<&Rational>,
) -> State {
    let mut state = State::default();
    let mut set = |name: &str, object: usize, value: Rational| {
        let symbol = domain.signature.functions.find(name).unwrap().into();
        let function =
            GroundFunction { symbol, arguments: std::iter::once(object.into()).collect() };
        state.set_value(universe.value(&function), value);
    };
    set("battery", 0, battery.clone());
    set("length", 1, Rational::from(length));
    if let Some(error) = error {
        set("error-of-battery", 0, error.clone());
    }
    state
}

#[test]
fn a_noisy_battery_is_learned_and_nothing_that_is_allowed_fails() {
    let folder = Folder::new(BATTERY);
    noisy_runs(&folder, 40, &mut Numbered(7));
    folder.write("error.json", r#"{"battery": 0.15, "length": 0}"#);
    let way = "(define (problem p) (:domain robot) (:objects r - robot w0 w1 - way) (:init (= \
               (battery r) 50) (= (length w0) 4) (= (length w1) 9))";
    folder.write(
        "new/new.pddl",
        &format!("{way} (:goal (and (<= (battery r) 26) (>= (battery r) 20))))"),
    );
    for run in 0..40 {
        folder.write(&format!("{run}.pddl"), &format!("{way} (:goal (and)))"));
    }
    let real = read_domain(&Source::new("domain.pddl", BATTERY)).unwrap();
    let objects =
        "(define (problem p) (:domain robot) (:objects r - robot w - way) (:init) (:goal (and)))";
    let objects =
        read_problem(&Source::new("problem.pddl", objects), &real, Numbers::Exact).unwrap().objects;
    let error = Rational::new(15, 100).unwrap();
    for options in
        [&["--error", "error.json"][..], &["--error", "error.json", "--effect-decimals", "1"]]
    {
        folder.learn(options);
        folder.check();
        folder.plan("new/new.pddl");
        let learned =
            read_domain(&Source::new("learned.pddl", folder.read("learned.pddl"))).unwrap();
        let (mut allowed, mut asked) = (0, 0);
        for (action, arity) in [("drive", 2), ("charge", 1)] {
            let id = |domain: &Domain| ActionId::from(domain.actions.find(action).unwrap());
            let ground = |domain: &Domain| GroundAction {
                symbol: id(domain),
                arguments: (0..arity).map(Into::into).collect(),
            };
            for tenths in (0..1100).step_by(3) {
                for length in 1..=16 {
                    let battery = Rational::new(tenths, 10).unwrap();
                    let (mut universe, estimated) =
                        (Universe::default(), Semantics::new(&learned, &objects));
                    let state = robot(&learned, &mut universe, &battery, length, Some(&error));
                    let Ok(after) = estimated.successor(&ground(&learned), &mut universe, &state)
                    else {
                        asked += 1;
                        continue;
                    };
                    (allowed, asked) = (allowed + 1, asked + 1);
                    let value =
                        |domain: &Domain, universe: &Universe, state: &State, name: &str| {
                            let symbol = domain.signature.functions.find(name).unwrap().into();
                            let function = GroundFunction {
                                symbol,
                                arguments: std::iter::once(0.into()).collect(),
                            };
                            state.value(universe.find_value(&function).unwrap()).unwrap().clone()
                        };
                    let said = value(&learned, &universe, &after, "battery");
                    let bound = value(&learned, &universe, &after, "error-of-battery");
                    for truth in [&battery - &error, battery.clone(), &battery + &error] {
                        let (mut universe, world) =
                            (Universe::default(), Semantics::new(&real, &objects));
                        let state = robot(&real, &mut universe, &truth, length, None);
                        let ends = world.successor(&ground(&real), &mut universe, &state);
                        let ends = ends.unwrap_or_else(|why| {
                            panic!("{action} with {truth} and {length}: {why:?}")
                        });
                        let off = (&value(&real, &universe, &ends, "battery") - &said).abs();
                        assert!(
                            off <= bound,
                            "{action} with {truth} and {length}: off by {off}, said {bound}"
                        );
                    }
                }
            }
        }
        // Of the states asked about, about two thirds can be driven or charged in.
        assert!(allowed * 3 > asked, "{allowed} of {asked}");
    }
}
