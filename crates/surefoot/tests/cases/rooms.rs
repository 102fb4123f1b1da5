//! No two rooms of a crate need each other. Cargo forbids that between crates; this test, between
//! the top modules of each crate and between the rooms of `learn/`.
//!
//! A module names another by a path that begins with `crate::`, or leaves its room by `super::`.
//! Tests and comments do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What a room names of others, each with a file that does.
type Uses = BTreeMap<String, BTreeMap<String, PathBuf>>;

/// All Rust files below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The code of a file, without comments and what only tests compile.
pub fn code(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    let lines: Vec<&str> =
        before_tests.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    lines.join("\n")
}

/// The first names that follow a prefix: of `crate::a::b` and `crate::{a::{b}, c}`, `a` and `c`.
fn first_names(code: &str, prefix: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == ':') {
            continue;
        }
        let mut depth = 0;
        let mut word = String::new();
        // whether the word began right after the prefix, a brace or a comma at the first level
        let mut whole = true;
        for c in code[at + prefix.len()..].chars() {
            match c {
                _ if c.is_alphanumeric() || c == '_' => word.push(c),
                _ if c.is_whitespace() && word.is_empty() => {}
                _ => {
                    if whole && depth <= 1 && !word.is_empty() {
                        names.insert(std::mem::take(&mut word));
                    }
                    word.clear();
                    whole = (c == '{' && depth == 0) || (c == ',' && depth == 1);
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    if depth <= 0 && !c.is_whitespace() {
                        break;
                    }
                }
            }
        }
    }
    names
}

/// What the rooms under `folder` name of each other. `prefix` is the path of the folder's own
/// module.
fn uses(folder: &Path, prefix: &str) -> Uses {
    let rooms: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|room| !["lib", "main", "mod"].contains(&&**room))
        .collect();
    let mut uses = Uses::new();
    for file in files(folder) {
        let inside = file.strip_prefix(folder).unwrap();
        let room =
            inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
        if !rooms.contains(&room) || inside.iter().any(|part| part == "tests" || part == "tests.rs")
        {
            continue;
        }
        let code = code(&fs::read_to_string(&file).unwrap());
        // From `room/a.rs`, `super::super::x` is a room; from `room/mod.rs` and `room.rs`,
        // `super::x` is.
        let up = inside.components().count() - usize::from(inside.ends_with("mod.rs"));
        let mut named = first_names(&code, prefix);
        named.extend(first_names(&code, &"super::".repeat(up)));
        for name in named.into_iter().filter(|name| *name != room && rooms.contains(name)) {
            uses.entry(room.clone()).or_default().entry(name).or_insert_with(|| file.clone());
        }
    }
    uses
}

/// A cycle of rooms, if there is one.
fn cycle(uses: &Uses) -> Option<Vec<String>> {
    fn visit(
        room: &str,
        uses: &Uses,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(start) = path.iter().position(|on_path| on_path == room) {
            return Some(path[start..].to_vec());
        }
        if done.contains(room) {
            return None;
        }
        path.push(room.to_owned());
        let found = uses
            .get(room)
            .into_iter()
            .flat_map(BTreeMap::keys)
            .find_map(|next| visit(next, uses, path, done));
        path.pop();
        done.insert(room.to_owned());
        found
    }
    let mut done = BTreeSet::new();
    uses.keys().find_map(|room| visit(room, uses, &mut Vec::new(), &mut done))
}

/// Fails with the files that close a cycle.
fn assert_no_cycle(folder: &Path, prefix: &str) {
    let uses = uses(folder, prefix);
    if let Some(cycle) = cycle(&uses) {
        let next = cycle.iter().cycle().skip(1);
        let edges: Vec<String> = cycle
            .iter()
            .zip(next)
            .map(|(from, to)| format!("{from} names {to} in {}", uses[from][to].display()))
            .collect();
        panic!("rooms of {} need each other:\n{}", folder.display(), edges.join("\n"));
    }
}

#[test]
fn of_each_crate_need_no_one_that_needs_them() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for entry in fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path().join("src");
        let name = folder.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        // What a text means and how it is written know each other; the parts of a check and of a
        // search, their shared values.
        if !["surefoot-base", "surefoot-check", "surefoot-plan", "surefoot-py", "surefoot-measure"]
            .contains(&&*name)
        {
            assert_no_cycle(&folder, "crate::");
        }
    }
}

#[test]
fn are_found_in_any_form() {
    let code = code(
        "use crate::a; // crate::comment\nuse crate::{b::{c, d}, e,\n f}; mycrate::g(); \
         crate::h::<T>::i();",
    );
    let names: Vec<String> = first_names(&code, "crate::").into_iter().collect();
    assert_eq!(names, ["a", "b", "e", "f", "h"]);
    let uses = |list: &[(&str, &str)]| {
        let mut uses = Uses::new();
        for (from, to) in list {
            uses.entry((*from).to_owned()).or_default().insert((*to).to_owned(), PathBuf::new());
        }
        uses
    };
    assert_eq!(cycle(&uses(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    assert_eq!(cycle(&uses(&[("a", "b"), ("b", "c"), ("c", "b")])).unwrap(), ["b", "c"]);
}
