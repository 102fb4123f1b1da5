//! Whether what is assumed is true of the real domain: each assumption of the class, and each dial,
//! by what the words say.

use surefoot_analysis::evaluate::assumption::{Judgement, judgements, refutations};
use surefoot_base::model::ActionId;
use surefoot_base::model::{Domain, TypeSet};
use surefoot_base::pddl::{Source, read_domain};
use surefoot_learn::LiftedFunctionId;
use surefoot_learn::{Algorithm, Class, Degree, Learner, Monomial, Monotone, Settings};

fn domain(body: &str) -> Domain {
    let text = format!(
        "(define (domain d) (:types thing - object tool - thing)
           (:predicates (p ?x - thing) (q) (link ?x ?y - thing))
           (:functions (x ?t - thing) (y ?t - thing) (z) (total))
           (:action act :parameters (?a ?b - thing) {body}))"
    );
    read_domain(&Source::new("domain.pddl", &*text)).unwrap_or_else(|error| panic!("{error}"))
}

fn learner(real: &Domain, degree: u32) -> Learner {
    Learner::new(
        real,
        Class::default().with(|class| class.degree = Degree { degree, squares: false }),
    )
    .unwrap()
}

/// The reasons against what is assumed, for a class of this degree.
fn refuted(body: &str, degree: u32, settings: &Settings) -> Vec<String> {
    let real = domain(body);
    refutations(&real, &learner(&real, degree), settings).iter().map(ToString::to_string).collect()
}

#[track_caller]
fn assert_refuted(body: &str, degree: u32, settings: &Settings, reason: &str) {
    assert_eq!(refuted(body, degree, settings), [format!("act: {reason}")], "{body}");
}

fn plain() -> Settings {
    Settings::default()
}

#[test]
fn a_domain_of_the_class_refutes_nothing() {
    for body in [
        "",
        ":precondition (and (p ?a) (not (q)) (not (link ?a ?b)) (not (= ?a ?b)) (>= (x ?a) 3) (not \
         (< (z) 1)) (= (y ?b) (+ (z) 1)))
         :effect (and (not (p ?a)) (p ?b) (decrease (x ?a) (y ?a)) (assign (z) (+ (* 2 (x ?a)) 1)) \
         (scale-up (total) 3))",
        // A negated disjunction is a conjunction.
        ":precondition (not (or (p ?a) (>= (z) 4))) :effect (scale-down (z) 4)",
        ":effect (and (increase (z) (x ?a)) (increase (z) (x ?b)))",
    ] {
        assert_eq!(refuted(body, 1, &plain()), [""; 0], "{body}");
        let real = domain(body);
        assert!(judgements(&real, &learner(&real, 1), &plain()).iter().all(Judgement::holds));
    }
}

#[test]
fn preconditions_that_are_no_conjunctions_are_named() {
    for (precondition, reason) in [
        ("(or (p ?a) (q))", "its precondition has a disjunction"),
        ("(imply (p ?a) (q))", "its precondition has an implication"),
        ("(forall (?t - tool) (p ?t))", "its precondition has a quantifier"),
        ("(exists (?t - tool) (p ?t))", "its precondition has a quantifier"),
        ("(not (and (p ?a) (q)))", "its precondition has a disjunction"),
        ("(not (= (z) 3))", "its precondition says that two numbers differ"),
    ] {
        assert_refuted(&format!(":precondition {precondition}"), 1, &plain(), reason);
        let sam = plain().with(|settings| settings.algorithm = Algorithm::Sam);
        assert!(
            refuted(&format!(":precondition {precondition}"), 1, &sam)
                .contains(&format!("act: {reason}")),
            "SAM assumes it, too"
        );
    }
}

#[test]
fn effects_that_are_conditional_are_named() {
    assert_refuted(":effect (when (p ?a) (q))", 1, &plain(), "it has a conditional effect");
    assert_refuted(
        ":effect (forall (?t - tool) (p ?t))",
        1,
        &plain(),
        "it has an effect on all objects",
    );
    assert_refuted(
        ":effect (when (p ?a) (q))",
        1,
        &plain().with(|settings| settings.algorithm = Algorithm::Sam),
        "it has a conditional effect",
    );
}

