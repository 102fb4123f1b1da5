//! Reports as users make them: of whole, empty, missing and damaged folders; and the numbers on the page against the table.

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
    Command::new(env!("CARGO_BIN_EXE_surefoot")).args(arguments).stdin(Stdio::null()).output().unwrap()
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
    let config = r#"{"version": "0.0", "config": {"title": "By hand", "seed": 1, "folds": 2, "traces": [1, 2], "algorithms": ["nsam"],
        "setting": [{"name": "plain"}], "domain": [{"name": "farmland", "generate": "farmland", "problems": 10}]}}"#;
    fs::write(folder.join("experiment.json"), config).unwrap();
    let summary = "domain,setting,algorithm,traces,assumption,metric,folds,mean,half_width_95\n\
        farmland,plain,nsam,1,holds,semantic_precision,2,1,0\n\
        farmland,plain,nsam,1,holds,semantic_recall,2,0.1275,0.01\n\
        farmland,plain,nsam,2,holds,semantic_precision,2,1,0\n\
        farmland,plain,nsam,2,holds,semantic_recall,2,0.03125,\n\
        farmland,plain,nsam,2,holds,precondition_precision,2,0.9999,0.2\n";
    fs::write(folder.join("summary.csv"), summary).unwrap();
    fs::write(folder.join("assumptions.csv"), "domain,setting,assumption,refuted_by\nfarmland,plain,holds,\n").unwrap();
    let failures = "domain,setting,algorithm,traces,fold,error\nfarmland,plain,nsam,2,1,\"it broke, <badly>\"\n";
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

#[test]
fn a_folder_made_by_hand_gives_its_numbers_and_the_papers_beside_them() {
    let temporary = tempfile::tempdir().unwrap();
    by_hand(temporary.path());
    let output = surefoot(&["report", temporary.path().to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    let page = text(&temporary.path().join("report.html"));
    let cells = shown(&page);
    for expected in [("0.1275", "0.13"), ("0.03125", "0.03"), ("0.9999", ">0.99"), ("1", "1.00")] {
        let found = cells.iter().find(|(mean, _)| mean == expected.0).unwrap_or_else(|| panic!("{}", expected.0));
        assert_eq!(found.1.replace("&gt;", ">"), expected.1);
    }
    assert!(page.contains("it broke, &lt;badly&gt;"), "what failed is said, and escaped");
    let markdown = text(&temporary.path().join("report/tables.md"));
    // Farmland in the paper: N-SAM has a recall of 0.00 with one trace and of 0.03 with two (Table 7).
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
    fs::write(folder.join("summary.csv"), format!("{head}farmland,plain,nsam,1,holds,semantic_recall,2,many,0\n")).unwrap();
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
        let output =
            surefoot(&["experiment", path("config.toml").to_str().unwrap(), "-o", path(results).to_str().unwrap(), "--quiet"]);
        assert!(output.status.success(), "{output:?}");
        assert!(surefoot(&["report", "--quiet", path(results).to_str().unwrap()]).status.success());
    }
    let figures = ["report/figures/farmland-coverage.svg", "report/figures/farmland-plain-nsam-move-slow-1.svg"];
    for name in ["report.html", "report/tables.md", "report/tables.tex"].into_iter().chain(figures) {
        assert_eq!(text(&path("one").join(name)), text(&path("two").join(name)), "{name}");
    }
    let page = text(&path("one/report.html"));
    let means: BTreeSet<String> =
        text(&path("one/summary.csv")).lines().skip(1).map(|line| line.split(',').nth(7).unwrap().to_owned()).collect();
    let cells = shown(&page);
    assert!(cells.len() > 100, "{}", cells.len());
    for (mean, shown) in &cells {
        assert!(means.contains(mean), "{mean} is not in the summary");
        let value: f64 = mean.parse().unwrap();
        match shown.as_str() {
            ">0.99" => assert!((0.995..1.0).contains(&value)),
            "<0.01" => assert!(value > 0.0 && value < 0.005),
            other => assert!((other.parse::<f64>().unwrap() - value).abs() <= 0.005 + 1e-12, "{mean} as {other}"),
        }
    }
    assert!(page.contains("<h1>Small &amp; sound</h1>"));
    // Models: conditions in words, points, and what is refused.
    assert!(page.contains("adj(f1, f2) is true") && page.contains("class=\"seen\"") && page.contains("class=\"refused\""));
    assert!(!page.contains("http://") || page.matches("http://").count() == page.matches("http://www.w3.org/2000/svg").count());
    assert!(!page.contains("https://") && !page.contains("<script") && !page.contains("@import"), "nothing from elsewhere");
}

#[test]
fn the_page_can_be_put_elsewhere() {
    let temporary = tempfile::tempdir().unwrap();
    let (folder, page) = (temporary.path().join("results"), temporary.path().join("pages"));
    by_hand(&folder);
    fs::create_dir(&page).unwrap();
    let output = surefoot(&["report", folder.to_str().unwrap(), "-o", page.join("mine.html").to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    assert!(page.join("mine.html").exists() && page.join("mine/tables.md").exists() && !folder.join("report.html").exists());
}
