//! Models of records that have errors, with certificates made by hand: those that are safe are
//! accepted, and each forgery is refused with the right reason.

use std::collections::BTreeMap;

use crate::handmade::Case;
use surefoot_base::assumptions::Monotone;
use surefoot_base::certificate::{EffectRecord, FORMAT, SettledRecord, StageRecord, WeightRecord};
use surefoot_check::Obligation;

const REGION: &str = "(>= (- (x) (error-of-x)) 0.1) (<= (+ (x) (error-of-x)) 3.9)";

/// Seen at 0, 2 and 4, within 0.1: x grows by one, about.
fn tank() -> Case {
    Case::new("(:functions (x))", "")
        .errors(&[("(x)", "0.1")], "(error-of-x)")
        .action("go", "", REGION, "(increase (x) 1) (increase (error-of-x) 0.3)")
        .columns("go", &["(x)"])
        .step("(= (x) 0)", "go", "(= (x) 1.1)")
        .step("(= (x) 2)", "go", "(= (x) 3)")
        .step("(= (x) 4)", "go", "(= (x) 5)")
        .effect("(x)", &["1", "1"], "0.1", "0.3")
}

#[test]
fn a_tank() {
    tank().accepted();
    // More room, and a larger error than proved, are safe.
    tank().but("(>= (- (x) (* 2 (error-of-x))) 0.1) (<= (+ (x) (error-of-x)) 3.8)").accepted();
    tank().does("(increase (x) 1) (increase (error-of-x) (+ 0.4 (error-of-x)))").accepted();
    tank().does("(assign (x) (+ (x) 1)) (assign (error-of-x) (+ (error-of-x) 0.3))").accepted();
    tank()
        .with(|effect| effect.residual = "0.2".into())
        .rejected_because(Obligation::Effect, "but what is proved is 0.4");
}

/// The bound of an effect holds in the region, which may leave out rays; a whole hull has them all.
#[test]
fn whole_hulls_of_inexact_actions_are_refused() {
    let gauge = Case::new("(:functions (x) (y))", "")
        .errors(&[("(y)", "0.1")], "(error-of-y)")
        .assuming(|assumptions| {
            let marks = [("(x)".to_owned(), Monotone::More)].into();
            assumptions.spec.monotone.insert("go".into(), marks);
        })
        .action("go", "", "(>= (x) 0) (<= (x) 4)", "(assign (y) (x)) (assign (error-of-y) 0.2)")
        .columns("go", &["(x)"])
        .step("(= (x) 0)", "go", "(= (x) 0) (= (y) 0.1)")
        .step("(= (x) 2)", "go", "(= (x) 2) (= (y) 1.9)")
        .step("(= (x) 4)", "go", "(= (x) 4) (= (y) 4)")
        .effect("(x)", &["0", "1"], "0", "0")
        .effect("(y)", &["0", "1"], "0.1", "0.2");
    gauge.accepted();
    let mut certificate = gauge.certificate();
    certificate.actions.get_mut("go").unwrap().vertices = vec![vec!["0".into()], vec!["4".into()]];
    let verdict = gauge.verdict_with_hulls(&certificate);
    assert!(
        matches!(&verdict[..], [only] if only.what.contains("vertices of an action whose")),
        "{verdict:#?}"
    );
}

