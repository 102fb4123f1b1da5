//! Inputs: a column with numbers that whoever acts chooses before the step.

use std::fmt::Write as _;

use surefoot_base::assumptions::Spec;
use surefoot_base::model::Universe;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Event, ObjectId};
use surefoot_base::pddl::{Numbers, Source, read_plan, read_problem, write_plan};
use surefoot_check::ModelChecker;
use surefoot_learn::Recording;
use surefoot_log::{Log, Table, guess};
use surefoot_plan::{SearchOptions, SearchOutcome, plan};

use crate::warehouse::{Dice, Folder, learn, open};

const MAP: &str = r#"episode = "case"
action = "step"
status = { column = "status", ok = "ok", failed = "failed" }
objects = { fine = "fine" }
inputs = { paid = "paymentAmount" }
[after]
total = "(total ?fine)"
[actions]
open = "report"
pay = ["fine", "paid"]
"#;

/// Fines that are paid in parts: the total falls by the amount, and nobody pays more than the
/// total, or nothing.
fn payments() -> String {
    let mut dice = Dice(5);
    let mut text = "case,step,fine,paymentAmount,status,total\n".to_owned();
    for case in 0..10 {
        let mut totals = [60, 100].map(|most| most - 5 * dice.roll(4) as i64);
        for (fine, total) in totals.iter().enumerate() {
            writeln!(text, "c{case},open,f{fine},,ok,{total}").unwrap();
        }
        for _ in 0..8 {
            let fine = dice.roll(2);
            let amount = [5, 10, 20, 35, 50, totals[fine], 0][dice.roll(7)];
            let works = amount > 0 && amount <= totals[fine];
            totals[fine] -= if works { amount } else { 0 };
            let (status, total) = (if works { "ok" } else { "failed" }, totals[fine]);
            // Equal numbers are spelled in several ways.
            let spelled = match dice.roll(3) {
                0 => format!("{amount}.0"),
                1 => format!("0{amount}"),
                _ => amount.to_string(),
            };
            writeln!(text, "c{case},pay,f{fine},{spelled},{status},{total}").unwrap();
        }
    }
    text
}

fn opened(map: &str, log: &str) -> Result<Log, String> {
    open(&Folder::new(&[("log.csv", log.as_bytes())]), map, &["log.csv"])
}

/// The steps of the first episode, as plans write them; failed ones with `!` before them.
fn steps(log: &Log, numbers: Numbers) -> Vec<String> {
    let mut found = Vec::new();
    log.read(0, log.domain(), numbers, false, &mut |recorded| {
        let action = recorded.event.attempt().action;
        let names = action.arguments.iter().map(|&id: &ObjectId| recorded.objects.name(id));
        let failed = if matches!(recorded.event, Event::Failed(_)) { "!" } else { "" };
        let words: Vec<&str> =
            std::iter::once(log.domain().action_name(action.symbol)).chain(names).collect();
        found.push(format!("{failed}{}", words.join(" ")));
        true
    })
    .unwrap();
    found
}

