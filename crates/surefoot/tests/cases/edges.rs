//! The edges between modules are those that ARCHITECTURE.md lists: no more, no fewer.
//!
//! An edge is a path that begins with `crate::` or leaves its module by `super::`, in a `use` or anywhere else, outside comments and
//! tests. The root of a crate, which knows all modules, is left out.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A path of a module or of something in it, without `crate`.
type Name = Vec<String>;

/// Where one module names something of another.
#[derive(Debug)]
struct Use {
    from: Name,
    to: Name,
    place: String,
}

/// The text with comments and literals blanked, so that what is left is code at the same places.
fn code_of(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut code = String::new();
    let mut at = 0;
    while at < characters.len() {
        let rest = &characters[at..];
        let length = match rest {
            ['/', '/', ..] => rest.iter().position(|&c| c == '\n').unwrap_or(rest.len()),
            ['/', '*', ..] => block_comment(rest),
            ['"', ..] => string(rest),
            ['r', '"' | '#', ..] if !code.ends_with(is_word) && raw_string(rest) > 0 => raw_string(rest),
            ['\'', '\\', ..] => 2 + rest[3..].iter().position(|&c| c == '\'').unwrap() + 2,
            ['\'', _, '\'', ..] => 3,
            _ => {
                code.push(rest[0]);
                at += 1;
                continue;
            }
        };
        code.extend(rest[..length].iter().map(|&c| if c == '\n' { c } else { ' ' }));
        at += length;
    }
    code
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
}

fn string(rest: &[char]) -> usize {
    let mut at = 1;
    while rest[at] != '"' {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// The length of the raw string that begins here, zero if none does.
fn raw_string(rest: &[char]) -> usize {
    let hashes = rest[1..].iter().take_while(|&&c| c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 0;
    }
    let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let body = &rest[2 + hashes..];
    2 + hashes + body.windows(end.len()).position(|window| window == end).unwrap() + end.len()
}

/// Blanks what is compiled for tests alone, and names the modules among it that are files.
fn without_tests(code: &str) -> (String, Vec<String>) {
    let mut kept = String::new();
    let mut files = Vec::new();
    let mut rest = code;
    while let Some(start) = rest.find("#[cfg(test)]") {
        kept.push_str(&rest[..start]);
        let item = &rest[start..];
        let end = item.find(['{', ';']).unwrap();
        let end = if item[end..].starts_with(';') { end + 1 } else { end + block(&item[end..]) };
        if let Some(file) = item[..end].split_whitespace().skip_while(|&word| word != "mod").nth(1) {
            files.extend(file.strip_suffix(';').map(str::to_owned));
        }
        kept.extend(item[..end].chars().map(|c| if c == '\n' { c } else { ' ' }));
        rest = &item[end..];
    }
    kept.push_str(rest);
    (kept, files)
}

/// The length of the block in braces that begins here.
fn block(code: &str) -> usize {
    let mut depth = 0;
    for (at, character) in code.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    panic!("a brace is not closed");
}

/// Reads paths and trees of paths, as in `use`.
struct Paths<'a> {
    code: &'a str,
    at: usize,
}

impl Paths<'_> {
    fn space(&mut self) {
        let rest = &self.code[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, symbol: &str) -> bool {
        self.space();
        let found = self.code[self.at..].starts_with(symbol);
        self.at += if found { symbol.len() } else { 0 };
        found
    }

    fn word(&mut self) -> &str {
        self.space();
        let rest = &self.code[self.at..];
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// What follows the segments of `path`, each whole path with the place where it ends.
    fn tree(&mut self, path: &mut Name, found: &mut Vec<(Name, usize)>) {
        if self.take("{") {
            while !self.take("}") {
                let depth = path.len();
                self.segment(path, found);
                path.truncate(depth);
                self.take(",");
            }
        } else if self.take("*") {
            found.push((path.clone(), self.at));
        } else {
            self.segment(path, found);
        }
    }

    fn segment(&mut self, path: &mut Name, found: &mut Vec<(Name, usize)>) {
        if self.code[self.at..].trim_start().starts_with(['{', '*']) {
            return self.tree(path, found);
        }
        let word = self.word().to_owned();
        if !word.is_empty() && word != "self" {
            path.push(word);
        }
        let here = self.at;
        if self.take("::") && !self.code[self.at..].trim_start().starts_with('<') {
            return self.tree(path, found);
        }
        self.at = here;
        found.push((path.clone(), here));
        if self.word() == "as" {
            self.word();
        } else {
            self.at = here;
        }
    }
}

/// All that the code of a module names by `crate::` or `super::`, without `crate`.
fn named(module: &[String], code: &str) -> Vec<(Name, usize)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate").chain(code.match_indices("super")) {
        let before = &code[..at];
        if before.ends_with(|c| is_word(c) || c == '$') || before.ends_with("super::") || before.ends_with("crate::") {
            continue;
        }
        let mut paths = Paths { code, at };
        let mut base = match paths.word() {
            "crate" => Vec::new(),
            "super" => module[..module.len() - 1].to_vec(),
            _ => continue,
        };
        while paths.take("::") {
            let here = paths.at;
            if paths.word() != "super" {
                paths.at = here;
                paths.tree(&mut base, &mut found);
                break;
            }
            base.pop();
        }
    }
    found
}

