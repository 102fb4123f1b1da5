//! Wrong input, one case a test: what is said, and where. A `«` marks the place that the message
//! must point at.

use crate::support::{DELIVERY, LORRIES};
use surefoot_base::pddl::{
    Numbers, Position, ReadError, Source, Trajectory, infer_objects, read_domain, read_plan,
    read_problem,
};

/// A text in which `«` marks places: the text without the marks, and the places. Counted by hand
/// here, so that the positions in messages are checked against something other than themselves.
fn marked(text: &str) -> (String, Vec<Position>) {
    let (mut plain, mut places) = (String::new(), Vec::new());
    let (mut line, mut column) = (1, 1);
    for character in text.chars() {
        match character {
            '«' => places.push(Position { line, column }),
            '\n' => {
                (line, column) = (line + 1, 1);
                plain.push('\n');
            }
            other => {
                column += 1;
                plain.push(other);
            }
        }
    }
    (plain, places)
}

/// Asserts that the text is refused with exactly these messages, in this order, each at a mark of
/// the text.
#[track_caller]
fn assert_refused<T>(
    read: impl FnOnce(&Source) -> Result<T, ReadError>,
    text: &str,
    messages: &[&str],
) {
    let (plain, places) = marked(text);
    let Err(error) = read(&Source::new("the-file", plain)) else {
        panic!("accepted, but expected {messages:?}")
    };
    let said: Vec<_> = error
        .diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.place.position, &*diagnostic.message))
        .collect();
    let expected: Vec<_> = places.into_iter().zip(messages.iter().copied()).collect();
    assert_eq!(said, expected, "\n{error}");
    assert_eq!(said.len(), messages.len(), "a mark is missing");
}

#[track_caller]
fn refused_domain(text: &str, messages: &[&str]) {
    assert_refused(read_domain, text, messages);
}

/// A condition, in an action over `?x - t ?y - u`.
#[track_caller]
fn refused_condition(condition: &str, messages: &[&str]) {
    refused_domain(&format!("{SMALL}\n  :precondition {condition}\n  :effect (q)))"), messages);
}

/// An effect, in an action over `?x - t ?y - u`.
#[track_caller]
fn refused_effect(effect: &str, messages: &[&str]) {
    refused_domain(&format!("{SMALL}\n  :precondition (q)\n  :effect {effect}))"), messages);
}

