//! The reference runs of the original, where they are at hand: what it wrote, and what it reported
//! on the way. Run by
//! `SUREFOOT_PLANMINER=<folder> SUREFOOT_CORPUS=<folder>
//! cargo test -p surefoot-planminer --lib -- --ignored`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::closed_world::{see, see_partly};
use super::column::{
    Amount, ArithmeticOperator, ColumnWriter, NumericQuantity, NumericRelation, TableColumn,
};
use super::conclusion::{Deed, Need, RightSide};
use super::observed::{SeenTrace, SymbolId, TypedApplication};
use super::pools::Pooled;
use super::regression::{EVALUATIONS_OF_A_RUN, Searching};
use super::repairs::Repairs;
use super::run::{ActionRun, Crash, End, FindAmount, MinerInputs, MinerRun, run};
use super::tables::ActionTables;
use super::text::text;
use super::trapezoid::Trapezoid;
use super::types::HeaderTypes;
use super::work::Work;
use surefoot_base::model::{ActionId, Domain, FunctionId, Objects};
use surefoot_base::pddl::{Numbers, Source, Trajectory, read_domain, read_problem};

fn folder(variable: &str) -> PathBuf {
    PathBuf::from(
        std::env::var_os(variable)
            .unwrap_or_else(|| panic!("{variable} names a folder; see the head of the file")),
    )
}

fn source(path: &Path) -> Source {
    Source::from_bytes(path.display().to_string(), fs::read(path).unwrap()).unwrap()
}

/// A published domain, with its traces in natural order of their names.
struct Published {
    domain: Domain,
    stems: Vec<PathBuf>,
}

impl Published {
    fn of(name: &str) -> Published {
        let folder = folder("SUREFOOT_CORPUS").join(name);
        let domain = read_domain(&source(&folder.join("domain.pddl"))).unwrap();
        let paths = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let mut stems: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|end| end == "trajectory"))
            .map(|path| path.with_extension(""))
            .collect();
        stems.sort_by_key(|path| natural(path.file_name().unwrap().to_str().unwrap()));
        Published { domain, stems }
    }

    fn read(&self, stem: &Path) -> (Objects, Trajectory) {
        let problem =
            read_problem(&source(&stem.with_extension("pddl")), &self.domain, Numbers::Exact)
                .unwrap();
        let text = source(&stem.with_extension("trajectory"));
        let trajectory =
            Trajectory::read(&text, &self.domain, &problem.objects, Numbers::Exact).unwrap();
        (problem.objects, trajectory)
    }

    fn trace(&self, stem: &Path) -> SeenTrace {
        let (objects, trajectory) = self.read(stem);
        see(&self.domain, &objects, &trajectory)
    }

    /// Without every fifth literal.
    fn incomplete_trace(&self, stem: &Path) -> SeenTrace {
        let (objects, trajectory) = self.read(stem);
        see_partly(&self.domain, &objects, &trajectory, |state, place| (state + place) % 5 != 4)
    }

    fn traces(&self, count: usize) -> Vec<SeenTrace> {
        self.stems.iter().cycle().take(count).map(|stem| self.trace(stem)).collect()
    }
}

/// Digits compare as numbers.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = vec![(String::new(), String::new())];
    for letter in name.chars() {
        let (_, digits) = parts.last().unwrap();
        if !letter.is_ascii_digit() && !digits.is_empty() {
            parts.push(Default::default());
        }
        let (word, digits) = parts.last_mut().unwrap();
        if letter.is_ascii_digit() { digits.push(letter) } else { word.push(letter) }
    }
    parts.into_iter().map(|(word, digits)| (word, digits.parse().unwrap_or(0))).collect()
}

/// What the original reported: the lines of each action, without the expressions it found.
fn reported(path: &Path) -> BTreeMap<String, Vec<String>> {
    let mut actions = BTreeMap::<String, Vec<String>>::new();
    let mut name = String::new();
    let mut expressions = false;
    for line in fs::read_to_string(path).unwrap().lines().filter(|line| !line.is_empty()) {
        if let Some(rest) = line.strip_prefix("ACTION ") {
            name = rest.split(' ').next().unwrap().to_owned();
        }
        if !line.starts_with("  ") {
            expressions = line.starts_with(" expressions found");
        }
        if !expressions {
            actions.entry(name.clone()).or_default().push(line.to_owned());
        }
    }
    actions
}

