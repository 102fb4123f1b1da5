//! Reads nested lists of words. Nothing is copied: words are slices of the text.
//!
//! The tree is one flat array in text order, so that neither building nor dropping it recurses,
//! whatever the nesting.

use super::diagnostic::Diagnostic;
use super::source::{Source, Span};
use super::visible::is_visible;

/// Deeper nesting is refused, since readers of formulas recurse. People nest a dozen levels.
pub const MAX_DEPTH: usize = 400;

/// A text as nested lists of words.
pub struct Tree<'s> {
    source: &'s Source,
    nodes: Vec<Node>,
}

struct Node {
    span: Span,
    /// The index after this node's descendants.
    next: u32,
    list: bool,
}

/// A word or a list in a [`Tree`].
#[derive(Clone, Copy)]
pub struct Expr<'t> {
    tree: &'t Tree<'t>,
    index: u32,
}

/// A token of the text, comments and white space left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    /// `(`
    Open,
    /// `)`
    Close,
    /// Anything else up to white space, a parenthesis or a comment.
    Word,
}

/// Whether a byte ends a word.
pub fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b';') || byte.is_ascii_whitespace()
}

/// The first byte at or after `from` that is neither white space nor in a comment.
pub fn skip_blank(text: &[u8], mut from: usize) -> usize {
    while let Some(&byte) = text.get(from) {
        match byte {
            b';' => from += memchr::memchr(b'\n', &text[from..]).unwrap_or(text.len() - from),
            _ if byte.is_ascii_whitespace() => from += 1,
            // A byte-order mark, as editors on some systems put at the start.
            0xEF if from == 0 && text.starts_with(b"\xEF\xBB\xBF") => from += 3,
            _ => break,
        }
    }
    from
}

/// The token at or after a byte, with its place.
pub fn next_token(text: &[u8], from: usize) -> Option<(Token, Span)> {
    let start = skip_blank(text, from);
    let (token, length) = match *text.get(start)? {
        b'(' => (Token::Open, 1),
        b')' => (Token::Close, 1),
        _ => (
            Token::Word,
            text[start..].iter().position(|&byte| is_delimiter(byte)).unwrap_or(text.len() - start),
        ),
    };
    Some((token, (start..start + length).into()))
}

/// The first character of a word that does not show itself. Names are written again, into messages
/// and files, and must not do more there than name.
pub(super) fn invisible(word: &str) -> Option<char> {
    // Most words are ASCII, and the bytes of those are looked at alone.
    if word.bytes().all(|byte| byte.is_ascii_graphic()) {
        None
    } else {
        word.chars().find(|&c| !is_visible(c))
    }
}

/// The message about a word with a character that does not show itself.
pub(super) fn no_name(source: &Source, word: Span) -> Diagnostic {
    let text = source.slice(word);
    let code = invisible(text).map_or(0, u32::from);
    source
        .error(format!("`{text}` contains the control character U+{code:04X}"), word)
        .help("remove it from the file")
}

impl<'s> Tree<'s> {
    /// Reads a text that consists of one list.
    pub fn read(source: &'s Source) -> Result<Self, Diagnostic> {
        let text = source.text().as_bytes();
        let mut nodes: Vec<Node> = Vec::with_capacity(text.len() / 8);
        let mut open: Vec<u32> = Vec::new();
        let mut at = 0;
        while let Some((token, span)) = next_token(text, at) {
            at = span.end as usize;
            if open.is_empty() && !(nodes.is_empty() && token == Token::Open) {
                return Err(match (token, nodes.is_empty()) {
                    (Token::Close, false) => source
                        .error("this `)` closes nothing", span)
                        .help("there is one `)` too many before it, or here"),
                    (_, true) => source.error("expected `(`", span),
                    (_, false) => source
                        .error("expected the end of the file", span)
                        .help("a file holds one list, such as (define ...)"),
                });
            }
            let index = nodes.len() as u32;
            match token {
                Token::Open if open.len() == MAX_DEPTH => {
                    return Err(source
                        .error(format!("lists are nested deeper than {MAX_DEPTH} levels"), span));
                }
                Token::Open => {
                    nodes.push(Node { span, next: 0, list: true });
                    open.push(index);
                }
                Token::Word if invisible(source.slice(span)).is_some() => {
                    return Err(no_name(source, span));
                }
                Token::Word => nodes.push(Node { span, next: index + 1, list: false }),
                Token::Close => {
                    if let Some(list) = open.pop() {
                        let list = &mut nodes[list as usize];
                        list.next = index;
                        list.span.end = span.end;
                    }
                }
            }
        }
        match open.last() {
            None if nodes.is_empty() => {
                Err(Diagnostic::of_file(source.name(), "the file is empty"))
            }
            None => Ok(Tree { source, nodes }),
            Some(&list) => Err(source
                .error("this `(` is never closed", nodes[list as usize].span)
                .help("the file ends before its `)`; is it cut off?")),
        }
    }

