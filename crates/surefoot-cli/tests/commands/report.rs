//! Reports as users make them: of whole, empty, missing and damaged folders; and the numbers on the
//! page against the table.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const CONFIG: &str = r#"
title = "Small & sound"
seed = 7
folds = 3
traces = [1, 2, 6]
algorithms = ["nsam", "nsam-star"]

[test]
steps = 40

[planning]
planners = ["builtin"]
time-limit = 5
traces = [1, 6]
problems = 2

[[setting]]
name = "plain"

[[setting]]
name = "k=1"
arity = 1

[[domain]]
name = "farmland"
generate = "farmland"
problems = 12

[[domain]]
name = "sailing"
generate = "sailing"
problems = 12
sizes = { boats = "1", persons = "1" }
"#;

fn surefoot(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefoot"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn error(folder: &Path) -> String {
    let output = surefoot(&["report", folder.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!folder.join("report.html").exists(), "no page of what cannot be read");
    String::from_utf8(output.stderr).unwrap()
}

/// A folder as `experiment` writes it, by hand: one domain, two numbers of traces.
fn by_hand(folder: &Path) {
    fs::create_dir_all(folder.join("cells")).unwrap();
    let config = r#"{"version": "0.0",
        "config": {"title": "By hand", "seed": 1, "folds": 2, "traces": [1, 2],
        "algorithms": ["nsam"], "setting": [{"name": "plain"}], 
        "domain": [{"name": "farmland", "generate": "farmland", "problems": 10}]}}"#;
    fs::write(folder.join("experiment.json"), config).unwrap();
    let summary = "domain,setting,algorithm,traces,assumption,metric,folds,mean,half_width_95\n\
        farmland,plain,nsam,1,holds,semantic_precision,2,1,0\n\
        farmland,plain,nsam,1,holds,semantic_recall,3,0.1275,0.01\n\
        farmland,plain,nsam,2,holds,semantic_precision,2,1,0\n\
        farmland,plain,nsam,2,holds,semantic_recall,2,0.03125,6.35\n\
        farmland,plain,nsam,2,holds,precondition_precision,2,0.9999,0.2\n";
    fs::write(folder.join("summary.csv"), summary).unwrap();
    fs::write(
        folder.join("assumptions.csv"),
        "domain,setting,assumption,refuted_by\nfarmland,plain,holds,\n",
    )
    .unwrap();
    let failures = "domain,setting,algorithm,traces,fold,error\nfarmland,plain,nsam,2,1,\"it \
                    broke, <badly>\"\n";
    fs::write(folder.join("failures.csv"), failures).unwrap();
}

/// Every `data-mean` on a page, and what is shown for it.
fn shown(page: &str) -> Vec<(String, String)> {
    let cell = |part: &str| {
        let mean = part.split('"').next().unwrap().to_owned();
        let (_, rest) = part.split_once("<span class=\"ours\">").unwrap();
        (mean, rest.split('<').next().unwrap().replace("&lt;", "<").replace("&gt;", ">"))
    };
    page.split("data-mean=\"").skip(1).map(cell).collect()
}

/// A page without its section on learning times, which are by the clock.
fn without_times(page: &str) -> String {
    let (before, rest) = page.split_once("<section id=\"times\">").unwrap();
    before.to_owned() + rest.split_once("</div></section>").unwrap().1
}

