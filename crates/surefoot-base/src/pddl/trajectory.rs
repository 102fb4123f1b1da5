//! Reads trajectories as a stream of transitions, at the speed of the disk.
//!
//! Two dialects: `((:init ...) (operator: (a b)) (:state ...) ...)` and
//! `(:trajectory (:state ...) (:action (a b)) ...)`. A state lists what is true and the values of
//! functions; everything else is false or undefined, except what is listed as unknown:
//! `(unknown (f a))`, for facts and functions alike. An action that was tried and failed is
//! `(failed: (a b))` in the one dialect and `(:failed (a b))` in the other; no state follows, since
//! the world did not move. `(:reset ...)` is the state that the world was found in without a step
//! that would tell how it came there; what follows starts from it. Comments before the first
//! parenthesis that begin with [`ASSUMED`] say what was taken for granted when the trajectory was
//! made, a sentence each ([`assumed_by`]).
//!
//! States of one file repeat the same few hundred facts over and over, nearly in the same order. So
//! each fact is resolved once, and remembers which one followed it: where the text goes on with
//! that one, letter by letter, nothing is read at all. Else its text is the key of a table. Two
//! states are kept, whatever the length of the file.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::diagnostic::{Diagnostic, ReadError};
use super::ground::Resolver;
use super::number::{Numbers, quotient};
use super::sexpr::{Token, is_delimiter, next_token, skip_blank};
use super::source::{Position, Source, Span};
use super::visible::visible;
use crate::exact::Rational;
use crate::model::{
    AtomId, Attempt, Domain, Event, GroundAction, GroundAtom, Objects, State, Step, Universe,
    ValueId,
};

/// How a comment begins that says what was taken for granted when a trajectory was made.
pub(super) const ASSUMED: &str = "; assumed:";

/// The sentences in the comments of a trajectory that say what had to be assumed to make it. Whoever
/// learns from the trajectory assumes the same. They stand at its top, and editors may respell them:
/// `;; Assumed :` counts, wherever it stands.
pub fn assumed_by(trajectory: &str) -> BTreeSet<String> {
    // Trajectories are long and mostly have no such comment: the word is looked for first.
    let word = memchr::memmem::Finder::new("ssumed");
    let upper = memchr::memmem::Finder::new("SSUMED");
    let bytes = trajectory.as_bytes();
    let places = word.find_iter(bytes).chain(upper.find_iter(bytes));
    let sentences = places.filter_map(|place| {
        let start = memchr::memrchr(b'\n', &bytes[..place]).map_or(0, |end| end + 1);
        let line = trajectory.get(start..)?.lines().next()?;
        let (_, comment) = line.split_once(';')?;
        let comment = comment.trim_start_matches([';', ' ', '\t']);
        let (name, words) = comment.split_once(':')?;
        let is_assumed = name.trim().eq_ignore_ascii_case("assumed");
        is_assumed.then(|| visible(words.trim()).into_owned())
    });
    sentences.filter(|words| !words.is_empty()).collect()
}

/// One step of a trajectory.
#[derive(Clone, Copy, Debug)]
pub struct Transition<'r> {
    /// The state in which the action was taken.
    pub before: &'r State,
    /// The action that was taken.
    pub action: &'r GroundAction,
    /// The state that followed.
    pub after: &'r State,
    /// What numbers the atoms and functions of both states.
    pub universe: &'r Universe,
    source: &'r Source,
    span: Span,
}

impl<'r> Transition<'r> {
    /// The step itself, without its place in a file.
    pub fn step(&self) -> Step<'r> {
        Step {
            before: self.before,
            action: self.action,
            after: self.after,
            universe: self.universe,
        }
    }

    /// Where the action stands in the file.
    pub fn position(&self) -> Position {
        self.source.position(self.span.range().start)
    }

    /// A message about this transition.
    pub fn error(&self, message: impl Into<String>) -> Diagnostic {
        self.source.error(message, self.span)
    }
}

