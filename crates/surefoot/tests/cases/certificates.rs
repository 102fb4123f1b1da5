//! The checker accepts models that are safe, with certificates made by hand, and rejects those that
//! are not, with the right reason.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::handmade::Case;
use surefoot_base::assumptions::{
    Algorithm, Assumptions, ErrorBound, Monotone, SetAside, Unchanged,
};
use surefoot_base::certificate::{
    ActionRecord, Certificate, EffectRecord, FORMAT, FORMAT_WITH_ERRORS, FORMAT_WITH_FAILURES,
    FORMAT_WITH_PARTS, StageRecord, digest,
};
use surefoot_base::exact::Rational;
use surefoot_base::model::Condition;
use surefoot_check::Obligation;

const TWO: &str = "(:functions (x) (y))";

/// Seen at (0, 0), (4, 0), (0, 4): x grows by one, y stays.
fn triangle() -> Case {
    Case::new(TWO, "")
        .action("go", "", "(>= (x) 0) (>= (y) 0) (<= (+ (x) (y)) 4)", "(increase (x) 1)")
        .columns("go", &["(x)", "(y)"])
        .step("(= (x) 0) (= (y) 0)", "go", "(= (x) 1) (= (y) 0)")
        .step("(= (x) 4) (= (y) 0)", "go", "(= (x) 5) (= (y) 0)")
        .step("(= (x) 0) (= (y) 4)", "go", "(= (x) 1) (= (y) 4)")
}

#[test]
fn a_triangle() {
    triangle().accepted();
    // Stricter is safe, though not what was certified of all steps.
    triangle().but("(>= (x) 0) (>= (y) 0) (<= (+ (x) (y)) 4) (<= (* 2 (x)) 8)").accepted();
    for (precondition, kind) in [
        ("(>= (x) 0) (>= (y) 0)", Obligation::Facet),
        ("(>= (x) 0) (>= (y) 0) (<= (+ (x) (y)) 5)", Obligation::Facet),
        ("(>= (x) 0) (>= (y) 0) (<= (x) 4) (<= (y) 4)", Obligation::Facet),
        ("(>= (x) 0) (>= (y) 0) (or (<= (+ (x) (y)) 4) (>= (x) 0))", Obligation::Facet),
        ("(>= (x) 0) (>= (y) 0) (<= (+ (x) (y)) 4) (= (x) 0)", Obligation::Condition),
        (
            "(>= (x) 0) (>= (y) 0) (<= (+ (x) (y)) 4) (not (= (y) 1)) (< (x) 9)",
            Obligation::Unverifiable,
        ),
    ] {
        triangle().but(precondition).rejected(kind);
    }
    for effect in [
        "",
        "(increase (x) 2)",
        "(assign (x) 1)",
        "(increase (x) 1) (assign (y) 0)",
        "(scale-up (x) 2)",
    ] {
        triangle().does(effect).rejected(Obligation::Effect);
    }
    for effect in [
        "(increase (x) (* (x) (y)))",
        "(increase (x) 1) (increase (x) 0)",
        "(when (>= (x) 0) (increase (x) 1))",
    ] {
        triangle().does(effect).rejected(Obligation::Unverifiable);
    }
    // The same effects in other words.
    triangle().does("(assign (x) (+ (x) 1))").accepted();
    triangle().does("(increase (x) 1) (scale-up (y) 1)").accepted();
}

