//! Reading and writing, as laws: what is written reads back to the same value, what PDDL does not
//! look at does not matter, and no text whatever makes a reader panic.

use crate::entry::facts;
use crate::generate::{Tape, step_text, tape, task};
use crate::naive::{self, Task};
use crate::support::{domain, plan, problem, trajectory};
use proptest::prelude::*;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::pddl::sexpr::{Expr, Tree};
use surefoot_base::pddl::{
    Numbers, Operands, Plan, Source, Span, Trajectory, read_domain, read_plan, read_problem,
    write_domain, write_domain_with, write_plan, write_problem, write_problem_with,
    write_trajectory,
};

/// Flips the case of letters. The words of PDDL, numbers and names all mean the same in any case.
fn in_any_case(text: &str, tape: &mut Tape) -> String {
    let flip = |letter: char| {
        if letter.is_lowercase() {
            letter.to_ascii_uppercase()
        } else {
            letter.to_ascii_lowercase()
        }
    };
    text.chars().map(|letter| if tape.below(2) == 1 { flip(letter) } else { letter }).collect()
}

/// Puts white space and comments between the words.
fn spread_out(text: &str, tape: &mut Tape) -> String {
    let mut spread = String::from("\u{feff}");
    for character in text.chars() {
        let blank = tape.pick(&[
            "",
            " ",
            "\t",
            "\r\n",
            "\u{c}",
            " ; a (comment\n",
            ";)\r\n",
            ";;; ünïcode ;\n",
        ]);
        match character {
            ' ' | '\n' if blank.is_empty() => spread.push(character),
            ' ' | '\n' => spread.push_str(blank),
            '(' | ')' => {
                spread.push_str(blank);
                spread.push(character);
            }
            other => spread.push(other),
        }
    }
    spread + ";"
}

/// A trajectory through random states, in the dialect of the published data.
fn first_dialect(task: &Task, run: &Run) -> String {
    let mut text = String::from("(");
    for (index, state) in run.states.iter().enumerate() {
        if index > 0 {
            let (act, objects) = &run.steps[index - 1];
            text += &format!("(operator: {})\n", step_text(task, *act, objects));
        }
        text += &format!("({} {})\n", if index == 0 { ":init" } else { ":state" }, state.join(" "));
    }
    text + ")"
}

/// The same in the second dialect.
fn second_dialect(task: &Task, run: &Run) -> String {
    let mut text = String::from("(:trajectory\n");
    for (index, state) in run.states.iter().enumerate() {
        if index > 0 {
            let (act, objects) = &run.steps[index - 1];
            text += &format!("  (:action {})\n", step_text(task, *act, objects));
        }
        text += &format!(
            "  (:state {})\n",
            state.iter().rev().cloned().collect::<Vec<_>>().join("\n    ")
        );
    }
    text + ")"
}

struct Run {
    /// As text, each in an order of its own.
    states: Vec<Vec<String>>,
    contents: Vec<naive::State>,
    steps: Vec<(usize, Vec<String>)>,
}

fn run(task: &Task, tape: &mut Tape) -> Run {
    let steps = tape.plan(task, 4);
    let contents: Vec<_> = (0..=steps.len()).map(|_| tape.state(task)).collect();
    let states = contents.iter().map(|state| {
        let mut listed = state.text();
        tape.shuffle(&mut listed);
        listed
    });
    Run { states: states.collect(), contents: contents.clone(), steps }
}

fn actions(plan: &Plan) -> Vec<&surefoot_base::model::GroundAction> {
    plan.steps.iter().map(|step| &step.action).collect()
}

/// Whether every sum and product of a text has two operands.
fn has_two_operands(expr: Expr<'_>) -> bool {
    let is_operation = matches!(expr.head(), Some("+" | "*"));
    (!is_operation || expr.items().count() == 3) && expr.items().all(has_two_operands)
}