const SMALL: &str = "(define (domain small)
  (:types t u - object s - t)
  (:constants k - t c - u)
  (:predicates (p ?x - t) (q) (r ?x - t ?y - u))
  (:functions (f) (g ?x - t))
  (:action act :parameters (?x - t ?y - u)";

#[track_caller]
fn refused_problem(text: &str, messages: &[&str]) {
    let domain = crate::support::domain(LORRIES);
    assert_refused(|source| read_problem(source, &domain, Numbers::Exact), text, messages);
}

#[track_caller]
fn refused_init(facts: &str, messages: &[&str]) {
    let text = format!(
        "(define (problem p) (:domain lorries) (:objects home mill - place red - van)\n (:init \
         {facts})\n (:goal (at red mill)))"
    );
    refused_problem(&text, messages);
}

#[track_caller]
fn refused_trajectory(text: &str, messages: &[&str]) {
    let domain = crate::support::domain(LORRIES);
    let problem = crate::support::problem(&domain, DELIVERY);
    assert_refused(
        |source| Trajectory::read(source, &domain, &problem.objects, Numbers::Exact),
        text,
        messages,
    );
}

#[track_caller]
fn refused_plan(text: &str, messages: &[&str]) {
    let domain = crate::support::domain(LORRIES);
    let problem = crate::support::problem(&domain, DELIVERY);
    assert_refused(|source| read_plan(source, &domain, &problem.objects), text, messages);
}

fn domain_error(text: &str) -> ReadError {
    read_domain(&Source::new("the-file", text)).unwrap_err()
}

mod files {
    use super::*;

    #[test]
    fn a_truncated_domain_points_at_the_list_left_open() {
        refused_domain(
            "(define (domain d)\n  «(:predicates (p)\n  (q)",
            &["this `(` is never closed"],
        );
    }

    #[test]
    fn a_stray_parenthesis_in_front_of_the_rest() {
        refused_domain(
            "(define (domain d)\n  (:predicates (p)))\n  «(:action a :effect (p)))",
            &["expected the end of the file"],
        );
    }

    #[test]
    fn a_parenthesis_too_many_at_the_end() {
        refused_domain("(define (domain d)\n  (:predicates (p)))«)", &["this `)` closes nothing"]);
    }

    #[test]
    fn something_that_is_no_list() {
        refused_domain("\n «define domain", &["expected `(`"]);
    }

    #[test]
    fn an_empty_file_and_one_of_comments_only() {
        for text in ["", " \n\t", "; nothing\n;;; here"] {
            let error = domain_error(text);
            assert_eq!(error.diagnostics.len(), 1);
            assert_eq!(error.diagnostics[0].message, "the file is empty");
            assert_eq!(error.to_string(), "error: the file is empty\n --> the-file");
        }
        let domain = crate::support::domain(LORRIES);
        let problem = crate::support::problem(&domain, DELIVERY);
        let empty = Source::new("t", "");
        let error =
            Trajectory::read(&empty, &domain, &problem.objects, Numbers::Exact).unwrap_err();
        assert_eq!(error.diagnostics[0].message, "the file is empty");
    }

    #[test]
    fn bytes_that_are_not_utf_8() {
        let error =
            Source::from_bytes("photo.pddl", b"(define\n (dom\xffain d))".to_vec()).unwrap_err();
        assert_eq!(error.message, "the file is not UTF-8 text: byte 0xff cannot stand here");
        assert_eq!((error.place.position.line, error.place.position.column), (2, 6));
        // A sequence cut off by the end of the file.
        let error = Source::from_bytes("cut.pddl", b"(\xe2\x82".to_vec()).unwrap_err();
        assert_eq!((error.place.position.line, error.place.position.column), (1, 2));
    }

    #[test]
    fn a_problem_where_a_domain_is_expected_and_the_reverse() {
        refused_domain("(define «(problem p))", &["expected a domain, found a problem"]);
        refused_problem("(define «(domain d))", &["expected a problem, found a domain"]);
        refused_domain("«(domain d)", &["expected `(define (domain NAME) ...)`"]);
        refused_domain("(define «domain)", &["expected `(define (domain NAME) ...)`"]);
        refused_domain("«(define)", &["expected `(define (domain NAME) ...)`"]);
        refused_domain("(define «(domain))", &["expected `(define (domain NAME) ...)`"]);
    }

    #[test]
    fn a_million_parentheses() {
        let deep = "(".repeat(1_000_000);
        let error = domain_error(&deep);
        assert_eq!(error.diagnostics[0].message, "lists are nested deeper than 400 levels");
        assert_eq!(error.diagnostics[0].place.position.column, 401);
        let domain = crate::support::domain(LORRIES);
        let objects = &domain.signature.constants;
        for text in [
            deep.clone(),
            "(:state ".to_owned() + &deep,
            "((:init (not ".to_owned() + &deep,
            "((:init (= ".to_owned() + &deep,
        ] {
            assert!(
                Trajectory::read(&Source::new("t", text), &domain, objects, Numbers::Exact)
                    .is_err()
            );
        }
        assert!(read_plan(&Source::new("t", deep), &domain, objects).is_err());
    }

    #[test]
    fn a_long_line_shows_a_short_excerpt_with_the_right_column() {
        let before = "(q) ".repeat(25_000);
        let text = format!("{SMALL}\n  :precondition (and {before}(nonsense) {before})))");
        let error = domain_error(&text);
        let [diagnostic] = &error.diagnostics[..] else { panic!("{error}") };
        assert_eq!(diagnostic.message, "unknown predicate `nonsense`");
        assert_eq!(
            (diagnostic.place.position.line, diagnostic.place.position.column),
            (7, 22 + before.len() + 1)
        );
        let excerpt: Vec<char> = diagnostic.place.excerpt.chars().collect();
        assert!(excerpt.len() < 200, "{} characters", excerpt.len());
        assert_eq!(excerpt[diagnostic.place.mark.clone()].iter().collect::<String>(), "nonsense");
        assert!(error.to_string().len() < 1000);
    }

    #[test]
    fn a_word_of_a_hundred_kilobytes_is_not_quoted_in_full() {
        let word = "x".repeat(100_000);
        let error = domain_error(&format!("(define (domain d) (:predicates (p ?x - {word})))"));
        assert!(error.to_string().len() < 1000, "{} bytes", error.to_string().len());
        assert_eq!(error.diagnostics[0].place.position.column, 41);
    }

    #[test]
    fn columns_count_characters_and_tabs_keep_the_mark_in_place() {
        refused_condition(
            "(and (q) ; é€\n\t(q)\t«(nonsense))".replace("«(nonsense", "(«nonsense").as_str(),
            &["unknown predicate `nonsense`"],
        );
        let error = domain_error("(define (domain d) (:types é)\t(:predicates (p ?x - à)))");
        let lines: Vec<String> = error.to_string().lines().map(str::to_owned).collect();
        assert_eq!(lines[1], " --> the-file:1:52");
        assert_eq!(lines[3], "1 | (define (domain d) (:types é) (:predicates (p ?x - à)))");
        assert_eq!(lines[4], "  |                                                    ^");
    }

    #[test]
    fn several_errors_are_all_told_in_the_order_of_the_text() {
        // The action stands before the declarations, which are read first.
        refused_domain(
            "(define (domain d)
               (:action a :precondition («p) :effect (and (q) («missing)))
               (:functions (f) - «t)
               (:predicates (q) (r ?x - «truck) «(q)))",
            &[
                "unknown predicate `p`",
                "unknown predicate `missing`",
                "object fluents are not supported",
                "unknown type `truck`",
                "predicate `q` is declared twice",
            ],
        );
    }

    #[test]
    fn a_large_file_of_nothing_but_errors_is_refused_quickly() {
        let facts = "(nonsense red home)\n".repeat(200_000);
        let text = format!(
            "(define (problem p) (:domain lorries) (:objects home - place red - van) \
             (:init\n{facts}) (:goal ()))"
        );
        let domain = crate::support::domain(LORRIES);
        let error = read_problem(&Source::new("p", text), &domain, Numbers::Exact).unwrap_err();
        assert_eq!(
            (error.diagnostics.len(), error.omitted),
            (8, 199_992),
            "more messages help nobody"
        );
        assert_eq!(error.diagnostics[7].place.position.line, 9);
        assert!(error.to_string().ends_with("and 199992 more errors"));

        let plan = Source::new("plan", "(nonsense red home)\n".repeat(200_000));
        let error = read_plan(&plan, &domain, &domain.signature.constants).unwrap_err();
        assert_eq!(error.diagnostics.len(), 8);
        let sections = "(:a)".repeat(200_000);
        assert_eq!(domain_error(&format!("(define (domain d) {sections})")).diagnostics.len(), 8);
    }
}