#[test]
fn a_parameter_twice_in_one_atom_or_function_is_named() {
    assert_refuted(":precondition (link ?a ?a)", 1, &plain(), "?a stands twice in link");
    assert_refuted(":effect (not (link ?b ?b))", 1, &plain(), "?b stands twice in link");
}

/// Containment: `p` is declared for things, and a parameter that is any object may be something
/// else.
#[test]
fn an_atom_or_function_that_is_ill_typed_for_some_binding_is_named() {
    for (body, reason) in [
        (":precondition (p ?a)", "?a of p is not of its type for every binding"),
        (":precondition (>= (x ?a) 2)", "?a of x is not of its type for every binding"),
        (":effect (increase (total) (x ?a))", "?a of x is not of its type for every binding"),
    ] {
        let mut real = domain(body);
        let learner = learner(&real, 1);
        let wider = real.signature.types.find("object").unwrap();
        real.actions.value_mut(0).parameters[0].types = TypeSet::either([wider]);
        let said: Vec<String> =
            refutations(&real, &learner, &plain()).iter().map(ToString::to_string).collect();
        assert_eq!(said, [format!("act: {reason}")]);
        // A narrower parameter is fine.
        let narrower = real.signature.types.find("tool").unwrap();
        real.actions.value_mut(0).parameters[0].types = TypeSet::either([narrower]);
        assert_eq!(refutations(&real, &learner, &plain()), []);
    }
}

#[test]
fn products_beyond_the_degree_are_named() {
    let body = ":precondition (<= (* (x ?a) (y ?a)) 6) :effect (increase (total) (* (x ?a) (z)))";
    assert_eq!(refuted(body, 2, &plain()), [""; 0]);
    assert_eq!(
        refuted(body, 1, &plain()),
        ["act: a condition multiplies (x ?a), (y ?a)", "act: an effect multiplies (x ?a), (z)"]
    );
    assert_refuted(
        ":precondition (<= (* (z) (z)) 6)",
        2,
        &plain(),
        "a condition multiplies (z), (z)",
    );
    assert_refuted(
        ":precondition (<= (* (x ?a) (y ?a) (z)) 6)",
        2,
        &plain(),
        "a condition multiplies (x ?a), (y ?a), (z)",
    );
    assert_refuted(
        ":precondition (<= (/ 1 (z)) 6)",
        2,
        &plain(),
        "a numeric condition is no polynomial",
    );
    assert_refuted(
        ":effect (scale-down (z) (total))",
        2,
        &plain(),
        "a numeric effect is no polynomial",
    );
}

#[test]
fn a_function_that_is_changed_in_several_ways_is_named() {
    assert_refuted(
        ":effect (and (increase (z) 1) (assign (z) 3))",
        1,
        &plain(),
        "(z) is changed in more than one way",
    );
    // Scaling by a function is an assignment of a product, unless two of them may meet in one
    // function.
    assert_eq!(refuted(":effect (scale-up (z) (total))", 2, &plain()), [""; 0]);
    assert_refuted(
        ":effect (scale-up (z) (total))",
        1,
        &plain(),
        "an effect multiplies (z), (total)",
    );
    assert_refuted(
        ":effect (and (scale-up (x ?a) (z)) (scale-up (x ?b) 2))",
        2,
        &plain(),
        "(x ?a) is scaled by functions",
    );
}

