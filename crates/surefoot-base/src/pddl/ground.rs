//! Resolves names applied to objects: the facts of trajectories, the steps of plans.

use smallvec::SmallVec;

use super::diagnostic::{Diagnostic, did_you_mean, wrong_arity};
use super::sexpr::{Token, next_token};
use super::source::{Source, Span};
use crate::model::{
    Arguments, Domain, Ground, GroundAction, GroundAtom, GroundFunction, Names, Objects, Variable,
};

/// Resolves names of one text against a domain and objects.
#[derive(Clone, Copy)]
pub(super) struct Resolver<'a> {
    pub source: &'a Source,
    pub domain: &'a Domain,
    pub objects: &'a Objects,
}

impl<'a> Resolver<'a> {
    /// The predicate and objects named by the words of a span.
    pub fn atom(&self, span: Span) -> Result<GroundAtom, Diagnostic> {
        self.application(span, "predicate", &self.domain.signature.predicates, |symbol| {
            &symbol.parameters
        })
    }

    /// The function and objects named by the words of a span.
    pub fn function(&self, span: Span) -> Result<GroundFunction, Diagnostic> {
        self.application(span, "function", &self.domain.signature.functions, |symbol| {
            &symbol.parameters
        })
    }

    /// The action and objects named by the words of a span.
    pub fn action(&self, span: Span) -> Result<GroundAction, Diagnostic> {
        self.application(span, "action", &self.domain.actions, |action| &action.parameters)
    }

    fn application<S: From<usize>, T>(
        &self,
        span: Span,
        kind: &str,
        names: &'a Names<T>,
        parameters: impl Fn(&'a T) -> &'a [Variable],
    ) -> Result<Ground<S>, Diagnostic> {
        let words = self.words(span)?;
        let Some((&head, arguments)) = words.split_first() else {
            return Err(self.source.error(format!("expected the {kind}'s name"), span));
        };
        let name = self.source.slice(head);
        let Some(symbol) = names.find(name) else {
            let mut diagnostic = self
                .source
                .error(format!("unknown {kind} `{name}`"), head)
                .context(format!("the domain is {}", self.domain.name));
            diagnostic.help = did_you_mean(name, names.iter().map(|(name, _)| name));
            return Err(diagnostic);
        };
        let parameters = parameters(names.value(symbol));
        if arguments.len() != parameters.len() {
            return Err(self
                .source
                .error(wrong_arity(name, parameters.len(), arguments.len()), span));
        }
        let arguments =
            arguments.iter().zip(parameters).map(|(&word, parameter)| self.object(word, parameter));
        Ok(Ground {
            symbol: symbol.into(),
            arguments: arguments.collect::<Result<Arguments, _>>()?,
        })
    }

    fn object(
        &self,
        word: Span,
        parameter: &Variable,
    ) -> Result<crate::model::ObjectId, Diagnostic> {
        let name = self.source.slice(word);
        let Some(object) = self.objects.find(name) else {
            let mut diagnostic = self.source.error(format!("unknown object `{name}`"), word);
            diagnostic.help = did_you_mean(
                name,
                self.objects.ids().map(|id| self.objects.name(id)),
            )
            .or_else(|| {
                Some("objects are declared in the problem file; is it the one of this file?".into())
            });
            return Err(diagnostic);
        };
        let types = &self.domain.signature.types;
        if !parameter.types.admits(types, self.objects.type_of(object)) {
            let expected: Vec<_> =
                parameter.types.types().iter().map(|&id| types.name(id)).collect();
            let found = types.name(self.objects.type_of(object));
            let message =
                format!("`{name}` is of type {found}, but expected {}", expected.join(" or "));
            return Err(self.source.error(message, word));
        }
        Ok(object)
    }

    /// The words of a span, which may hold nothing else.
    fn words(&self, span: Span) -> Result<SmallVec<[Span; 8]>, Diagnostic> {
        let text = &self.source.text().as_bytes()[..span.range().end];
        let mut words = SmallVec::new();
        let mut at = span.range().start;
        while let Some((token, place)) = next_token(text, at) {
            if token != Token::Word {
                return Err(self.source.error(
                    format!("expected a name, found `{}`", self.source.slice(place)),
                    place,
                ));
            }
            at = place.range().end;
            words.push(place);
        }
        Ok(words)
    }
}