#[test]
fn margins() {
    for (precondition, why) in [
        (
            "(>= (- (x) (error-of-x)) 0.1)",
            "must hold wherever the errors of the records leave what is safe",
        ),
        // The margin of the records.
        ("(>= (- (x) (error-of-x)) 0.1) (<= (+ (x) (error-of-x)) 4)", "(x) - 3.9 <= 0 must hold"),
        // That of the estimate.
        (
            "(>= (- (x) (error-of-x)) 0.1) (<= (x) 3.9)",
            "leaves too little room for the error of (x)",
        ),
        (
            "(>= (- (x) (error-of-x)) 0.1) (<= (+ (x) (* 0.9 (error-of-x))) 3.9)",
            "leaves too little room for the error of (x)",
        ),
        (
            "(>= (- (x) (error-of-x)) 0.1) (<= (- (x) (error-of-x)) 3.9)",
            "leaves too little room for the error of (x)",
        ),
    ] {
        tank().but(precondition).rejected_because(Obligation::Facet, why);
    }
    // Without an error an estimate is the true value.
    tank().but("(>= (x) 0.1) (<= (x) 3.9) (<= (error-of-x) 0)").accepted();
    tank()
        .but("(>= (x) 0.1) (<= (x) 3.9) (<= (error-of-x) 0.1)")
        .rejected_because(Obligation::Facet, "too little room");
    tank().but("(= (x) 2) (= (error-of-x) 0)").accepted();
    tank().but("(= (x) 2)").rejected_because(Obligation::Facet, "too little room");
    tank()
        .but(&format!("{REGION} (not (<= (error-of-x) 3))"))
        .rejected_because(Obligation::Unverifiable, "no linear condition of functions and errors");
}

#[test]
fn bounds_and_residuals() {
    tank()
        .with(|effect| effect.residual = "0".into())
        .rejected_because(Obligation::Effect, "a step is 0.1 off its effect");
    tank()
        .with(|effect| effect.bound = "0.2".into())
        .rejected_because(Obligation::Effect, "what is proved is 0.3");
    tank()
        .with(|effect| effect.bound = "-1".into())
        .rejected_because(Obligation::Certificate, "is no number");
    tank()
        .with(|effect| effect.constant = "2".into())
        .rejected_because(Obligation::Effect, "the model has another effect");
    tank()
        .with(|effect| effect.function = "(y)".into())
        .rejected_because(Obligation::Effect, "but the certificate has no effect on it");
    tank()
        .with(|effect| effect.coefficients.clear())
        .rejected_because(Obligation::Certificate, "no map of the columns");
    for (effect, why) in [
        ("(increase (x) 1)", "the error of (x) grows by less than 0.3"),
        ("(increase (x) 1) (increase (error-of-x) 0.2)", "the error of (x) grows by less than 0.3"),
        ("(increase (x) 1) (assign (error-of-x) 0.3)", "grows by less than that of (x) makes it"),
        (
            "(increase (x) 1) (increase (error-of-x) (- 0.3 (* 0.1 (error-of-x))))",
            "grows by less than that of (x) makes it",
        ),
        ("(increase (x) 2) (increase (error-of-x) 0.3)", "the model has another effect"),
    ] {
        tank().does(effect).rejected_because(Obligation::Effect, why);
    }
    for effect in [
        "(increase (x) 1) (increase (error-of-x) (x))",
        "(increase (x) (error-of-x)) (increase (error-of-x) 0.3)",
        "(increase (x) 1) (increase (error-of-x) 0.3) (increase (error-of-x) 0.3)",
        "(increase (x) 1) (when (>= (x) 0) (increase (error-of-x) 0.3))",
    ] {
        tank().does(effect).rejected(Obligation::Unverifiable);
    }
}

#[test]
fn what_a_model_forgets() {
    let forgets = Case { carried: String::new(), ..tank() };
    let forgets = forgets.but("(>= (x) 0.1) (<= (x) 3.9)").does("(increase (x) 1)");
    forgets.rejected_because(Obligation::Vocabulary, "has no function for its error");
    forgets.rejected_because(Obligation::Effect, "the model has no error for it");
    let other = Case { carried: "(error-of-x ?t)".into(), ..tank() }
        .but("(>= (x) 0.1) (<= (x) 3.9)")
        .does("(increase (x) 1)");
    other.rejected_because(Obligation::Vocabulary, "are not those of the domain");
    let mut certificate = tank().certificate();
    certificate.format = FORMAT;
    let verdict = tank().verdict_with(&tank().model(), &certificate);
    assert!(verdict.iter().any(|reason| reason.kind == Obligation::Certificate), "{verdict:#?}");
    certificate = tank().certificate();
    certificate.assumptions.spec.error.clear();
    let verdict = tank().verdict_with(&tank().model(), &certificate);
    assert!(verdict.iter().any(|reason| reason.kind == Obligation::Vocabulary), "{verdict:#?}");
    tank()
        .errors(&[("(y)", "0.1")], "(error-of-x)")
        .rejected_because(Obligation::Certificate, "no function of the domain");
    tank()
        .errors(&[("(x)", "0.1"), ("x", "0.2")], "(error-of-x)")
        .rejected_because(Obligation::Certificate, "two errors of");
    tank()
        .assuming(|assumptions| assumptions.spec.decimals = Some(1))
        .rejected_because(Obligation::Certificate, "errors together with");
}

