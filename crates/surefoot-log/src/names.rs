//! Names that PDDL can have.

/// Whether a word can be a name in PDDL as everyone reads it: a letter, then letters, digits, `-` and `_`.
pub fn is_name(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// A word as a name in PDDL: what cannot stand there becomes `-`, and a letter comes first.
pub fn named(word: &str, prefix: &str) -> String {
    let usable = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let name: String = word.chars().map(usable).collect();
    if is_name(&name) { name } else { format!("{prefix}-{name}") }
}

/// Adds the cell of one of several columns to the name of an episode: joined by `/`, and so that other cells give another name.
pub fn add_part(name: &mut String, part: &str, parts: usize) {
    if !name.is_empty() {
        name.push('/');
    }
    if parts > 1 && part.contains(['/', '\\']) {
        name.push_str(&part.replace('\\', "\\\\").replace('/', "\\/"));
    } else {
        name.push_str(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_episodes_stay_apart() {
        let name = |parts: &[&str]| {
            let mut name = String::new();
            parts.iter().for_each(|part| add_part(&mut name, part, parts.len()));
            name
        };
        assert_eq!((name(&["a", "b"]), name(&["a/b"])), ("a/b".to_owned(), "a/b".to_owned()));
        let pairs = [["x/y", "z"], ["x", "y/z"], ["x\\", "y/z"], ["x\\/y", "z"], ["x", "\\y/z"], ["x/", "y\\/z"]];
        let names: std::collections::BTreeSet<String> = pairs.iter().map(|pair| name(pair)).collect();
        assert_eq!(names.len(), pairs.len());
    }

    #[test]
    fn words_become_names() {
        for (word, name) in
            [("SKU-1004", "SKU-1004"), ("shelf a", "shelf-a"), ("7", "item-7"), ("", "item-"), ("ü(b)", "item---b-")]
        {
            assert_eq!(named(word, "item"), name);
        }
    }
}