/// `xy + 5 <= x + 2y` mentions two functions, in three columns.
#[test]
fn arity_counts_functions_not_products() {
    let body = ":precondition (<= (+ (* (x ?a) (y ?a)) 5) (+ (x ?a) (* 2 (y ?a))))
                :effect (increase (total) (+ (x ?a) (y ?a) (* (x ?a) (y ?a))))";
    let arity = |most: usize| plain().with(|settings| settings.arity = Some(most));
    let effect_arity = |most: usize| plain().with(|settings| settings.effect_arity = Some(most));
    assert_eq!(refuted(body, 2, &arity(2)), [""; 0]);
    assert_refuted(body, 2, &arity(1), "a condition mentions (x ?a), (y ?a)");
    assert_eq!(refuted(body, 2, &effect_arity(2)), [""; 0]);
    assert_refuted(body, 2, &effect_arity(1), "an effect reads (x ?a), (y ?a)");
    // One column, two functions.
    let product = ":precondition (<= (* (x ?a) (y ?a)) 6) :effect (assign (z) (* (x ?a) (y ?a)))";
    assert_refuted(product, 2, &arity(1), "a condition mentions (x ?a), (y ?a)");
    assert_refuted(product, 2, &effect_arity(1), "an effect reads (x ?a), (y ?a)");
    // A function scaled by a number reads itself.
    assert_refuted(":effect (scale-up (z) 2)", 1, &effect_arity(0), "an effect reads (z)");
}

fn with_map(body: &str, degree: u32, names: &[&[&str]]) -> Vec<String> {
    let real = domain(body);
    let free = learner(&real, 1);
    let place = |name: &&str| {
        let written = |&function: &LiftedFunctionId| {
            free.written(ActionId(0), &Monomial(vec![function])) == **name
        };
        free.vocabulary(ActionId(0)).functions.ids().find(written).unwrap()
    };
    let listed = names.iter().map(|factors| {
        let mut factors: Vec<LiftedFunctionId> = factors.iter().map(place).collect();
        factors.sort_unstable();
        Monomial(factors)
    });
    let class = Class::default().with(|class| {
        class.degree = Degree { degree, squares: false };
        class.relevant = [(ActionId(0), listed.collect())].into();
    });
    let learner = Learner::new(&real, class).unwrap();
    refutations(&real, &learner, &plain()).iter().map(ToString::to_string).collect()
}

/// A listed function admits products of listed functions, a listed product itself alone.
#[test]
fn a_map_of_relevant_functions_is_judged_by_its_words() {
    let product = ":precondition (<= (* (x ?a) (y ?a)) 6)";
    assert_eq!(with_map(product, 2, &[&["(x ?a)"], &["(y ?a)"]]), [""; 0]);
    assert_eq!(with_map(product, 2, &[&["(x ?a)"]]), ["act: a condition reads (x ?a), (y ?a)"]);
    assert_eq!(with_map(product, 1, &[&["(x ?a)", "(y ?a)"]]), [""; 0]);
    assert_eq!(
        with_map(":precondition (>= (x ?a) 1)", 2, &[&["(x ?a)", "(y ?a)"]]),
        ["act: a condition reads (x ?a)"]
    );
    assert_eq!(with_map(":effect (increase (z) 1)", 1, &[&["(x ?a)"]]), ["act: it changes (z)"]);
    assert_eq!(
        with_map(":effect (increase (z) (total))", 1, &[&["(z)"]]),
        ["act: an effect reads (total)"]
    );
}

/// Whether a mark holds, is refuted, or is not decided.
fn marked(body: &str, degree: u32, name: &str, mark: Monotone) -> &'static str {
    let real = domain(body);
    let learner = learner(&real, degree);
    let columns = &learner.vocabulary(0usize.into()).columns;
    let column = columns.position(|column| learner.written(ActionId(0), column) == name).unwrap();
    let mut settings = plain();
    settings.monotone.entry(ActionId(0)).or_default().insert(column, mark);
    let all = judgements(&real, &learner, &settings);
    let last = all.last().unwrap();
    assert!(all[..all.len() - 1].iter().all(Judgement::holds), "{all:?}");
    match (last.refuted.is_empty(), last.undecided.is_empty()) {
        (true, true) => "holds",
        (true, false) => "undecided",
        (false, _) => "refuted",
    }
}