proptest! {
    #[test]
    fn a_written_domain_reads_back_to_the_same(task in task()) {
        let read = domain(&task.domain_text());
        let written = write_domain(&read);
        let again = domain(&written);
        prop_assert_eq!(&again, &read, "{}", written);
        prop_assert_eq!(write_domain(&again), written);
    }

    #[test]
    fn a_written_problem_reads_back_to_the_same(task in task()) {
        let domain = domain(&task.domain_text());
        let read = problem(&domain, &task.problem_text());
        let written = write_problem(&domain, &read);
        prop_assert_eq!(&problem(&domain, &written), &read, "{}", written);
    }

    /// Sums and products of two operands each: the same steps with the same outcomes, and one text
    /// for both ways of writing.
    #[test]
    fn sums_of_two_mean_what_sums_of_many_mean(task in task(), mut tape in tape()) {
        let many = domain(&task.domain_text());
        let written = write_domain_with(&many, Operands::Two);
        let two = domain(&written);
        let source = Source::new("two", written.clone());
        let tree = Tree::read(&source).unwrap();
        prop_assert!(has_two_operands(tree.root()), "{}", written);
        prop_assert_eq!(
            write_domain_with(&two, Operands::Most),
            write_domain_with(&many, Operands::Most)
        );
        let task_of = problem(&many, &task.problem_text());
        let written = write_problem_with(&many, &task_of, Operands::Two);
        let again = problem(&two, &written);
        let most = |domain, problem| write_problem_with(domain, problem, Operands::Most);
        prop_assert_eq!(most(&two, &again), most(&many, &task_of));
        let run = run(&task, &mut tape);
        let read = trajectory(&many, &task_of, &first_dialect(&task, &run));
        for (action, state) in read.actions.iter().zip(&read.states) {
            let [one, other] = [&many, &two].map(|domain| {
                Semantics::new(domain, &task_of.objects)
                    .changes(action, &read.universe, state)
                    .map_err(|_| ())
            });
            prop_assert_eq!(one, other);
        }
    }

    #[test]
    fn a_written_plan_reads_back_to_the_same(task in task(), mut tape in tape()) {
        let domain = domain(&task.domain_text());
        let problem = problem(&domain, &task.problem_text());
        let steps = tape.plan(&task, 6);
        let text: String = steps
            .iter()
            .map(|(act, objects)| step_text(&task, *act, objects) + "\n")
            .collect();
        let read = plan(&domain, &problem, &text);
        prop_assert_eq!(read.steps.len(), steps.len());
        let written = write_plan(&domain, &problem.objects, &read);
        prop_assert_eq!(&plan(&domain, &problem, &written), &read);
        prop_assert_eq!(&written, &text, "names keep their spelling");
        // With times, durations and comments, in capitals.
        let timed: String = text.lines().enumerate().map(|(at, step)| format!("{at}.001: {step} \
            [1.5] ; done\r\n")).collect();
        let timed = plan(&domain, &problem, &timed.to_uppercase());
        prop_assert_eq!(actions(&timed), actions(&read));
    }

    #[test]
    fn both_dialects_of_trajectories_read_to_the_same_and_are_written_and_read_back(
        task in task(),
        mut tape in tape(),
    ) {
        let domain = domain(&task.domain_text());
        let problem = problem(&domain, &task.problem_text());
        let run = run(&task, &mut tape);
        let first = trajectory(&domain, &problem, &first_dialect(&task, &run));
        let second = trajectory(&domain, &problem, &second_dialect(&task, &run));
        prop_assert_eq!(&first.actions, &second.actions);
        prop_assert_eq!(facts(&first), facts(&second));
        let sizes = |states: &[naive::State]| {
            states.iter().map(|s| (s.facts.len(), s.values.len())).collect::<Vec<_>>()
        };
        prop_assert_eq!(
            facts(&first)
                .iter()
                .map(|(facts, values)| (facts.len(), values.len()))
                .collect::<Vec<_>>(),
            sizes(&run.contents)
        );
        let written = write_trajectory(&domain, &problem.objects, &first);
        let again = trajectory(&domain, &problem, &written);
        prop_assert_eq!(&again.actions, &first.actions);
        prop_assert_eq!(facts(&again), facts(&first), "{}", written);
        prop_assert_eq!(write_trajectory(&domain, &problem.objects, &again), written);
    }

    #[test]
    fn letter_case_does_not_matter(task in task(), mut tape in tape()) {
        let (domain_text, problem_text) = (task.domain_text(), task.problem_text());
        let domain = domain(&domain_text);
        let other = crate::support::domain(&in_any_case(&domain_text, &mut tape));
        prop_assert_eq!(write_domain(&other).to_lowercase(), write_domain(&domain).to_lowercase());
        let problem = problem(&domain, &problem_text);
        let loud = crate::support::problem(&domain, &in_any_case(&problem_text, &mut tape));
        prop_assert_eq!(
            write_problem(&domain, &loud).to_lowercase(),
            write_problem(&domain, &problem).to_lowercase()
        );
        let text = first_dialect(&task, &run(&task, &mut tape));
        let quiet = trajectory(&domain, &problem, &text);
        let loud = trajectory(&domain, &problem, &in_any_case(&text, &mut tape));
        prop_assert_eq!(&quiet.actions, &loud.actions);
        prop_assert_eq!(facts(&quiet), facts(&loud));
    }

    #[test]
    fn white_space_and_comments_do_not_matter(task in task(), mut tape in tape()) {
        let domain = domain(&task.domain_text());
        prop_assert_eq!(
            &crate::support::domain(&spread_out(&task.domain_text(), &mut tape)),
            &domain
        );
        let problem = problem(&domain, &task.problem_text());
        prop_assert_eq!(
            &crate::support::problem(&domain, &spread_out(&task.problem_text(), &mut tape)),
            &problem
        );
        let text = first_dialect(&task, &run(&task, &mut tape));
        let (plain, spread) = (
            trajectory(&domain, &problem, &text),
            trajectory(&domain, &problem, &spread_out(&text, &mut tape)),
        );
        prop_assert_eq!(&plain.actions, &spread.actions);
        prop_assert_eq!(facts(&plain), facts(&spread));
    }

    #[test]
    fn any_place_of_any_text_can_be_shown(
        text in "([a-z(é€𝄞 ]|\t|\r|\n){0,300}",
        start in 0usize..400,
        end in 0usize..400,
    ) {
        let source = Source::new("any", text.as_str());
        let span = Span { start: start as u32, end: end as u32 };
        // Counted here in the plainest way.
        let at =
            (0..=start.min(text.len())).rev().find(|&byte| text.is_char_boundary(byte)).unwrap();
        let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let position = source.position(start);
        prop_assert_eq!(position.line, text[..at].matches('\n').count() + 1);
        prop_assert_eq!(position.column, text[line_start..at].chars().count() + 1);
        let place = source.place(span);
        prop_assert_eq!(place.position, position);
        prop_assert!(place.excerpt.chars().count() <= 250);
        let shown: String =
            place.excerpt.chars().skip(place.mark.start).take(place.mark.len()).collect();
        let line = text[at..].split('\n').next().unwrap().trim_end_matches('\r');
        let visible = line.replace(['\t', '\r'], " ");
        prop_assert!(shown.is_empty() || visible.starts_with(&shown) || visible.is_empty(), "{:?} \
            is not at {:?}", shown, visible);
        prop_assert!(!source.error("oh", span).to_string().is_empty());
        let _ = source.slice(span);
    }

    #[test]
    fn arbitrary_bytes_never_make_a_reader_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        for read in READERS {
            read(&bytes);
        }
    }

    /// Words of PDDL in random order get further than random bytes.
    #[test]
    fn arbitrary_words_never_make_a_reader_panic(
        words in prop::collection::vec(prop::sample::select(WORDS), 0..60),
        opening in 0usize..6,
    ) {
        let text = [
            "",
            "(define (domain d) ",
            "(define (problem p) (:domain d) ",
            "((:init ",
            "(:trajectory (:state ",
            "0: ",
        ][opening]
            .to_owned();
        let text = text + &words.join(" ");
        let closed = text.matches('(').count().saturating_sub(text.matches(')').count());
        for text in [text.clone(), text + &")".repeat(closed)] {
            for read in READERS {
                read(text.as_bytes());
            }
        }
    }

    /// Nearly right texts get furthest. `entry` also checks that what is accepted is written and
    /// read back.
    #[test]
    fn texts_with_a_word_changed_never_make_a_reader_panic(mut tape in tape()) {
        let trajectory: &str =
            include_str!("../../../../fuzz/seeds/trajectory/published.trajectory");
        let texts = [
            crate::entry::DOMAIN,
            crate::entry::PROBLEM,
            trajectory,
            include_str!("../../../../fuzz/seeds/domain/kitchen.pddl"),
        ];
        let text = texts[tape.below(texts.len())].replace('(', " ( ").replace(')', " ) ");
        let mut words: Vec<&str> = text.split_whitespace().collect();
        for _ in 0..1 + tape.below(3) {
            let (here, there) = (tape.below(words.len()), tape.below(words.len()));
            match tape.below(4) {
                0 => drop(words.remove(here)),
                1 => words.insert(here, words[there]),
                2 => words[here] = tape.pick(WORDS),
                _ => words.swap(here, there),
            }
        }
        for read in READERS {
            read(words.join(" ").as_bytes());
        }
    }
}

