//! Text of others, made safe to show: nothing in it can steer a terminal, end a comment or hide
//! what follows.

use std::borrow::Cow;

/// Whether a character shows itself: no control character (line ends and tabs included), no line or
/// paragraph separator, no mark that changes the direction of writing.
pub fn is_visible(c: char) -> bool {
    let steers = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    !(c.is_control() || steers)
}

/// A text on one line, with every character that does not show itself written as `\n`, `\t` or
/// `\u{1b}`. Names of files and words of input go through this before they stand in a message, a
/// report or a comment.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_visible)
}

/// Like [`visible`], for text of several lines, as programs print it: line ends and tabs stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    let text: Cow<'_, str> =
        if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { text.into() };
    match text {
        Cow::Borrowed(text) => escaped(text, is_visible_in_lines),
        Cow::Owned(text) => escaped(&text, is_visible_in_lines).into_owned().into(),
    }
}

fn is_visible_in_lines(c: char) -> bool {
    matches!(c, '\n' | '\t') || is_visible(c)
}

fn escaped(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().all(&keep) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if keep(c) { shown.push(c) } else { shown.extend(c.escape_default()) }
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        assert_eq!(
            visible("a\n(b)\t\r\u{1b}[31mred\u{7f}\u{9b}2J"),
            r"a\n(b)\t\r\u{1b}[31mred\u{7f}\u{9b}2J"
        );
        assert_eq!(visible("\u{202e}txt.exe\u{2028}"), r"\u{202e}txt.exe\u{2028}");
        assert_eq!(
            visible_lines("one\r\ntwo\tthree\rfour\u{7}\n"),
            "one\ntwo\tthree\\rfour\\u{7}\n"
        );
    }

    #[test]
    fn plain_text_stays() {
        for text in ["", "traces/Prüfung 1 (neu)/日本.pddl", r"C:\new\traces"] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text), "{text}");
        }
        assert!(matches!(visible_lines("a\n\tb\n"), Cow::Borrowed(_)));
    }
}