/// The expressions that the original found, from the names of its columns.
fn imposed<'a>(
    domain: &'a Domain,
    reported: &'a BTreeMap<String, Vec<String>>,
) -> Box<FindAmount<'a>> {
    Box::new(move |action: ActionId, tables: &ActionTables, column: usize| {
        let types = HeaderTypes::of_domain(domain);
        let words = ColumnWriter { domain, types: &types };
        let start = format!("  DIRECTION {} ", words.quantity(&tables.numeric[column].0));
        let lines = reported
            .get(&words.action(action))
            .unwrap_or_else(|| panic!("an action that was not reported"));
        let text = lines
            .iter()
            .find_map(|line| line.strip_prefix(&start))
            .unwrap_or_else(|| panic!("no {start} in {lines:#?}"));
        let mut tokens = text.split(' ');
        let amount = read_amount(domain, &mut tokens);
        assert_eq!((words.amount(&amount), tokens.next()), (text.to_owned(), None));
        Ok(amount)
    })
}

fn read_amount<'t>(domain: &Domain, tokens: &mut impl Iterator<Item = &'t str>) -> Amount {
    let token = tokens.next().unwrap();
    if token != "(" {
        return Amount::Constant(token.parse().unwrap());
    }
    let head = tokens.next().unwrap();
    if let Some(operator) =
        ArithmeticOperator::ALL.into_iter().find(|operator| operator.sign() == head)
    {
        let sides = [read_amount(domain, tokens), read_amount(domain, tokens)];
        assert_eq!(tokens.next(), Some(")"));
        return Amount::Operation(operator, Box::new(sides));
    }
    let mut arguments = smallvec::SmallVec::new();
    while let Some(parameter) = tokens.next().unwrap().strip_prefix("?param_") {
        assert_eq!(tokens.next(), Some("~"));
        arguments.push((
            parameter.parse().unwrap(),
            domain.signature.types.find(tokens.next().unwrap()).unwrap(),
        ));
    }
    let symbol =
        SymbolId::Function(FunctionId::from(domain.signature.functions.find(head).unwrap()));
    Amount::Function(TypedApplication { symbol, arguments })
}

/// The same lines as those of the original.
fn report(action: &ActionRun, tables: &ActionTables, words: ColumnWriter<'_>) -> Vec<String> {
    let mut lines = vec![format!("ACTION {}  R={}", words.action(action.action), tables.steps)];
    lines.push(" logical columns".to_owned());
    lines.extend(
        tables
            .logical
            .columns
            .iter()
            .map(|(column, _)| format!("  {}", column_text(column, words))),
    );
    lines.push(" numeric columns".to_owned());
    lines.extend(
        action
            .numeric
            .columns
            .iter()
            .map(|(column, _)| format!("  {}", column_text(column, words))),
    );
    lines.push(" labels of the numeric columns (a,b,c,d)".to_owned());
    for ((column, _), labels) in action.numeric.columns.iter().zip(&action.labels) {
        if let TableColumn::Number(quantity) = column {
            let labels: Vec<String> = labels.iter().map(label_text).collect();
            lines.push(format!("  {} : {}", words.quantity(quantity), labels.join(" ")));
        }
    }
    for (name, pool) in [("pre", &action.pools.before), ("post", &action.pools.after)] {
        lines.push(format!(" pooled conditions of {name}-rules [weight]"));
        lines.extend(pool.iter().map(|pooled| pooled_text(pooled, words)));
    }
    lines
}

fn column_text(column: &TableColumn, words: ColumnWriter<'_>) -> String {
    match column {
        TableColumn::Fact(fact) => words.lifted(fact),
        TableColumn::Number(quantity) => words.quantity(quantity),
        TableColumn::Comparison(relation, left, right) => {
            let relation = match relation {
                NumericRelation::Equal => "EQ",
                NumericRelation::Less => "LT",
                NumericRelation::Greater => "GT",
            };
            format!("{relation} {} {}", words.quantity(left), words.amount(right))
        }
        TableColumn::Direction(quantity, amount) => {
            format!("DIRECTION {} {}", words.quantity(quantity), words.amount(amount))
        }
    }
}

