//! When two words name the same thing, and which names PDDL can have.
//!
//! One rule holds for cells, for names in the names of columns, for files beside the log, for
//! readings and for episodes: two words name the same thing if they are equal, once blanks around
//! them are gone, numbers of JSON are written in one way ([`number`]) and the map's `names` are
//! applied ([`Spellings`]). Words that are not equal but [alike](alike) are never taken for two
//! things in silence.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use rustc_hash::FxHashMap;
use surefoot_base::exact::Rational;

use crate::table::{Cell, is_digits};

/// What the map's `names` make of words.
#[derive(Clone, Debug, Default)]
pub struct Spellings(FxHashMap<Box<str>, SpellingEntry>);

/// What a word stands for, and whether it was met.
#[derive(Debug)]
struct SpellingEntry {
    meant: Box<str>,
    is_met: AtomicBool,
}

impl Clone for SpellingEntry {
    fn clone(&self) -> Self {
        SpellingEntry {
            meant: self.meant.clone(),
            is_met: AtomicBool::new(self.is_met.load(Relaxed)),
        }
    }
}

impl Spellings {
    /// One word stands for another from now on; false where it stood for one before.
    pub fn add(&mut self, word: &str, meant: &str) -> bool {
        self.0
            .insert(
                word.into(),
                SpellingEntry { meant: meant.into(), is_met: AtomicBool::new(false) },
            )
            .is_none()
    }

    /// The words that stand for others, with these.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(word, spelling)| (&**word, &*spelling.meant))
    }

    /// Whether a cell has this word, once other spellings are replaced.
    pub fn is_word(&self, cell: Cell<'_>, word: &str) -> bool {
        cell != Cell::Missing && *self.of(cell) == *word
    }

    /// The words by which nothing has been called yet, in their order.
    pub fn unmet(&self) -> Vec<&str> {
        let unmet = self.0.iter().filter(|(_, spelling)| !spelling.is_met.load(Relaxed));
        let mut words: Vec<&str> = unmet.map(|(word, _)| &**word).collect();
        words.sort_unstable();
        words
    }

    fn find(&self, word: &str) -> Option<&str> {
        let spelling = self.0.get(word)?;
        spelling.is_met.store(true, Relaxed);
        Some(&spelling.meant)
    }

    /// Whether no word stands for another.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a word stands for another.
    pub fn contains(&self, word: &str) -> bool {
        self.0.contains_key(word)
    }

    /// The word that a cell is; empty where the cell is.
    pub fn of<'c>(&'c self, cell: Cell<'c>) -> Cow<'c, str> {
        match cell {
            Cell::Number(text) => match number(text) {
                Cow::Borrowed(text) => Cow::Borrowed(self.word(text)),
                Cow::Owned(text) => match self.find(&text) {
                    Some(meant) => Cow::Borrowed(meant),
                    None => Cow::Owned(text),
                },
            },
            cell => Cow::Borrowed(self.word(cell.text())),
        }
    }

    /// The word that a word stands for.
    pub fn word<'c>(&'c self, word: &'c str) -> &'c str {
        let word = word.trim();
        if self.0.is_empty() { word } else { self.find(word).unwrap_or(word) }
    }
}

/// The digits that a number is written with at most, before it is written with an exponent.
const PLAIN_DIGITS: i64 = 40;

/// A number, written in one way: equal numbers give equal texts, and others do not. `1`, `1.0` and
/// `1e0` are all `1`.
///
/// What is no number stays as it is.
pub fn number(text: &str) -> Cow<'_, str> {
    if !text.is_empty()
        && is_integer(text.strip_prefix('-').unwrap_or(text))
        && text != "-0"
        && text != "-"
    {
        return Cow::Borrowed(text);
    }
    decimal(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn decimal(text: &str) -> Option<String> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !is_digits(whole) || !(part.is_empty() || is_digits(part)) || mantissa.ends_with('.') {
        return None;
    }
    let digits = format!("{whole}{part}");
    let significant = digits.trim_end_matches('0');
    // The number is its digits, times ten to the power of this.
    let power = exponent
        .checked_sub(part.len() as i64)?
        .checked_add((digits.len() - significant.len()) as i64)?;
    let digits = significant.trim_start_matches('0');
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    let count = digits.len() as i64;
    Some(if power >= 0 && count.saturating_add(power) <= PLAIN_DIGITS {
        format!("{sign}{digits}{}", "0".repeat(power as usize))
    } else if (-PLAIN_DIGITS..0).contains(&power) {
        let point = count + power;
        let zeros = "0".repeat(usize::try_from(1 - point).unwrap_or(0));
        let padded = format!("{zeros}{digits}");
        let (whole, part) = padded.split_at(padded.len() - power.unsigned_abs() as usize);
        format!("{sign}{whole}.{part}")
    } else {
        format!("{sign}{digits}e{power}")
    })
}