/// A folder with the results of many learners, made up.
fn many_learners(folder: &Path) {
    by_hand(folder);
    let words = ["nsam", "nsam-star", "planminer", "mine"];
    let config = r#"{"version": "0.0",
        "config": {"title": "Many", "seed": 1, "folds": 2, "traces": [1, 5, 8],
        "algorithms": ["nsam", "nsam-star", "planminer", "mine", "broken"],
        "setting": [{"name": "plain"}],
        "learner": [{"name": "mine", "command": "mine {domain} {traces} {out}"}, 
                    {"name": "broken", "command": "p {domain} {traces} {out}"}],
        "planning": {"planners": ["fast+slow", "builtin"], "time-limit": 3},
        "domain": [{"name": "farmland", "generate": "farmland", "problems": 10}]}}"#;
    fs::write(folder.join("experiment.json"), config).unwrap();
    let mut summary =
        "domain,setting,algorithm,traces,assumption,metric,folds,mean,half_width_95\n".to_owned();
    let mut timings =
        "domain,setting,algorithm,traces,fold,learn_seconds,evaluate_seconds,plan_seconds\n"
            .to_owned();
    for (index, word) in words.iter().enumerate() {
        let standing = if index < 2 { "holds" } else { "refuted" };
        let (failing, inapplicable) = if index < 2 { (0, 0.0) } else { (50, 0.25 * index as f64) };
        for traces in [1, 5, 8] {
            let mut row = |metric: &str, mean: String| {
                summary +=
                    &format!("farmland,plain,{word},{traces},{standing},{metric},2,{mean},0\n");
            };
            for metric in [
                "precondition_precision",
                "effect_recall",
                "semantic_precision",
                "semantic_recall",
                "mse",
            ] {
                row(metric, format!("0.{}", 2 + index));
            }
            row("steps_allowed", "200".into());
            row("steps_failing", failing.to_string());
            row("steps_elsewhere", "0".into());
            for planner in ["fast+slow", "builtin"] {
                row(&format!("solved:{planner}"), "0.5".into());
                row(&format!("inapplicable:{planner}"), inapplicable.to_string());
            }
            timings += &format!(
                "farmland,plain,{word},{traces},0,0.0{traces},1,1\n\
                 farmland,plain,{word},{traces},1,0.0{traces},1,1\n"
            );
        }
    }
    fs::write(folder.join("summary.csv"), summary).unwrap();
    fs::write(folder.join("timings.csv"), timings).unwrap();
    let sizes = "domain,actions,numeric_actions,predicates,functions,numeric_preconditions,\
                 numeric_effects,max_literals,max_functions\n\
        farmland,2,2,1,2,\"1.0 (1,1)\",\"2.5 (3,2)\",4,2\n";
    fs::write(folder.join("domains.csv"), sizes).unwrap();
    let assumptions = "domain,setting,algorithm,assumption,refuted_by\nfarmland,plain,nsam,holds,\n\
                       farmland,plain,nsam-star,refuted,it\n\
        farmland,plain,planminer,refuted,nothing\nfarmland,plain,mine,refuted,nothing\n";
    fs::write(folder.join("assumptions.csv"), assumptions).unwrap();
}