mod declarations {
    use super::*;

    #[test]
    fn an_unknown_type_with_a_suggestion() {
        refused_domain(
            "(define (domain d) (:types truck) (:predicates (p ?x - «truk)))",
            &["unknown type `truk`"],
        );
        let error = domain_error("(define (domain d) (:types truck) (:predicates (p ?x - truk)))");
        assert_eq!(error.diagnostics[0].help.as_deref(), Some("did you mean `truck`?"));
        assert_eq!(error.diagnostics[0].context, ["in the declaration of predicate p"]);
        refused_domain("(define (domain d) (:constants k - «nope))", &["unknown type `nope`"]);
        refused_domain(
            "(define (domain d) (:action a :parameters (?x - (either object «nope))))",
            &["unknown type `nope`"],
        );
    }

    #[test]
    fn a_type_cycle() {
        refused_domain(
            "(define (domain d) (:types a - b\n b - c «c - a))",
            &["type `c` would be a subtype of itself"],
        );
        refused_domain(
            "(define (domain d) (:types «a - a))",
            &["type `a` would be a subtype of itself"],
        );
        refused_domain(
            "(define (domain d) (:types «object - a))",
            &["type `object` would be a subtype of itself"],
        );
    }

    #[test]
    fn more_types_than_fit_in_memory() {
        let names: String = (0..200_000).map(|index| format!("t{index} ")).collect();
        for types in
            [names.clone(), format!("{names} - top"), "a - (either ".to_owned() + &names + ")"]
        {
            assert_eq!(
                domain_error(&format!("(define (domain d) (:types {types}))")).diagnostics[0]
                    .message,
                "more than 4096 types"
            );
        }
    }

    #[test]
    fn names_declared_twice_in_any_letter_case() {
        refused_domain(
            "(define (domain d) (:predicates (p) «(P ?x)))",
            &["predicate `P` is declared twice"],
        );
        refused_domain(
            "(define (domain d) (:functions (f) «(F ?x)))",
            &["function `F` is declared twice"],
        );
        refused_domain(
            "(define (domain d) (:action go)\n «(:action Go))",
            &["action `Go` is declared twice"],
        );
        refused_domain("(define (domain d) (:constants k «K))", &["`K` is declared twice"]);
        refused_domain(
            "(define (domain d) (:action a :parameters (?x «?X)))",
            &["variable `?X` is declared twice"],
        );
        refused_domain(
            "(define (domain d) (:predicates (p ?x ?y «?x)))",
            &["variable `?x` is declared twice"],
        );
        refused_domain(
            "(define (domain d) (:types a) «(:TYPES b))",
            &["a second `:TYPES` section"],
        );
        refused_problem(
            "(define (problem p) (:domain lorries) (:objects home - place «home - lorry) (:init) \
             (:goal ()) «(:init))",
            &["`home` is declared twice", "a second `:init` section"],
        );
    }

    #[test]
    fn a_constant_that_a_problem_declares_again_with_another_type() {
        let domain = crate::support::domain("(define (domain d) (:types t u) (:constants k - t))");
        let read = |source: &Source| read_problem(source, &domain, Numbers::Exact);
        assert_refused(
            read,
            "(define (problem p) (:domain d) (:objects «k - u) (:init) (:goal ()))",
            &["`k` is declared twice"],
        );
    }

