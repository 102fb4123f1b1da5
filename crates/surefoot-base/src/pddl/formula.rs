//! Reads conditions, effects and numeric expressions, and resolves their names.

use super::diagnostic::{did_you_mean, wrong_arity};
use super::number::{NumberError, Numbers, quotient};
use super::sexpr::Expr;
use super::source::Span;
use super::syntax::{Diagnostics, variables};
use crate::exact::Rational;
use crate::model::{
    Comparison, Condition, Effect, ErrorFunctions, Expression, FunctionId, Lifted, LiftedAtom,
    LiftedFunction, Names, NumericEffect, NumericOperator, Objects, PredicateId, Signature, Symbol,
    Term, Variable,
};

/// The names that a formula may use.
pub(super) struct Scope<'a> {
    pub signature: &'a Signature,
    pub objects: &'a Objects,
    /// The variables in scope; a variable's slot is its index.
    pub variables: Vec<Variable>,
}

/// Predicates or functions, and what the other are.
struct SymbolKind {
    name: &'static str,
    table: fn(&Signature) -> &Names<Symbol>,
    other: fn(&Signature) -> &Names<Symbol>,
    /// Advice for someone who used the other kind of symbol.
    if_other: &'static str,
}

impl SymbolKind {
    /// What may have been meant by a name that is not of this kind.
    fn help(&self, signature: &Signature, name: &str) -> Option<String> {
        match (self.other)(signature).find(name) {
            Some(_) => Some(self.if_other.to_owned()),
            None => help_with_error(signature, name).or_else(|| {
                did_you_mean(name, (self.table)(signature).iter().map(|(name, _)| name))
            }),
        }
    }
}

/// What may have been meant by a function that is not declared.
pub(super) fn help_with_function(signature: &Signature, name: &str) -> Option<String> {
    FUNCTIONS.help(signature, name)
}

/// A problem with errors, read with a domain that has none.
fn help_with_error(signature: &Signature, name: &str) -> Option<String> {
    let function = ErrorFunctions::named(signature, name)?;
    Some(format!(
        "it is the error of `{function}` in a learned model, and this domain has none: give the \
         problem as it was before `surefoot problem`"
    ))
}

const PREDICATES: SymbolKind = SymbolKind {
    name: "predicate",
    table: |signature| &signature.predicates,
    other: |signature| &signature.functions,
    if_other: "it is a function: compare its value with `<=`, `=`, ...",
};

const FUNCTIONS: SymbolKind = SymbolKind {
    name: "function",
    table: |signature| &signature.functions,
    other: |signature| &signature.predicates,
    if_other: "it is a predicate: it is true or false, and has no value",
};