fn weights(weights: &[(usize, &str)]) -> WeightRecord {
    weights.iter().map(|&(record, weight)| (record, weight.to_owned())).collect()
}

fn settled(column: Option<usize>, value: &str, by: &[(usize, &str)]) -> SettledRecord {
    SettledRecord { column, value: value.into(), above: weights(by), below: weights(by) }
}

/// The same, with whole numbers as coefficients: the effect is the true one, and errors stay as
/// they are.
fn whole() -> Case {
    tank()
        .assuming(|assumptions| assumptions.spec.effect_decimals = Some(0))
        .does("(increase (x) 1)")
        .with(|effect| {
            effect.bound = "0".into();
            effect.observations =
                vec![vec!["0".into(), "1.1".into()], vec!["4".into(), "5".into()]];
            let slope = [(0, "-1/4"), (1, "1/4")];
            let settled = vec![settled(Some(0), "1", &slope), settled(None, "1", &[(0, "1")])];
            effect.stages = vec![StageRecord { spread: vec![(0, weights(&slope))], settled }];
        })
}

#[test]
fn coefficients_settle() {
    whole().accepted();
    // One after the other.
    let later = |effect: &mut EffectRecord| {
        let constant = effect.stages[0].settled.pop().unwrap();
        effect.stages.push(StageRecord { spread: Vec::new(), settled: vec![constant] });
    };
    whole().with(later).accepted();
    // With the slope known, any weights that add up to one will do.
    whole()
        .with(|effect| {
            later(effect);
            effect.stages[1].settled[0].above = weights(&[(1, "1")]);
        })
        .accepted();
    // All but the constant: the records, each off by at most 0.2, leave it between 0.9 and 1.2.
    let partly = whole().with(|effect| drop(effect.stages[0].settled.pop()));
    partly.rejected_because(Obligation::Effect, "what is proved is 0.2");
    partly
        .with(|effect| effect.bound = "0.2".into())
        .does("(increase (x) 1) (increase (error-of-x) 0.2)")
        .accepted();
}