#[test]
fn certificates_that_lie() {
    let case = triangle();
    let (model, honest) = (case.model(), case.certificate());
    let change = |change: &dyn Fn(&mut Certificate)| {
        let mut changed = honest.clone();
        change(&mut changed);
        case.verdict_with(&model, &changed)
    };
    let go = |certificate: &mut Certificate, change: &dyn Fn(&mut ActionRecord)| {
        change(certificate.actions.get_mut("go").unwrap());
    };
    type Change<'a> = &'a dyn Fn(&mut Certificate);
    let changes: [(Change<'_>, Obligation); 22] = [
        (&|c| c.model.clear(), Obligation::Certificate),
        (&|c| c.vocabulary.clear(), Obligation::Vocabulary),
        (&|c| drop(c.traces.pop_first()), Obligation::Traces),
        (&|c| c.traces.extend([String::new()]), Obligation::Traces),
        (&|c| drop(c.actions.remove("go")), Obligation::Certificate),
        (
            &|c| drop(c.actions.insert("fly".into(), ActionRecord::default())),
            Obligation::Certificate,
        ),
        (&|c| go(c, &|r| r.columns.clear()), Obligation::Certificate),
        (&|c| go(c, &|r| r.columns.reverse()), Obligation::Certificate),
        (&|c| go(c, &|r| r.observations[0][0] = "7".into()), Obligation::Certificate),
        (&|c| go(c, &|r| r.observations[0][0] = "1/0".into()), Obligation::Certificate),
        (&|c| go(c, &|r| r.observations[0][0] = "9".repeat(1_000_000)), Obligation::Certificate),
        (&|c| go(c, &|r| r.vertices = vec![vec!["7".into(), "0".into()]]), Obligation::Certificate),
        (&|c| go(c, &|r| r.shadows.clear()), Obligation::Facet),
        (&|c| go(c, &|r| r.shadows[0].columns = vec![0]), Obligation::Certificate),
        (&|c| go(c, &|r| r.shadows[0].columns = vec![1, 0]), Obligation::Certificate),
        (&|c| go(c, &|r| r.shadows[0].columns = vec![0, usize::MAX]), Obligation::Certificate),
        (&|c| go(c, &|r| drop(r.shadows[0].facets.pop())), Obligation::Facet),
        (&|c| go(c, &|r| r.shadows[0].facets[0].row.push("0".into())), Obligation::Certificate),
        (
            &|c| go(c, &|r| r.shadows[0].facets[0].observations = vec![0, 1, 2]),
            Obligation::Certificate,
        ),
        (
            &|c| go(c, &|r| r.shadows[0].facets[0].observations = vec![usize::MAX]),
            Obligation::Certificate,
        ),
        (&|c| go(c, &|r| r.shadows[0].part = Some(Vec::new())), Obligation::Evidence),
        (&|c| go(c, &|r| r.shadows[0].part = Some(vec![0, 1])), Obligation::Equation),
    ];
    assert_eq!(case.verdict_with(&model, &honest), []);
    for (index, (tamper, kind)) in changes.iter().enumerate() {
        let verdict = change(*tamper);
        assert!(verdict.iter().any(|reason| reason.kind == *kind), "change {index}: {verdict:#?}");
    }
    let aside = |step| SetAside { trace: digest(&case.traces[0]), step, what: "odd".into() };
    let verdict = change(&|c| c.assumptions.set_aside.extend([aside(5)]));
    assert_eq!(
        verdict.iter().map(|reason| reason.kind).collect::<Vec<_>>(),
        [Obligation::Certificate],
        "{verdict:#?}"
    );
}

#[test]
fn only_format_5_lists_effects() {
    let effect = EffectRecord {
        function: "(x)".into(),
        constant: "1".into(),
        coefficients: vec!["1".into(), "0".into()],
        residual: "0".into(),
        bound: "0".into(),
        observations: Vec::new(),
        equations: Vec::new(),
        stages: vec![StageRecord::default()],
    };
    let read = |format: u32, effects: &[EffectRecord]| {
        let mut certificate = triangle().certificate();
        certificate.format = format;
        certificate.actions.get_mut("go").unwrap().effects = effects.to_vec();
        let read = Certificate::from_json(&certificate.to_json().unwrap());
        read.map(|read| assert_eq!(read, certificate)).map_err(|error| error.to_string())
    };
    assert!(!triangle().certificate().to_json().unwrap().contains("effects"));
    for format in [FORMAT, FORMAT_WITH_FAILURES] {
        assert_eq!(read(format, &[]), Ok(()));
        let refused =
            format!("this certificate has format {format}, but says what only format 5 does: ");
        assert_eq!(
            read(format, std::slice::from_ref(&effect)),
            Err(refused.clone() + "effects have bounds")
        );
        let mut certificate = triangle().certificate();
        certificate.format = format;
        certificate.assumptions.spec.error.insert("*".into(), ErrorBound::read("0.1").unwrap());
        let read = Certificate::from_json(&certificate.to_json().unwrap());
        assert_eq!(read.map_err(|error| error.to_string()), Err(refused + "records have errors"));
    }
    assert_eq!(read(FORMAT_WITH_ERRORS, &[effect]), Ok(()));
    assert!(read(FORMAT_WITH_PARTS + 1, &[]).unwrap_err().contains("reads formats 3, 4, 5 and 6"));
}

/// What a region known by its generators admits is not what its text says, and the text is all that
/// a digest is of.
#[test]
fn a_model_with_a_hull_is_not_its_text() {
    let mut case = triangle();
    case.actions[0][2] = "(= (x) 0) (= (y) 0)".into();
    let certificate = case.certificate();
    let mut model = case.model();
    let action = model.actions.value_mut(0);
    let columns =
        vec![vec![surefoot_base::model::LiftedFunction { symbol: 0.into(), terms: Vec::new() }]];
    let points = vec![vec![Rational::integer(0)], vec![Rational::integer(100)]];
    let set =
        surefoot_base::exact::Polyhedron::spanned(1, Vec::new(), Vec::new(), points, Vec::new());
    let region = surefoot_base::model::Region { columns, set: std::sync::Arc::new(set) };
    let written = action.precondition.conjuncts().iter().cloned();
    let whole = written.chain([surefoot_base::model::Condition::Within(region)]).collect();
    action.precondition = surefoot_base::model::Condition::And(whole);
    let verdict = case.verdict_with(&model, &certificate);
    assert!(verdict.iter().any(|reason| reason.kind == Obligation::Unverifiable), "{verdict:#?}");
}

#[test]
fn a_step_set_aside_is_left_out() {
    let case = triangle().step("(= (x) 9) (= (y) 9)", "go", "(= (x) 0) (= (y) 9)");
    let honest = triangle();
    let mut certificate = honest.certificate();
    certificate.traces = case.traces.iter().map(|text| digest(text)).collect();
    assert!(!case.verdict_with(&case.model(), &certificate).is_empty());
    let aside =
        SetAside { trace: digest(&case.traces[3]), step: 0, what: "test:1, (go) is odd".into() };
    certificate.assumptions.set_aside.insert(aside);
    assert_eq!(case.verdict_with(&case.model(), &certificate), []);
}

#[test]
fn a_part_of_the_hull() {
    let case = triangle().step("(= (x) 4) (= (y) 4)", "go", "(= (x) 5) (= (y) 4)");
    let mut certificate = case.certificate();
    certificate.actions = triangle().certificate().actions;
    let model = case.model();
    let verdict = case.verdict_with(&model, &certificate);
    assert!(verdict.iter().any(|reason| reason.kind == Obligation::Condition), "{verdict:#?}");
    certificate.actions.get_mut("go").unwrap().shadows[0].part = Some(vec![0, 1, 2]);
    assert_eq!(case.verdict_with(&model, &certificate), []);
    // A part must be closed too.
    let shadow = &mut certificate.actions.get_mut("go").unwrap().shadows[0];
    shadow.facets.remove(0);
    let verdict = case.verdict_with(&model, &certificate);
    assert!(verdict.iter().any(|reason| reason.kind == Obligation::Facet), "{verdict:#?}");
}

/// What is unknown before a step may be no column. The step still bounds the region, but shows no
/// change, so that the model may refuse it.
#[test]
fn a_step_that_shows_no_change_may_be_refused() {
    let case = |before: &str| {
        Case::new("(:functions (v) (g))", "")
            .assuming(|assumptions| {
                assumptions.spec.relevant.insert("go".into(), vec!["(v)".into()]);
            })
            .action("go", "", "(= (g) 0) (= (v) 7)", "(increase (g) 15)")
            .columns("go", &["(v)"])
            .step(&format!("{before} (= (v) 0)"), "go", "(= (g) 5) (= (v) 0)")
            .step("(= (g) 0) (= (v) 7)", "go", "(= (g) 15) (= (v) 7)")
    };
    case("(unknown (g))").accepted();
    case("(= (g) 0)").rejected(Obligation::Condition);
}

/// Planning uses the whole hull of a certificate whose model has a part of it.
#[test]
fn records_are_held_against_whole_hulls() {
    let with = |more: &[&str]| {
        let mut case = triangle().step("(= (x) 4) (= (y) 4)", "go", "(= (x) 5) (= (y) 4)");
        case.traces.extend(more.iter().map(|trace| (*trace).to_owned()));
        let mut certificate = case.certificate();
        certificate.actions = triangle().certificate().actions;
        let go = certificate.actions.get_mut("go").unwrap();
        go.shadows[0].part = Some(vec![0, 1, 2]);
        let corners = [["0", "0"], ["0", "4"], ["4", "0"], ["4", "4"]];
        go.vertices = corners.map(|corner| corner.map(str::to_owned).to_vec()).to_vec();
        (case, certificate)
    };
    let (case, certificate) = with(&[]);
    assert_eq!(case.verdict_with_hulls(&certificate), []);
    // (3, 3) is in the whole hull, and outside the part that is written.
    let failed = "((:init (= (x) 3) (= (y) 3)) (failed: (go)))";
    let (case, certificate) = with(&[failed]);
    assert_eq!(case.verdict_with(&case.model(), &certificate), []);
    let verdict = case.verdict_with_hulls(&certificate);
    assert!(matches!(&verdict[..], [only] if only.kind == Obligation::Failure), "{verdict:#?}");
    // A step that begins where a recording error ended shows nothing; yet it refutes the model.
    let spoiled = |after: &str| {
        format!(
            "((:init (= (x) 9) (= (y) 9)) (operator: (go)) (:state (= (x) 3) (= (y) 3)) (operator: \
             (go)) (:state (= (x) {after}) (= (y) 3)))"
        )
    };
    for (after, kinds) in [("4", &[][..]), ("7", &[Obligation::Effect][..])] {
        let trace = spoiled(after);
        let (case, mut certificate) = with(&[&trace]);
        let what = "test:1, (go) is odd.".to_owned();
        let error = SetAside { trace: digest(&trace), step: 0, what };
        certificate.assumptions.set_aside.insert(error);
        assert_eq!(case.verdict_with(&case.model(), &certificate), []);
        let verdict = case.verdict_with_hulls(&certificate);
        let found: Vec<Obligation> = verdict.iter().map(|reason| reason.kind).collect();
        assert_eq!(found, kinds, "{verdict:#?}");
    }
    // A step that is read as a failed attempt is one.
    let unchanged = "((:init (= (x) 3) (= (y) 3)) (operator: (go)) (:state (= (x) 3) (= (y) 3)))";
    let (case, mut certificate) = with(&[unchanged]);
    certificate.format = FORMAT_WITH_FAILURES;
    certificate.assumptions.spec.unchanged = Some(Unchanged::Failed);
    certificate.assumptions.read_as_failed = [(digest(unchanged), [0].into())].into();
    assert_eq!(case.verdict_with(&case.model(), &certificate), []);
    let verdict = case.verdict_with_hulls(&certificate);
    assert!(matches!(&verdict[..], [only] if only.kind == Obligation::Failure), "{verdict:#?}");
}

/// Names are found in any letter case, so a second spelling of an action could carry vertices that
/// nobody recorded: planning would use them.
#[test]
fn a_second_spelling_of_an_action_is_refused() {
    let case = triangle();
    let honest = case.certificate();
    let mut forged = honest.clone();
    let record = ActionRecord {
        vertices: vec![vec!["0".into(), "0".into()], vec!["90".into(), "90".into()]],
        ..honest.actions["go"].clone()
    };
    forged.actions.insert("GO".into(), record);
    let verdict = case.verdict_with(&case.model(), &forged);
    assert!(matches!(&verdict[..], [only] if only.kind == Obligation::Certificate), "{verdict:#?}");
    let mut listed = honest.clone();
    listed.failures.insert("Go".into(), Vec::new());
    let verdict = case.verdict_with(&case.model(), &listed);
    assert!(verdict.iter().any(|reason| reason.what.contains("lower case")), "{verdict:#?}");
}

#[test]
fn rounded_inward_and_outward() {
    let case = || {
        Case::new(TWO, "")
            .action(
                "go",
                "",
                "(>= (x) 0) (<= (x) 7) (>= (y) 0) (<= (y) 3) (>= (* 0.42 (x)) (y)) \
                               (>= (y) (* 0 (x)))",
                "",
            )
            .columns("go", &["(x)", "(y)"])
            .step("(= (x) 0) (= (y) 0)", "go", "(= (x) 0) (= (y) 0)")
            .step("(= (x) 7) (= (y) 0)", "go", "(= (x) 7) (= (y) 0)")
            .step("(= (x) 7) (= (y) 3)", "go", "(= (x) 7) (= (y) 3)")
    };
    // The exact one is 3 x >= 7 y, that is 0.4286 x >= y.
    case().accepted();
    case()
        .but("(>= (x) 0) (<= (x) 7) (>= (y) 0) (<= (y) 3) (>= (* 0.43 (x)) (y))")
        .rejected(Obligation::Facet);
    case()
        .but("(>= (x) 0) (<= (x) 7) (>= (y) 0) (<= (y) 3) (>= (- (* 0.43 (x)) 0.01) (y))")
        .accepted();
    case()
        .but("(>= (x) 0) (<= (x) 7) (>= (y) 0) (<= (y) 3) (>= (- (* 0.43 (x)) 0.009) (y))")
        .rejected(Obligation::Facet);
    // Others that point more like the facet do not hide what it follows from.
    let alike: String =
        (1..20).map(|more| format!(" (<= (y) (+ (* 0.428571 (x)) {more}))")).collect();
    let with = |rounded: &str| {
        case().but(&format!("(>= (x) 0) (<= (x) 7) (>= (y) 0) (<= (y) 3) {rounded}{alike}"))
    };
    with("(>= (- (* 0.43 (x)) 0.01) (y))").accepted();
    with("(>= (- (* 0.43 (x)) 0.009) (y))").rejected(Obligation::Facet);
}

const ATOMS: &str = "(:types place) (:predicates (at ?p - place) (lit))";

#[test]
fn literals_and_boolean_effects() {
    let case = || {
        Case::new(ATOMS, "a b - place")
            .action(
                "go",
                "?f ?t - place",
                "(at ?f) (not (at ?t)) (not (= ?f ?t))",
                "(not (at ?f)) (at ?t)",
            )
            .step("(at a)", "go a b", "(at b)")
            .step("(at b) (lit)", "go b a", "(at a) (lit)")
    };
    case().accepted();
    case().but("(not (at ?t)) (not (= ?f ?t))").rejected(Obligation::Literal);
    case().but("(at ?f) (not (= ?f ?t))").rejected(Obligation::Literal);
    case().but("(at ?f) (not (at ?t))").rejected(Obligation::Literal);
    case().but("(at ?f) (not (at ?t)) (= ?f ?t)").rejected(Obligation::Condition);
    case().but("(or (at ?f) (lit)) (not (at ?t)) (not (= ?f ?t))").rejected(Obligation::Literal);
    case().does("(at ?t)").rejected(Obligation::Effect);
    case().does("(not (at ?f)) (at ?t) (lit)").rejected(Obligation::Effect);
    // (lit) was seen true, and false, and never changed.
    case().does("(not (at ?f)) (at ?t) (not (lit))").rejected(Obligation::Effect);
    // Without negative conditions the second may be true before, which was not seen: but added it
    // is, whatever it was.
    let positive = || case().assuming(|assumptions| assumptions.spec.positive_preconditions = true);
    positive().but("(at ?f) (not (= ?f ?t))").accepted();
    positive().but("(at ?f)").rejected(Obligation::Literal);
}

#[test]
fn effects_that_steps_leave_open() {
    // Seen with both the same only: which of them adds is open, so they stay the same.
    let together = || {
        Case::new("(:types place) (:predicates (on ?p - place))", "a b - place")
            .action("do", "?p ?q - place", "(= ?p ?q) (not (on ?p)) (not (on ?q))", "(on ?p)")
            .step("", "do a a", "(on a)")
    };
    together().accepted();
    together().does("(on ?q)").accepted();
    together().but("(not (on ?p)) (not (on ?q))").rejected(Obligation::Literal);
    // Different ones were seen too, but both on already: which of them it is stays open where one
    // is off.
    let open = || together().step("(on a) (on b)", "do a b", "(on a) (on b)");
    open().but("").rejected(Obligation::Effect);
    open().but("(or (= ?p ?q) (on ?p))").rejected(Obligation::Effect);
    open().but("(or (= ?p ?q) (on ?p)) (or (= ?p ?q) (on ?q))").accepted();
    // ?q is seen to stay off: it is ?p that is added.
    let settled = || open().step("", "do a b", "(on a)").but("");
    settled().accepted();
    settled().does("(on ?q)").rejected(Obligation::Effect);
}

#[test]
fn sam_models_no_numbers() {
    let case = || {
        Case::new("(:predicates (lit)) (:functions (x))", "")
            .action("go", "", "(not (lit))", "(lit)")
            .assuming(|assumptions| assumptions.spec.algorithm = Algorithm::Sam)
            .step("(= (x) 1)", "go", "(= (x) 2) (lit)")
    };
    case().accepted();
    case().but("(not (lit)) (or (lit) (>= (x) 1))").rejected(Obligation::Unverifiable);
    case().does("(lit) (increase (x) 1)").rejected(Obligation::Unverifiable);
    case().does("").rejected(Obligation::Effect);
}

#[test]
fn nsam_asks_for_more_evidence() {
    let case = || triangle().assuming(|assumptions| assumptions.spec.algorithm = Algorithm::Nsam);
    case().accepted();
    let mut less = case();
    less.traces.pop();
    less.but("(>= (x) 0) (<= (x) 4) (= (y) 0)").rejected(Obligation::Evidence);
}

#[test]
fn nsam_literal_asks_for_affinely_independent_evidence() {
    let case =
        || triangle().assuming(|assumptions| assumptions.spec.algorithm = Algorithm::NsamLiteral);
    case().accepted();
    // Three distinct vectors on one line: enough for N-SAM, too few for its literal reading.
    let line = |algorithm: Algorithm| {
        let mut line = triangle().assuming(|assumptions| assumptions.spec.algorithm = algorithm);
        line.traces.pop();
        line.step("(= (x) 1) (= (y) 0)", "go", "(= (x) 2) (= (y) 0)")
            .but("(>= (x) 0) (<= (x) 4) (= (y) 0)")
    };
    line(Algorithm::Nsam).accepted();
    line(Algorithm::NsamLiteral).rejected(Obligation::Evidence);
}

const THINGS: &str = "(:types thing) (:functions (x ?t - thing) (c))";

/// `x` of the first thing grows by c; seen apart with some c, together with others. Conditions
/// mention one function each.
fn pair(apart: &[i64], together: &[i64]) -> Case {
    let mut case = Case::new(THINGS, "a b - thing")
        .assuming(|assumptions| assumptions.spec.arity = Some(1))
        .action("do", "?p ?q - thing", "", "(increase (x ?p) (c))")
        .shadows("do", &[&[0], &[1], &[2]]);
    for c in apart {
        for (p, q) in [(0, 0), (5, 0), (0, 5)] {
            case = case.step(
                &format!("(= (x a) {p}) (= (x b) {q}) (= (c) {c})"),
                "do a b",
                &format!("(= (x a) {}) (= (x b) {q}) (= (c) {c})", p + c),
            );
        }
    }
    for c in together {
        for p in [0, 5] {
            case = case.step(
                &format!("(= (x a) {p}) (= (x b) 0) (= (c) {c})"),
                "do a a",
                &format!("(= (x a) {}) (= (x b) 0) (= (c) {c})", p + c),
            );
        }
    }
    case.columns("do", &["(x ?p)", "(x ?q)", "(c)"])
}

#[test]
fn cells_that_were_seen_and_guards() {
    // Seen apart with c = 1 and 2, together with 1 and 2: everything is determined.
    let all = "(>= (x ?p) 0) (>= (x ?q) 0) (<= (x ?p) 5) (<= (x ?q) 5) (>= (c) 1) (<= (c) 2)";
    pair(&[1, 2], &[1, 2]).but(all).accepted();
    // Together with 1 only: then with 2 one does not know whether (x ?q) is assigned its own value.
    let open = pair(&[1, 2], &[1]);
    // Both are known by themselves everywhere, and changed together by 1: that is enough.
    open.but(all).accepted();
    // Apart with 1 only: where both are the same, the hull of those steps counts; apart c must be
    // 1.
    let guarded = format!("{all} (or (= ?p ?q) (= (c) 1))");
    pair(&[1], &[1, 2]).but(all).rejected(Obligation::Effect);
    pair(&[1], &[1, 2]).but(&guarded).accepted();
    pair(&[1], &[1, 2])
        .but(&format!("{all} (or (not (= ?p ?q)) (= (c) 1))"))
        .rejected(Obligation::Effect);
    pair(&[1], &[1, 2])
        .but(&format!("{all} (or (= ?p ?q) (= (c) 1) (= (c) 2))"))
        .rejected(Obligation::Effect);
    // Guards must hold for what was seen, whatever part of the region is left out.
    pair(&[1, 2], &[1, 2]).but(&guarded).rejected(Obligation::Condition);
    // Never seen together: then they stay apart.
    pair(&[1, 2], &[]).but(all).rejected(Obligation::Literal);
    pair(&[1, 2], &[]).but(&format!("{all} (not (= ?p ?q))")).accepted();
}

/// Seen apart; together only where nothing changes: the real action may assign both, which would
/// conflict elsewhere.
#[test]
fn unchanged_together_proves_nothing() {
    let all = "(>= (x ?p) 0) (>= (x ?q) 0) (<= (x ?p) 5) (<= (x ?q) 5) (>= (c) 0) (<= (c) 2)";
    pair(&[0, 1, 2], &[0]).but(all).rejected(Obligation::Effect);
    pair(&[0, 1, 2], &[0]).but(&format!("{all} (or (not (= ?p ?q)) (= (c) 0))")).accepted();
    pair(&[0, 1, 2], &[1]).but(all).accepted();
}

/// (x ?p) grows by (c) and (x ?q) by (e): seen apart so that each is known everywhere, and together
/// for the given ones.
fn two_increases(together: &[[i64; 2]]) -> Case {
    let mut case = Case::new("(:types thing) (:functions (x ?t - thing) (c) (e))", "a b - thing")
        .assuming(|assumptions| assumptions.spec.arity = Some(1))
        .action("do", "?p ?q - thing", "", "(increase (x ?p) (c)) (increase (x ?q) (e))")
        .shadows("do", &[&[0], &[1], &[2], &[3]]);
    let state = |[a, b]: [i64; 2], [c, e]: [i64; 2]| {
        format!("(= (x a) {a}) (= (x b) {b}) (= (c) {c}) (= (e) {e})")
    };
    for (x, by) in
        [([0, 0], [0, 0]), ([5, 0], [2, 0]), ([0, 5], [0, 2]), ([0, 5], [2, 1]), ([5, 0], [1, 2])]
    {
        case = case.step(&state(x, by), "do a b", &state([x[0] + by[0], x[1] + by[1]], by));
    }
    for &by in together {
        case = case.step(&state([3, 0], by), "do a a", &state([3 + by[0] + by[1], 0], by));
    }
    case.columns("do", &["(x ?p)", "(x ?q)", "(c)", "(e)"])
}

/// Each alternative of a guard must be where the cell was seen, or where two increases, of which
/// one is by zero, do not conflict.
#[test]
fn guards_that_are_asked_at_a_point() {
    let all = "(>= (x ?p) 0) (>= (x ?q) 0) (<= (x ?p) 5) (<= (x ?q) 5) (>= (c) 0) (<= (c) 2) (>= \
               (e) 0) (<= (e) 2)";
    let with = |guard: &str| format!("{all} (or (not (= ?p ?q)) {guard})");
    let seen = "(and (= (x ?p) 3) (= (x ?q) 3) (= (c) 1) (= (e) 1))";
    // Together they grew by 2: two assignments would have let them grow by 1.
    let once = || two_increases(&[[1, 1]]);
    once().but(all).rejected(Obligation::Effect);
    once().but(&with(seen)).accepted();
    once().but(&with(&format!("(= (c) 0) (= (e) 0) {seen}"))).accepted();
    once().but(&with(&format!("(= (c) 0) {seen}"))).accepted();
    for wider in [
        "(= (c) 1)",
        "(= (c) (e))",
        "(= (c) 2) (= (e) 0)",
        "(>= (c) 0)",
        "(= (x ?p) 3)",
        "(= (c) (* 2 (e)))",
    ] {
        once().but(&with(&format!("(= (c) 0) {wider} {seen}"))).rejected(Obligation::Effect);
        once().but(&with(&format!("{wider} {seen} (= (e) 0)"))).rejected(Obligation::Effect);
    }
    // Of two guards each may leave something else.
    once()
        .but(&format!(
            "{} {}",
            with(&format!("(= (c) 0) {seen}")),
            with(&format!("(= (e) 0) {seen}"))
        ))
        .accepted();
    // Together they stayed as they were: both may have been assigned their own values, which
    // conflicts where one changes.
    let still = || two_increases(&[[0, 0]]);
    let seen = "(and (= (x ?p) 3) (= (x ?q) 3) (= (c) 0) (= (e) 0))";
    still().but(&with("(and (= (c) 0) (= (e) 0))")).accepted();
    still().but(&with(seen)).accepted();
    still().but(&with(&format!("(= (c) 0) {seen}"))).rejected(Obligation::Effect);
    still().but(&with(&format!("(= (c) 0) (= (e) 0) {seen}"))).rejected(Obligation::Effect);
    // Never seen together, nothing is known of conflicts.
    let never = || two_increases(&[]);
    never().but(&format!("{all} (not (= ?p ?q))")).accepted();
    never().but(&with("(and (= (c) 0) (= (e) 0))")).rejected(Obligation::Literal);
}

/// Three things: any two were seen as one, not all three.
#[test]
fn three_in_one_cell() {
    let case = |changes: bool| {
        let mut case = Case::new("(:types thing) (:functions (x ?t - thing))", "a b c - thing")
            .action("do", "?p ?q ?r - thing", "", "(increase (x ?p) 1)");
        let mut step = |action: &str, values: [i64; 3]| {
            let state = |[a, b, c]: [i64; 3]| format!("(= (x a) {a}) (= (x b) {b}) (= (x c) {c})");
            let mut after = values;
            after[0] += 1;
            let taken = std::mem::replace(&mut case, Case::new("", ""));
            case = taken.step(&state(values), action, &state(after));
        };
        for values in [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]] {
            step("do a b c", values);
        }
        step("do a b b", [0, 0, 0]);
        if changes {
            step("do a a b", [0, 0, 0]);
            step("do a b a", [0, 0, 0]);
        }
        case.columns("do", &["(x ?p)", "(x ?q)", "(x ?r)"])
    };
    let all = "(>= (x ?p) 0) (>= (x ?q) 0) (>= (x ?r) 0) (<= (+ (x ?p) (x ?q) (x ?r)) 4)";
    // One that changes, and two that do not: each pair was seen in one cell.
    case(true).but(all).accepted();
    case(false).but(&format!("{all} (not (= ?p ?q)) (not (= ?p ?r))")).accepted();
    // One pair was not: the literals keep it apart.
    case(false).but(all).rejected(Obligation::Literal);
}

