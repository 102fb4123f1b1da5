//! Reads trajectories as a stream of transitions, at the speed of the disk.
//!
//! Two dialects: `((:init ...) (operator: (a b)) (:state ...) ...)` and `(:trajectory (:state ...) (:action (a b)) ...)`.
//! A state lists what is true and the values of functions; everything else is false or undefined.
//!
//! States of one file repeat the same few hundred facts over and over, nearly in the same order. So each fact is resolved once,
//! and remembers which one followed it: where the text goes on with that one, letter by letter, nothing is read at all. Else its
//! text is the key of a table. Two states are kept, whatever the length of the file.

use rustc_hash::FxHashMap;

use super::diagnostic::{Diagnostic, ReadError};
use super::ground::Resolver;
use super::number::{Numbers, quotient};
use super::sexpr::{Token, is_delimiter, next_token, skip_blank};
use super::source::{Position, Source, Span};
use crate::exact::Rational;
use crate::model::{AtomId, Domain, GroundAction, GroundAtom, Objects, State, Step, Universe, ValueId};

/// One step of a trajectory.
#[derive(Clone, Copy, Debug)]
pub struct Transition<'r> {
    /// The state before.
    pub before: &'r State,
    /// What was done.
    pub action: &'r GroundAction,
    /// The state after.
    pub after: &'r State,
    /// What numbers the atoms and functions of both states.
    pub universe: &'r Universe,
    source: &'r Source,
    span: Span,
}

impl<'r> Transition<'r> {
    /// The step itself, without its place in a file.
    pub fn step(&self) -> Step<'r> {
        Step { before: self.before, action: self.action, after: self.after, universe: self.universe }
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

/// A whole trajectory in memory: `states.len() == actions.len() + 1`.
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    /// What numbers the atoms and functions of the states.
    pub universe: Universe,
    /// The states, the initial one first.
    pub states: Vec<State>,
    /// The actions between them.
    pub actions: Vec<GroundAction>,
}

impl Trajectory {
    /// Reads a whole file.
    pub fn read(source: &Source, domain: &Domain, objects: &Objects, numbers: Numbers) -> Result<Self, ReadError> {
        let mut reader = TrajectoryReader::new(source, domain, objects, numbers)?;
        let (mut states, mut actions) = (vec![reader.state().clone()], Vec::new());
        while let Some(transition) = reader.next_transition()? {
            actions.push(transition.action.clone());
            states.push(transition.after.clone());
        }
        Ok(Trajectory { universe: reader.universe, states, actions })
    }
}

/// Reads the transitions of a trajectory one after the other.
pub struct TrajectoryReader<'a> {
    resolver: Resolver<'a>,
    text: &'a [u8],
    numbers: Numbers,
    at: usize,
    universe: Universe,
    /// The items read so far, after a head that stands before the first item of every state.
    items: Vec<Item<'a>>,
    /// Items by the text of an atom, and by that of a function.
    atoms: FxHashMap<&'a [u8], usize>,
    functions: FxHashMap<&'a [u8], usize>,
    before: State,
    after: State,
    /// The facts that the last state lists as false, and where.
    denied: Vec<(GroundAtom, Span)>,
    action: Option<(GroundAction, Span)>,
}

/// An item of a state as it was last read: an atom, or a function with its value.
struct Item<'a> {
    /// From the opening to the closing parenthesis.
    text: &'a [u8],
    fact: Fact,
    /// The item that came after it; the head where none did.
    next: usize,
}

enum Fact {
    Atom(AtomId),
    Value(ValueId, Rational),
}

const HEAD: usize = 0;