const READERS: [fn(&[u8]) -> bool; 5] = [
    crate::entry::sexpr,
    crate::entry::domain,
    crate::entry::problem,
    crate::entry::trajectory,
    crate::entry::plan,
];

const WORDS: &[&str] = &[
    "(",
    "(",
    "(",
    "(",
    ")",
    ")",
    ")",
    ")",
    "-",
    "=",
    "<",
    ">=",
    "+",
    "*",
    "/",
    "and",
    "or",
    "not",
    "imply",
    "forall",
    "exists",
    "when",
    "either",
    "assign",
    "increase",
    "scale-down",
    "?v",
    "?x",
    "?from",
    "?",
    ":",
    "1",
    "-1.5",
    "1e9",
    "1e99999",
    ".",
    "0",
    "storm",
    "at",
    "on",
    "open",
    "fuel",
    "way",
    "total-cost",
    "total-time",
    "mary",
    "home",
    "north",
    "c1",
    "duck",
    "sail",
    "load",
    "wait",
    "dock",
    "vessel",
    "object",
    "number",
    ":types",
    ":constants",
    ":predicates",
    ":functions",
    ":action",
    ":parameters",
    ":precondition",
    ":effect",
    ":objects",
    ":init",
    ":goal",
    ":metric",
    "minimize",
    ":state",
    "operator:",
    ":durative-action",
    ":derived",
    "preference",
    "start",
    "is-violated",
    "step",
    "0:",
    "[1]",
    "; x",
    "\n",
    "é",
    "\u{0}",
    "define",
    "domain",
    "problem",
    "(/ 1 0)",
    "(/ 1 3)",
    "()",
];