/// The next entry of a trajectory, with its place.
#[derive(Clone, Copy, Debug)]
pub struct TrajectoryEntry<'r> {
    /// A step, or an attempt that failed.
    pub event: Event<'r>,
    source: &'r Source,
    span: Span,
}

impl<'r> TrajectoryEntry<'r> {
    /// Where the action stands in the file.
    pub fn position(&self) -> Position {
        self.source.position(self.span.range().start)
    }

    /// A message about this entry.
    pub fn error(&self, message: impl Into<String>) -> Diagnostic {
        self.source.error(message, self.span)
    }
}

/// A whole trajectory in memory: `states.len() == actions.len() + 1`.
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    /// What numbers the atoms and functions of the states.
    pub universe: Universe,
    /// The states, the initial one first.
    pub states: Vec<State>,
    /// The actions between them.
    pub actions: Vec<GroundAction>,
    /// What was tried and failed, in the order it was tried: the number of the state, and the
    /// action.
    pub failures: Vec<(usize, GroundAction)>,
}

impl Trajectory {
    /// Reads a whole file. One in which the world moves without a step is refused: its states are
    /// not one sequence.
    pub fn read(
        source: &Source,
        domain: &Domain,
        objects: &Objects,
        numbers: Numbers,
    ) -> Result<Self, ReadError> {
        let mut reader = TrajectoryReader::new(source, domain, objects, numbers)?;
        let (mut states, mut actions, mut failures) =
            (vec![reader.state().clone()], Vec::new(), Vec::new());
        while let Some(entry) = reader.next_entry()? {
            match entry.event {
                Event::Worked(step) => {
                    actions.push(step.action.clone());
                    states.push(step.after.clone());
                }
                Event::Failed(attempt) => failures.push((actions.len(), attempt.action.clone())),
            }
        }
        if let Some(reset) = reader.reset {
            let message =
                "the world moves without a step here, so this is not one sequence of steps";
            return Err(source
                .error(message, reset)
                .help("`learn`, `assess` and `check` read such files, step by step")
                .into());
        }
        Ok(Trajectory { universe: reader.universe, states, actions, failures })
    }
}

/// Reads the transitions of a trajectory one after the other.
pub struct TrajectoryReader<'a> {
    resolver: Resolver<'a>,
    text: &'a [u8],
    numbers: Numbers,
    at: usize,
    universe: Universe,
    /// The items read until now, after a head that stands before the first item of every state.
    items: Vec<StateItem<'a>>,
    /// Items by the text of an atom, and by that of a function.
    atoms: FxHashMap<&'a [u8], usize>,
    functions: FxHashMap<&'a [u8], usize>,
    before: State,
    after: State,
    /// The facts that the last state lists as false, and where.
    denied: Vec<(GroundAtom, Span)>,
    action: Option<(GroundAction, Span)>,
    /// Where the world last moved without a step.
    reset: Option<Span>,
}

/// An item of a state as it was last read: an atom, or a function with its value.
struct StateItem<'a> {
    /// From the opening to the closing parenthesis.
    text: &'a [u8],
    fact: StateFact,
    /// The item that came after it; the head where none did.
    next: usize,
}

enum StateFact {
    Atom(AtomId),
    Value(ValueId, Rational),
    Unknown(Option<AtomId>, Option<ValueId>),
}

const HEAD: usize = 0;

/// What became of an action.
#[derive(Clone, Copy, PartialEq)]
enum EventKind {
    Worked,
    Failed,
}

impl<'a> TrajectoryReader<'a> {
    /// Opens a trajectory and reads its first state. `objects` are those of the problem it belongs
    /// to.
    pub fn new(
        source: &'a Source,
        domain: &'a Domain,
        objects: &'a Objects,
        numbers: Numbers,
    ) -> Result<Self, ReadError> {
        let mut reader = TrajectoryReader {
            resolver: Resolver { source, domain, objects },
            text: source.text().as_bytes(),
            numbers,
            at: 0,
            universe: Universe::default(),
            items: vec![StateItem { text: &[], fact: StateFact::Atom(0.into()), next: HEAD }],
            atoms: FxHashMap::default(),
            functions: FxHashMap::default(),
            before: State::default(),
            after: State::default(),
            denied: Vec::new(),
            action: None,
            reset: None,
        };
        reader.open()?;
        Ok(reader)
    }