impl<'a> TrajectoryReader<'a> {
    /// Opens a trajectory and reads its first state. `objects` are those of the problem it belongs to.
    pub fn new(source: &'a Source, domain: &'a Domain, objects: &'a Objects, numbers: Numbers) -> Result<Self, ReadError> {
        let mut reader = TrajectoryReader {
            resolver: Resolver { source, domain, objects },
            text: source.text().as_bytes(),
            numbers,
            at: 0,
            universe: Universe::default(),
            items: vec![Item { text: &[], fact: Fact::Atom(0.into()), next: HEAD }],
            atoms: FxHashMap::default(),
            functions: FxHashMap::default(),
            before: State::default(),
            after: State::default(),
            denied: Vec::new(),
            action: None,
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

    /// The next transition; `None` at the end of the file.
    pub fn next_transition(&mut self) -> Result<Option<Transition<'_>>, ReadError> {
        if let Some((Token::Close, close)) = next_token(self.text, self.at) {
            // The closing parenthesis is not passed, so that every further call finds the end again.
            return match next_token(self.text, close.range().end) {
                Some((_, extra)) => Err(self.error("expected the end of the file", extra).into()),
                None => Ok(None),
            };
        }
        self.expect(Token::Open, "`(operator: (ACTION ...))`")?;
        let (action, span) = self.action()?;
        std::mem::swap(&mut self.before, &mut self.after);
        self.expect(Token::Open, "`(:state ...)` after an action")?;
        self.keyword(&[":state"], "`(:state ...)` after an action")?;
        self.state_body()?;
        let (action, span) = self.action.insert((action, span));
        Ok(Some(Transition {
            before: &self.before,
            action,
            after: &self.after,
            universe: &self.universe,
            source: self.resolver.source,
            span: *span,
        }))
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

    /// After the opening parenthesis: `operator: (a b c))` or `:action (a b c))`.
    fn action(&mut self) -> Result<(GroundAction, Span), Diagnostic> {
        self.keyword(&["operator:", ":action"], "`(operator: (ACTION ...))`")?;
        let open = self.expect(Token::Open, "an action in parentheses")?;
        let close = self.end_of_words(open.range().end)?;
        let action = self.resolver.action((open.range().end..close).into())?;
        self.at = close + 1;
        self.expect(Token::Close, "`)`")?;
        Ok((action, (open.range().start..close + 1).into()))
    }

    /// After `(:state`: the facts, and the closing parenthesis.
    fn state_body(&mut self) -> Result<(), Diagnostic> {
        self.after.clear();
        self.denied.clear();
        self.facts_of_state()?;
        match self.denied.iter().find(|(fact, _)| self.is_listed(fact)) {
            Some((_, span)) => Err(self.error("this fact is listed as true in the same state", *span)),
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
                    let is_value =
                        self.text.get(first) == Some(&b'=') && self.text.get(first + 1).is_some_and(|&b| is_delimiter(b));
                    let item = if is_value { Some(self.value(start, first + 1)?) } else { self.atom(start)? };
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
                    let Some((_, span)) = next_token(self.text, start) else { return Err(self.cut_off()) };
                    return Err(self.error("expected a fact in parentheses", span).context("in a state"));
                }
                None => return Err(self.cut_off()),
            }
        }
    }

    /// Makes an item, which was just passed, true in the state.
    fn assert(&mut self, item: usize) -> Result<(), Diagnostic> {
        let Item { text, fact, .. } = &self.items[item];
        match fact {
            Fact::Atom(atom) => self.after.insert(*atom),
            Fact::Value(function, value) => {
                if self.after.value(*function).is_some_and(|earlier| earlier != value) {
                    let span = (self.at - text.len()..self.at).into();
                    return Err(self.error("this function has another value earlier in the same state", span));
                }
                self.after.set_value(*function, value.clone());
            }
        }
        Ok(())
    }

    /// `(p a)`: its item. None for `(not (p a))`.
    fn atom(&mut self, open: usize) -> Result<Option<usize>, Diagnostic> {
        let close = self.parenthesis(open + 1)?;
        if self.text[close] == b'(' {
            return self.negated(open, close).map(|()| None);
        }
        self.at = close + 1;
        let key = &self.text[open + 1..close];
        if let Some(&item) = self.atoms.get(key) {
            return Ok(Some(item));
        }
        let atom = self.resolver.atom((open + 1..close).into()).map_err(|error| error.context("in a state"))?;
        let fact = Fact::Atom(self.universe.atom(&atom));
        self.atoms.insert(key, self.items.len());
        self.items.push(Item { text: &self.text[open..close + 1], fact, next: HEAD });
        Ok(Some(self.items.len() - 1))
    }