/// A complaint about a word that looks like one for "there is no value", but is none of
/// [`MISSING`](crate::table::MISSING): `none`, `Null`, `n/a`.
pub fn looks_empty(word: &str) -> Option<String> {
    const LETTERS: [&str; 5] = ["nan", "na", "nat", "null", "none"];
    if word.len() > 8 {
        return None;
    }
    let letters: String = word
        .chars()
        .filter(|c| !c.is_ascii_punctuation())
        .map(|c| c.to_ascii_lowercase())
        .collect();
    LETTERS.contains(&letters.as_str()).then(|| {
        format!(
            "`{word}` looks like an empty cell, but is a word: leave the cell empty, or, if it is \
             a name, give it another one: names = {{ \
             \"{word}\" = \"the-{letters}\" }}"
        )
    })
}

/// Whether a character separates the parts of a word, and no more.
fn separates(c: char) -> bool {
    c.is_whitespace()
        || c.is_ascii_punctuation() && c != '/'
        || matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// What words have in common that look as if they named the same thing: letter case, blanks and
/// signs, zeros in front of numbers, and how letters beyond ASCII are written do not count. Signs
/// between two digits count as one, a minus in front of a number stays.
///
/// Words of which this is equal are alike.
pub fn alike(word: &str) -> String {
    if let Some(number) = decimal(word) {
        return number;
    }
    let mut key = String::with_capacity(word.len());
    let mut between: Vec<char> = Vec::new();
    let visible = word
        .chars()
        .filter(|c| !matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'));
    for c in visible {
        match c {
            // A letter with a mark of its own is a letter beyond ASCII.
            '\u{300}'..='\u{36f}' => {
                if between.is_empty() && key.pop().is_some() {
                    key.push('?');
                }
                continue;
            }
            // An escaped slash is a slash inside a part of an episode's name.
            c if separates(c) || c == '/' && between.last() == Some(&'\\') => {
                between.push(c);
                continue;
            }
            _ => {}
        }
        let after_digit = key.ends_with(|last: char| last.is_ascii_digit());
        if c.is_ascii_digit() {
            if after_digit && !between.is_empty() {
                key.push('-');
            }
            let is_minus = between.last().is_some_and(|&last| matches!(last, '-' | '\u{2212}'));
            if is_minus && (between.len() > 1 || key.is_empty()) {
                key.push('~');
            }
            // A zero in front of other digits does not count.
            let rest = key.trim_end_matches('0');
            if key.len() == rest.len() + 1
                && !rest.ends_with(|last: char| last.is_ascii_digit())
                && between.is_empty()
            {
                key.pop();
            }
        }
        between.clear();
        key.push(if c.is_ascii() { c.to_ascii_lowercase() } else { '?' });
    }
    key
}

/// What to do about two words that are alike.
pub fn alike_message(word: &str, other: &str, place: &str) -> String {
    format!(
        "`{word}` here and `{other}` ({place}) look alike: one thing or two? If one, write `names \
         = {{ \"{word}\" = \"{other}\" }}` at the top of the \
         map; if two, give one of them a name of its own there"
    )
}

/// Whether a word can be a name in PDDL as everyone reads it: a letter, then letters, digits, `-`
/// and `_`.
pub fn is_name(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// Whether digits are written as JSON writes them: with no zero before others.
fn is_integer(digits: &str) -> bool {
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'))
}

/// A word as a name in PDDL: what cannot stand there becomes `-`, and a letter comes first.
pub fn named(word: &str, prefix: &str) -> String {
    let name: String = word
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' })
        .collect();
    if is_name(&name) { name } else { format!("{prefix}-{name}") }
}

/// How the name of a type of chosen numbers ends where the map does not give it one.
pub const NUMBER_TYPE: &str = "-number";

/// How the names of the numbers of a type begin.
pub fn stem_of_numbers(type_name: &str) -> &str {
    type_name.strip_suffix(NUMBER_TYPE).filter(|stem| !stem.is_empty()).unwrap_or(type_name)
}

/// A chosen number as the name of an object: what stands for its type, then its digits, with `d`
/// for the decimal point. Different numbers of a type have different names.
pub fn name_of_chosen(type_name: &str, value: &Rational) -> String {
    let digits = value.to_string().replace('.', "d").replace('/', "s");
    format!("{}-{digits}", stem_of_numbers(type_name))
}

/// Adds the cell of one of several columns to the name of an episode: joined by `/`, and so that
/// other cells give another name.
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

/// Words that PDDL has a meaning for.
const RESERVED: [&str; 21] = [
    "and",
    "or",
    "not",
    "imply",
    "forall",
    "exists",
    "when",
    "either",
    "object",
    "number",
    "define",
    "domain",
    "problem",
    "increase",
    "decrease",
    "assign",
    "scale-up",
    "scale-down",
    "undefined",
    "minimize",
    "maximize",
];

/// Whether PDDL has a meaning for a word, so that nothing else can be called so.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(word))
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
        let pairs = [
            ["x/y", "z"],
            ["x", "y/z"],
            ["x\\", "y/z"],
            ["x\\/y", "z"],
            ["x", "\\y/z"],
            ["x/", "y\\/z"],
        ];
        let names: std::collections::BTreeSet<String> =
            pairs.iter().map(|pair| name(pair)).collect();
        assert_eq!(names.len(), pairs.len());
    }

    #[test]
    fn equal_numbers_have_one_name() {
        for (text, name) in [
            ("1", "1"),
            ("1.0", "1"),
            ("1e0", "1"),
            ("10E-1", "1"),
            ("-0", "0"),
            ("0.0", "0"),
            ("0e999999999999", "0"),
            ("-1.50", "-1.5"),
            ("0.05", "0.05"),
            ("5e-2", "0.05"),
            ("1e3", "1000"),
            ("9007199254740993", "9007199254740993"),
            ("9007199254740993.0", "9007199254740993"),
            ("1e400", "1e400"),
            ("10e399", "1e400"),
            ("1e-400", "1e-400"),
        ] {
            assert_eq!(number(text), name, "{text}");
        }
    }

    #[test]
    fn words_that_look_alike() {
        for words in [
            &[
                "P1",
                "p1",
                "p1_",
                " p1",
                "p-1",
                "p_1",
                "P 1",
                "P\u{a0}1",
                "p01",
                "p001",
                "p1\u{200b}",
            ][..],
            &["1", "01", "001", "1.0", "1e0", "+1"],
            &["SKU 10-1", "sku-10_1", "SKU10.1", "sku 10-01"],
            &["caf\u{e9}", "cafe\u{301}", "CAF\u{c9}"],
            &["a-1", "a\u{2212}1", "a\u{2011}1"],
        ] {
            for word in words {
                assert_eq!(alike(word), alike(words[0]), "{word}");
            }
        }
        let apart = [
            "p1", "p2", "p10", "p11", "p1-1", "1-11", "11-1", "111", "-1", "1", "0", "10", "x1y11",
            "x11y1", "1,-1", "1,1", "a/b", "ab",
        ];
        let keys: std::collections::BTreeSet<String> =
            apart.iter().map(|word| alike(word)).collect();
        assert_eq!(keys.len(), apart.len(), "{keys:?}");
    }

    #[test]
    fn words_become_names() {
        for (word, name) in [
            ("SKU-1004", "SKU-1004"),
            ("shelf a", "shelf-a"),
            ("7", "item-7"),
            ("", "item-"),
            ("ü(b)", "item---b-"),
        ] {
            assert_eq!(named(word, "item"), name);
        }
    }
}