    /// The last state read; at first the initial one.
    pub fn state(&self) -> &State {
        &self.after
    }

    /// What numbers the atoms and functions of all states of this file.
    pub fn universe(&self) -> &Universe {
        &self.universe
    }

    /// The next step that worked; `None` at the end of the file. Attempts that failed are passed
    /// over: [`Self::next_entry`] shows them.
    pub fn next_transition(&mut self) -> Result<Option<Transition<'_>>, ReadError> {
        loop {
            match self.advance()? {
                None => return Ok(None),
                Some(EventKind::Failed) => {}
                Some(EventKind::Worked) => break,
            }
        }
        let Some((action, span)) = &self.action else { return Ok(None) };
        Ok(Some(Transition {
            before: &self.before,
            action,
            after: &self.after,
            universe: &self.universe,
            source: self.resolver.source,
            span: *span,
        }))
    }

    /// The next entry of the trajectory; `None` at the end of the file.
    pub fn next_entry(&mut self) -> Result<Option<TrajectoryEntry<'_>>, ReadError> {
        let Some(kind) = self.advance()? else { return Ok(None) };
        let Some((action, span)) = &self.action else { return Ok(None) };
        let universe = &self.universe;
        let event = match kind {
            EventKind::Worked => {
                Event::Worked(Step { before: &self.before, action, after: &self.after, universe })
            }
            // The world is where it was after the last step that worked.
            EventKind::Failed => Event::Failed(Attempt { before: &self.after, action, universe }),
        };
        Ok(Some(TrajectoryEntry { event, source: self.resolver.source, span: *span }))
    }

    /// Reads on, up to the end of the next entry.
    fn advance(&mut self) -> Result<Option<EventKind>, ReadError> {
        loop {
            if let Some((Token::Close, close)) = next_token(self.text, self.at) {
                // The closing parenthesis is not passed, so that every further call finds the end
                // again.
                return match next_token(self.text, close.range().end) {
                    Some((_, extra)) => {
                        Err(self.error("expected the end of the file", extra).into())
                    }
                    None => Ok(None),
                };
            }
            self.expect(Token::Open, "`(operator: (ACTION ...))`")?;
            match next_token(self.text, self.at) {
                Some((Token::Word, word))
                    if self.resolver.source.slice(word).eq_ignore_ascii_case(":reset") =>
                {
                    self.at = word.range().end;
                    self.state_body()?;
                    self.reset = Some(word);
                }
                _ => break,
            }
        }
        let (kind, action, span) = self.action()?;
        self.action = Some((action, span));
        if kind == EventKind::Worked {
            std::mem::swap(&mut self.before, &mut self.after);
            self.expect(Token::Open, "`(:state ...)` after an action")?;
            self.keyword(&[":state"], "`(:state ...)` after an action")?;
            self.state_body()?;
        }
        Ok(Some(kind))
    }

    fn open(&mut self) -> Result<(), Diagnostic> {
        if next_token(self.text, 0).is_none() {
            return Err(Diagnostic::of_file(self.resolver.source.name(), "the file is empty"));
        }
        let expected = "a trajectory, `((:init ...) (operator: ...) (:state ...) ...)`";
        self.expect(Token::Open, expected)?;
        if let Some((Token::Word, word)) = next_token(self.text, self.at)
            && self.resolver.source.slice(word).eq_ignore_ascii_case(":trajectory")
        {
            self.at = word.range().end;
        }
        self.expect(Token::Open, expected)?;
        self.keyword(&[":init", ":state"], "`(:init ...)` or `(:state ...)`")?;
        self.state_body()
    }

    /// After the opening parenthesis: `operator: (a b c))` or `:action (a b c))`, with `failed`
    /// where it failed.
    fn action(&mut self) -> Result<(EventKind, GroundAction, Span), Diagnostic> {
        let expected = "`(operator: (ACTION ...))` or `(failed: (ACTION ...))`";
        let kind = match self.keyword(&["operator:", ":action", "failed:", ":failed"], expected)? {
            "operator:" | ":action" => EventKind::Worked,
            _ => EventKind::Failed,
        };
        let open = self.expect(Token::Open, "an action in parentheses")?;
        let close = self.end_of_words(open.range().end)?;
        let action = self.resolver.action((open.range().end..close).into())?;
        self.at = close + 1;
        self.expect(Token::Close, "`)`")?;
        Ok((kind, action, (open.range().start..close + 1).into()))
    }

    /// After `(:state`: the facts, and the closing parenthesis.
    fn state_body(&mut self) -> Result<(), Diagnostic> {
        self.after.clear();
        self.denied.clear();
        self.facts_of_state()?;
        match self.denied.iter().find(|(fact, _)| self.is_listed(fact)) {
            Some((_, span)) => {
                Err(self.error("this fact is listed as true in the same state", *span))
            }
            None => Ok(()),
        }
    }

    /// Whether the state read last has the fact.
    fn is_listed(&self, fact: &GroundAtom) -> bool {
        self.universe.find_atom(fact).is_some_and(|atom| self.after.contains(atom))
    }

    fn facts_of_state(&mut self) -> Result<(), Diagnostic> {
        let mut last = HEAD;
        loop {
            let start = skip_blank(self.text, self.at);
            let expected = self.items[last].next;
            if expected != HEAD && self.text[start..].starts_with(self.items[expected].text) {
                last = expected;
                self.at = start + self.items[last].text.len();
                self.assert(last)?;
                continue;
            }
            match self.text.get(start) {
                Some(b'(') => {
                    // `=` is nearly always right after the parenthesis.
                    let first = skip_blank(self.text, start + 1);
                    let is_value = self.text.get(first) == Some(&b'=')
                        && self.text.get(first + 1).is_some_and(|&b| is_delimiter(b));
                    let item = if is_value {
                        Some(self.value(start, first + 1)?)
                    } else {
                        self.atom(start)?
                    };
                    if let Some(item) = item {
                        self.items[last].next = item;
                        last = item;
                        self.assert(last)?;
                    }
                }
                Some(b')') => {
                    self.at = start + 1;
                    return Ok(());
                }
                Some(_) => {
                    let Some((_, span)) = next_token(self.text, start) else {
                        return Err(self.cut_off());
                    };
                    return Err(self
                        .error("expected a fact in parentheses", span)
                        .context("in a state"));
                }
                None => return Err(self.cut_off()),
            }
        }
    }

    /// Makes an item, which was just passed, true in the state.
    fn assert(&mut self, item: usize) -> Result<(), Diagnostic> {
        let StateItem { text, fact, .. } = &self.items[item];
        let denied = |what: &str| {
            let span = (self.at - text.len()..self.at).into();
            Err(self.resolver.source.error(format!("{what} in the same state"), span))
        };
        match fact {
            StateFact::Atom(atom) if self.after.is_atom_unknown(*atom) => {
                return denied("this fact is listed as unknown");
            }
            StateFact::Atom(atom) => self.after.insert(*atom),
            StateFact::Value(function, _) if self.after.is_value_unknown(*function) => {
                return denied("this function is listed as unknown");
            }
            StateFact::Unknown(Some(atom), _) if self.after.contains(*atom) => {
                return denied("this fact is listed as true");
            }
            StateFact::Unknown(_, Some(function)) if self.after.value(*function).is_some() => {
                return denied("this function has a value");
            }
            StateFact::Unknown(atom, function) => {
                atom.iter().for_each(|&atom| self.after.set_atom_unknown(atom));
                function.iter().for_each(|&function| self.after.set_value_unknown(function));
            }
            StateFact::Value(function, value) => {
                if self.after.value(*function).is_some_and(|earlier| earlier != value) {
                    return denied("this function has another value earlier");
                }
                self.after.set_value(*function, value.clone());
            }
        }
        Ok(())
    }

    /// `(p a)` or `(unknown (p a))`: its item. None for `(not (p a))`.
    fn atom(&mut self, open: usize) -> Result<Option<usize>, Diagnostic> {
        let close = self.parenthesis(open + 1)?;
        if self.text[close] == b'(' {
            return self.not_plain(open, close);
        }
        self.at = close + 1;
        let key = &self.text[open + 1..close];
        if let Some(&item) = self.atoms.get(key) {
            return Ok(Some(item));
        }
        let atom = self
            .resolver
            .atom((open + 1..close).into())
            .map_err(|error| error.context("in a state"))?;
        let fact = StateFact::Atom(self.universe.atom(&atom));
        self.atoms.insert(key, self.items.len());
        self.items.push(StateItem { text: &self.text[open..close + 1], fact, next: HEAD });
        Ok(Some(self.items.len() - 1))
    }

    /// `(not (p a))`, which says what the closed world says anyway, or `(unknown (p a))`, which has
    /// an item.
    fn not_plain(&mut self, open: usize, inner: usize) -> Result<Option<usize>, Diagnostic> {
        self.at = open + 1;
        let expected =
            "a fact such as `(p a)`, `(not (p a))`, `(= (f a) 1.0)` or `(unknown (f a))`";
        let keyword = self.keyword(&["not", "unknown"], expected)?;
        let close = self.end_of_words(inner + 1)?;
        let words: Span = (inner + 1..close).into();
        self.at = close + 1;
        let end = self.expect(Token::Close, "`)`")?.range().end;
        if keyword == "not" {
            let fact = self.resolver.atom(words).map_err(|error| error.context("in a state"))?;
            self.denied.push((fact, (open..end).into()));
            return Ok(None);
        }
        let key = &self.text[open + 1..end];
        if let Some(&item) = self.atoms.get(key) {
            return Ok(Some(item));
        }
        // A name may be that of a predicate and of a function; then nothing is known of either.
        let (atom, function) = match (self.resolver.atom(words), self.resolver.function(words)) {
            (Err(error), Err(_)) => return Err(error.context("in a state")),
            (atom, function) => (atom.ok(), function.ok()),
        };
        let atom = atom.map(|atom| self.universe.atom(&atom));
        let function = function.map(|function| self.universe.value(&function));
        self.atoms.insert(key, self.items.len());
        self.items.push(StateItem {
            text: &self.text[open..end],
            fact: StateFact::Unknown(atom, function),
            next: HEAD,
        });
        Ok(Some(self.items.len() - 1))
    }

    /// After `(=`: ` (f a) 1.0)`; its item.
    fn value(&mut self, open: usize, after: usize) -> Result<usize, Diagnostic> {
        let function_open = skip_blank(self.text, after);
        if self.text.get(function_open) != Some(&b'(') {
            let Some((_, span)) = next_token(self.text, after) else { return Err(self.cut_off()) };
            return Err(self
                .error("expected a function in parentheses", span)
                .context("in a state"));
        }
        let close = self.end_of_words(function_open + 1)?;
        let key = &self.text[function_open + 1..close];
        let item = match self.functions.get(key) {
            Some(&item) => item,
            None => {
                let span = (function_open + 1..close).into();
                let ground =
                    self.resolver.function(span).map_err(|error| error.context("in a state"))?;
                let fact = StateFact::Value(self.universe.value(&ground), Rational::ZERO);
                self.functions.insert(key, self.items.len());
                self.items.push(StateItem { text: &[], fact, next: HEAD });
                self.items.len() - 1
            }
        };
        let number = self.number(close + 1)?;
        let end = self.expect(Token::Close, "`)` after the value")?.range().end;
        self.items[item].text = &self.text[open..end];
        if let StateFact::Value(_, value) = &mut self.items[item].fact {
            *value = number;
        }
        Ok(item)
    }

    fn number(&mut self, from: usize) -> Result<Rational, Diagnostic> {
        let start = skip_blank(self.text, from);
        let end = start
            + self.text[start..]
                .iter()
                .position(|&byte| is_delimiter(byte))
                .unwrap_or(self.text.len() - start);
        if start == end {
            return self.quotient(start);
        }
        self.at = end;
        let number = self.numbers.read(self.resolver.source.slice((start..end).into()));
        number.map_err(|error| {
            self.error(error.to_string(), (start..end).into()).context("in a state")
        })
    }

    /// `(/ 1 3)`: how a value is written that no decimal is exact for.
    fn quotient(&mut self, start: usize) -> Result<Rational, Diagnostic> {
        self.at = start;
        self.expect(Token::Open, "a number")?;
        self.keyword(&["/"], "a number, or `(/ NUMBER NUMBER)`")?;
        let (dividend, divisor) = (self.exact_number()?, self.exact_number()?);
        let close = self.expect(Token::Close, "`)`")?;
        quotient(&dividend, &divisor)
            .map_err(|error| self.error(error.to_string(), (start..close.range().end).into()))
    }

    fn exact_number(&mut self) -> Result<Rational, Diagnostic> {
        let span = self.expect(Token::Word, "a number")?;
        Numbers::Exact
            .read(self.resolver.source.slice(span))
            .map_err(|error| self.error(error.to_string(), span))
    }

    /// The place of the `)` that ends a list of words.
    fn end_of_words(&self, from: usize) -> Result<usize, Diagnostic> {
        let place = self.parenthesis(from)?;
        if self.text[place] == b')' {
            return Ok(place);
        }
        Err(self.error("expected `)`, found a list", (place..place + 1).into()))
    }

    /// The place of the next parenthesis that is not in a comment.
    fn parenthesis(&self, mut from: usize) -> Result<usize, Diagnostic> {
        loop {
            match memchr::memchr3(b'(', b')', b';', &self.text[from..]) {
                None => return Err(self.cut_off()),
                Some(length) if self.text[from + length] == b';' => {
                    from = skip_blank(self.text, from + length)
                }
                Some(length) => return Ok(from + length),
            }
        }
    }

    fn expect(&mut self, wanted: Token, expected: &str) -> Result<Span, Diagnostic> {
        let Some((token, span)) = next_token(self.text, self.at) else {
            return Err(self.cut_off());
        };
        if token != wanted {
            return Err(self.error(format!("expected {expected}"), span));
        }
        self.at = span.range().end;
        Ok(span)
    }

    /// The next word, which must be one of these.
    fn keyword(
        &mut self,
        keywords: &[&'static str],
        expected: &str,
    ) -> Result<&'static str, Diagnostic> {
        let span = self.expect(Token::Word, expected)?;
        let word = self.resolver.source.slice(span);
        let found = keywords.iter().find(|keyword| keyword.eq_ignore_ascii_case(word));
        found.copied().ok_or_else(|| self.error(format!("expected {expected}"), span))
    }

    fn error(&self, message: impl Into<String>, span: Span) -> Diagnostic {
        self.resolver.source.error(message, span)
    }

    fn cut_off(&self) -> Diagnostic {
        self.error(
            "the file ends in the middle of a trajectory",
            (self.text.len()..self.text.len()).into(),
        )
        .help("a `)` is missing; is the file cut off?")
    }
}