#[test]
fn a_payment_log_is_learned_checked_and_planned_with() {
    let log = opened(&format!("{MAP}[static]\n"), &payments()).unwrap();
    let model = learn(log.domain(), &log, &Spec::default()).unwrap();
    let text = model.to_pddl();
    for line in [
        "paid-number - chosen-number",
        ":parameters (?fine - fine ?paid - paid-number)",
        "(<= (value ?paid) (total ?fine))",
        "(>= (value ?paid) 5)",
        "(decrease (total ?fine) (value ?paid))",
        "Whoever acts chooses (value ?paid) of pay before the step; it is not an outcome",
        "a number between two numbers that worked works, too. (This is false of codes and tariffs",
        "The numbers in column `paymentAmount` are (value ?paid) of pay.",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let written = model.read_back();
    let certificate = model.certificate().unwrap();
    let mut checker = ModelChecker::new(log.domain(), &written, &certificate);
    let mut problems = Vec::new();
    for trace in 0..log.traces() {
        let mut trajectory = Vec::new();
        let problem = log.write(trace, &mut trajectory).unwrap();
        let source = Source::new("trace", String::from_utf8(trajectory).unwrap());
        let objects = surefoot_base::pddl::infer_objects(&source, log.domain()).unwrap();
        checker.read(&source, &objects).unwrap();
        problems.push(problem);
    }
    assert_eq!(checker.finish(), []);
    // The numbers of all episodes may be chosen, and the goal needs several payments.
    let text = problems[0].replace("(:goal (and))", "(:goal (= (total f1) 0))");
    let problem =
        read_problem(&Source::new("p", text), model.for_planning(), Numbers::Exact).unwrap();
    let report = plan(model.for_planning(), &problem, &SearchOptions::default(), &|_| true);
    let SearchOutcome::Solved(found) = report.outcome else { panic!("no plan") };
    let found = write_plan(model.for_planning(), &problem.objects, &found);
    let paid = found.lines().map(|line| {
        let number = line.trim_end_matches(')').rsplit("paid-").next().unwrap();
        number.parse::<i64>().unwrap()
    });
    let total: i64 = paid.sum();
    assert!(problems[0].contains(&format!("(= (total f1) {total})")), "{found}\n{}", problems[0]);
    // A number that nobody paid, between numbers that may be paid.
    let allowed = |text: &str, number: &str| {
        let problem =
            read_problem(&Source::new("p", text), model.for_planning(), Numbers::Exact).unwrap();
        let source = Source::new("s", format!("(pay f1 paid-{number})"));
        let steps = read_plan(&source, model.for_planning(), &problem.objects).unwrap();
        let mut universe = Universe::default();
        let state = problem.initial_state(&mut universe);
        let semantics = Semantics::new(model.for_planning(), &problem.objects);
        semantics.applicable(&steps.steps[0].action, &universe, &state).is_ok()
    };
    let numbers: Vec<i64> =
        (0..100).filter(|number| problems[0].contains(&format!(" paid-{number} "))).collect();
    let payable: Vec<i64> = numbers
        .iter()
        .copied()
        .filter(|number| allowed(&problems[0], &number.to_string()))
        .collect();
    let (least, most) = (payable[0], payable[payable.len() - 1]);
    assert!(least < most && !payable.contains(&0), "{payable:?}");
    let between = format!("{}d25", (least + most) / 2);
    let text = problems[0]
        .replace("(:objects", &format!("(:objects paid-{between} - paid-number"))
        .replace(
            "(:init",
            &format!("(:init (= (value paid-{between}) {})", between.replace('d', ".")),
        );
    assert!(allowed(&text, &between), "{between} of {payable:?}");
}

const SPELLED: &str = "case,step,fine,paymentAmount,status,total\na,open,f,,ok,100\n\
                       a,pay,f,1,ok,99\n\
                       a,pay,f,1.0,ok,98\na,pay,f,01,ok,97\na,pay,f,1e0,ok,96\na,pay,f,-12.5,ok,\
                       108.5\na,pay,f,1.004,failed,108.5\n";

#[test]
fn equal_numbers_are_one_object_with_a_name_of_its_own() {
    let log = opened(MAP, SPELLED).unwrap();
    let one = "pay f paid-1";
    assert_eq!(
        steps(&log, Numbers::Exact),
        [one, one, one, one, "pay f paid--12d5", "!pay f paid-1d004"]
    );
    // Decimals apply before.
    assert_eq!(steps(&log, Numbers::Decimals(2))[5], "!pay f paid-1");
}

#[test]
fn a_row_without_the_number_is_not_used_and_counted() {
    let log = "case,step,fine,paymentAmount,status,total\na,open,f,,ok,100\na,pay,f,,ok,90\na,pay,\
               f,a lot,ok,80\na,pay,f,10,ok,70\n";
    let log = opened(MAP, log).unwrap();
    assert_eq!(steps(&log, Numbers::Exact), ["pay f paid-10"]);
    let tally = log.tally();
    let reasons: Vec<(&str, usize)> =
        tally.unusable.iter().map(|(reason, count)| (reason.as_str(), *count)).collect();
    assert_eq!(
        reasons,
        [
            ("pay: ?paid is not known", 1),
            ("pay: ?paid is not known, because a cell is not a number", 1)
        ]
    );
}

#[test]
fn a_planner_chooses_among_the_numbers_that_the_map_says() {
    let objects = |choices: &str| {
        let log = opened(&MAP.replace("[after]", &format!("{choices}\n[after]")), SPELLED).unwrap();
        let problem = log.write(0, &mut Vec::new()).unwrap();
        let numbers = problem.lines().find(|line| line.contains("- paid-number")).unwrap_or("");
        let numbers = numbers.trim().trim_end_matches(')').to_owned();
        for name in numbers.split_whitespace().take_while(|word| *word != "-") {
            assert!(problem.contains(&format!("(= (value {name}) ")), "{name}\n{problem}");
        }
        numbers
    };
    assert_eq!(objects(""), "paid--12d5 paid-1 paid-1d004 - paid-number");
    assert_eq!(objects("choices = { paid = [2, 0.1, 2.0] }"), "paid-0d1 paid-2 - paid-number");
    assert_eq!(
        objects("choices = { paid = { from = -0.5, to = 1, step = 0.5 } }"),
        "paid--0d5 paid-0 paid-0d5 paid-1 - paid-number"
    );
}

/// The log with one more column.
fn with_column(name: &str, cell: &str) -> String {
    let column = std::iter::once(name).chain(std::iter::repeat(cell));
    payments().lines().zip(column).map(|(line, cell)| format!("{line},{cell}\n")).collect()
}

#[test]
fn what_cannot_be_an_input_is_said_with_its_place() {
    let with = |from: &str, to: &str| MAP.replacen(from, to, 1);
    for (map, message) in [
        (
            with("total = \"(total ?fine)\"", "paymentAmount = \"(total ?fine)\""),
            "`paymentAmount` shows the state after the row elsewhere in the map",
        ),
        (with("{ paid =", "{ fine ="), "`fine` is an input here, and names objects"),
        (
            with("pay = [\"fine\", \"paid\"]", "pay = { paid = \"fine\", x = \"paid\" }"),
            "`paid` is an input, and another parameter of pay",
        ),
        (with("\"paymentAmount\"", "\"note\""), "in the column `note`"),
        (with("pay = [\"fine\", \"paid\"]", "pay = [\"fine\"]"), "no action has the input `paid`"),
        (
            with(
                "open = \"report\"\npay = [\"fine\", \"paid\"]",
                "pay = \"report\"\nopen = [\"fine\"]",
            ),
            "no action has the input `paid`",
        ),
        (with("\"paymentAmount\"", "\"paymentAmount - fine\""), "`fine` is a type of objects"),
        (with("\"paymentAmount\"", "\"status\""), "`status` shows the status elsewhere"),
        (with("\"(total ?fine)\"", "\"(total ?fine ?paid)\""), "a number that has only its value"),
        (with("[after]", "choices = { pad = [1] }\n[after]"), "the map has no input `pad`"),
        (
            with("[after]", "choices = { paid = { from = 0, to = 1, step = 0 } }\n[after]"),
            "the step of a range is above zero",
        ),
        (
            with("[after]", "choices = { paid = { from = 0, to = 1e9, step = 1 } }\n[after]"),
            "more than 10000 numbers",
        ),
        (with("objects = { fine", "objects = { chosen-number"), "is the type of all numbers"),
        (with("[\"fine\", \"paid\"]", "[\"fine - paid-number\", \"paid\"]"), "only its value"),
        (
            with("[after]", "[declared]\n\"(spent ?paid)\" = { from = \"pay\" }\n[after]"),
            "a number that has only its value",
        ),
        (
            with("\"paid\"]", "\"paid\", \"paymentAmount\"]"),
            "two parameters of pay are called `paid`",
        ),
    ] {
        let log = with_column("note", "x");
        let Err(error) = opened(&map, &log) else { panic!("{message}: accepted\n{map}") };
        assert!(error.contains(message) && error.contains("map.toml:"), "{message}\n{error}");
    }
    let taken = with_column("paid", "1");
    let error = opened(MAP, &taken).err().unwrap();
    assert!(error.contains("has a column `paid` of its own"), "{error}");
}

#[test]
fn a_guess_asks_whether_an_amount_is_chosen() {
    let log = payments();
    let table = Table::read("log", &mut log.as_bytes(), None).unwrap();
    let guessed = guess(&table).unwrap();
    let question = guessed.questions.iter().find(|question| question.name == "paymentAmount");
    let question = &question.unwrap_or_else(|| panic!("{}", guessed.text)).text;
    assert!(question.contains("Only rows of pay have it, and `total` changes by it"), "{question}");
    assert!(guessed.text.contains("\n  \"paymentAmount\",  # "), "{}", guessed.text);
    assert!(!guessed.text.contains("\ninputs"), "a guess never decides\n{}", guessed.text);
    // A number that nothing follows is a state, as ever.
    let mut dice = Dice(3);
    let unrelated: String = log
        .lines()
        .map(|line| match line.split(',').collect::<Vec<_>>()[..] {
            [case, "pay", fine, _, status, total] => {
                format!("{case},pay,{fine},{},{status},{total}\n", dice.roll(50))
            }
            _ => format!("{line}\n"),
        })
        .collect();
    let table = Table::read("log", &mut unrelated.as_bytes(), None).unwrap();
    let asked = guess(&table).unwrap().questions;
    assert!(!asked.iter().any(|question| question.text.contains("chosen by whoever")), "{asked:?}");
}
