//! Colour: what a text is, made visible on a terminal. Streams drop it in pipes, with `NO_COLOR`
//! and with `--color never`.
//!
//! Texts are made plain, for files, tests and Python; colour is put on them where they are printed.

use anstyle::{AnsiColor, Style};

const BAD: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const CARE: Style = AnsiColor::Yellow.on_default().bold();
const ASIDE: Style = AnsiColor::Cyan.on_default();
const FRAME: Style = AnsiColor::Blue.on_default();
const HEADING: Style = Style::new().bold();

/// The words that verdicts begin with, and what they mean to the reader.
const VERDICTS: &[(&str, Style)] = &[
    ("valid", GOOD),
    ("accepted", GOOD),
    ("invalid", BAD),
    ("rejected", BAD),
    ("allowed", GOOD),
    ("forbidden", BAD),
    ("unknown", CARE),
];

/// The words that messages begin with.
const MESSAGES: &[(&str, Style)] = &[("error:", BAD), ("warning:", CARE), ("note:", ASIDE)];

fn painted(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// A heading, such as the first line of a table.
pub fn heading(text: &str) -> String {
    painted(HEADING, text)
}

/// A text whose first line is a heading.
pub fn headed(text: &str) -> String {
    match text.split_once('\n') {
        Some((first, rest)) => format!("{}\n{rest}", heading(first)),
        None => text.to_owned(),
    }
}

/// A text that begins with a verdict: its first word says it.
pub fn verdict(text: &str) -> String {
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    match VERDICTS.iter().find(|(word, _)| *word == &text[..end]) {
        Some((word, style)) => painted(*style, word) + &text[end..],
        None => text.to_owned(),
    }
}

/// Errors, warnings and notes, with the excerpts that they show.
pub fn message(text: &str) -> String {
    text.split_inclusive('\n').map(line).collect()
}

fn line(line: &str) -> String {
    if let Some((word, style)) = MESSAGES.iter().find(|(word, _)| line.starts_with(word)) {
        return painted(*style, word) + &line[word.len()..];
    }
    let inner = line.trim_start_matches([' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    let gutter = &line[..line.len() - inner.len()];
    let mark = ["--> ", "| ", "= "].into_iter().find(|mark| inner.starts_with(mark));
    let Some(mark) = mark.filter(|_| !gutter.is_empty()) else { return line.to_owned() };
    let rest = &inner[mark.len()..];
    let frame = painted(FRAME, &format!("{gutter}{}", mark.trim_end())) + " ";
    match rest.trim() {
        carets if !carets.is_empty() && carets.chars().all(|c| c == '^') => {
            let blank = rest.len() - rest.trim_start().len();
            format!("{frame}{}{}\n", &rest[..blank], painted(BAD, carets))
        }
        _ => frame + rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn colour_leaves_the_text_as_it_is() {
        let error = "error: unknown type `fram`\n --> d.pddl:4:38\n  |\n4 |   (a - fram)\n  \
                     |        ^^^^\n  = help: did you mean `farm`?\n";
        let message = message(error);
        assert_eq!(plain(&message), error);
        assert!(message.contains("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m"), "{message:?}");
        assert!(message.contains("\u{1b}[31m^^^^\u{1b}[0m"), "{message:?}");
        for text in ["valid: 3 steps\n", "invalid: 1 step", "validity", "", "rejected:\n- a\n"] {
            assert_eq!(plain(&verdict(text)), text);
        }
        assert_ne!(verdict("valid: 3 steps"), "valid: 3 steps");
        assert_eq!(verdict("validity"), "validity");
        assert_eq!(plain(&headed("a b\n1 2\n")), "a b\n1 2\n");
    }
}