    #[test]
    fn the_words_of_pddl_are_no_names() {
        refused_domain(
            "(define (domain d) (:predicates «(not ?x) «(= ?x ?y) «(Increase ?x)))",
            &[
                "`not` is a word of PDDL and cannot be the name of a predicate",
                "`=` is a word of PDDL and cannot be the name of a predicate",
                "`Increase` is a word of PDDL and cannot be the name of a predicate",
            ],
        );
        refused_domain(
            "(define (domain d) (:functions «(/ ?x)))",
            &["`/` is a word of PDDL and cannot be the name of a function"],
        );
        refused_domain(
            "(define (domain d) (:predicates «(?x)))",
            &["expected the predicate's name, found `?x`"],
        );
        refused_domain(
            "(define (domain d) (:action «?x))",
            &["expected the action's name, found `?x`"],
        );
        refused_domain(
            "(define (domain d) (:types «?x))",
            &["expected the type's name, found `?x`"],
        );
        refused_domain(
            "(define (domain d) (:constants «?x))",
            &["expected the name of an object, found `?x`"],
        );
    }

    #[test]
    fn broken_lists_of_types() {
        refused_domain("(define (domain d) (:types a «-))", &["expected a type after `-`"]);
        refused_domain("(define (domain d) (:types «- a))", &["expected a name before `-`"]);
        refused_domain(
            "(define (domain d) (:predicates (p ?x - «(or a b))))",
            &["expected a type or `(either TYPE ...)`"],
        );
        refused_domain(
            "(define (domain d) (:predicates (p ?x - «(either))))",
            &["expected `(either TYPE ...)`"],
        );
        refused_domain(
            "(define (domain d) (:predicates (p «x)))",
            &["expected a variable such as `?x`, found `x`"],
        );
        refused_domain(
            "(define (domain d) (:predicates (p «?)))",
            &["expected a variable such as `?x`, found `?`"],
        );
        refused_domain(
            "(define (domain d) (:predicates «p))",
            &["expected a predicate in parentheses"],
        );
        refused_domain(
            "(define (domain d) (:functions «f))",
            &["expected a function in parentheses"],
        );
        refused_domain("(define (domain d) (:functions (f) «-))", &["expected `number` after `-`"]);
        refused_domain(
            "(define (domain d) (:types a b) (:constants k - «(either a b)))",
            &["`k` needs one type of its own"],
        );
    }

    #[test]
    fn sections_and_actions_of_another_shape() {
        refused_domain("(define (domain d) «(:predicate (p)))", &["unknown section `:predicate`"]);
        refused_domain(
            "(define (domain d) «(predicates (p)))",
            &["expected a section such as `(:init ...)`"],
        );
        refused_domain("(define (domain d) «oops)", &["expected a section such as `(:init ...)`"]);
        refused_domain("(define (domain d) «(:action))", &["expected `(:action NAME ...)`"]);
        refused_domain(
            "(define (domain d) «(:action :parameters ()))",
            &["expected `(:action NAME ...)`"],
        );
        refused_domain(
            "(define (domain d) (:action a «:preconditions ()))",
            &["expected `:parameters`, `:precondition` or `:effect`"],
        );
        refused_domain(
            "(define (domain d) (:action a :effect () «:effect ()))",
            &["a second `:effect`"],
        );
        refused_domain(
            "(define (domain d) (:action a «:precondition :effect ()))",
            &["`:precondition` needs a list"],
        );
        refused_domain(
            "(define (domain d) (:action a :effect () «:precondition))",
            &["`:precondition` needs a list"],
        );
    }
}

mod formulas {
    use super::*;

    #[test]
    fn unknown_names() {
        refused_condition("(and (p ?x)\n («pp ?x))", &["unknown predicate `pp`"]);
        refused_condition("(> («ff) 0)", &["unknown function `ff`"]);
        refused_condition("(p «kk)", &["unknown object `kk`"]);
        refused_condition("(p «?z)", &["undeclared variable `?z`"]);
        refused_condition("(and (exists (?z - t) (p ?z)) (p «?z))", &["undeclared variable `?z`"]);
        refused_effect(
            "(and («pp ?x) (increase («ff) 1))",
            &["unknown predicate `pp`", "unknown function `ff`"],
        );
    }

    #[test]
    fn the_help_knows_the_usual_slips() {
        let help = |condition: &str| {
            domain_error(&format!("{SMALL}\n :precondition {condition}))")).diagnostics[0]
                .help
                .clone()
                .unwrap_or_default()
        };
        assert_eq!(help("(p x)"), "did you mean the variable `?x`?");
        assert_eq!(help("(> f 0)"), "a function without arguments is written `(f)`");
        assert_eq!(help("(f)"), "it is a function: compare its value with `<=`, `=`, ...");
        assert_eq!(help("(> (q) 0)"), "it is a predicate: it is true or false, and has no value");
        let error = "it is the error of `f` in a learned model, and this domain has none: give the \
                     problem as it was before `surefoot problem`";
        assert_eq!(help("(> (error-of-f) 0)"), error);
    }