/// Random tasks have small numbers; these are at the edges of what can be read.
#[test]
fn long_numbers_are_written_as_they_can_be_read() {
    let task = domain("(define (domain d) (:functions (f)) (:action a :effect (increase (f) 1)))");
    let nines = "9".repeat(4096);
    // 2^8192: one part in so many has 8,192 decimals, which are too many.
    let power = (0..13)
        .fold(surefoot_base::exact::Rational::integer(2), |power, _| &power * &power)
        .to_string();
    for number in [
        "1e4095",
        "-1e-4096",
        &nines,
        &format!("0.{nines}"),
        &format!("-000.{nines}"),
        &format!("(/ {nines} 7)"),
        &format!("(/ -7 {nines})"),
        &format!("(/ 1 {nines})"),
        &format!("(/ 1 {power})"),
        "(/ 1e2000 3e-2000)",
        "(/ 3e-2000 7e2000)",
    ] {
        let text = format!(
            "(define (problem p) (:domain d) (:init (= (f) {number})) (:goal (> (f) {number})))"
        );
        let read = problem(&task, &text);
        assert_eq!(problem(&task, &write_problem(&task, &read)), read, "{number}");
        let text = format!("((:init (= (f) {number})))");
        let states = trajectory(&task, &read, &text);
        let written = write_trajectory(&task, &read.objects, &states);
        assert_eq!(facts(&trajectory(&task, &read, &written)), facts(&states), "{number}");
    }
    // As values these are too long; in a formula a quotient stays one.
    for number in [
        "(/ 1e4000 3e-4000)",
        "(/ 1e-4000 1e4000)",
        "(/ 1 0)",
        "(/ (/ 1 3) 0)",
        "(/ (/ 1e4000 3) (/ 7 1e4000))",
    ] {
        let text = format!(
            "(define (problem p) (:domain d) (:init) (:goal (> (f) {number})) (:metric minimize \
             {number}))"
        );
        let read = problem(&task, &text);
        assert_eq!(problem(&task, &write_problem(&task, &read)), read, "{number}");
    }
}