#[test]
fn undefined_functions() {
    // (y) gets its first value: an assignment, which may read (x), and (y) itself is read by
    // nothing.
    let case = || {
        Case::new(TWO, "")
            .action("go", "", "(>= (x) 1) (<= (x) 3)", "(assign (y) (x))")
            .columns("go", &["(x)"])
            .step("(= (x) 1)", "go", "(= (x) 1) (= (y) 1)")
            .step("(= (x) 3) (= (y) 7)", "go", "(= (x) 3) (= (y) 3)")
    };
    case().accepted();
    case().but("(>= (x) 1) (<= (x) 3) (<= (y) 9)").rejected(Obligation::Unverifiable);
    case().does("(increase (y) (- (x) (y)))").rejected(Obligation::Unverifiable);
    case().does("(assign (y) 1)").rejected(Obligation::Effect);
    case().does("").rejected(Obligation::Effect);
    // No value before and none after: it is left alone, and nothing else can be said.
    let untouched = || {
        Case::new(TWO, "")
            .action("go", "", "(>= (x) 1) (<= (x) 3)", "")
            .columns("go", &["(x)"])
            .step("(= (x) 1)", "go", "(= (x) 1)")
            .step("(= (x) 3) (= (y) 3)", "go", "(= (x) 3) (= (y) 3)")
    };
    untouched().accepted();
    untouched().does("(assign (y) (x))").rejected(Obligation::Effect);
    untouched().does("(increase (y) 0)").rejected(Obligation::Effect);
}

