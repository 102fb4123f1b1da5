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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_names() {
        for (word, name) in
            [("SKU-1004", "SKU-1004"), ("shelf a", "shelf-a"), ("7", "item-7"), ("", "item-"), ("ü(b)", "item---b-")]
        {
            assert_eq!(named(word, "item"), name);
        }
    }
}