/// The deepest formulas that are read, so that nobody's stack overflows: not in reading, writing,
/// comparing, or running.
#[test]
fn formulas_as_deep_as_they_may_be() {
    let nested =
        |open: &str, inner: &str, levels: usize| open.repeat(levels) + inner + &")".repeat(levels);
    let conditions =
        ["(not ", "(and (p) ", "(or (p) ", "(forall (?x) ", "(exists (?x) ", "(imply (p) "];
    let levels = 390;
    for open in conditions {
        let text = format!(
            "(define (domain d) (:predicates (p)) (:action a :precondition {}))",
            nested(open, "(p)", levels)
        );
        let read = domain(&text);
        assert_eq!(domain(&write_domain(&read)), read);
        let task = problem(
            &read,
            "(define (problem p) (:domain d) (:objects one) (:init (p)) (:goal ()))",
        );
        let plan = plan(&read, &task, "(a)");
        let _ = surefoot_base::validate::validate(
            &read,
            &task,
            &plan,
            &surefoot_base::exact::Rational::ONE,
        );
    }
    for open in ["(and (p) ", "(forall (?x) ", "(when (p) "] {
        let text = format!(
            "(define (domain d) (:predicates (p)) (:action a :effect {}))",
            nested(open, "(p)", levels)
        );
        let read = domain(&text);
        assert_eq!(domain(&write_domain(&read)), read);
        let task = problem(
            &read,
            "(define (problem p) (:domain d) (:objects one) (:init (p)) (:goal (p)))",
        );
        assert!(surefoot_base::validate::trace(&read, &task, &plan(&read, &task, "(a)")).is_ok());
    }
    for open in ["(- ", "(+ 1 ", "(* 1 ", "(/ 1 ", "(- 1 "] {
        let value = nested(open, "(f)", levels);
        let text = format!(
            "(define (domain d) (:functions (f)) (:action a :effect (assign (f) {value})))"
        );
        let read = domain(&text);
        assert_eq!(domain(&write_domain(&read)), read);
        let text = format!(
            "(define (problem p) (:domain d) (:init (= (f) 3)) (:goal ()) (:metric minimize \
             {value}))"
        );
        let task = problem(&read, &text);
        assert_eq!(problem(&read, &write_problem(&read, &task)), task);
        let _ = surefoot_base::validate::validate(
            &read,
            &task,
            &plan(&read, &task, "(a)"),
            &surefoot_base::exact::Rational::ZERO,
        );
    }
}

/// The entry points of the fuzz targets refuse by panicking; here are texts that they must notice.
#[test]
fn the_readers_are_told_apart_by_what_they_accept() {
    let accepted = |text: &str| READERS.map(|read| read(text.as_bytes()));
    assert_eq!(accepted(crate::entry::DOMAIN), [true, true, false, false, false]);
    assert_eq!(accepted(crate::entry::PROBLEM), [true, false, true, false, false]);
    assert_eq!(accepted("((:init (storm)))"), [true, false, false, true, false]);
    assert_eq!(accepted("(wait)"), [true, false, false, false, true]);
    assert_eq!(accepted(""), [false, false, false, false, true]);
}

/// `Source::new` takes any text; the readers must cope with what the tests above never make.
#[test]
fn readers_take_a_source_of_any_text() {
    let fixed = crate::entry::fixed_domain();
    let objects = &crate::entry::fixed_problem().objects;
    for text in
        ["\u{feff}", "(\u{feff})", "\u{0}", "((:init (storm)))\u{0}", "(wait)\u{a0}", "\u{b}(wait)"]
    {
        let source = Source::new("odd", text);
        let _ = read_domain(&source);
        let _ = read_problem(&source, fixed, Numbers::Decimals(0));
        let _ = Trajectory::read(&source, fixed, objects, Numbers::Decimals(u32::MAX));
        let _ = read_plan(&source, fixed, objects);
    }
}