    #[test]
    fn wrong_numbers_of_arguments() {
        refused_condition("«(p)", &["`p` takes 1 argument, found 0"]);
        refused_condition("«(P ?x ?x)", &["`p` takes 1 argument, found 2"]);
        refused_condition("(= «(g) 1)", &["`g` takes 1 argument, found 0"]);
        refused_condition("«(not)", &["expected `(not CONDITION)`"]);
        refused_condition("«(not (q) (q))", &["expected `(not CONDITION)`"]);
        refused_condition("«(imply (q))", &["expected `(imply CONDITION CONDITION)`"]);
        refused_condition("«(<= 1)", &["expected `(<= VALUE VALUE)`"]);
        refused_condition("«(= ?x)", &["expected `(= TERM TERM)`"]);
        refused_condition("(> «(-) 0)", &["`-` takes one or two arguments, found 0"]);
        refused_condition("(> «(- 1 2 3) 0)", &["`-` takes one or two arguments, found 3"]);
        refused_condition("(> «(/ 1) 0)", &["`/` takes two arguments, found 1"]);
        refused_condition("(> «(+) 0)", &["`+` needs arguments"]);
        refused_effect("«(when (q))", &["expected `(when CONDITION EFFECT)`"]);
        refused_effect("«(increase (f))", &["expected `(OPERATOR (FUNCTION ...) VALUE)`"]);
        refused_effect("«(forall (?z))", &["expected `(QUANTIFIER (?VARIABLE ...) BODY)`"]);
    }

    #[test]
    fn wrong_types() {
        refused_condition("(p «?y)", &["`?y` is of type u, but `p` is declared for t"]);
        refused_condition("(p «c)", &["`c` is of type u, but expected t"]);
        refused_condition("(r ?x «?x)", &["`?x` is of type t, but `r` is declared for u"]);
        refused_condition(
            "(forall (?z - u) (> (g «?z) 0))",
            &["`?z` is of type u, but `g` is declared for t"],
        );
        // The innermost declaration counts, also where the outer one would fit.
        refused_condition(
            "(exists (?x - u) (p «?x))",
            &["`?x` is of type u, but `p` is declared for t"],
        );
        assert!(
            read_domain(&Source::new("d", format!("{SMALL} :precondition (= ?x ?y)))"))).is_ok(),
            "any objects can be compared"
        );
    }

    /// Names are written again, into messages, models and reports.
    #[test]
    fn a_name_that_would_steer_a_terminal() {
        let no = r"`red\u{1b}[31m` contains the control character U+001B";
        refused_domain("(define (domain d) (:predicates («red\u{1b}[31m)))", &[no]);
        refused_domain(
            "(define (domain d) (:types a «b\u{202e}c))",
            &[r"`b\u{202e}c` contains the control character U+202E"],
        );
        refused_init("(at «red\u{1b}[31m home)", &[no]);
        refused_trajectory(
            "((:init (at «red\u{1b}[31m home)) )",
            &[r"unknown object `red\u{1b}[31m`"],
        );
        refused_plan("(drive «red\u{1b}[31m home mill)", &[r"unknown object `red\u{1b}[31m`"]);
        let trace =
            Source::new("t", "((:init (at red\u{1b}[31m home)) (operator: (wait)) (:state))");
        let error = infer_objects(&trace, &crate::support::domain(LORRIES)).unwrap_err();
        assert_eq!(error.diagnostics[0].message, no);
    }

    #[test]
    fn a_file_name_with_a_newline() {
        let error = read_domain(&Source::new("a\n(:action b)\u{1b}[2J.pddl", "(")).unwrap_err();
        assert_eq!(&*error.diagnostics[0].place.file, r"a\n(:action b)\u{1b}[2J.pddl");
        assert!(
            error.to_string().contains("\n --> a\\n(:action b)\\u{1b}[2J.pddl:1:1\n"),
            "{error}"
        );
    }

