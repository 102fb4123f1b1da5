//! Messages about input that a person can act on: where, what, what was expected, in which
//! construct.

use std::fmt;
use std::ops::Range;

use super::source::Position;
use super::visible::visible;
use crate::invariant::BrokenInvariant;

/// The length of the longest message, in bytes.
const MAX_MESSAGE: usize = 400;

/// Something wrong with an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What is wrong, in a sentence.
    pub message: String,
    /// Where in the text it is.
    pub place: Box<SourcePlace>,
    /// The constructs around it, innermost first: "in the precondition of action drive".
    pub context: Vec<String>,
    /// What to do about it, where that is known.
    pub help: Option<String>,
}

/// A place in a file, with the part of the line that a message shows. Holds no reference to the
/// text, so that an error outlives a file of any size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourcePlace {
    /// The name of the file, made safe to show.
    pub file: Box<str>,
    /// Line and column; line 0 when the whole file is meant.
    pub position: Position,
    /// The line, or the part of it around the place.
    pub excerpt: String,
    /// The characters of the excerpt to underline.
    pub mark: Range<usize>,
}

impl Diagnostic {
    /// A message about a place. Messages quote words of the input, so a very long one is cut, and
    /// stays on one line.
    pub fn at(place: SourcePlace, message: impl Into<String>) -> Self {
        let mut message = visible(&message.into()).into_owned();
        if message.len() > MAX_MESSAGE {
            message.truncate(message.floor_char_boundary(MAX_MESSAGE));
            message.push('…');
        }
        Diagnostic { message, place: Box::new(place), context: Vec::new(), help: None }
    }

    /// A message about a file as a whole.
    pub fn of_file(file: &str, message: impl Into<String>) -> Self {
        let place = SourcePlace {
            file: visible(file).into(),
            position: Position { line: 0, column: 0 },
            excerpt: String::new(),
            mark: 0..0,
        };
        Diagnostic::at(place, message)
    }

    /// Adds what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a construct around it.
    pub fn context(mut self, context: impl Into<String>) -> Self {
        self.context.push(context.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show("error", f)
    }
}

impl Diagnostic {
    fn show(&self, kind: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SourcePlace { file, position, excerpt, mark } = &*self.place;
        write!(f, "{kind}: {}", self.message)?;
        let gutter = if position.line == 0 {
            write!(f, "\n --> {file}")?;
            String::new()
        } else {
            let number = position.line.to_string();
            let gutter = " ".repeat(number.len());
            write!(f, "\n{gutter}--> {file}:{}:{}", position.line, position.column)?;
            write!(f, "\n{gutter} |\n{number} | {excerpt}")?;
            write!(f, "\n{gutter} | {}{}", " ".repeat(mark.start), "^".repeat(mark.len()))?;
            gutter
        };
        for context in &self.context {
            write!(f, "\n{gutter} = {}", visible(context))?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n{gutter} = help: {}", visible(help))?;
        }
        Ok(())
    }
}

/// A flaw of an input that was read nevertheless. It says what was read instead. Whoever reads the
/// input shows it to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning(pub Diagnostic);

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.show("warning", f)
    }
}

/// All that was found wrong with one input; at least one message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The messages, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// How many more there were: a wrong file is wrong on every line.
    pub omitted: usize,
}

/// More messages than this help nobody.
pub(super) const MAX_MESSAGES: usize = 8;

impl ReadError {
    /// The messages in the order of the text, each once, the first few of them.
    pub fn new(mut diagnostics: Vec<Diagnostic>) -> Self {
        diagnostics.sort_by(|one, other| {
            (one.place.position, &one.message).cmp(&(other.place.position, &other.message))
        });
        diagnostics
            .dedup_by(|one, other| (&one.place, &one.message) == (&other.place, &other.message));
        let omitted = diagnostics.len().saturating_sub(MAX_MESSAGES);
        diagnostics.truncate(MAX_MESSAGES);
        ReadError { diagnostics, omitted }
    }
}

/// Whoever reads says so where the library itself fails.
impl From<BrokenInvariant> for Diagnostic {
    fn from(broken: BrokenInvariant) -> Self {
        Diagnostic::of_file("surefoot", broken.to_string())
    }
}

impl From<BrokenInvariant> for ReadError {
    fn from(broken: BrokenInvariant) -> Self {
        Diagnostic::from(broken).into()
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages: Vec<_> = self.diagnostics.iter().map(ToString::to_string).collect();
        f.write_str(&messages.join("\n\n"))?;
        match self.omitted {
            0 => Ok(()),
            1 => write!(f, "\n\nand one more error"),
            omitted => write!(f, "\n\nand {omitted} more errors"),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<Diagnostic> for ReadError {
    fn from(diagnostic: Diagnostic) -> Self {
        ReadError { diagnostics: vec![diagnostic], omitted: 0 }
    }
}

/// A "did you mean" for a name that is not among `known`.
pub fn did_you_mean<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    nearest(name, known).map(|best| format!("did you mean `{best}`?"))
}

/// The name among `known` that somebody who mistyped it may have meant.
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Comparing takes time quadratic in the length, and nobody mistypes a name as long as this.
    const LONG: usize = 100;
    if name.len() > LONG {
        return None;
    }
    let allowed = 1 + name.len() / 4;
    let folded = name.to_ascii_lowercase();
    let near = known.filter(|candidate| candidate.len().abs_diff(name.len()) <= allowed);
    let distances = near.map(|candidate| {
        (strsim::osa_distance(&folded, &candidate.to_ascii_lowercase()), candidate)
    });
    let (distance, best) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= allowed).then_some(best)
}

/// The message about a name that is given too many or too few arguments.
pub fn wrong_arity(name: &str, declared: usize, found: usize) -> String {
    let plural = if declared == 1 { "" } else { "s" };
    format!("`{name}` takes {declared} argument{plural}, found {found}")
}
