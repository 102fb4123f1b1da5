//! Reads a problem of a given domain.

use rustc_hash::{FxHashMap, FxHashSet};

use super::diagnostic::ReadError;
use super::formula::Scope;
use super::number::{NumberError, Numbers, quotient};
use super::sexpr::{Expr, Tree};
use super::source::{Source, Span};
use super::syntax::{Diagnostics, definition, objects, sections_named, unique_sections};
use crate::exact::Rational;
use crate::model::{Condition, Direction, Domain, Expression, GroundAtom, GroundFunction, Metric, Problem};

/// Reads a problem. `numbers` says how the values of the initial state are read; goals and metrics are formulas, and exact.
pub fn read_problem(source: &Source, domain: &Domain, numbers: Numbers) -> Result<Problem, ReadError> {
    let tree = Tree::read(source)?;
    let mut report = Diagnostics::new(source);
    let problem = problem(&mut report, &tree, domain, numbers);
    report.finish(problem)
}

fn problem(report: &mut Diagnostics<'_>, tree: &Tree<'_>, domain: &Domain, numbers: Numbers) -> Option<Problem> {
    let (name, sections) = definition(report, tree, "problem")?;
    unique_sections(report, &sections, "");
    for section in &sections {
        let message = match section.head().map(str::to_ascii_lowercase).as_deref() {
            None | Some(":domain" | ":requirements" | ":objects" | ":init" | ":goal" | ":metric") => continue,
            Some(":constraints") => "constraints are not supported".to_owned(),
            Some(head) => format!("unknown section `{head}`"),
        };
        let _: Option<()> = report.error_with_help(section.head_span(), message, || {
            Some("a problem has :domain, :requirements, :objects, :init, :goal and :metric".into())
        });
    }
    let mut known = domain.signature.constants.clone();
    let constants = known.len();
    if let Some(section) = sections_named(&sections, ":objects").next() {
        report.within("in :objects", |report| {
            objects(report, &domain.signature.types, section.items().skip(1), constants, &mut known)
        });
    }
    let mut scope = Scope { signature: &domain.signature, objects: &known, variables: Vec::new() };
    let mut init = Init { numbers, atoms: Vec::new(), values: Vec::new(), denied: Vec::new(), places: FxHashMap::default() };
    match sections_named(&sections, ":init").next() {
        Some(section) => report.within("in :init", |report| {
            for item in section.items().skip(1) {
                init.fact(report, &mut scope, item);
            }
            init.check_denied(report);
        }),
        None => report.error(tree.root().head_span(), "expected `(:init ...)`").unwrap_or_default(),
    }
    let goal = match sections_named(&sections, ":goal").next() {
        None => report.error(tree.root().head_span(), "expected `(:goal ...)`"),
        Some(section) => report.within("in :goal", |report| match section.items().collect::<Vec<_>>()[..] {
            [_] => Some(Condition::TRUE),
            [_, goal] => scope.condition(report, goal),
            _ => report.error(section.head_span(), "expected `(:goal CONDITION)`"),
        }),
    };
    let metric = match sections_named(&sections, ":metric").next() {
        None => Some(None),
        Some(section) => report.within("in :metric", |report| metric(report, &mut scope, section)).map(Some),
    };
    let domain_name = sections_named(&sections, ":domain").next().and_then(|section| section.items().nth(1)).and_then(Expr::word);
    let Some(domain_name) = domain_name else {
        return report.error(tree.root().head_span(), "expected `(:domain NAME)`");
    };
    let Init { atoms, values, .. } = init;
    Some(Problem {
        name: name.into(),
        domain_name: domain_name.into(),
        goal: goal?,
        metric: metric?,
        atoms,
        values,
        objects: known,
    })
}

struct Init {
    numbers: Numbers,
    atoms: Vec<GroundAtom>,
    values: Vec<(GroundFunction, Rational)>,
    /// The facts listed as false, and where.
    denied: Vec<(GroundAtom, Span)>,
    /// Where in `values` a function is.
    places: FxHashMap<GroundFunction, usize>,
}