    /// A condition that the types of the parameters do not always admit can never be learned, so it
    /// may not be meant.
    #[test]
    fn a_variable_of_a_wider_type_than_the_predicate_or_function() {
        let no = "`?z` is of type object, but `p` is declared for t: not every object is a t";
        refused_condition("(forall (?z) (or (q) (not (p «?z))))", &[no]);
        refused_condition("(imply (exists (?z) (p «?z)) (q))", &[no]);
        refused_effect("(forall (?z) (p «?z))", &[no]);
        refused_effect("(forall (?z) (not (p «?z)))", &[no]);
        refused_effect("(forall (?z) (when (p «?z) (q)))", &[no]);
        refused_effect("(forall (?z) (when (q) (p «?z)))", &[no]);
        let no = "`?z` is of type t or u, but `g` is declared for t: not every u is a t";
        refused_condition("(exists (?z - (either t u)) (< (+ 1 (* 2 (g «?z))) (f)))", &[no]);
        refused_effect("(forall (?z - (either t u)) (assign (g «?z) 1))", &[no]);
        refused_effect("(forall (?z - (either t u)) (increase (f) (- (g «?z))))", &[no]);
        refused_domain(
            "(define (domain d) (:types truck cart - vehicle) (:predicates (fuelled ?t - truck))
               (:action move :parameters (?v - vehicle) :precondition (fuelled «?v)))",
            &["`?v` is of type vehicle, but `fuelled` is declared for truck: not every vehicle \
                 is a truck"],
        );
        refused_domain(
            "(define (domain d) (:types a b - c e) (:predicates (p ?x - (either a e)))
               (:action move :parameters (?v - (either a b)) :effect (p «?v)))",
            &["`?v` is of type a or b, but `p` is declared for a or e: not every b is an a or an \
                 e"],
        );
        let goal =
            "(define (problem p) (:domain lorries) (:objects home mill - place red - van) (:init)
              (:goal (exists (?x) (at «?x mill))))";
        refused_problem(
            goal,
            &["`?x` is of type object, but `at` is declared for lorry: not every object is a \
                 lorry"],
        );
    }

    #[test]
    fn things_in_the_wrong_place() {
        refused_condition("(and «q)", &["expected a condition in parentheses, found `q`"]);
        refused_condition(
            "(«(q))",
            &["expected a predicate, a comparison or a connective, found a list"],
        );
        refused_condition("(p «(q))", &["expected a variable or an object, found a list"]);
        refused_condition("(> «f 0)", &["expected a number or a function, found `f`"]);
        refused_condition("(> «() 0)", &["expected a number or a function"]);
        refused_condition("(forall «?z (q))", &["expected variables in parentheses"]);
        refused_condition("(«increase (f) 1)", &["unknown predicate `increase`"]);
        refused_effect("«(or (q) (q))", &["`or` is a condition; expected an effect"]);
        refused_effect("«(= (f) 1)", &["`=` is a condition; expected an effect"]);
        refused_effect(
            "(not «(not (q)))".replace("«(not", "(«not").as_str(),
            &["unknown predicate `not`"],
        );
        refused_effect("(assign «f 1)", &["expected a function in parentheses"]);
        refused_effect("(and «q)", &["expected an effect in parentheses, found `q`"]);
    }

    #[test]
    fn numbers_too_long_to_be_meant() {
        let too_long = "this number has more than 4096 digits";
        refused_condition("(> (f) «1e999999999)", &[too_long]);
        refused_condition("(> (f) «1e-999999999)", &[too_long]);
        refused_condition("(> (f) «1e99999999999999999999999)", &[too_long]);
        refused_condition(&format!("(> (f) «{})", "7".repeat(100_000)), &[too_long]);
        refused_condition(&format!("(> (f) «0.{})", "7".repeat(100_000)), &[too_long]);
        // 1 and 4,096 zeros.
        refused_condition("(> (f) «1e4096)", &[too_long]);
        refused_init("(= (total-cost) «1e999999999)", &[too_long]);
        refused_init("(= (total-cost) «(/ 1e4000 3e-4000))", &[too_long]);
        refused_trajectory("((:init (= (total-cost ) «1e4096)))", &[too_long]);
        refused_trajectory("((:init (= (total-cost ) «(/ 1e4000 3e-4000))))", &[too_long]);
    }
}

mod unsupported {
    use super::*;

    #[test]
    fn durative_actions() {
        refused_domain(
            "(define (domain d)\n «(:durative-action go :parameters () :duration (= ?duration 1) \
             :condition () :effect ()))",
            &["durative actions are not supported"],
        );
        refused_domain(
            "(define (domain d) (:action a «:duration (= ?duration 1)))",
            &["durative actions are not supported"],
        );
        refused_domain(
            "(define (domain d) (:action a «:condition ()))",
            &["`:condition` belongs to durative actions"],
        );
        refused_condition(
            "(and «(at start (q)))",
            &["conditions at a time (durative actions) are not supported"],
        );
        refused_condition(
            "(and «(over all (q)))",
            &["conditions over a time (durative actions) are not supported"],
        );
    }

    #[test]
    fn derived_predicates_processes_events_constraints() {
        refused_domain(
            "(define (domain d)\n (:predicates (p))\n «(:derived (p) (p)))",
            &["derived predicates are not supported"],
        );
        refused_domain("(define (domain d)\n «(:process burn))", &["processes are not supported"]);
        refused_domain("(define (domain d)\n «(:Event bang))", &["events are not supported"]);
        refused_domain(
            "(define (domain d)\n «(:constraints (and)))",
            &["constraints are not supported"],
        );
        refused_problem(
            "(define (problem p) (:domain lorries) (:init) (:goal ())\n «(:constraints (and)))",
            &["constraints are not supported"],
        );
    }

    #[test]
    fn preferences() {
        refused_condition("(and «(preference p1 (q)))", &["preferences are not supported"]);
        refused_problem(
            "(define (problem p) (:domain lorries) (:init) (:goal «(preference g (raining)))\n \
             (:metric minimize «(is-violated g)))",
            &["preferences are not supported", "preferences are not supported"],
        );
    }

    #[test]
    fn timed_initial_literals() {
        refused_init(
            "(road home mill)\n «(at 5 (raining))",
            &["timed initial literals are not supported"],
        );
        refused_init("«(at 5.5 (not (raining)))", &["timed initial literals are not supported"]);
    }