#[test]
fn proofs_that_lie() {
    type Forgery<'a> = &'a dyn Fn(&mut EffectRecord);
    let wrong: [(Forgery<'_>, &str); 8] = [
        (&|effect| effect.stages[0].settled[0].value = "2".into(), "at another value"),
        (
            &|effect| effect.stages[0].settled[0].above = weights(&[(0, "-1/4"), (1, "1/2")]),
            "weights do not add up",
        ),
        (
            &|effect| effect.stages[0].settled[0].below = weights(&[(7, "1")]),
            "weights do not add up",
        ),
        (&|effect| effect.stages[0].spread.clear(), "weights do not add up"),
        (&|effect| effect.stages[0].spread[0].1.clear(), "weights do not add up"),
        (&|effect| effect.observations[0][1] = "1".into(), "observations that were not made"),
        (
            &|effect| effect.stages[0].settled.push(settled(Some(3), "1", &[])),
            "settles twice, or is none",
        ),
        (
            &|effect| effect.equations = vec![vec!["0".into(), "1".into()]],
            "over functions whose records are not exact",
        ),
    ];
    for (forge, why) in wrong {
        whole().with(forge).rejected_because(Obligation::Certificate, why);
    }
    // With one decimal more than one value is left.
    let finer = whole().assuming(|assumptions| assumptions.spec.effect_decimals = Some(1));
    finer.rejected_because(Obligation::Certificate, "is not the one value");
    let nothing = whole().assuming(|assumptions| assumptions.spec.effect_decimals = None);
    nothing.rejected_because(Obligation::Certificate, "nothing is assumed of their decimals");
    // Records nearer to each other than their errors bound nothing.
    let near = whole().errors(&[("(x)", "2")], "(error-of-x)");
    near.rejected_because(Obligation::Certificate, "too near to each other");
}

/// y is exact and always 10: an effect on x that reads it is the same with a number instead.
fn beside_ten(equation: &[&str], condition: &str) -> Case {
    let state = |x: &str| format!("(= (x) {x}) (= (y) 10)");
    let mut case = Case::new("(:functions (x) (y))", "")
        .errors(&[("(x)", "0.1")], "(error-of-x)")
        .assuming(|assumptions| assumptions.spec.effect_decimals = Some(0))
        .action("go", "", &format!("{REGION} {condition}"), "(increase (x) 1)")
        .columns("go", &["(x)", "(y)"]);
    for (before, after) in [("0", "1.1"), ("2", "3"), ("4", "5")] {
        case = case.step(&state(before), "go", &state(after));
    }
    let slope = [(0, "-1/4"), (1, "1/4")];
    let case = case.effect("(x)", &["1", "1", "0"], "0.1", "0").with(|effect| {
        effect.observations = [["0", "10", "1.1"], ["4", "10", "5"]]
            .map(|row| row.map(str::to_owned).to_vec())
            .to_vec();
        effect.equations = vec![equation.iter().map(|&text| text.to_owned()).collect()];
        let settled = vec![settled(Some(0), "1", &slope), settled(None, "1", &[(0, "1")])];
        effect.stages = vec![StageRecord { spread: vec![(0, weights(&slope))], settled }];
    });
    case.effect("(y)", &["0", "0", "1"], "0", "0")
}

#[test]
fn equations_of_exact_functions() {
    beside_ten(&["-10", "0", "1"], "(= (y) 10)").accepted();
    beside_ten(&["-9", "0", "1"], "(= (y) 10)")
        .rejected_because(Obligation::Certificate, "does not hold for all records");
    let open = beside_ten(&["-10", "0", "1"], "(<= (y) 10)");
    open.rejected_because(
        Obligation::Certificate,
        "an equation that the precondition does not imply",
    );
    let mut silent = beside_ten(&["-10", "0", "1"], "(= (y) 10)");
    silent.records.get_mut("go").unwrap().effects.pop();
    silent.rejected_because(
        Obligation::Certificate,
        "(y): the certificate does not say what becomes of it",
    );
    // Without the equation nothing tells the constant from y.
    let without = beside_ten(&["0", "0", "0"], "(= (y) 10)");
    without.rejected_because(Obligation::Certificate, "weights do not add up");
}

#[test]
fn flat_directions_of_inexact_functions() {
    let mut flat =
        tank().but("(= (x) 2) (= (error-of-x) 0)").with(|effect| effect.residual = "0".into());
    flat.traces.remove(0);
    flat.traces.remove(1);
    flat.rejected_because(
        Obligation::Equation,
        "of which nothing is safe while the records may be off",
    );
}

#[test]
fn a_mark_that_the_bound_does_not_survive() {
    let marked = |case: Case| {
        case.assuming(|assumptions| {
            drop(
                assumptions
                    .spec
                    .monotone
                    .insert("go".into(), BTreeMap::from([("(x)".to_owned(), Monotone::More)])),
            );
        })
    };
    // The whole region needs no mark.
    marked(tank()).accepted();
    let open = |case: Case| marked(case).rays("go", &[&[1]]).but("(>= (- (x) (error-of-x)) 0.1)");
    open(tank()).rejected_because(Obligation::Effect, "a mark allows steps beyond them");
    open(whole()).accepted();
    // The slope is known, and the constant has the same error everywhere.
    let partly = whole().with(|effect| {
        drop(effect.stages[0].settled.pop());
        effect.bound = "0.3".into();
    });
    open(partly.does("(increase (x) 1) (increase (error-of-x) 0.3)")).accepted();
}

/// Two functions and conditions on one at a time: a box, of which the corners were not seen.
fn boxed(arity: Option<usize>, effect_arity: Option<usize>) -> Case {
    let mut case = Case::new("(:functions (x) (y))", "")
        .errors(&[("*", "0.1")], "(error-of-x) (error-of-y)")
        .assuming(|assumptions| {
            assumptions.spec.arity = arity;
            assumptions.spec.effect_arity = effect_arity;
        })
        .action(
            "go",
            "",
            &format!(
                "{REGION} {}",
                REGION.replace("(x)", "(y)").replace("error-of-x", "error-of-y")
            ),
            "(increase (error-of-x) 0.2) (increase (error-of-y) 0.2)",
        )
        .columns("go", &["(x)", "(y)"]);
    for (x, y) in [(0, 0), (4, 0), (0, 4)] {
        let state = format!("(= (x) {x}) (= (y) {y})");
        case = case.step(&state, "go", &state);
    }
    case.effect("(x)", &["0", "1", "0"], "0", "0.2").effect("(y)", &["0", "0", "1"], "0", "0.2")
}

#[test]
fn an_arity_that_the_bound_does_not_survive() {
    let shadows: &[&[usize]] = &[&[0], &[1]];
    boxed(Some(1), None)
        .shadows("go", shadows)
        .rejected_because(Obligation::Effect, "arity of conditions allows steps beyond");
    boxed(Some(1), Some(1))
        .shadows("go", shadows)
        .rejected_because(Obligation::Effect, "arity of conditions allows steps beyond");
    // Under effect arity 0 effects are constants, or changes by constants: their differences read
    // one function.
    boxed(Some(1), Some(0)).shadows("go", shadows).accepted();
    boxed(None, None).rejected(Obligation::Facet);
    let whole = boxed(Some(1), None).but(
        "(>= (- (x) (error-of-x)) 0.1) (>= (- (y) (error-of-y)) 0.1) (<= (+ (x) (+ (y) (+ \
         (error-of-x) (error-of-y)))) 3.8)",
    );
    whole.accepted();
}

const METERS: &str = "(:types tank meter) (:functions (x ?t - tank) (y ?m - meter))";

/// What a meter counts is exact, but it adds what a tank has.
fn meters(read: &str, effect: &str) -> Case {
    let mut case = Case::new(METERS, "a - tank m n - meter")
        .errors(&[("(x ?t)", "0.1")], "(error-of-x ?t - tank) (error-of-y ?m - meter)")
        .action(
            "note",
            "?t - tank ?m - meter",
            "(>= (- (x ?t) (error-of-x ?t)) 0.1) (<= (+ (x ?t) (error-of-x ?t)) 3.9) (>= (- (y ?m) \
             (error-of-y ?m)) 0)
             (<= (+ (y ?m) (error-of-y ?m)) 3)",
            "(increase (y ?m) (x ?t)) (increase (error-of-x ?t) 0.2) (increase (error-of-y ?m) (+ \
             (error-of-x ?t) 0.1))",
        )
        .columns("note", &["(x ?t)", "(y ?m)"])
        .effect("(x ?t)", &["0", "1", "0"], "0", "0.2")
        .effect("(y ?m)", &["0", "1", "1"], "0", "0.1");
    for (x, y) in [(0, 0), (4, 0), (0, 3), (4, 3)] {
        let before = format!("(= (x a) {x}) (= (y m) {y})");
        case = case.step(&before, "note a m", &format!("(= (x a) {x}) (= (y m) {})", x + y));
    }
    case =
        case.action("shift", "?m ?n - meter", read, effect).columns("shift", &["(y ?m)", "(y ?n)"]);
    for (m, n) in [(1, 0), (3, 0), (1, 5), (3, 5)] {
        let before = format!("(= (y m) {m}) (= (y n) {n}) (= (x a) 1)");
        case = case.step(
            &before,
            "shift m n",
            &format!("(= (y m) {}) (= (y n) {}) (= (x a) 0.85)", m - 1, n + 1),
        );
    }
    case
}

const SHIFT: &str =
    "(not (= ?m ?n)) (>= (- (y ?m) (error-of-y ?m)) 1) (<= (+ (y ?m) (error-of-y ?m)) 3)
                     (>= (- (y ?n) (error-of-y ?n)) 0) (<= (+ (y ?n) (error-of-y ?n)) 5)";

#[test]
fn exact_actions_on_what_may_be_off() {
    let does = "(decrease (y ?m) 1) (increase (y ?n) 1)";
    meters(SHIFT, does).accepted();
    let bare = SHIFT.replace("(<= (+ (y ?n) (error-of-y ?n)) 5)", "(<= (y ?n) 5)");
    meters(&bare, does)
        .rejected_because(Obligation::Facet, "leaves too little room for the error of (y ?n)");
    // A step of it may not move a tank that it cannot reach by more than the records may be off.
    let moved = meters(SHIFT, does).step(
        "(= (y m) 2) (= (y n) 0) (= (x a) 1)",
        "shift m n",
        "(= (y m) 1) (= (y n) 1) (= (x a) 0.7)",
    );
    moved.rejected_because(Obligation::Effect, "do not give the state that was recorded");
    // Recorded with numbers that depend on the meters, errors grow with them.
    let doubles = |effect: &str| {
        let mut case = meters(SHIFT, effect);
        case.traces.truncate(4);
        for (m, n) in [(1, 0), (3, 0), (1, 5), (3, 5)] {
            let before = format!("(= (y m) {m}) (= (y n) {n})");
            case =
                case.step(&before, "shift m n", &format!("(= (y m) {}) (= (y n) {n})", 2 * m + n));
        }
        case
    };
    doubles(
        "(increase (y ?m) (+ (y ?m) (y ?n))) (increase (error-of-y ?m) (+ (error-of-y ?m) \
             (error-of-y ?n)))",
    )
    .accepted();
    let short =
        doubles("(increase (y ?m) (+ (y ?m) (y ?n))) (increase (error-of-y ?m) (error-of-y ?m))");
    short.rejected_because(
        Obligation::Effect,
        "the error of (y ?m) grows by less than that of (y ?n) makes it",
    );
    let none = doubles("(increase (y ?m) (+ (y ?m) (y ?n)))");
    none.rejected_because(Obligation::Effect, "grows by less than that of (y ?m) makes it");
}

#[test]
fn exact_functions_that_read_inexact_ones() {
    let does = "(decrease (y ?m) 1) (increase (y ?n) 1)";
    let without = |text: &str| {
        text.replace("(- (y ?m) (error-of-y ?m))", "(y ?m)")
            .replace("(+ (y ?m) (error-of-y ?m))", "(y ?m)")
    };
    let mut case = meters(
        &without(SHIFT)
            .replace("(- (y ?n) (error-of-y ?n))", "(y ?n)")
            .replace("(+ (y ?n) (error-of-y ?n))", "(y ?n)"),
        does,
    );
    case.carried = "(error-of-x ?t - tank)".into();
    case.actions[0][2] = without(&case.actions[0][2]);
    case.actions[0][3] = "(increase (y ?m) (x ?t)) (increase (error-of-x ?t) 0.2)".into();
    case.rejected_because(
        Obligation::Effect,
        "(y ?m) can be off after a step, but the model has no error for it",
    );
}

#[test]
fn one_object_for_two_parameters() {
    // Seen apart alone: where both are one, two errors would be one.
    let case = |refusal: &str| {
        let mut case = Case::new("(:types tank) (:functions (x ?t - tank))", "a b - tank")
            .errors(&[("x", "0.1")], "(error-of-x ?t - tank)")
            .action(
                "join",
                "?s ?t - tank",
                &format!(
                    "{refusal} (>= (- (x ?s) (error-of-x ?s)) 0.1) (<= (+ (x ?s) (error-of-x ?s)) \
                     3.9)
                     (>= (- (x ?t) (error-of-x ?t)) 0.1) (<= (+ (x ?t) (error-of-x ?t)) 3.9)"
                ),
                "(increase (error-of-x ?s) 0.2) (increase (error-of-x ?t) 0.2)",
            )
            .columns("join", &["(x ?s)", "(x ?t)"])
            .effect("(x ?s)", &["0", "1", "0"], "0", "0.2")
            .effect("(x ?t)", &["0", "0", "1"], "0", "0.2");
        for (s, t) in [(0, 0), (4, 0), (0, 4), (4, 4)] {
            let state = format!("(= (x a) {s}) (= (x b) {t})");
            case = case.step(&state, "join a b", &state);
        }
        case
    };
    case("(not (= ?s ?t))").accepted();
    // A step with one object for both counts for no number, and is refused.
    let both = |case: Case| {
        let mut case = case;
        case.traces
            .push("((:init (= (x a) 9)) (operator: (join a a)) (:state (= (x a) 8)))".into());
        case
    };
    let mut records = case("(not (= ?s ?t))").certificate();
    let seen = both(case("(not (= ?s ?t))"));
    records.traces = seen.certificate().traces;
    assert_eq!(seen.verdict_with(&seen.model(), &records), []);
    let open = both(case(""));
    let mut records = case("").certificate();
    records.traces = open.certificate().traces;
    let verdict = open.verdict_with(&open.model(), &records);
    let why = |what: &str| {
        what.contains("(x ?s) one with (x ?t), with ?t = ?s, where nothing bounds their errors")
    };
    assert!(
        verdict.iter().any(|reason| reason.kind == Obligation::Effect && why(&reason.what)),
        "{verdict:#?}"
    );
}

#[test]
fn functions_that_are_not_listed() {
    let case = |after: &str| {
        let step = |case: Case, x: &str, xs: &str, y: &str| {
            case.step(&format!("(= (x) {x}) (= (y) 5)"), "go", &format!("(= (x) {xs}) (= (y) {y})"))
        };
        let case = Case::new("(:functions (x) (y))", "")
            .errors(&[("*", "0.1")], "(error-of-x) (error-of-y)")
            .assuming(|assumptions| {
                drop(assumptions.spec.relevant.insert("go".into(), vec!["(x)".into()]))
            })
            .action("go", "", REGION, "(increase (x) 1) (increase (error-of-x) 0.3)")
            .columns("go", &["(x)"])
            .effect("(x)", &["1", "1"], "0.1", "0.3");
        step(step(case, "0", "1.1", "5.2"), "4", "5", after)
    };
    case("4.8").accepted();
    case("4.7").rejected_because(Obligation::Effect, "changes it by more than its error");
}

#[test]
fn a_function_that_gets_its_first_value() {
    let case = |effect: &str| {
        Case::new("(:functions (x) (y))", "")
            .errors(&[("*", "0.1")], "(error-of-x) (error-of-y)")
            .action(
                "go",
                "",
                REGION,
                &format!("(increase (error-of-x) 0.2) (assign (y) (x)) {effect}"),
            )
            .columns("go", &["(x)"])
            .effect("(x)", &["0", "1"], "0", "0.2")
            .effect("(y)", &["0", "1"], "0", "0.2")
            .step("(= (x) 0)", "go", "(= (x) 0) (= (y) 0)")
            .step("(= (x) 4) (= (y) 7)", "go", "(= (x) 4) (= (y) 4)")
    };
    case("(assign (error-of-y) (+ (error-of-x) 0.2))").accepted();
    case("(assign (error-of-y) (error-of-x))")
        .rejected_because(Obligation::Effect, "the error of (y) grows by less than 0.2");
    case("(assign (error-of-y) 0.2)")
        .rejected_because(Obligation::Effect, "less than that of (x) makes it");
    case("").rejected_because(Obligation::Effect, "the error of (y) grows by less");
    let mut known = case("(assign (error-of-y) (+ (error-of-x) 0.2))");
    known.traces[0] = "((:init (= (x) 0)) (operator: (go)) (:state (= (x) 0)))".into();
    known.rejected_because(Obligation::Effect, "the steps do not determine what becomes of it");
}