#[test]
fn marks_on_functions_are_judged_by_signs() {
    use Monotone::{Any, Less, More};
    let body = ":precondition (and (>= (x ?a) (+ (z) 1)) (not (> (y ?a) 4)))";
    for (name, mark, verdict) in [
        ("(x ?a)", More, "holds"),
        ("(x ?a)", Less, "refuted"),
        ("(x ?a)", Any, "refuted"),
        ("(z)", Less, "holds"),
        ("(z)", More, "refuted"),
        ("(y ?a)", Less, "holds"),
        ("(y ?a)", More, "refuted"),
        ("(total)", Any, "holds"),
    ] {
        assert_eq!(marked(body, 1, name, mark), verdict, "{name} {mark:?}");
    }
    assert_eq!(marked(":precondition (= (z) 3)", 1, "(z)", More), "refuted");
    // It cancels, but must have a value.
    assert_eq!(marked(":precondition (>= (- (z) (z)) 0)", 1, "(z)", More), "holds");
    assert_eq!(marked(":precondition (>= (- (z) (z)) 0)", 1, "(z)", Any), "refuted");
}

/// `(x - 5)(y - 1) >= -4` and `y >= 1`: more of x never hurts, since y - 1 is never negative.
#[test]
fn marks_with_products_hold_are_refuted_or_are_not_decided() {
    use Monotone::{Any, Less, More};
    let safe = ":precondition (and (>= (* (- (x ?a) 5) (- (y ?a) 1)) (- 4)) (>= (y ?a) 1))";
    assert_eq!(marked(safe, 2, "(x ?a)", More), "holds");
    assert_eq!(marked(safe, 2, "(x ?a)", Less), "undecided");
    assert_eq!(marked(safe, 2, "(x ?a)", Any), "undecided");
    assert_eq!(marked(safe, 2, "(z)", Any), "holds");
    // Without the second condition nothing keeps y - 1 from being negative.
    let open = ":precondition (>= (* (- (x ?a) 5) (- (y ?a) 1)) (- 4))";
    assert_eq!(marked(open, 2, "(x ?a)", More), "undecided");
    // A weaker condition is not enough, a stronger one is.
    let with = |bound: &str| {
        format!(":precondition (and (>= (* (x ?a) (- (y ?a) 1)) 0) (>= (y ?a) {bound}))")
    };
    assert_eq!(marked(&with("0"), 2, "(x ?a)", More), "undecided");
    assert_eq!(marked(&with("2"), 2, "(x ?a)", More), "holds");
    // A slope that is a number decides, product or not.
    let linear = ":precondition (and (<= (z) 3) (>= (* (x ?a) (y ?a)) 1))";
    assert_eq!(marked(linear, 2, "(z)", More), "refuted");
    // A mark on a product is about that column.
    assert_eq!(marked(linear, 2, "(* (x ?a) (y ?a))", More), "holds");
    assert_eq!(marked(linear, 2, "(* (x ?a) (y ?a))", Less), "refuted");
}

/// SAM's promise is about atoms, and holds if no real precondition reads a number.
#[test]
fn sam_is_told_the_truth_where_no_precondition_reads_a_number() {
    let sam = plain().with(|settings| settings.algorithm = Algorithm::Sam);
    assert_eq!(
        refuted(":precondition (p ?a) :effect (and (q) (decrease (z) (* (z) (total))))", 1, &sam),
        [""; 0]
    );
    assert_refuted(
        ":precondition (and (p ?a) (>= (z) 1))",
        1,
        &sam,
        "its precondition reads a number",
    );
    assert_refuted(":precondition (not (< (z) 1))", 1, &sam, "its precondition reads a number");
    let positive = sam.with(|settings| settings.positive_preconditions = true);
    assert_refuted(
        ":precondition (not (p ?a))",
        1,
        &positive,
        "its precondition has a negative atom",
    );
}

#[test]
fn effects_with_more_decimals_than_assumed_are_named() {
    let decimals = |most: u32| plain().with(|settings| settings.effect_decimals = Some(most));
    let body = ":effect (and (decrease (x ?a) 0.25) (assign (z) (+ (* 0.97 (z)) 2.4)) (scale-down \
                (total) 8))";
    assert_eq!(refuted(body, 1, &decimals(3)), [""; 0]);
    assert_refuted(body, 1, &decimals(2), "an effect on (total) has 0.125");
    assert_eq!(refuted(body, 1, &decimals(1)).len(), 3);
    assert_refuted(
        ":effect (increase (z) (/ (x ?a) 3))",
        1,
        &decimals(9),
        "an effect on (z) has 1/3",
    );
}