    #[test]
    fn object_fluents() {
        refused_domain(
            "(define (domain d) (:types t) (:functions (place-of ?x - t) - «t))",
            &["object fluents are not supported"],
        );
    }
}

mod problems {
    use super::*;

    #[test]
    fn sections_that_are_missing() {
        refused_problem(
            "««(define (problem p) (:domain lorries))",
            &["expected `(:init ...)`", "expected `(:goal ...)`"],
        );
        refused_problem("«(define (problem p) (:init) (:goal ()))", &["expected `(:domain NAME)`"]);
    }

    #[test]
    fn unknown_and_misfitting_names() {
        refused_init("(at red «nowhere)", &["unknown object `nowhere`"]);
        refused_init("(at «mill home)", &["`mill` is of type place, but expected lorry"]);
        refused_init("«(at red)", &["`at` takes 2 arguments, found 1"]);
        refused_init("(«flying red)", &["unknown predicate `flying`"]);
        refused_init("(= («speed red) 3)", &["unknown function `speed`"]);
        refused_init("(at «?x home)", &["undeclared variable `?x`"]);
        refused_problem(
            "(define (problem p) (:domain lorries) (:objects a - «plaice) (:init) (:goal ()))",
            &["unknown type `plaice`"],
        );
    }

    #[test]
    fn values_that_are_none() {
        refused_init("(= (fuel red) «lots)", &["expected a number"]);
        refused_init("(= (fuel red) «(fuel red))", &["expected a number"]);
        refused_init("(= (fuel red) «(/ 1 0))", &["division by zero"]);
        refused_init("«(= (fuel red))", &["expected `(= (FUNCTION ...) NUMBER)`"]);
    }

    #[test]
    fn one_thing_said_in_two_ways() {
        refused_init(
            "(= (fuel red) 1)\n «(= (fuel RED) 2)",
            &["this function is given another value before"],
        );
        refused_init("(raining) «(not (raining))", &["this fact is listed as true as well"]);
        refused_init("«(not (raining)) (raining)", &["this fact is listed as true as well"]);
    }

    #[test]
    fn goals_and_metrics_of_another_shape() {
        let with = |sections: &str| {
            format!(
                "(define (problem p) (:domain lorries) (:objects red - van)\n (:init) {sections})"
            )
        };
        refused_problem(&with("«(:goal (raining) (raining))"), &["expected `(:goal CONDITION)`"]);
        refused_problem(&with("(:goal (> (fuel «blue) 0))"), &["unknown object `blue`"]);
        refused_problem(
            &with("(:goal ()) «(:metric minimize)"),
            &["expected `(:metric minimize EXPRESSION)`"],
        );
        refused_problem(
            &with("(:goal ()) (:metric «reduce (total-cost))"),
            &["expected `minimize` or `maximize`"],
        );
        refused_problem(
            &with("(:goal ()) (:metric minimize («cost))"),
            &["unknown function `cost`"],
        );
        // `total-time` measures plans, not states.
        refused_problem(&with("(:goal (> («total-time) 3))"), &["unknown function `total-time`"]);
    }
}

mod trajectories {
    use super::*;

    #[test]
    fn a_trajectory_of_another_domain() {
        refused_trajectory(
            "((:init (at red home) («holding block1))\n)",
            &["unknown predicate `holding`"],
        );
        let domain = crate::support::domain(LORRIES);
        let problem = crate::support::problem(&domain, DELIVERY);
        let source = Source::new("t", "((:init (holding block1)))");
        let error =
            Trajectory::read(&source, &domain, &problem.objects, Numbers::Exact).unwrap_err();
        assert_eq!(error.diagnostics[0].context, ["the domain is lorries", "in a state"]);
    }

    #[test]
    fn an_action_that_does_not_exist() {
        refused_trajectory(
            "((:init )\n(operator: («fly red home))\n(:state ))",
            &["unknown action `fly`"],
        );
        refused_trajectory(
            "((:init )\n(operator: («drive red home))\n(:state ))",
            &["`drive` takes 3 arguments, found 2"],
        );
        refused_trajectory(
            "((:init )\n(operator: (drive «home home mill))\n(:state ))",
            &["`home` is of type place, but expected lorry"],
        );
        refused_trajectory(
            "((:init )\n(operator: (drive red home «inn))\n(:state ))",
            &["unknown object `inn`"],
        );
        refused_trajectory(
            "((:init )\n(operator: («))\n(:state ))",
            &["expected the action's name"],
        );
    }

    #[test]
    fn a_state_missing_between_two_actions() {
        refused_trajectory(
            "((:init (raining ))\n(operator: (wait ))\n(«operator: (wait ))\n(:state ))",
            &["expected `(:state ...)` after an action"],
        );
        refused_trajectory(
            "((:init (raining ))\n(operator: (wait ))\n«)",
            &["expected `(:state ...)` after an action"],
        );
    }

    #[test]
    fn an_action_missing_between_two_states() {
        refused_trajectory(
            "((:init (raining ))\n(«:state ))",
            &["expected `(operator: (ACTION ...))` or `(failed: (ACTION ...))`"],
        );
    }

