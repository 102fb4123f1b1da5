//! The documents of the repository: what they refer to is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn documents() -> Vec<PathBuf> {
    let files = |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_document = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    files(root()).chain(files(root().join("docs"))).filter(is_document).collect()
}

/// The targets of `[words](target)` and of `src="target"`.
fn targets(text: &str) -> Vec<&str> {
    let after = |mark: &str, end: char| -> Vec<&str> {
        text.split(mark).skip(1).filter_map(|rest| Some(&rest[..rest.find(end)?])).collect()
    };
    [after("](", ')'), after("src=\"", '"')].concat()
}

/// The anchors of a document's headings, as forges make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim());
    let letter = |letter: char| match letter {
        ' ' => Some('-'),
        _ if letter.is_alphanumeric() || letter == '-' || letter == '_' => {
            Some(letter.to_ascii_lowercase())
        }
        _ => None,
    };
    headings.map(|heading| heading.chars().filter_map(letter).collect()).collect()
}

#[test]
fn every_link_of_the_documents_leads_somewhere() {
    let mut links = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for target in targets(&text).into_iter().filter(|target| !target.contains("://")) {
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = if path.is_empty() {
                document.clone()
            } else {
                document.parent().unwrap().join(path)
            };
            assert!(path.exists(), "{} refers to {target}, which is not there", document.display());
            if !anchor.is_empty() {
                let there = anchors(&fs::read_to_string(&path).unwrap());
                assert!(
                    there.contains(anchor),
                    "{} refers to {target}: there is no such heading",
                    document.display()
                );
            }
            links += 1;
        }
    }
    assert!(links > 30, "only {links} links were found");
}

#[test]
fn every_page_can_be_reached_from_the_first() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let linked: BTreeSet<&str> = targets(&readme).into_iter().collect();
    for page in fs::read_dir(root().join("docs")).unwrap() {
        let name = format!("docs/{}", page.unwrap().file_name().to_string_lossy());
        assert!(linked.contains(name.as_str()), "the README does not refer to {name}");
    }
}

#[test]
fn the_version_is_the_same_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    let holds = |file: &str, words: String| {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert!(text.contains(&words), "{file} does not say {words:?}");
    };
    holds("CITATION.cff", format!("\nversion: {version}\n"));
    holds("CHANGELOG.md", format!("\n## [{version}] - "));
    holds(
        "Cargo.toml",
        format!("surefoot = {{ path = \"crates/surefoot\", version = \"{version}\" }}"),
    );
}

/// What stands between backticks, line by line.
fn quoted(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

fn is_path(word: &str) -> bool {
    let known = ["crates/", "experiments/", "scripts/", "docs/"];
    known.iter().any(|folder| word.starts_with(folder)) && !word.contains([' ', '*'])
}

#[test]
fn what_the_walk_through_the_paper_names_is_there() {
    let page = fs::read_to_string(root().join("docs/paper.md")).unwrap();
    let (mut files, mut names) = (0, 0);
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        // Names in brackets are of the file before them.
        let mut file = String::new();
        for word in quoted(row) {
            if is_path(word) {
                let path = root().join(word);
                assert!(path.exists(), "docs/paper.md names {word}, which is not there");
                file =
                    if path.is_file() { fs::read_to_string(path).unwrap() } else { String::new() };
                files += 1;
            } else if !file.is_empty()
                && word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            {
                let is_there = ["struct", "enum", "fn", "mod", "trait"]
                    .iter()
                    .any(|kind| file.contains(&format!("{kind} {word}")));
                assert!(
                    is_there || file.contains(&format!("\"{word}\"")),
                    "docs/paper.md names {word}, which is not in its file: {row}"
                );
                names += 1;
            }
        }
    }
    assert!(files > 30 && names > 25, "only {files} files and {names} names were found");
}

#[test]
fn every_command_of_the_documents_is_one() {
    let known = Command::new(env!("CARGO_BIN_EXE_surefoot")).arg("--help").output().unwrap();
    let known = String::from_utf8(known.stdout).unwrap();
    let mut commands = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        // Blocks are indented by four spaces; all else is prose, where commands stand between
        // backticks.
        let block = text.lines().filter_map(|line| line.strip_prefix("    surefoot "));
        let lines = block
            .chain(text.lines().flat_map(quoted).filter_map(|word| word.strip_prefix("surefoot ")));
        for line in lines {
            let verb = line.split([' ', '`']).next().unwrap_or_default();
            if verb.starts_with(|letter: char| letter.is_ascii_lowercase()) {
                let found =
                    known.lines().any(|help| help.trim_start().split(' ').next() == Some(verb));
                assert!(
                    found,
                    "{}: there is no command {verb:?} in `surefoot {line}`",
                    document.display()
                );
                commands += 1;
            }
        }
    }
    assert!(commands > 30, "only {commands} commands were found");
}