    /// The text that was read.
    pub fn source(&self) -> &'s Source {
        self.source
    }

    /// The list that is the whole text.
    pub fn root(&self) -> Expr<'_> {
        Expr { tree: self, index: 0 }
    }
}

impl<'t> Expr<'t> {
    fn node(self) -> &'t Node {
        &self.tree.nodes[self.index as usize]
    }

    /// The part of the text that this expression takes.
    pub fn span(self) -> Span {
        self.node().span
    }

    /// The place of the opening parenthesis and the first word, which is enough to point at a long
    /// list.
    pub fn head_span(self) -> Span {
        match self.items().next() {
            Some(first) if first.word().is_some() => {
                (self.span().range().start..first.span().range().end).into()
            }
            _ => self.span(),
        }
    }

    /// The text of a word; `None` for a list.
    pub fn word(self) -> Option<&'t str> {
        (!self.is_list()).then(|| self.tree.source.slice(self.span()))
    }

    /// Whether this is a list.
    pub fn is_list(self) -> bool {
        self.node().list
    }

    /// The items of a list; none for a word.
    pub fn items(self) -> Items<'t> {
        let node = self.node();
        Items { tree: self.tree, next: self.index + 1, end: node.next }
    }

    /// The first word of a list.
    pub fn head(self) -> Option<&'t str> {
        self.items().next()?.word()
    }

    /// Whether this is the given word, in any letter case.
    pub fn is_word(self, word: &str) -> bool {
        self.word().is_some_and(|mine| mine.eq_ignore_ascii_case(word))
    }
}

/// The items of a list.
#[derive(Clone)]
pub struct Items<'t> {
    tree: &'t Tree<'t>,
    next: u32,
    end: u32,
}

impl<'t> Iterator for Items<'t> {
    type Item = Expr<'t>;

    fn next(&mut self) -> Option<Expr<'t>> {
        (self.next < self.end).then(|| {
            let item = Expr { tree: self.tree, index: self.next };
            self.next = item.node().next;
            item
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(expr: Expr<'_>) -> String {
        match expr.word() {
            Some(word) => word.to_owned(),
            None => format!("[{}]", expr.items().map(shape).collect::<Vec<_>>().join(" ")),
        }
    }

    #[test]
    fn lists_words_and_comments() {
        let source = Source::new("t", "\u{feff}; head\n(a (b c);x)\n () d)\t");
        assert_eq!(shape(Tree::read(&source).unwrap().root()), "[a [b c] [] d]");
    }

    #[test]
    fn broken_nesting_is_located() {
        let message = |text: &str| Tree::read(&Source::new("t", text)).map(|_| ()).unwrap_err();
        assert_eq!(message("(a (b)").place.position.column, 1);
        assert!(message("(a))").message.contains("closes nothing"));
        assert!(message("a").message.contains("expected `(`"));
        assert!(message("(a) b").message.contains("end of the file"));
        assert!(message(" ; nothing\n").message.contains("empty"));
        assert!(message(&"(".repeat(1_000_000)).message.contains("nested deeper"));
    }
}
