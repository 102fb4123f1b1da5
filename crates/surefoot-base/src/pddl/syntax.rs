//! What the readers of domains and problems share: collecting messages, sections, typed lists.

use rustc_hash::FxHashSet;

use super::diagnostic::{Diagnostic, MAX_MESSAGES, ReadError, Warning, did_you_mean};
use super::sexpr::{Expr, Tree};
use super::source::{Source, Span};
use crate::model::{Objects, TypeSet, Types, Variable};

/// Errors beyond these are only counted: a large file read against the wrong domain is wrong in
/// every line.
pub(super) const MAX_KEPT: usize = 100;

/// Collects messages, so that one reading reports several errors. Functions that read a construct
/// return `None` after reporting why.
pub(super) struct Diagnostics<'s> {
    source: &'s Source,
    /// Errors with their places. Finding a line takes time, so only what is shown in the end
    /// becomes a message.
    errors: Vec<(Span, Error)>,
    /// How many more there were.
    dropped: usize,
    /// What is wrong but can be passed over, with its place.
    warnings: Vec<(Span, Error)>,
    context: Vec<String>,
}

struct Error {
    message: String,
    help: Option<String>,
    context: Vec<String>,
}

impl Error {
    fn located(self, source: &Source, span: Span) -> Diagnostic {
        let Error { message, help, context } = self;
        Diagnostic { context, help, ..source.error(message, span) }
    }
}

impl<'s> Diagnostics<'s> {
    pub fn new(source: &'s Source) -> Self {
        Diagnostics {
            source,
            errors: Vec::new(),
            dropped: 0,
            warnings: Vec::new(),
            context: Vec::new(),
        }
    }

    /// Reports an error; always `None`.
    pub fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.error_with_help(span, message, || None)
    }

    /// Reports an error with what to do about it; always `None`.
    pub fn error_with_help<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: impl FnOnce() -> Option<String>,
    ) -> Option<T> {
        if self.errors.len() < MAX_KEPT {
            let context = self.context.iter().rev().cloned().collect();
            self.errors.push((span, Error { message: message.into(), help: help(), context }));
        } else {
            self.dropped += 1;
        }
        None
    }

    /// Reports what can be passed over, with what is read in its place.
    pub fn warning(&mut self, span: Span, message: String, help: Option<String>) {
        let context = self.context.iter().rev().cloned().collect();
        self.warnings.push((span, Error { message, help, context }));
    }

    /// Runs `read` with one more construct around its messages.
    pub fn within<T>(
        &mut self,
        construct: impl Into<String>,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.context.push(construct.into());
        let outcome = read(self);
        self.context.pop();
        outcome
    }

    /// The value, unless an error was reported. For readers that warn of nothing.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, ReadError> {
        self.finish_with_warnings(value).map(|(value, _)| value)
    }

    /// The value with the warnings, in the order of the text, unless an error was reported.
    pub fn finish_with_warnings<T>(
        mut self,
        value: Option<T>,
    ) -> Result<(T, Vec<Warning>), ReadError> {
        match value {
            Some(value) if self.errors.is_empty() => {
                self.warnings.sort_by_key(|(span, _)| span.start);
                let located = self
                    .warnings
                    .into_iter()
                    .map(|(span, error)| Warning(error.located(self.source, span)));
                Ok((value, located.collect()))
            }
            _ => {
                let mut told = FxHashSet::default();
                self.errors.retain(|(span, error)| {
                    told.insert((span.start, span.end, error.message.clone()))
                });
                self.errors.sort_by_key(|(span, _)| span.start);
                let omitted = self.dropped + self.errors.len().saturating_sub(MAX_MESSAGES);
                let shown = self.errors.into_iter().take(MAX_MESSAGES);
                let diagnostics = shown.map(|(span, error)| error.located(self.source, span));
                Err(ReadError { diagnostics: diagnostics.collect(), omitted })
            }
        }
    }
}