/// Seen without a value only where it is one with another; apart it kept its value, which an
/// assignment explains as well.
#[test]
fn undefined_in_a_cell_leaves_open_who_assigns() {
    let case = || {
        Case::new("(:types thing) (:functions (x ?t - thing))", "a b - thing")
            .action("do", "?p ?q - thing", "", "(assign (x ?q) 5)")
            .step("", "do a a", "(= (x a) 5)")
            .step("(= (x a) 5) (= (x b) 1)", "do a b", "(= (x a) 5) (= (x b) 5)")
    };
    // (x ?p) was 5 and stayed 5: it may be assigned 5 as well.
    case().rejected(Obligation::Effect);
    case().step("(= (x a) 6) (= (x b) 1)", "do a b", "(= (x a) 6) (= (x b) 5)").accepted();
}

/// A relevant map leaves (y) without a column. Not listed, it is changed only where a step shows
/// it; and then a change and an assignment may look alike.
#[test]
fn a_function_without_a_column_of_its_own() {
    let case = |effect: &str, after: [i64; 2]| {
        Case::new(TWO, "")
            .assuming(|assumptions| {
                drop(assumptions.spec.relevant.insert("go".into(), vec!["(x)".into()]))
            })
            .action("go", "", "(>= (x) 1) (<= (x) 3)", effect)
            .columns("go", &["(x)"])
            .step("(= (x) 1) (= (y) 5)", "go", &format!("(= (x) 1) (= (y) {})", after[0]))
            .step("(= (x) 3) (= (y) 5)", "go", &format!("(= (x) 3) (= (y) {})", after[1]))
    };
    case("", [5, 5]).accepted();
    case("(assign (y) 5)", [5, 5]).rejected(Obligation::Effect);
    case("(increase (y) (x))", [6, 8]).rejected(Obligation::Effect);
    case("(assign (y) (+ (x) 5))", [6, 8]).rejected(Obligation::Effect);
    let more = |case: Case, after: i64| {
        case.step("(= (x) 3) (= (y) 6)", "go", &format!("(= (x) 3) (= (y) {after})"))
    };
    more(case("", [5, 5]), 6).accepted();
    more(case("(increase (y) (x))", [6, 8]), 9).accepted();
    more(case("(assign (y) 5)", [5, 5]), 5).accepted();
    more(case("(increase (y) (x))", [6, 8]), 8).rejected(Obligation::Effect);
}