fn pooled_text(pooled: &Pooled, words: ColumnWriter<'_>) -> String {
    let column = &pooled.condition.column;
    let value = match (column, pooled.condition.value) {
        (TableColumn::Fact(_) | TableColumn::Comparison(..), 0) => "False".to_owned(),
        (TableColumn::Fact(_) | TableColumn::Comparison(..), _) => "True".to_owned(),
        (_, value) => value.to_string(),
    };
    format!("  [{}] {} = {value}", pooled.weight, column_text(column, words))
}

fn label_text(label: &Trapezoid) -> String {
    let Trapezoid { a, b, c, d } = *label;
    format!("[{}]", [a, b, c, d].map(six_digits).join(","))
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// `%g` of C, for numbers that are not large.
fn six_digits(number: f64) -> String {
    let scientific = format!("{number:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    if exponent < -4 && number != 0.0 {
        return format!("{}e-{:02}", trimmed(digits), -exponent);
    }
    let decimals = usize::try_from(5 - exponent).unwrap();
    let number = format!("{number:.decimals$}");
    let text = trimmed(&number);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A run with the original's own expressions.
fn run_imposed(
    published: &Published,
    traces: &[SeenTrace],
    repairs: Repairs,
    reported: &BTreeMap<String, Vec<String>>,
) -> MinerRun {
    let traces: Vec<&SeenTrace> = traces.iter().collect();
    let inputs = MinerInputs { domain: &published.domain, traces: &traces, repairs };
    run(&inputs, &mut *imposed(&published.domain, reported), &mut Work::new(None))
}

/// Differences between what was reported, and what came of our run.
fn differences(
    run: &MinerRun,
    domain: &Domain,
    reported: &BTreeMap<String, Vec<String>>,
) -> Vec<String> {
    let words = ColumnWriter { domain, types: &run.types };
    let mut differences = Vec::new();
    for (action, tables) in run.actions.iter().zip(&run.tables) {
        let (ours, theirs) =
            (report(action, tables, words), &reported[&words.action(action.action)]);
        if let Some(at) =
            (0..ours.len().max(theirs.len())).find(|&at| ours.get(at) != theirs.get(at))
        {
            differences.push(format!(
                "{}: ours {:?}, theirs {:?}",
                ours[0],
                ours.get(at),
                theirs.get(at)
            ));
        }
    }
    differences
}

const DOMAINS: [&str; 9] = [
    "counters",
    "depots",
    "driverlog",
    "driverlog_poly",
    "farmland",
    "rovers",
    "sailing",
    "satellite",
    "zenotravel",
];

/// A comparison of our run with a reference run, given its expressions.
fn compare(
    name: &str,
    details: &str,
    published: &Published,
    traces: &[SeenTrace],
    repairs: Repairs,
) -> (MinerRun, Vec<String>) {
    let folder = folder("SUREFOOT_PLANMINER");
    let reported = reported(&folder.join(details));
    let run = run_imposed(published, traces, repairs, &reported);
    let mut found = differences(&run, &published.domain, &reported);
    let theirs = fs::read_to_string(folder.join(name).with_extension("pddl")).unwrap();
    let words = ColumnWriter { domain: &published.domain, types: &run.types };
    let domain_name = Path::new(name).file_name().unwrap().to_str().unwrap();
    let ours = text(&run, words, domain_name).unwrap_or_default();
    if ours != theirs {
        let line = ours.lines().zip(theirs.lines()).find(|(ours, theirs)| ours != theirs);
        found.push(format!("the file differs: {line:?}"));
    }
    (run, found.into_iter().map(|line| format!("{name}: {line}")).collect())
}

#[test]
#[ignore = "needs the reference runs; see the head of the file"]
fn columns_labels_conditions_and_files_are_those_of_the_original() {
    let mut all = Vec::new();
    for domain in DOMAINS {
        let published = Published::of(domain);
        for count in [10, 20] {
            let name = format!("{domain}-{count}");
            let details = format!("details/{name}.txt");
            let (run, found) =
                compare(&name, &details, &published, &published.traces(count), Repairs::default());
            assert_eq!(run.end, End::Complete, "{name}");
            all.extend(found);
        }
    }
    assert!(all.is_empty(), "{all:#?}");
}

fn further_differences(
    name: &str,
    published: &Published,
    traces: &[SeenTrace],
    end: End,
) -> Vec<String> {
    let details = format!("extra/{name}.txt");
    let (run, found) =
        compare(&format!("extra/{name}"), &details, published, traces, Repairs::default());
    assert_eq!(run.end, end, "{name}");
    found
}

#[test]
#[ignore = "needs the reference runs; see the head of the file"]
fn further_runs_are_those_of_the_original() {
    let mut all = Vec::new();
    let driverlog = Published::of("driverlog");
    all.extend(further_differences("driverlog-1", &driverlog, &driverlog.traces(1), End::Complete));
    let counters = Published::of("counters");
    assert_eq!(counters.stems.len(), 72);
    all.extend(further_differences("counters-82", &counters, &counters.traces(82), End::Complete));
    let rovers = Published::of("rovers");
    let take_image = rovers.domain.actions.find("take_image").unwrap().into();
    all.extend(further_differences(
        "rovers-3",
        &rovers,
        &rovers.traces(3),
        End::Unreadable(take_image),
    ));
    for domain in ["farmland", "driverlog", "depots"] {
        let published = Published::of(domain);
        let traces: Vec<SeenTrace> =
            published.stems[..10].iter().map(|stem| published.incomplete_trace(stem)).collect();
        all.extend(further_differences(
            &format!("{domain}-10-drop5"),
            &published,
            &traces,
            End::Complete,
        ));
    }
    assert!(all.is_empty(), "{all:#?}");
}

/// The original reads past the end of a short text here, and crashes after five actions; what it
/// wrote until then is the same.
#[test]
#[ignore = "needs the reference runs; see the head of the file"]
fn what_is_written_before_a_crash_of_chance_is_the_same() {
    let rovers = Published::of("rovers");
    let (run, found) = compare(
        "extra/rovers-1",
        "extra/rovers-1.txt",
        &rovers,
        &rovers.traces(1),
        Repairs::default(),
    );
    assert_eq!(run.end, End::Complete);
    assert_eq!(
        found
            .iter()
            .find(|line| !line.contains("theirs None") && !line.contains("the file differs: None")),
        None
    );
    let words = ColumnWriter { domain: &rovers.domain, types: &run.types };
    let theirs =
        fs::read_to_string(folder("SUREFOOT_PLANMINER").join("extra/rovers-1.pddl")).unwrap();
    assert!(text(&run, words, "rovers-1").unwrap().starts_with(&theirs));
}

/// With one column the original compares with undefined memory, so some actions of this domain
/// differ.
#[test]
#[ignore = "needs the reference runs; see the head of the file"]
fn an_action_without_parameters_is_a_crash_unless_repaired() {
    let minecraft = Published::of("minecraft");
    for count in [10, 20] {
        let name = format!("minecraft-{count}");
        let traces = minecraft.traces(count);
        let (run, found) =
            compare(&name, &format!("details/{name}.txt"), &minecraft, &traces, Repairs::default());
        assert!(matches!(run.end, End::Crash(_, Crash::Parameterless)));
        assert!(found.is_empty(), "{found:#?}");
        let repairs = Repairs { zero_arity: true, ..Repairs::default() };
        let name = format!("extra/{name}-zero-arity");
        let (run, found) = compare(&name, &format!("{name}.txt"), &minecraft, &traces, repairs);
        assert_eq!(run.end, End::Complete);
        let excepted = ["CRAFT_TREE_TAP", "PLACE_TREE_TAP", "the file differs"];
        let unexpected = found.iter().find(|line| !excepted.iter().any(|word| line.contains(word)));
        assert_eq!(unexpected, None);
        assert_eq!(run.actions.len(), 6);
    }
}

/// A run that searches for expressions itself.
fn run_alone(published: &Published, traces: &[SeenTrace], repairs: Repairs) -> MinerRun {
    let traces: Vec<&SeenTrace> = traces.iter().collect();
    let inputs = MinerInputs { domain: &published.domain, traces: &traces, repairs };
    let mut searching = Searching::new(repairs, 0, Work::new(Some(EVALUATIONS_OF_A_RUN - 1)));
    run(&inputs, &mut |_, tables, column| searching.find(tables, column), &mut Work::new(None))
}

#[test]
#[ignore = "needs the reference runs; see the head of the file"]
fn with_own_expressions_actions_mean_the_same() {
    let (mut same, mut equal, mut found) = (0, 0, Vec::new());
    for domain in DOMAINS {
        let published = Published::of(domain);
        for count in [10, 20] {
            let traces = published.traces(count);
            let reported = reported(
                &folder("SUREFOOT_PLANMINER").join(format!("details/{domain}-{count}.txt")),
            );
            let (theirs, ours) = (
                run_imposed(&published, &traces, Repairs::default(), &reported),
                run_alone(&published, &traces, Repairs::default()),
            );
            assert_eq!(ours.end, End::Complete, "{domain}-{count}");
            for ((theirs, ours), tables) in
                theirs.actions.iter().zip(&ours.actions).zip(&theirs.tables)
            {
                for (theirs, ours) in amounts(theirs).zip(amounts(ours)) {
                    if theirs == ours {
                        same += 1;
                    } else if value(theirs, tables) == value(ours, tables) {
                        equal += 1;
                    } else {
                        found.push(format!("{domain}-{count}: theirs {theirs:?}, ours {ours:?}"));
                    }
                }
                if meaning(theirs, tables) != meaning(ours, tables) {
                    let name = published.domain.action_name(ours.action);
                    found.push(format!(
                        "{domain}-{count} {name}: theirs {:#?}, ours {:#?}",
                        theirs.concluded, ours.concluded
                    ));
                }
            }
        }
    }
    println!("{same} expressions the same, {equal} equal in value");
    assert!(found.is_empty(), "{found:#?}");
}

/// The expressions of an action, change by change.
fn amounts(action: &ActionRun) -> impl Iterator<Item = &Amount> {
    action.numeric.columns.iter().filter_map(|(column, _)| match column {
        TableColumn::Direction(_, amount) => Some(amount),
        _ => None,
    })
}

/// The values of an expression in the states before the steps, as text.
fn value(amount: &Amount, tables: &ActionTables) -> Vec<String> {
    fn at(amount: &Amount, tables: &ActionTables, row: usize) -> f64 {
        match amount {
            Amount::Constant(number) => *number as f64,
            Amount::Function(function) => {
                let mut cells = tables
                    .numeric
                    .iter()
                    .filter(|(quantity, _)| match quantity {
                        NumericQuantity::Function(other) => {
                            parameters(other) == parameters(function)
                        }
                        NumericQuantity::Clock => false,
                    })
                    .filter_map(|(_, cells)| cells[row]);
                cells.next().unwrap_or(f64::NAN)
            }
            Amount::Operation(operator, sides) => {
                let (left, right) = (at(&sides[0], tables, row), at(&sides[1], tables, row));
                match operator {
                    ArithmeticOperator::Plus => left + right,
                    ArithmeticOperator::Times => left * right,
                    ArithmeticOperator::Minus => left - right,
                    ArithmeticOperator::Over => left / right,
                }
            }
        }
    }
    (0..tables.steps).map(|row| format!("{:.9}", at(amount, tables, row))).collect()
}

fn parameters(lifted: &TypedApplication) -> (SymbolId, Vec<usize>) {
    (lifted.symbol, lifted.arguments.iter().map(|&(parameter, _)| parameter).collect())
}

/// An action's parts as texts that are equal where they mean the same in the recorded steps.
fn meaning(action: &ActionRun, tables: &ActionTables) -> (BTreeSet<String>, BTreeSet<String>) {
    let concluded = action.concluded.as_ref().unwrap();
    (
        concluded
            .needs
            .iter()
            .map(|need| match need {
                Need::Compare(sign, left, RightSide::Amount(amount)) => {
                    format!("{sign:?} {left:?} {:?}", value(amount, tables))
                }
                other => format!("{other:?}"),
            })
            .collect(),
        concluded
            .deeds
            .iter()
            .map(|deed| match deed {
                Deed::Change { quantity, grows, amount } => {
                    format!("{quantity:?} {grows} {:?}", value(amount, tables))
                }
                other => format!("{other:?}"),
            })
            .collect(),
    )
}

#[test]
#[ignore = "needs the reference runs; see the head of the file"]
fn two_hard_changes_reach_the_limit() {
    let satellite = Published::of("satellite");
    let mut traces = satellite.traces(10);
    let failed = satellite.stems.iter().find(|stem| stem.ends_with("pfile100")).unwrap();
    traces.push(satellite.trace(failed));
    assert_eq!(run_alone(&satellite, &traces, Repairs::default()).end, End::TimeLimit);
}