    #[test]
    fn a_value_given_twice() {
        refused_trajectory(
            "((:init (= (fuel red) 3.0) (at red home)\n «(= (fuel  RED) 2.0)))",
            &["this function has another value earlier in the same state"],
        );
    }

    #[test]
    fn a_fact_both_true_and_false() {
        let message = "this fact is listed as true in the same state";
        refused_trajectory("((:init (raining ) «(not (raining ))))", &[message]);
        refused_trajectory("((:init «(not (raining )) (raining )))", &[message]);
    }

    #[test]
    fn values_that_are_none() {
        refused_trajectory("((:init (= (fuel red) «nan)))", &["expected a number"]);
        refused_trajectory("((:init (= (fuel red) «)))", &["expected a number"]);
        refused_trajectory("((:init (= (fuel red) «(/ 1 0))))", &["division by zero"]);
        refused_trajectory("((:init (= (fuel red) (/ 1 «x))))", &["expected a number"]);
        refused_trajectory("((:init (= «fuel 3)))", &["expected a function in parentheses"]);
        refused_trajectory("((:init (= («speed red) 3)))", &["unknown function `speed`"]);
        refused_trajectory("((:init (= (fuel red) 3 «4)))", &["expected `)` after the value"]);
    }

    #[test]
    fn files_cut_off_at_any_point() {
        let cut = "the file ends in the middle of a trajectory";
        let whole = "((:init (= (fuel red) 3.0) (not (raining )))\n(operator: (wait ))\n(:state \
                     (raining )))";
        let domain = crate::support::domain(LORRIES);
        let problem = crate::support::problem(&domain, DELIVERY);
        for length in 1..whole.len() {
            let source = Source::new("t", &whole[..length]);
            let error =
                Trajectory::read(&source, &domain, &problem.objects, Numbers::Exact).unwrap_err();
            // Cut inside a word, another message may come first.
            if whole.as_bytes()[length - 1].is_ascii_whitespace()
                || b"()".contains(&whole.as_bytes()[length - 1])
            {
                assert_eq!(error.diagnostics[0].message, cut, "{}", &whole[..length]);
                assert_eq!(error.diagnostics[0].place.position, source.position(length));
            }
        }
    }

    #[test]
    fn things_in_the_wrong_place() {
        refused_trajectory(
            "«:trajectory",
            &["expected a trajectory, `((:init ...) (operator: ...) (:state ...) ...)`"],
        );
        refused_trajectory(
            "(«define (problem p))",
            &["expected a trajectory, `((:init ...) (operator: ...) (:state ...) ...)`"],
        );
        refused_trajectory("((:init «raining))", &["expected a fact in parentheses"]);
        refused_trajectory(
            "((:init («p (raining))))",
            &["expected a fact such as `(p a)`, `(not (p a))`, `(= (f a) 1.0)` or `(unknown (f \
                 a))`"],
        );
        refused_trajectory(
            "((:init (not («raining home))))",
            &["`raining` takes 0 arguments, found 1"],
        );
        refused_trajectory("((:init ))\n«(", &["expected the end of the file"]);
        // A parenthesis in a comment closes nothing.
        refused_trajectory(
            "((:init (raining ;)\n)«",
            &["the file ends in the middle of a trajectory"],
        );
    }
}

mod plans {
    use super::*;

    #[test]
    fn unknown_and_misfitting_names() {
        refused_plan(
            "(wait)\n(«fly red)\n(drive red home «inn)\n(«drive red home)\n(drive «mill home mill)",
            &[
                "unknown action `fly`",
                "unknown object `inn`",
                "`drive` takes 3 arguments, found 2",
                "`mill` is of type place, but expected lorry",
            ],
        );
    }

    #[test]
    fn lines_that_are_no_steps() {
        refused_plan("«wait", &["expected a step such as `(action object ...)`"]);
        refused_plan("«(wait", &["this `(` is never closed"]);
        refused_plan("(«)", &["expected the action's name"]);
        refused_plan("(wait «(red)", &["expected a name, found `(`"]);
        refused_plan("(«(wait))", &["expected a name, found `(`"]);
        refused_plan("3: WAIT«) and more", &["expected a name, found `)`"]);
        refused_plan("(wait) «and more", &["expected a step such as `(action object ...)`"]);
    }

    #[test]
    fn a_log_without_a_plan() {
        let domain = crate::support::domain(LORRIES);
        let problem = crate::support::problem(&domain, DELIVERY);
        for log in [
            "ff: parsing domain file\nbest first search space empty! problem proven unsolvable.\n",
            "ff: parsing domain file\nff: found legal plan as follows\n\n",
            "ff: found legal plan as follows\n\ntime spent:    0.00 seconds\n",
        ] {
            let error = read_plan(&Source::new("log", log), &domain, &problem.objects).unwrap_err();
            assert_eq!(error.diagnostics[0].message, "this log of Metric-FF contains no plan");
        }
    }
}