/// What modules under `folder` use of each other, by their first names.
fn uses(folder: &Path) -> Vec<Use> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), Vec::new())];
    while let Some((folder, module)) = open.pop() {
        let mut entries: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        let mut tests = Vec::new();
        let mut files = Vec::new();
        for path in entries {
            let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let name: Name = match &*stem {
                "lib" | "main" if module.is_empty() => continue,
                "mod" => module.clone(),
                _ => module.iter().cloned().chain([stem]).collect(),
            };
            if path.is_dir() {
                open.push((path, name));
            } else {
                let (code, of_tests) = without_tests(&code_of(&fs::read_to_string(&path).unwrap()));
                tests.extend(of_tests.into_iter().map(|test| name.iter().cloned().chain([test]).collect::<Name>()));
                files.push((path, name, code));
            }
        }
        for (path, from, code) in files {
            if tests.contains(&from) {
                continue;
            }
            for (to, at) in named(&from, &code) {
                if to.first() != from.first() {
                    let place = format!("{}:{}", path.display(), 1 + code[..at].matches('\n').count());
                    found.push(Use { from: from.clone(), to, place });
                }
            }
        }
    }
    found
}

fn name(text: &str) -> Name {
    text.trim().split("::").map(|part| part.trim().to_owned()).collect()
}

/// The lines of a list, `module -> modules`: what each module may name. A name may be that of a module inside another, or of anything
/// in it; `exact::{Rational, Row}` are two. A module that has a line of its own is not meant by the line of the one around it.
fn listed(list: &str) -> BTreeMap<Name, Vec<Name>> {
    let mut lines = BTreeMap::new();
    for line in list.lines().filter(|line| !line.trim().is_empty()) {
        let (from, to) = line.split_once("->").unwrap_or_else(|| panic!("no arrow in {line:?}"));
        let mut found = Vec::new();
        let mut paths = Paths { code: to, at: 0 };
        while !to[paths.at..].trim().is_empty() {
            paths.segment(&mut Vec::new(), &mut found);
            assert!(paths.take(",") || to[paths.at..].trim().is_empty(), "{line:?} is not understood");
        }
        let targets: Vec<Name> = found.into_iter().map(|(target, _)| target).collect();
        assert!(lines.insert(name(from), targets).is_none(), "{from:?} has two lines");
    }
    lines
}

/// What is used and not listed, and what is listed and not used, to be read.
fn differences(lines: &BTreeMap<Name, Vec<Name>>, uses: &[Use]) -> String {
    let mut told = String::new();
    let mut seen: BTreeMap<(&Name, &Name), usize> = BTreeMap::new();
    for (from, targets) in lines {
        for target in targets {
            if targets.iter().any(|other| other != target && target.starts_with(other)) {
                writeln!(told, "{} -> {}: a part of what the same line has", from.join("::"), target.join("::")).unwrap();
            }
            seen.insert((from, target), 0);
        }
    }
    for Use { from, to, place } in uses {
        let line = (1..=from.len()).rev().find_map(|depth| lines.get_key_value(&from[..depth]));
        let Some((owner, targets)) = line else {
            writeln!(told, "missing: {} -> {} ({place})", from[0], to.join("::")).unwrap();
            continue;
        };
        match targets.iter().find(|&target| to.starts_with(target)) {
            Some(target) => *seen.entry((owner, target)).or_default() += 1,
            None => writeln!(told, "missing: {} -> {} ({place})", owner.join("::"), to.join("::")).unwrap(),
        }
    }
    for ((from, target), _) in seen.into_iter().filter(|&(_, count)| count == 0) {
        writeln!(told, "stale: {} -> {} is nowhere used", from.join("::"), target.join("::")).unwrap();
    }
    told
}