    /// `(not (p a))`: says what the closed world says anyway.
    fn negated(&mut self, open: usize, inner: usize) -> Result<(), Diagnostic> {
        self.at = open + 1;
        self.keyword(&["not"], "a fact such as `(p a)`, `(not (p a))` or `(= (f a) 1.0)`")?;
        let close = self.end_of_words(inner + 1)?;
        let fact = self.resolver.atom((inner + 1..close).into()).map_err(|error| error.context("in a state"))?;
        self.at = close + 1;
        self.expect(Token::Close, "`)`")?;
        self.denied.push((fact, (open..self.at).into()));
        Ok(())
    }

    /// After `(=`: ` (f a) 1.0)`; its item.
    fn value(&mut self, open: usize, after: usize) -> Result<usize, Diagnostic> {
        let function_open = skip_blank(self.text, after);
        if self.text.get(function_open) != Some(&b'(') {
            let Some((_, span)) = next_token(self.text, after) else { return Err(self.cut_off()) };
            return Err(self.error("expected a function in parentheses", span).context("in a state"));
        }
        let close = self.end_of_words(function_open + 1)?;
        let key = &self.text[function_open + 1..close];
        let item = match self.functions.get(key) {
            Some(&item) => item,
            None => {
                let span = (function_open + 1..close).into();
                let ground = self.resolver.function(span).map_err(|error| error.context("in a state"))?;
                let fact = Fact::Value(self.universe.value(&ground), Rational::ZERO);
                self.functions.insert(key, self.items.len());
                self.items.push(Item { text: &[], fact, next: HEAD });
                self.items.len() - 1
            }
        };
        let number = self.number(close + 1)?;
        let end = self.expect(Token::Close, "`)` after the value")?.range().end;
        self.items[item].text = &self.text[open..end];
        if let Fact::Value(_, value) = &mut self.items[item].fact {
            *value = number;
        }
        Ok(item)
    }

    fn number(&mut self, from: usize) -> Result<Rational, Diagnostic> {
        let start = skip_blank(self.text, from);
        let end = start + self.text[start..].iter().position(|&byte| is_delimiter(byte)).unwrap_or(self.text.len() - start);
        if start == end {
            return self.quotient(start);
        }
        self.at = end;
        let number = self.numbers.read(self.resolver.source.slice((start..end).into()));
        number.map_err(|error| self.error(error.to_string(), (start..end).into()).context("in a state"))
    }

    /// `(/ 1 3)`: how a value is written that no decimal is exact for.
    fn quotient(&mut self, start: usize) -> Result<Rational, Diagnostic> {
        self.at = start;
        self.expect(Token::Open, "a number")?;
        self.keyword(&["/"], "a number, or `(/ NUMBER NUMBER)`")?;
        let (dividend, divisor) = (self.exact_number()?, self.exact_number()?);
        let close = self.expect(Token::Close, "`)`")?;
        quotient(&dividend, &divisor).map_err(|error| self.error(error.to_string(), (start..close.range().end).into()))
    }

    fn exact_number(&mut self) -> Result<Rational, Diagnostic> {
        let span = self.expect(Token::Word, "a number")?;
        Numbers::Exact.read(self.resolver.source.slice(span)).map_err(|error| self.error(error.to_string(), span))
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
                Some(length) if self.text[from + length] == b';' => from = skip_blank(self.text, from + length),
                Some(length) => return Ok(from + length),
            }
        }
    }

    fn expect(&mut self, wanted: Token, expected: &str) -> Result<Span, Diagnostic> {
        let Some((token, span)) = next_token(self.text, self.at) else { return Err(self.cut_off()) };
        if token != wanted {
            return Err(self.error(format!("expected {expected}"), span));
        }
        self.at = span.range().end;
        Ok(span)
    }

    fn keyword(&mut self, keywords: &[&str], expected: &str) -> Result<(), Diagnostic> {
        let span = self.expect(Token::Word, expected)?;
        let word = self.resolver.source.slice(span);
        if keywords.iter().any(|keyword| keyword.eq_ignore_ascii_case(word)) {
            return Ok(());
        }
        Err(self.error(format!("expected {expected}"), span))
    }

    fn error(&self, message: impl Into<String>, span: Span) -> Diagnostic {
        self.resolver.source.error(message, span)
    }

    fn cut_off(&self) -> Diagnostic {
        self.error("the file ends in the middle of a trajectory", (self.text.len()..self.text.len()).into())
            .help("a `)` is missing; is the file cut off?")
    }
}