#[test]
fn arity_asks_for_each_set_of_functions() {
    let points = [[0, 0, 0], [4, 0, 1], [0, 4, 2], [1, 1, 5]];
    let mut case = Case::new("(:functions (x) (y) (z))", "")
        .assuming(|assumptions| assumptions.spec.arity = Some(1))
        .action("go", "", "(>= (x) 0) (<= (x) 4) (>= (y) 0) (<= (y) 4) (>= (z) 0) (<= (z) 5)", "")
        .columns("go", &["(x)", "(y)", "(z)"]);
    for [x, y, z] in points {
        let state = format!("(= (x) {x}) (= (y) {y}) (= (z) {z})");
        case = case.step(&state, "go", &state);
    }
    let case = case.shadows("go", &[&[0], &[1], &[2]]);
    case.accepted();
    let (model, mut certificate) = (case.model(), case.certificate());
    certificate.actions.get_mut("go").unwrap().shadows.pop();
    let verdict = case.verdict_with(&model, &certificate);
    assert!(verdict.iter().any(|reason| reason.kind == Obligation::Facet), "{verdict:#?}");
    // A larger arity is a smaller assumption: boxes are not enough.
    let mut certificate = case.certificate();
    certificate.assumptions.spec.arity = Some(2);
    assert!(
        case.verdict_with(&model, &certificate)
            .iter()
            .any(|reason| reason.kind == Obligation::Facet)
    );
    // Shadows on more functions cover those on fewer.
    case.shadows("go", &[&[0, 1], &[2]])
        .but("(>= (x) 0) (>= (y) 0) (<= (+ (x) (y)) 4) (>= (z) 0) (<= (z) 5)")
        .accepted();
}