impl Scope<'_> {
    /// Reads a condition; `()` is the empty conjunction.
    pub fn condition(&mut self, report: &mut Diagnostics<'_>, expr: Expr<'_>) -> Option<Condition> {
        if let Some(word) = expr.word() {
            return report.error(
                expr.span(),
                format!("expected a condition in parentheses, found `{word}`"),
            );
        }
        let Some(first) = expr.items().next() else { return Some(Condition::TRUE) };
        let Some(head) = first.word() else {
            return report.error(
                first.head_span(),
                "expected a predicate, a comparison or a connective, found a list",
            );
        };
        let arguments: Vec<_> = expr.items().skip(1).collect();
        match head.to_ascii_lowercase().as_str() {
            "and" => self.conditions(report, &arguments).map(Condition::And),
            "or" => self.conditions(report, &arguments).map(Condition::Or),
            "not" => {
                let [inner] = exactly(report, expr, "(not CONDITION)", &arguments)?;
                Some(Condition::Not(Box::new(self.condition(report, inner)?)))
            }
            "imply" => {
                let [premise, conclusion] =
                    exactly(report, expr, "(imply CONDITION CONDITION)", &arguments)?;
                let (premise, conclusion) =
                    (self.condition(report, premise), self.condition(report, conclusion));
                Some(Condition::Imply(Box::new([premise?, conclusion?])))
            }
            "forall" => {
                let (variables, body) =
                    self.quantified(report, expr, &arguments, Self::condition)?;
                Some(Condition::ForAll(variables, Box::new(body)))
            }
            "exists" => {
                let (variables, body) =
                    self.quantified(report, expr, &arguments, Self::condition)?;
                Some(Condition::Exists(variables, Box::new(body)))
            }
            "=" if arguments.iter().any(|side| is_term(*side)) => {
                let [left, right] = exactly(report, expr, "(= TERM TERM)", &arguments)?;
                let (left, right) = (self.term(report, left), self.term(report, right));
                Some(Condition::Same(left?.0, right?.0))
            }
            "=" | "<" | "<=" | ">=" | ">" => {
                let [left, right] =
                    exactly(report, expr, &format!("({head} VALUE VALUE)"), &arguments)?;
                let (left, right) = (self.expression(report, left), self.expression(report, right));
                Some(Condition::Compare(comparison(head), Box::new([left?, right?])))
            }
            "preference" if self.signature.predicates.find("preference").is_none() => {
                report.error(expr.head_span(), "preferences are not supported")
            }
            "at" if arguments
                .first()
                .is_some_and(|first| first.is_word("start") || first.is_word("end"))
                && arguments.get(1).is_some_and(|inner| inner.is_list()) =>
            {
                report.error(
                    expr.head_span(),
                    "conditions at a time (durative actions) are not supported",
                )
            }
            "over"
                if arguments.first().is_some_and(|first| first.is_word("all"))
                    && arguments.get(1).is_some_and(|inner| inner.is_list()) =>
            {
                report.error(
                    expr.head_span(),
                    "conditions over a time (durative actions) are not supported",
                )
            }
            _ => self.atom(report, expr).map(Condition::Atom),
        }
    }

    fn conditions(
        &mut self,
        report: &mut Diagnostics<'_>,
        parts: &[Expr<'_>],
    ) -> Option<Vec<Condition>> {
        let read: Vec<_> = parts.iter().map(|part| self.condition(report, *part)).collect();
        read.into_iter().collect()
    }

    fn quantified<T>(
        &mut self,
        report: &mut Diagnostics<'_>,
        expr: Expr<'_>,
        arguments: &[Expr<'_>],
        read: impl FnOnce(&mut Self, &mut Diagnostics<'_>, Expr<'_>) -> Option<T>,
    ) -> Option<(Vec<Variable>, T)> {
        let [bound, body] = exactly(report, expr, "(QUANTIFIER (?VARIABLE ...) BODY)", arguments)?;
        if !bound.is_list() {
            return report.error(bound.span(), "expected variables in parentheses");
        }
        let bound = variables(report, &self.signature.types, bound.items())?;
        let outer = self.variables.len();
        self.variables.extend(bound.iter().cloned());
        let body = read(self, report, body);
        self.variables.truncate(outer);
        Some((bound, body?))
    }

    /// Reads an effect; `()` changes nothing.
    pub fn effect(&mut self, report: &mut Diagnostics<'_>, expr: Expr<'_>) -> Option<Effect> {
        if let Some(word) = expr.word() {
            return report
                .error(expr.span(), format!("expected an effect in parentheses, found `{word}`"));
        }
        let Some(first) = expr.items().next() else { return Some(Effect::NONE) };
        let Some(head) = first.word() else {
            return report.error(first.head_span(), "expected an effect, found a list");
        };
        let arguments: Vec<_> = expr.items().skip(1).collect();
        match head.to_ascii_lowercase().as_str() {
            "and" => {
                let read: Vec<_> =
                    arguments.iter().map(|part| self.effect(report, *part)).collect();
                Some(Effect::And(read.into_iter().collect::<Option<_>>()?))
            }
            "not" => {
                let [inner] = exactly(report, expr, "(not (PREDICATE ...))", &arguments)?;
                self.atom(report, inner).map(Effect::Delete)
            }
            "when" => {
                let [condition, inner] =
                    exactly(report, expr, "(when CONDITION EFFECT)", &arguments)?;
                let (condition, inner) =
                    (self.condition(report, condition), self.effect(report, inner));
                Some(Effect::When(condition?, Box::new(inner?)))
            }
            "forall" => {
                let (variables, inner) = self.quantified(report, expr, &arguments, Self::effect)?;
                Some(Effect::ForAll(variables, Box::new(inner)))
            }
            "assign" => self.numeric_effect(report, expr, NumericOperator::Assign, &arguments),
            "increase" => self.numeric_effect(report, expr, NumericOperator::Increase, &arguments),
            "decrease" => self.numeric_effect(report, expr, NumericOperator::Decrease, &arguments),
            "scale-up" => self.numeric_effect(report, expr, NumericOperator::ScaleUp, &arguments),
            "scale-down" => {
                self.numeric_effect(report, expr, NumericOperator::ScaleDown, &arguments)
            }
            "or" | "imply" | "exists" | "=" | "<" | "<=" | ">=" | ">" => report
                .error(expr.head_span(), format!("`{head}` is a condition; expected an effect")),
            _ => self.atom(report, expr).map(Effect::Add),
        }
    }

    fn numeric_effect(
        &mut self,
        report: &mut Diagnostics<'_>,
        expr: Expr<'_>,
        operator: NumericOperator,
        arguments: &[Expr<'_>],
    ) -> Option<Effect> {
        let [target, value] = exactly(report, expr, "(OPERATOR (FUNCTION ...) VALUE)", arguments)?;
        let (target, value) = (self.function(report, target), self.expression(report, value));
        Some(Effect::Numeric(NumericEffect { operator, target: target?, value: value? }))
    }

    /// Reads a numeric expression. A quotient of two numbers is a number, so that 1/3 can be
    /// written.
    pub fn expression(
        &mut self,
        report: &mut Diagnostics<'_>,
        expr: Expr<'_>,
    ) -> Option<Expression> {
        if let Some(word) = expr.word() {
            return self.number(report, expr.span(), word).map(Expression::Number);
        }
        let Some(first) = expr.items().next() else {
            return report.error(expr.span(), "expected a number or a function");
        };
        let Some(head) = first.word() else {
            return report
                .error(first.head_span(), "expected an operator or a function, found a list");
        };
        if !matches!(head, "+" | "-" | "*" | "/") {
            return self.function(report, expr).map(Expression::Function);
        }
        let arguments: Vec<_> = expr.items().skip(1).collect();
        let read: Vec<_> =
            arguments.iter().map(|argument| self.expression(report, *argument)).collect();
        let read: Vec<_> = read.into_iter().collect::<Option<_>>()?;
        self.combine(report, expr, head, read)
    }

    /// An operator applied to expressions.
    pub fn combine(
        &self,
        report: &mut Diagnostics<'_>,
        expr: Expr<'_>,
        head: &str,
        read: Vec<Expression>,
    ) -> Option<Expression> {
        match (head, read.len()) {
            ("+", 1..) => Some(Expression::Sum(read)),
            ("*", 1..) => Some(Expression::Product(read)),
            ("-", 1) => Some(Expression::Negation(Box::new(read.into_iter().next()?))),
            ("-", 2) => Some(Expression::Difference(Box::new(read.try_into().ok()?))),
            ("/", 2) => {
                if let [Expression::Number(dividend), Expression::Number(divisor)] = &read[..]
                    && let Ok(number) = quotient(dividend, divisor)
                {
                    return Some(Expression::Number(number));
                }
                Some(Expression::Quotient(Box::new(read.try_into().ok()?)))
            }
            ("-", _) => report.error(
                expr.head_span(),
                format!("`-` takes one or two arguments, found {}", read.len()),
            ),
            ("/", _) => report
                .error(expr.head_span(), format!("`/` takes two arguments, found {}", read.len())),
            _ => report.error(expr.head_span(), format!("`{head}` needs arguments")),
        }
    }

    fn number(&self, report: &mut Diagnostics<'_>, span: Span, word: &str) -> Option<Rational> {
        match Numbers::Exact.read(word) {
            Ok(number) => Some(number),
            Err(NumberError::NotANumber) => report.error_with_help(
                span,
                format!("expected a number or a function, found `{word}`"),
                || {
                    self.signature.functions.find(word)?;
                    Some(format!("a function without arguments is written `({word})`"))
                },
            ),
            Err(error) => report.error(span, error.to_string()),
        }
    }

    /// Reads a predicate applied to terms.
    pub fn atom(&mut self, report: &mut Diagnostics<'_>, expr: Expr<'_>) -> Option<LiftedAtom> {
        let (symbol, terms) = self.application(report, expr, &PREDICATES)?;
        Some(Lifted { symbol: PredicateId::from(symbol), terms })
    }

    /// Reads a function applied to terms.
    pub fn function(
        &mut self,
        report: &mut Diagnostics<'_>,
        expr: Expr<'_>,
    ) -> Option<LiftedFunction> {
        let (symbol, terms) = self.application(report, expr, &FUNCTIONS)?;
        Some(Lifted { symbol: FunctionId::from(symbol), terms })
    }

    fn application(
        &mut self,
        report: &mut Diagnostics<'_>,
        expr: Expr<'_>,
        kind: &SymbolKind,
    ) -> Option<(usize, Vec<Term>)> {
        let mut items = expr.items();
        let Some((first, name)) = items.next().and_then(|first| Some((first, first.word()?)))
        else {
            return report
                .error(expr.head_span(), format!("expected a {} in parentheses", kind.name));
        };
        let names = (kind.table)(self.signature);
        let Some(symbol) = names.find(name) else {
            let message = format!("unknown {} `{name}`", kind.name);
            return report
                .error_with_help(first.span(), message, || kind.help(self.signature, name));
        };
        let parameters = &names.value(symbol).parameters;
        let arguments: Vec<_> = items.collect();
        if arguments.len() != parameters.len() {
            return report.error(
                expr.span(),
                wrong_arity(names.name(symbol), parameters.len(), arguments.len()),
            );
        }
        let terms: Vec<_> = (arguments.iter().zip(parameters))
            .map(|(argument, parameter)| {
                let (term, name) = self.term(report, *argument)?;
                self.check_type(
                    report,
                    argument.span(),
                    (term, name),
                    (names.name(symbol), parameter),
                )?;
                Some(term)
            })
            .collect();
        Some((symbol, terms.into_iter().collect::<Option<_>>()?))
    }

    /// Whatever a term may stand for must belong to the types declared for its place: an object
    /// itself, of a variable every object of its types.
    fn check_type(
        &self,
        report: &mut Diagnostics<'_>,
        span: Span,
        (term, name): (Term, &str),
        (symbol, parameter): (&str, &Variable),
    ) -> Option<()> {
        let types = &self.signature.types;
        let expected = self.type_names(parameter);
        let slot = match term {
            Term::Object(object) => {
                let of = self.objects.type_of(object);
                if parameter.types.admits(types, of) {
                    return Some(());
                }
                return report.error(
                    span,
                    format!("`{name}` is of type {}, but expected {expected}", types.name(of)),
                );
            }
            Term::Variable(slot) => slot,
        };
        let variable = &self.variables[slot as usize];
        let stray = variable.types.types().iter().find(|&&of| !parameter.types.admits(types, of));
        let Some(&stray) = stray else { return Some(()) };
        let stray = types.name(stray);
        let found = self.type_names(variable);
        let message = if parameter.types.meets(types, &variable.types) {
            let one = parameter
                .types
                .types()
                .iter()
                .map(|&of| with_article(types.name(of)))
                .collect::<Vec<_>>()
                .join(" or ");
            format!(
                "`{name}` is of type {found}, but `{symbol}` is declared for {expected}: not every \
                 {stray} is {one}"
            )
        } else {
            format!("`{name}` is of type {found}, but `{symbol}` is declared for {expected}")
        };
        report.error_with_help(span, message, || {
            Some(format!("declare `{name}` to be of type {expected}, or `{symbol}` for {found}"))
        })
    }

    fn type_names(&self, variable: &Variable) -> String {
        let names: Vec<_> =
            variable.types.types().iter().map(|&id| self.signature.types.name(id)).collect();
        names.join(" or ")
    }

    fn term<'t>(&self, report: &mut Diagnostics<'_>, expr: Expr<'t>) -> Option<(Term, &'t str)> {
        let Some(word) = expr.word() else {
            return report
                .error(expr.head_span(), "expected a variable or an object, found a list");
        };
        if let Some(name) = word.strip_prefix('?') {
            // The innermost declaration of a name counts.
            return match self
                .variables
                .iter()
                .rposition(|known| known.name.eq_ignore_ascii_case(name))
            {
                Some(slot) => Some((Term::Variable(slot as u32), word)),
                None => report.error_with_help(
                    expr.span(),
                    format!("undeclared variable `{word}`"),
                    || {
                        let known = self
                            .variables
                            .iter()
                            .map(|known| format!("?{}", known.name))
                            .collect::<Vec<_>>();
                        did_you_mean(word, known.iter().map(String::as_str))
                    },
                ),
            };
        }
        match self.objects.find(word) {
            Some(object) => Some((Term::Object(object), word)),
            None => report.error_with_help(expr.span(), format!("unknown object `{word}`"), || {
                self.help_with_object(word)
            }),
        }
    }

    /// What may have been meant by a word that is no object.
    fn help_with_object(&self, word: &str) -> Option<String> {
        if self.variables.iter().any(|known| known.name.eq_ignore_ascii_case(word)) {
            Some(format!("did you mean the variable `?{word}`?"))
        } else {
            did_you_mean(word, self.objects.ids().map(|id| self.objects.name(id)))
        }
    }
}

fn with_article(name: &str) -> String {
    let article =
        if name.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// In `(= a b)`, a side that names an object makes it an equation between objects.
fn is_term(expr: Expr<'_>) -> bool {
    expr.word().is_some_and(|word| Numbers::Exact.read(word) == Err(NumberError::NotANumber))
}

fn comparison(head: &str) -> Comparison {
    match head {
        "<" => Comparison::Less,
        "<=" => Comparison::LessOrEqual,
        ">=" => Comparison::GreaterOrEqual,
        ">" => Comparison::Greater,
        _ => Comparison::Equal,
    }
}

fn exactly<'t, const N: usize>(
    report: &mut Diagnostics<'_>,
    expr: Expr<'_>,
    form: &str,
    arguments: &[Expr<'t>],
) -> Option<[Expr<'t>; N]> {
    match arguments.try_into() {
        Ok(arguments) => Some(arguments),
        Err(_) => report.error(expr.head_span(), format!("expected `{form}`")),
    }
}