/// The fenced list of that crate in ARCHITECTURE.md.
fn list_of(krate: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let text = fs::read_to_string(file).unwrap();
    let start = format!("```edges of {krate}\n");
    let (_, rest) = text.split_once(&start).unwrap_or_else(|| panic!("ARCHITECTURE.md has no list of edges of {krate}"));
    rest.split_once("```").unwrap().0.to_owned()
}

fn compare(krate: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(krate).join("src");
    let uses = uses(&folder);
    assert!(uses.len() > 20, "{} is not read", folder.display());
    let lines = listed(&list_of(krate));
    let mut told = differences(&lines, &uses);
    for module in lines.keys() {
        let path = module.iter().fold(folder.clone(), |path, part| path.join(part));
        if !path.is_dir() && !path.with_extension("rs").exists() {
            writeln!(told, "stale: there is no module {}", module.join("::")).unwrap();
        }
    }
    for entry in fs::read_dir(&folder).unwrap() {
        let module = entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
        if !["lib", "main"].contains(&&*module) && !lines.contains_key(std::slice::from_ref(&module)) {
            writeln!(told, "missing: {module} has no line").unwrap();
        }
    }
    assert!(told.is_empty(), "edges of {krate} that are not those of ARCHITECTURE.md, \"Edges\":\n{told}");
}

#[test]
fn of_the_library() {
    compare("surefoot");
}

#[test]
fn of_the_command() {
    compare("surefoot-cli");
}

#[test]
fn of_logs() {
    compare("surefoot-log");
}

/// The names that a module uses, in a text.
fn names_in(module: &str, text: &str) -> Vec<String> {
    let (code, _) = without_tests(&code_of(text));
    let mut names: Vec<String> = named(&name(module), &code).into_iter().map(|(name, _)| name.join("::")).collect();
    names.sort();
    names
}

#[test]
fn are_found_in_any_form() {
    let text = r##"
        //! [`crate::comment`] /* crate::comment */
        /* crate::one /* crate::two */ crate::three */
        use crate::a;
        use crate::b::{self, C, d::{E as F, G}, h::*};
        use super::sibling;
        use super::super::i::{J};
        pub(crate) fn f(x: &crate::k::L) -> Vec<crate::m::N<'static>> { crate::o::p::<u8>("crate::q", 'c', '\'', r#"crate::"r"#) }
        #[cfg(test)]
        mod tests { use crate::s; fn g() { {} } }
        macro_rules! m { () => { $crate::t } }
        fn supercrate() { mycrate::u(); supervise::v(); crates::w() }
    "##;
    let expected = ["a", "b", "b::C", "b::d::E", "b::d::G", "b::h", "i::J", "k::L", "m::N", "mine::sibling", "o::p"];
    assert_eq!(names_in("mine::inner", text), expected);
}

#[test]
fn differ_where_they_do() {
    let found = |from: &str, to: &str| Use { from: name(from), to: name(to), place: "here:1".into() };
    let lines = listed("check -> exact::{Rational, Row}, model\ncheck::region -> exact\nmodel ->\n");
    let right = [
        found("check::effects", "exact::Rational::ZERO"),
        found("check", "exact::Row"),
        found("check", "model::semantics"),
        found("check::region::deep", "exact::hull"),
    ];
    assert_eq!(differences(&lines, &right), "");
    let wrong = [found("check", "exact::hull"), found("model", "exact"), found("plan", "model"), found("check", "exact")];
    let told = differences(&lines, &wrong);
    let expected = "missing: check -> exact::hull (here:1)\nmissing: model -> exact (here:1)\nmissing: plan -> model (here:1)\n\
        missing: check -> exact (here:1)\nstale: check -> exact::Rational is nowhere used\nstale: check -> exact::Row is nowhere used\n\
        stale: check -> model is nowhere used\nstale: check::region -> exact is nowhere used\n";
    assert_eq!(told, expected);
}