/// The `(define (KIND NAME) SECTION...)` of a file: its name and sections.
pub(super) fn definition<'t>(
    report: &mut Diagnostics<'_>,
    tree: &'t Tree<'_>,
    kind: &str,
) -> Option<(&'t str, Vec<Expr<'t>>)> {
    let root = tree.root();
    let mut items = root.items();
    let expected = format!("expected `(define ({kind} NAME) ...)`");
    if !items.next().is_some_and(|item| item.is_word("define")) {
        return report.error(root.head_span(), expected);
    }
    let Some(title) = items.next() else { return report.error(root.head_span(), expected) };
    let name = match title.items().collect::<Vec<_>>()[..] {
        [word, name] if word.is_word(kind) && name.word().is_some() => name.word(),
        [word, _] if word.is_word("domain") || word.is_word("problem") => {
            let found = word.word().unwrap_or_default().to_ascii_lowercase();
            return report.error(title.span(), format!("expected a {kind}, found a {found}"));
        }
        _ => return report.error(title.span(), expected),
    };
    let sections: Vec<_> = items.collect();
    for section in &sections {
        if !section.head().is_some_and(|head| head.starts_with(':')) {
            let _: Option<()> =
                report.error(section.head_span(), "expected a section such as `(:init ...)`");
        }
    }
    Some((name?, sections))
}

/// The sections with this keyword, in any case of letters.
pub(super) fn sections_named<'t>(
    sections: &[Expr<'t>],
    name: &str,
) -> impl Iterator<Item = Expr<'t>> {
    sections
        .iter()
        .copied()
        .filter(move |section| section.head().is_some_and(|head| head.eq_ignore_ascii_case(name)))
}

/// An item of a typed list: a word, and what follows the next dash.
pub(super) struct Typed<'t> {
    pub word: &'t str,
    pub span: Span,
    pub types: Option<OfTypes<'t>>,
}

/// What follows a dash.
#[derive(Clone, Copy)]
pub(super) enum OfTypes<'t> {
    /// A single type, by its name.
    Word(&'t str, Span),
    /// `(either a b)`
    List(Expr<'t>),
}

/// What follows the dash that begins this item, also without a space between: names do not begin
/// with a dash. `None`: it begins with none, or nothing follows.
fn after_dash<'t>(
    item: Expr<'t>,
    items: &mut impl Iterator<Item = Expr<'t>>,
) -> Option<OfTypes<'t>> {
    match item.word()?.strip_prefix('-')? {
        "" => {
            let next = items.next()?;
            Some(next.word().map_or(OfTypes::List(next), |word| OfTypes::Word(word, next.span())))
        }
        word => Some(OfTypes::Word(
            word,
            (item.span().range().start + 1..item.span().range().end).into(),
        )),
    }
}

/// Reads `a b - t c - (either u v) d`.
pub(super) fn typed_list<'t>(
    report: &mut Diagnostics<'_>,
    items: impl Iterator<Item = Expr<'t>>,
) -> Option<Vec<Typed<'t>>> {
    let mut list: Vec<Typed<'t>> = Vec::new();
    let mut untyped = 0;
    let mut items = items;
    while let Some(item) = items.next() {
        match item.word() {
            Some(word) if word.starts_with('-') => {
                let Some(types) = after_dash(item, &mut items) else {
                    return report.error(item.span(), "expected a type after `-`");
                };
                if untyped == list.len() {
                    return report.error(item.span(), "expected a name before `-`");
                }
                for typed in &mut list[untyped..] {
                    typed.types = Some(types);
                }
                untyped = list.len();
            }
            Some(word) => list.push(Typed { word, span: item.span(), types: None }),
            None => return report.error(item.head_span(), "expected a name, found a list"),
        }
    }
    Some(list)
}

/// The types named by what follows a dash: a word, or `(either a b)`.
pub(super) fn type_names<'t>(
    report: &mut Diagnostics<'_>,
    types: OfTypes<'t>,
) -> Option<Vec<(&'t str, Span)>> {
    let types = match types {
        OfTypes::Word(word, span) => return Some(vec![(word, span)]),
        OfTypes::List(types) => types,
    };
    let mut items = types.items();
    if !items.next().is_some_and(|head| head.is_word("either")) {
        return report.error(types.head_span(), "expected a type or `(either TYPE ...)`");
    }
    let names: Option<Vec<_>> = items.map(|name| Some((name.word()?, name.span()))).collect();
    match names.filter(|names| !names.is_empty()) {
        Some(names) => Some(names),
        None => report.error(types.span(), "expected `(either TYPE ...)`"),
    }
}