#[test]
fn many_learners_stand_side_by_side_with_the_papers_numbers_and_those_without_a_promise_are_marked()
{
    let temporary = tempfile::tempdir().unwrap();
    many_learners(temporary.path());
    let output = surefoot(&["report", temporary.path().to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    let markdown = text(&temporary.path().join("report/tables.md"));
    let holds = |line: &str| assert!(markdown.contains(line), "{line}\n{markdown}");
    holds("| traces | N-SAM | N-SAM* | PlanMiner (NOT SAFE) | mine (NOT SAFE) |");
    // Table 7: the rows of one, five and eight traces; Table 5 has its last row at seven.
    holds("**Farmland: precision, of the test steps that are allowed, the share that works**");
    holds("| 1 | 0.20 (1.00 ≠) | 0.30 (1.00 ≠) | 0.40 (0.95 ≠) | 0.50 |");
    holds("| 8 | 0.20 (0.21) | 0.30 (0.21 ≠) | 0.40 (0.90 ≠) | 0.50 |");
    holds("| 8 | 0.20 (0.50″ ≠) | 0.30 (0.50″ ≠) | 0.40 (0.00″ ≠) | 0.50 |");
    // Table 10 and Table 2.
    holds(
        "**fast+slow: share of the test problems with a plan that cannot be executed, over all \
         numbers of traces**",
    );
    holds("| Farmland | 0 % | 0 % | 50 % (75 % ≠) | 75 % |");
    holds(
        "| Farmland | 2 (2) | 2 (2) | 1 (1) | 2 (2) | 1.0 (1,1) (1.0 (1,1)) | 2.5 (3,2) (2.5 \
         (3,2)) | 4 (4) | 2 (3 ≠) |",
    );
    // What an unsafe model allows: 50 of 200 steps in each of two folds.
    holds("| Farmland | 0 % of 400 | 0 % of 400 | 25 % of 400 | 25 % of 400 |");
    let page = text(&temporary.path().join("report.html"));
    for section in ["effectiveness", "unsafe", "sizes", "times"] {
        assert!(page.contains(&format!("<section id=\"{section}\">")), "{section}");
    }
    assert!(
        page.contains("precision of the safe learners, at worst")
            && page.contains("Recall of the safe learners with the most")
    );
    assert!(
        page.contains(
            "of 2 combinations of a domain, a setting and a safe learner, 1 holds and 1 is refuted."
        ),
        "{page}"
    );
    assert!(
        page.contains("nothing to check in 2 combinations more.")
            && page.contains(">nothing promised<"),
        "{page}"
    );
    assert!(
        page.contains(
            "<p class=\"lead\">N-SAM, N-SAM*, PlanMiner (NOT SAFE) and mine (NOT SAFE) learned"
        ),
        "{page}"
    );
    assert!(
        page.contains("PlanMiner (NOT SAFE) promises nothing")
            && page.contains("The paper, Figure 5:"),
        "{page}"
    );
    for figure in [
        "farmland-coverage-fast_slow.svg",
        "farmland-coverage-builtin.svg",
        "farmland-learning-time.svg",
    ] {
        assert!(
            text(&temporary.path().join("report/figures").join(figure)).contains("mine (NOT SAFE)"),
            "{figure}"
        );
    }
    assert!(
        text(&temporary.path().join("report/figures/farmland-learning-time.svg"))
            .contains("N-SAM: 80 ms with 8 traces")
    );
    assert!(text(&temporary.path().join("report/tables.tex")).contains("0.50$''$ $\\neq$"));
}

/// The page and the tables of a folder made by hand, after a change to its configuration and one to
/// its summary.
fn reported(config: (&str, &str), summary: (&str, &str)) -> [String; 3] {
    let temporary = tempfile::tempdir().unwrap();
    by_hand(temporary.path());
    for (file, (from, to)) in [("experiment.json", config), ("summary.csv", summary)] {
        let file = temporary.path().join(file);
        assert!(text(&file).contains(from), "{from}");
        fs::write(&file, text(&file).replace(from, to)).unwrap();
    }
    let output = surefoot(&["report", temporary.path().to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    ["report.html", "report/tables.md", "report/tables.tex"]
        .map(|file| text(&temporary.path().join(file)))
}

#[test]
fn safety_is_said_of_exact_comparisons_and_a_tolerance_wherever_there_is_one() {
    let exact = ("\"seed\": 1", "\"seed\": 1");
    let loose = ("\"seed\": 1", "\"seed\": 1, \"test\": {\"tolerance\": \"0.1\"}");
    let (precise, imprecise) =
        (("precision,2,1,0", "precision,2,1,0"), ("precision,2,1,0", "precision,2,0.75,0"));
    for (config, summary, said) in [
        (exact, precise, "precision is exactly 1, in all 2 means"),
        (exact, imprecise, "A safe learner must not do that"),
        (loose, precise, "precision is 1 with comparisons within 0.1, in all 2 means"),
        (
            loose,
            imprecise,
            "Precision is 0.75 in Farmland (plain, N-SAM, 1 traces): with a tolerance that is \
             possible; safety is",
        ),
    ] {
        let files = reported(config, summary);
        assert!(files[0].contains(said), "{said}\n{}", files[0]);
        assert_eq!(files[0].contains("must not do that"), said.contains("must not do that"));
        for file in files {
            assert_eq!(file.contains("missed by at most 0.1"), config == loose, "{file}");
        }
    }
}

/// A block of a document after a heading, by its language.
fn block(document: &str, heading: &str, language: &str) -> String {
    let (_, part) = document.split_once(heading).unwrap_or_else(|| panic!("there is no {heading}"));
    let (_, rest) = part.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[test]
fn a_learner_of_ones_own_stands_beside_ours_as_the_documents_say() {
    let document = text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/experiments.md"));
    let heading = "## Your own learner beside ours";
    let temporary = tempfile::tempdir().unwrap();
    fs::write(temporary.path().join("my-learner.sh"), block(&document, heading, "sh")).unwrap();
    fs::write(temporary.path().join("mine.toml"), block(&document, heading, "toml")).unwrap();
    for arguments in
        [&["experiment", "mine.toml", "-o", "results", "--quiet"][..], &["report", "results"]]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        let output = command
            .args(arguments)
            .current_dir(temporary.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let markdown = text(&temporary.path().join("results/report/tables.md"));
    assert!(markdown.contains("| traces | N-SAM | N-SAM* | mine (NOT SAFE) |"), "{markdown}");
    // Farmland in the paper: N-SAM* has a recall of 0.16 with five traces (Table 7); this learner
    // allows everything.
    let recall = markdown.split("Farmland: recall").nth(1).unwrap_or_default();
    let row = recall.lines().find(|line| line.starts_with("| 5 |")).unwrap_or_default();
    assert!(row.matches("(0.16").count() == 2 && row.ends_with("| 1.00 |"), "{row}");
    let page = text(&temporary.path().join("results/report.html"));
    assert!(
        page.contains("What an unsafe model allows") && page.contains("The real world refuses it:")
    );
    assert!(page.contains(" is needed, but "), "the violated condition is said");
}

#[test]
fn a_folder_made_by_hand_gives_its_numbers_and_the_papers_beside_them() {
    let temporary = tempfile::tempdir().unwrap();
    by_hand(temporary.path());
    let output = surefoot(&["report", temporary.path().to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    let page = text(&temporary.path().join("report.html"));
    let cells = shown(&page);
    for expected in [("0.1275", "0.13"), ("0.03125", "0.03"), ("0.9999", ">0.99"), ("1", "1.00")] {
        let found = cells
            .iter()
            .find(|(mean, _)| mean == expected.0)
            .unwrap_or_else(|| panic!("{}", expected.0));
        assert_eq!(found.1.replace("&gt;", ">"), expected.1);
    }
    assert!(page.contains("it broke, &lt;badly&gt;"), "what failed is said, and escaped");
    let markdown = text(&temporary.path().join("report/tables.md"));
    // Farmland in the paper: N-SAM has a recall of 0.00 with one trace and of 0.03 with two (Table
    // 7). An interval of two folds is not shown.
    assert!(markdown.contains("| 1 | 1.00 (1.00) | 0.13 ±0.01 (0.00 ≠) | – |"), "{markdown}");
    assert!(markdown.contains("| 2 | 1.00 (1.00) | 0.03 (0.03) | – |"), "{markdown}");
    assert!(text(&temporary.path().join("report/tables.tex")).contains("$\\pm$0.01"));
    assert!(text(&temporary.path().join("report/figures/farmland-recall.svg")).contains("<title"));
}

#[test]
fn what_cannot_be_reported_is_said_with_what_to_do() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("results");
    assert!(error(&folder).contains("there is no such folder"));
    fs::create_dir(&folder).unwrap();
    assert!(error(&folder).contains("holds no experiment"));
    by_hand(&folder);
    fs::write(folder.join("experiment.json"), "{").unwrap();
    assert!(error(&folder).contains("experiment.json is damaged"));
    by_hand(&folder);
    fs::remove_file(folder.join("summary.csv")).unwrap();
    assert!(error(&folder).contains("goes on where it was"));
    by_hand(&folder);
    let head = "domain,setting,algorithm,traces,assumption,metric,folds,mean,half_width_95\n";
    fs::write(
        folder.join("summary.csv"),
        format!("{head}farmland,plain,nsam,1,holds,semantic_recall,2,many,0\n"),
    )
    .unwrap();
    assert!(error(&folder).contains("summary.csv:2: expected numbers"));
    fs::write(folder.join("summary.csv"), format!("{head}farmland,plain\n")).unwrap();
    assert!(error(&folder).contains("summary.csv: CSV"), "{}", error(&folder));
    by_hand(&folder);
    fs::write(folder.join("cells/farmland--plain--nsam--0002--0.json"), "{").unwrap();
    assert!(error(&folder).contains("0002--0.json is damaged"));
    fs::remove_file(folder.join("cells/farmland--plain--nsam--0002--0.json")).unwrap();
    fs::write(folder.join("summary.csv"), head).unwrap();
    fs::write(folder.join("failures.csv"), "domain,setting,algorithm,traces,fold,error\n").unwrap();
    assert!(error(&folder).contains("has no results"));
}

#[test]
fn every_number_on_the_page_is_in_the_summary_and_the_same_results_give_the_same_bytes() {
    let temporary = tempfile::tempdir().unwrap();
    let path = |name: &str| temporary.path().join(name);
    fs::write(path("config.toml"), CONFIG).unwrap();
    for results in ["one", "two"] {
        let output = surefoot(&[
            "experiment",
            path("config.toml").to_str().unwrap(),
            "-o",
            path(results).to_str().unwrap(),
            "--quiet",
        ]);
        assert!(output.status.success(), "{output:?}");
        assert!(surefoot(&["report", "--quiet", path(results).to_str().unwrap()]).status.success());
    }
    let figures = [
        "report/figures/farmland-coverage.svg",
        "report/figures/farmland-plain-nsam-move-slow-1.svg",
    ];
    for name in ["report/tables.md", "report/tables.tex"].into_iter().chain(figures) {
        assert_eq!(text(&path("one").join(name)), text(&path("two").join(name)), "{name}");
    }
    let page = text(&path("one/report.html"));
    assert!(page.contains("<section id=\"times\">"));
    assert_eq!(
        without_times(&page),
        without_times(&text(&path("two/report.html"))),
        "all but clocks is the same"
    );
    let means: BTreeSet<String> = text(&path("one/summary.csv"))
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(7).unwrap().to_owned())
        .collect();
    let cells = shown(&page);
    assert!(cells.len() > 100, "{}", cells.len());
    for (mean, shown) in &cells {
        assert!(means.contains(mean), "{mean} is not in the summary");
        let value: f64 = mean.parse().unwrap();
        match shown.as_str() {
            ">0.99" => assert!((0.995..1.0).contains(&value)),
            "<0.01" => assert!(value > 0.0 && value < 0.005),
            other => assert!(
                (other.parse::<f64>().unwrap() - value).abs() <= 0.005 + 1e-12,
                "{mean} as {other}"
            ),
        }
    }
    assert!(page.contains("<h1>Small &amp; sound</h1>"));
    // Models: conditions in words, points, and what is refused.
    assert!(
        page.contains("adj(f1, f2) is true")
            && page.contains("class=\"seen\"")
            && page.contains("class=\"refused\"")
    );
    assert!(
        !page.contains("http://")
            || page.matches("http://").count()
                == page.matches("http://www.w3.org/2000/svg").count()
    );
    assert!(
        !page.contains("https://") && !page.contains("<script") && !page.contains("@import"),
        "nothing from elsewhere"
    );
}

#[test]
fn the_page_can_be_put_elsewhere() {
    let temporary = tempfile::tempdir().unwrap();
    let (folder, page) = (temporary.path().join("results"), temporary.path().join("pages"));
    by_hand(&folder);
    fs::create_dir(&page).unwrap();
    let output = surefoot(&[
        "report",
        folder.to_str().unwrap(),
        "-o",
        page.join("mine.html").to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{output:?}");
    assert!(
        page.join("mine.html").exists()
            && page.join("mine/tables.md").exists()
            && !folder.join("report.html").exists()
    );
}