/// With products an arity counts functions: a condition on x alone may mention x, one on x and y
/// also their product.
#[test]
fn arity_counts_functions_not_columns() {
    let mut case = Case::new(TWO, "")
        .assuming(|assumptions| {
            assumptions.spec.degree = 2;
            assumptions.spec.arity = Some(1);
        })
        .action("go", "", "(>= (x) 1) (<= (x) 2) (>= (y) 1) (<= (y) 2)", "")
        .columns("go", &["(x)", "(y)", "(* (x) (y))"]);
    for (x, y) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
        let state = format!("(= (x) {x}) (= (y) {y})");
        case = case.step(&state, "go", &state);
    }
    let case = case.shadows("go", &[&[0], &[1]]);
    case.accepted();
    let mut certificate = case.certificate();
    certificate.assumptions.spec.arity = Some(2);
    let verdict = case.verdict_with(&case.model(), &certificate);
    assert!(verdict.iter().any(|reason| reason.kind == Obligation::Facet), "{verdict:#?}");
}

#[test]
fn effect_arity_looks_at_all_supports() {
    // Seen on the diagonal: x grows by x, or by y; either way by what both are.
    let mut case = Case::new(TWO, "")
        .assuming(|assumptions| {
            assumptions.spec.effect_arity = Some(1);
            assumptions
                .spec
                .monotone
                .insert("go".into(), BTreeMap::from([("(y)".to_owned(), Monotone::Any)]));
        })
        .action("go", "", "(>= (x) 1) (<= (x) 3)", "(increase (x) (x))")
        .columns("go", &["(x)", "(y)"])
        .rays("go", &[&[0, 1], &[0, -1]]);
    for x in [1, 3] {
        case = case.step(
            &format!("(= (x) {x}) (= (y) {x})"),
            "go",
            &format!("(= (x) {}) (= (y) {x})", 2 * x),
        );
    }
    case.rejected(Obligation::Effect);
    let case = case.but("(>= (x) 1) (<= (x) 3) (= (x) (y))");
    case.accepted();
    // With a step off the diagonal only one support is left for x; y stays, whatever it is.
    case.step("(= (x) 1) (= (y) 7)", "go", "(= (x) 2) (= (y) 7)")
        .but("(>= (x) 1) (<= (x) 3)")
        .accepted();
}