impl Init {
    fn fact(&mut self, report: &mut Diagnostics<'_>, scope: &mut Scope<'_>, item: Expr<'_>) -> Option<()> {
        let items: Vec<_> = item.items().collect();
        match &items[..] {
            [head, time, fact] if head.is_word("at") && fact.is_list() && time.word().is_some() => {
                report.error(item.head_span(), "timed initial literals are not supported")
            }
            [head, function, value] if head.is_word("=") => {
                let function = scope.function(report, *function)?.ground(&[]);
                let value = self.value(report, *value)?;
                match self.places.get(&function) {
                    None => {
                        self.places.insert(function.clone(), self.values.len());
                        self.values.push((function, value));
                        Some(())
                    }
                    Some(&place) if self.values[place].1 == value => Some(()),
                    Some(_) => report.error(item.span(), "this function is given another value before"),
                }
            }
            [head, ..] if head.is_word("=") => report.error(item.span(), "expected `(= (FUNCTION ...) NUMBER)`"),
            // What is not listed is false, so a negative fact says nothing new.
            [head, fact] if head.is_word("not") => {
                let atom = scope.atom(report, *fact)?.ground(&[]);
                self.denied.push((atom, item.span()));
                Some(())
            }
            _ => {
                let atom = scope.atom(report, item)?;
                self.atoms.push(atom.ground(&[]));
                Some(())
            }
        }
    }

    fn check_denied(&self, report: &mut Diagnostics<'_>) {
        if self.denied.is_empty() {
            return;
        }
        let listed: FxHashSet<_> = self.atoms.iter().collect();
        for (_, span) in self.denied.iter().filter(|(atom, _)| listed.contains(atom)) {
            let _: Option<()> = report.error(*span, "this fact is listed as true as well");
        }
    }

    fn value(&self, report: &mut Diagnostics<'_>, expr: Expr<'_>) -> Option<Rational> {
        match read_value(self.numbers, expr) {
            Ok(value) => Some(value),
            Err(error) => report.error(expr.span(), error.to_string()),
        }
    }
}

/// A number, or a quotient `(/ 1 3)` where no decimal is exact.
fn read_value(numbers: Numbers, expr: Expr<'_>) -> Result<Rational, NumberError> {
    if let Some(word) = expr.word() {
        return numbers.read(word);
    }
    match expr.items().collect::<Vec<_>>()[..] {
        [slash, dividend, divisor] if slash.is_word("/") => quotient(&read_exact(dividend)?, &read_exact(divisor)?),
        _ => Err(NumberError::NotANumber),
    }
}

fn read_exact(expr: Expr<'_>) -> Result<Rational, NumberError> {
    Numbers::Exact.read(expr.word().ok_or(NumberError::NotANumber)?)
}

fn metric(report: &mut Diagnostics<'_>, scope: &mut Scope<'_>, section: Expr<'_>) -> Option<Metric> {
    let items: Vec<_> = section.items().collect();
    let [_, direction, objective] = items[..] else {
        return report.error(section.head_span(), "expected `(:metric minimize EXPRESSION)`");
    };
    let direction = match direction.word().map(str::to_ascii_lowercase).as_deref() {
        Some("minimize") => Direction::Minimize,
        Some("maximize") => Direction::Maximize,
        _ => return report.error(direction.span(), "expected `minimize` or `maximize`"),
    };
    Some(Metric { direction, expression: objective_expression(report, scope, objective)? })
}

/// Whether a word is `total-time`, and not a function of the domain.
fn is_plan_length(scope: &Scope<'_>, expr: Expr<'_>) -> bool {
    expr.is_word("total-time") && scope.signature.functions.find("total-time").is_none()
}

/// An expression in which `(total-time)`, also without its parentheses, may stand for the length of the plan.
fn objective_expression(report: &mut Diagnostics<'_>, scope: &mut Scope<'_>, expr: Expr<'_>) -> Option<Expression> {
    let items: Vec<_> = expr.items().collect();
    match &items[..] {
        [] if is_plan_length(scope, expr) => Some(Expression::TotalTime),
        [only] if is_plan_length(scope, *only) => Some(Expression::TotalTime),
        [head, ..] if head.is_word("is-violated") && scope.signature.functions.find("is-violated").is_none() => {
            report.error(expr.head_span(), "preferences are not supported")
        }
        [head, rest @ ..] if matches!(head.word(), Some("+" | "*" | "-" | "/")) => {
            let parts: Vec<_> = rest.iter().map(|part| objective_expression(report, scope, *part)).collect();
            let parts: Vec<_> = parts.into_iter().collect::<Option<_>>()?;
            scope.combine(report, expr, head.word()?, parts)
        }
        _ => scope.expression(report, expr),
    }
}