#[cfg(test)]
mod tests {
    use super::super::domain::read_domain;
    use super::super::infer::infer_objects;
    use super::super::write::write_trajectory;
    use super::*;

    const DOMAIN: &str =
        "(define (domain d) (:types robot item) (:predicates (holds ?r - robot ?i \
                          - item) (wet ?i - item))
        (:functions (battery ?r - robot) (wet ?i - item)) (:action pick :parameters (?r - robot ?i \
                          - item)))";

    fn read(text: &str) -> Result<(Trajectory, String), ReadError> {
        let domain = read_domain(&Source::new("d", DOMAIN)).unwrap();
        let source = Source::new("t", text);
        let objects = infer_objects(&source, &domain)?;
        let trajectory = Trajectory::read(&source, &domain, &objects, Numbers::Exact)?;
        let written = write_trajectory(&domain, &objects, &trajectory);
        Ok((trajectory, written))
    }

    const FAILED: &str = "((:init (= (battery r) 1.0))\n(failed: (pick r i))\n(operator: (pick r \
                          i))\n(:state (= (battery r) 0.5) (holds r i))\n(failed: (pick r \
                          i))\n(failed: (pick r j))\n)\n";

    #[test]
    fn failed_attempts_are_read_in_both_dialects_and_written_back_the_same() {
        let (trajectory, written) = read(FAILED).unwrap();
        assert_eq!(trajectory.actions.len(), 1);
        let states: Vec<usize> = trajectory.failures.iter().map(|(state, _)| *state).collect();
        assert_eq!(states, [0, 1, 1]);
        assert_eq!(written, FAILED);
        let other = FAILED
            .replace("((:init", "(:trajectory (:state")
            .replace("failed:", ":failed")
            .replace("operator:", ":action");
        assert_eq!(read(&other).unwrap().1, FAILED);
    }

    #[test]
    fn after_a_failed_attempt_comes_no_state() {
        let error = read("((:init) (failed: (pick r i)) (:state))").unwrap_err();
        assert!(
            error
                .to_string()
                .contains("expected `(operator: (ACTION ...))` or `(failed: (ACTION ...))`"),
            "{error}"
        );
    }

    #[test]
    fn after_a_reset_what_follows_starts_from_another_state() {
        let domain = read_domain(&Source::new("d", DOMAIN)).unwrap();
        let text = "((:init (= (battery r) 1)) (failed: (pick r i)) (:reset (= (battery r) 2)) \
                    (:reset (= (battery r) 3)) \
                    (operator: (pick r i)) (:state (= (battery r) 4)) (:reset (= (battery r) \
                    5)))";
        let source = Source::new("t", text);
        let objects = infer_objects(&source, &domain).unwrap();
        let mut reader = TrajectoryReader::new(&source, &domain, &objects, Numbers::Exact).unwrap();
        let mut before = Vec::new();
        while let Some(entry) = reader.next_entry().unwrap() {
            before.push(entry.event.attempt().before.value(0.into()).map(ToString::to_string));
        }
        assert_eq!(before, [Some("1".to_owned()), Some("3".to_owned())]);
        let error = Trajectory::read(&source, &domain, &objects, Numbers::Exact).unwrap_err();
        assert!(error.to_string().contains("moves without a step"), "{error}");
    }

    #[test]
    fn what_is_unknown_is_neither_true_nor_false_and_written_back() {
        let text = "((:init (unknown (battery r)) (unknown (holds r i)))\n(operator: (pick r \
                    i))\n(:state (= (battery r) 1.0))\n)\n";
        let (trajectory, written) = read(text).unwrap();
        let [before, after] = &trajectory.states[..] else { panic!() };
        assert!(before.is_value_unknown(0.into()) && before.is_atom_unknown(0.into()));
        assert!(!after.has_unknown() && after.value(0.into()).is_some());
        assert_eq!(
            before.differing_values(after).count() + before.differing_atoms(after).count(),
            0
        );
        assert_eq!(written, text);
        // Where a predicate and a function share a name, nothing is known of either.
        let (trajectory, _) = read("((:init (unknown (wet i))))").unwrap();
        assert_eq!(
            (
                trajectory.states[0].unknown_atoms().count(),
                trajectory.states[0].unknown_values().count()
            ),
            (1, 1)
        );
    }

    #[test]
    fn what_is_known_cannot_be_unknown_in_the_same_state() {
        for text in
            ["(= (battery r) 1) (unknown (battery r))", "(unknown (battery r)) (= (battery r) 1)"]
        {
            assert!(read(&format!("((:init {text}))")).is_err(), "{text}");
        }
        for text in ["(holds r i) (unknown (holds r i))", "(unknown (holds r i)) (holds r i)"] {
            assert!(read(&format!("((:init {text}))")).is_err(), "{text}");
        }
    }
}