/// A declared type of that name.
fn find_type(
    report: &mut Diagnostics<'_>,
    types: &Types,
    (word, span): (&str, Span),
) -> Option<crate::model::TypeId> {
    match types.find(word) {
        Some(id) => Some(id),
        None => report.error_with_help(span, format!("unknown type `{word}`"), || {
            did_you_mean(word, types.ids().map(|id| types.name(id)))
        }),
    }
}

/// The type set named by what follows a dash; `object` where nothing does.
pub(super) fn type_set(
    report: &mut Diagnostics<'_>,
    types: &Types,
    named: Option<OfTypes<'_>>,
) -> Option<TypeSet> {
    let Some(named) = named else { return Some(TypeSet::object()) };
    let names = type_names(report, named)?;
    let found: Vec<_> = names.into_iter().map(|name| find_type(report, types, name)).collect();
    Some(TypeSet::either(found.into_iter().collect::<Option<Vec<_>>>()?))
}

/// Reads `?a ?b - t ...`: the parameters of something, or the variables of a quantifier.
pub(super) fn variables<'t>(
    report: &mut Diagnostics<'_>,
    types: &Types,
    items: impl Iterator<Item = Expr<'t>>,
) -> Option<Vec<Variable>> {
    let mut variables: Vec<Variable> = Vec::new();
    let mut complete = true;
    for typed in typed_list(report, items)? {
        let Some(name) = typed.word.strip_prefix('?').filter(|name| !name.is_empty()) else {
            complete = false;
            let _: Option<()> = report.error(
                typed.span,
                format!("expected a variable such as `?x`, found `{}`", typed.word),
            );
            continue;
        };
        if variables.iter().any(|known| known.name.eq_ignore_ascii_case(name)) {
            complete = false;
            let _: Option<()> =
                report.error(typed.span, format!("variable `?{name}` is declared twice"));
        }
        match type_set(report, types, typed.types) {
            Some(types) => variables.push(Variable { name: name.into(), types }),
            None => complete = false,
        }
    }
    complete.then_some(variables)
}

/// Adds declared objects or constants. One that is there already with the same type is left alone
/// where `again` allows.
pub(super) fn objects<'t>(
    report: &mut Diagnostics<'_>,
    types: &Types,
    items: impl Iterator<Item = Expr<'t>>,
    again: usize,
    objects: &mut Objects,
) -> Option<()> {
    for typed in typed_list(report, items)? {
        if typed.word.starts_with(['?', ':']) {
            let _: Option<()> = report.error(
                typed.span,
                format!("expected the name of an object, found `{}`", typed.word),
            );
            continue;
        }
        if let Some(OfTypes::List(either)) = typed.types {
            let _: Option<()> = report.error_with_help(
                either.span(),
                format!("`{}` needs one type of its own", typed.word),
                || {
                    Some(
                        "`either` says what a variable may stand for; an object has one type"
                            .into(),
                    )
                },
            );
            continue;
        }
        let Some(set) = type_set(report, types, typed.types) else { continue };
        let of = set.types()[0];
        if let Err(known) = objects.insert(typed.word, of)
            && !(known.index() < again && objects.type_of(known) == of)
        {
            let _: Option<()> =
                report.error(typed.span, format!("`{}` is declared twice", typed.word));
        }
    }
    Some(())
}

/// Reports sections that occur twice; `several` names the one kind that may.
pub(super) fn unique_sections(report: &mut Diagnostics<'_>, sections: &[Expr<'_>], several: &str) {
    let mut seen = FxHashSet::default();
    for section in sections {
        let Some(head) = section.head() else { continue };
        if !seen.insert(head.to_ascii_lowercase()) && !head.eq_ignore_ascii_case(several) {
            let _: Option<()> =
                report.error(section.head_span(), format!("a second `{head}` section"));
        }
    }
}