#[test]
fn marks_move_products_too() {
    // More of x never hurts: from (x, y) = (1, 2) and (1, 5) states (1 + t, 2) and (1 + t, 5)
    // follow, x·y with them.
    let steps = |case: Case| {
        ["(= (x) 1) (= (y) 2)", "(= (x) 1) (= (y) 5)"]
            .iter()
            .fold(case, |case, state| case.step(state, "go", state))
    };
    let case = |mark: Monotone| {
        steps(
            Case::new(TWO, "")
                .assuming(|assumptions| {
                    assumptions.spec.degree = 2;
                    assumptions
                        .spec
                        .monotone
                        .insert("go".into(), BTreeMap::from([("(x)".to_owned(), mark)]));
                })
                .action("go", "", "", "")
                .columns("go", &["(x)", "(y)", "(* (x) (y))"]),
        )
    };
    // (xy - y) lies between 2 (x - 1) and 5 (x - 1), and y between 2 and 5.
    let between = "(>= (y) 2) (<= (y) 5) (>= (- (* (x) (y)) (y)) (* 2 (- (x) 1))) (<= (- (* (x) \
                   (y)) (y)) (* 5 (- (x) 1)))";
    let more = case(Monotone::More).rays("go", &[&[1, 0, 2], &[1, 0, 5]]).but(between);
    // Effects were seen on x = 1, x·y = y alone, so they are not determined elsewhere; conditions
    // are right.
    let kinds: BTreeSet<Obligation> = more.verdict().iter().map(|reason| reason.kind).collect();
    assert_eq!(kinds, BTreeSet::from([Obligation::Effect]));
    let exact = "(= (x) 1) (= (* (x) (y)) (y))";
    let more = case(Monotone::More)
        .rays("go", &[&[1, 0, 2], &[1, 0, 5]])
        .but(&format!("{between} {exact}"));
    more.accepted();
    // A ray along x alone leaves the product behind: that would let x·y stay at y.
    let wrong = case(Monotone::More).rays("go", &[&[1, 0, 0]]);
    let wrong = wrong.but("(>= (x) 1) (= (* (x) (y)) (y)) (>= (y) 2) (<= (y) 5)");
    wrong.rejected(Obligation::Facet);
    // Irrelevant: with two values of y both x and x·y are free.
    let any = case(Monotone::Any).rays("go", &[&[1, 0, 2], &[1, 0, 5], &[-1, 0, -2], &[-1, 0, -5]]);
    any.but(&format!("(>= (y) 2) (<= (y) 5) {exact}")).accepted();
}

/// With one value of y, x·y follows x: a line that is no column's own.
#[test]
fn a_line_across_columns() {
    let case = || {
        let case = Case::new(TWO, "")
            .assuming(|assumptions| {
                assumptions.spec.degree = 2;
                assumptions
                    .spec
                    .monotone
                    .insert("go".into(), BTreeMap::from([("(x)".to_owned(), Monotone::Any)]));
            })
            .action("go", "", "", "")
            .columns("go", &["(x)", "(y)", "(* (x) (y))"])
            .rays("go", &[&[1, 0, 2], &[-1, 0, -2]]);
        [1, 4].iter().fold(case, |case, x| {
            let state = format!("(= (x) {x}) (= (y) 2)");
            case.step(&state, "go", &state)
        })
    };
    case().but("(= (y) 2) (= (* (x) (y)) (* 2 (x)))").accepted();
    case().but("(= (y) 2)").rejected(Obligation::Equation);
    case().but("(= (* (x) (y)) (* 2 (x)))").rejected(Obligation::Equation);
}

#[test]
fn marks_that_mean_nothing() {
    let state = "(= (x) 1) (= (y) 2)";
    let square = Case::new(TWO, "")
        .assuming(|assumptions| {
            assumptions.spec.degree = 2;
            assumptions.spec.squares = true;
            assumptions
                .spec
                .monotone
                .insert("go".into(), BTreeMap::from([("(x)".to_owned(), Monotone::More)]));
        })
        .action(
            "go",
            "",
            "(= (x) 1) (= (y) 2) (= (* (x) (x)) 1) (= (* (x) (y)) 2) (= (* (y) (y)) 4)",
            "",
        )
        .columns("go", &["(x)", "(y)", "(* (x) (x))", "(* (x) (y))", "(* (y) (y))"])
        .step(state, "go", state);
    square.rejected(Obligation::Certificate);
    let product = |mark: &'static str| {
        Case::new(TWO, "")
            .assuming(|assumptions| {
                assumptions.spec.degree = 2;
                assumptions.spec.relevant.insert("go".into(), vec!["(* (x) (y))".into()]);
                assumptions
                    .spec
                    .monotone
                    .insert("go".into(), BTreeMap::from([(mark.to_owned(), Monotone::More)]));
            })
            .action("go", "", "(= (* (x) (y)) 2)", "")
            .columns("go", &["(* (x) (y))"])
            .step(state, "go", state)
    };
    product("(x)").rejected(Obligation::Certificate);
    product("(+ (x) 1)").rejected(Obligation::Certificate);
}

fn quickly<T>(limit: Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    assert!(start.elapsed() < limit, "it took {:?}", start.elapsed());
    result
}

#[test]
fn thirty_functions_and_one_step() {
    let names: Vec<String> = (0..30).map(|number| format!("(f{number})")).collect();
    let state: String =
        names.iter().enumerate().map(|(value, name)| format!("(= {name} {value})")).collect();
    for arity in [None, Some(1), Some(2)] {
        let mut case = Case::new(&format!("(:functions {})", names.join(" ")), "")
            .assuming(|assumptions| {
                assumptions.spec.arity = arity;
                assumptions.spec.effect_arity = arity;
            })
            .action("go", "", &state, "")
            .step(&state, "go", &state);
        case.records.get_mut("go").unwrap().columns =
            names.iter().map(|name| &*Box::leak(name.clone().into_boxed_str())).collect();
        let verdict = quickly(Duration::from_secs(10), || case.verdict());
        assert_eq!(verdict, []);
        let mut fewer = case;
        fewer.actions[0][2] = state.replace("(= (f7) 7)", "");
        let verdict = quickly(Duration::from_secs(10), || fewer.verdict());
        assert!(verdict.iter().any(|reason| reason.kind == Obligation::Equation), "{verdict:#?}");
    }
}

#[test]
fn absurd_classes_end_with_a_message() {
    let names: Vec<String> = (0..40).map(|number| format!("(f{number})")).collect();
    let state: String =
        names.iter().enumerate().map(|(value, name)| format!("(= {name} {value})")).collect();
    let case = Case::new(&format!("(:functions {})", names.join(" ")), "")
        .action("go", "", &state, "")
        .step(&state, "go", &state);
    let (model, honest) = (case.model(), case.certificate());
    type Change<'a> = &'a dyn Fn(&mut Assumptions);
    let absurd: [Change<'_>; 5] = [
        &|assumptions| assumptions.spec.degree = u32::MAX,
        &|assumptions| (assumptions.spec.degree, assumptions.spec.squares) = (1000, true),
        &|assumptions| assumptions.spec.arity = Some(20),
        &|assumptions| {
            drop(
                assumptions
                    .spec
                    .relevant
                    .insert("go".into(), vec![format!("(* {})", ["(f0)"; 500].join(" "))]),
            )
        },
        &|assumptions| {
            drop(assumptions.spec.relevant.insert("go".into(), vec!["(".repeat(100_000)]))
        },
    ];
    for change in absurd {
        let mut certificate = honest.clone();
        change(&mut certificate.assumptions);
        assert!(
            !quickly(Duration::from_secs(10), || case.verdict_with(&model, &certificate))
                .is_empty()
        );
    }
}

#[test]
fn many_parameters_of_one_type_end_with_a_message() {
    let parameters: String = (0..14).map(|number| format!("?p{number} ")).collect();
    let case = Case::new("(:predicates (on ?p))", "a b c d e f g h i j k l m n o")
        .action("go", &parameters, "", "")
        .step("", "go a b c d e f g h i j k l m n", "");
    let verdict = quickly(Duration::from_secs(20), || case.verdict());
    assert!(verdict.iter().any(|reason| reason.kind == Obligation::Unverifiable), "{verdict:#?}");
}

#[test]
fn very_many_atoms_and_one_step() {
    let constants: String = (0..54).map(|number| format!("c{number} ")).collect();
    let vocabulary = format!("(:constants {constants}) (:predicates (p ?a ?b ?c))");
    let names: Vec<&str> = constants.split_whitespace().collect();
    let mut literals = String::new();
    for a in &names {
        for b in &names {
            for c in &names {
                literals += &format!("(not (p {a} {b} {c}))");
            }
        }
    }
    let case = Case::new(&vocabulary, "").action("go", "", &literals, "").step("", "go", "");
    let (model, certificate) = (case.model(), case.certificate());
    let verdict = quickly(Duration::from_secs(30), || case.verdict_with(&model, &certificate));
    assert_eq!(verdict, []);
    // One literal less, and one effect more.
    let mut changed = model.clone();
    let action = changed.actions.value_mut(0);
    let Condition::And(parts) = &mut action.precondition else { panic!("a conjunction") };
    parts.remove(77_777);
    let verdict = quickly(Duration::from_secs(30), || case.verdict_with(&changed, &certificate));
    assert!(verdict.iter().any(|reason| reason.kind == Obligation::Literal), "{verdict:#?}");
}
