//! Reads a problem of a given domain.

use rustc_hash::{FxHashMap, FxHashSet};

use super::counted::start_at_zero;
use super::diagnostic::{ReadError, Warning};
use super::formula::{Scope, help_with_function};
use super::number::{NumberError, Numbers, quotient};
use super::sexpr::{Expr, Tree};
use super::source::{Source, Span};
use super::syntax::{Diagnostics, definition, objects, sections_named, unique_sections};
use crate::exact::Rational;
use crate::model::{
    Condition, Direction, Domain, Expression, GroundAtom, GroundFunction, Metric, Problem,
};

/// Reads a problem. `numbers` says how the values of the initial state are read; goals and metrics
/// are formulas, and exact.
///
/// Whatever is wrong is an error; [`read_published_problem`] passes over what other planners pass
/// over, and says so.
pub fn read_problem(
    source: &Source,
    domain: &Domain,
    numbers: Numbers,
) -> Result<Problem, ReadError> {
    let tree = Tree::read(source)?;
    let mut report = Diagnostics::new(source);
    let problem = problem(&mut report, &tree, domain, numbers, Care::Strict);
    report.finish(problem)
}

/// Reads a problem as problems are published, with a warning for each of two things that
/// [`read_problem`] takes at their word:
///
/// - a value of a function that the domain does not declare is passed over, once it is seen to be a
///   number;
/// - a function that no fact of `:init` gives a value, that actions only increase, and that no
///   condition and no right-hand side reads (a total cost), starts at 0. Whether a step can be
///   taken depends on such a function in one way only: without a value it could not be increased.
///   All other functions without a value stay undefined.
///
/// No such value is made up in a trajectory, whose states are what was observed.
pub fn read_published_problem(
    source: &Source,
    domain: &Domain,
    numbers: Numbers,
) -> Result<(Problem, Vec<Warning>), ReadError> {
    let tree = Tree::read(source)?;
    let mut report = Diagnostics::new(source);
    let problem = problem(&mut report, &tree, domain, numbers, Care::Lenient);
    report.finish_with_warnings(problem)
}

/// What is made of a file that is not quite right.
#[derive(Clone, Copy, PartialEq)]
enum Care {
    /// It is an error.
    Strict,
    /// A warning, where it is clear what was meant.
    Lenient,
}

fn problem(
    report: &mut Diagnostics<'_>,
    tree: &Tree<'_>,
    domain: &Domain,
    numbers: Numbers,
    care: Care,
) -> Option<Problem> {
    let (name, sections) = definition(report, tree, "problem")?;
    unique_sections(report, &sections, "");
    for section in &sections {
        let message = match section.head().map(str::to_ascii_lowercase).as_deref() {
            None
            | Some(":domain" | ":requirements" | ":objects" | ":init" | ":goal" | ":metric") => {
                continue;
            }
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
    let mut init = Init::new(numbers, care);
    match sections_named(&sections, ":init").next() {
        Some(section) => report.within("in :init", |report| {
            for item in section.items().skip(1) {
                init.fact(report, &mut scope, item);
            }
            init.check_denied(report);
            init.warn_of_undeclared(report, domain);
        }),
        None => report.error(tree.root().head_span(), "expected `(:init ...)`").unwrap_or_default(),
    }
    let goal = match sections_named(&sections, ":goal").next() {
        None => report.error(tree.root().head_span(), "expected `(:goal ...)`"),
        Some(section) => {
            report.within("in :goal", |report| match section.items().collect::<Vec<_>>()[..] {
                [_] => Some(Condition::TRUE),
                [_, goal] => scope.condition(report, goal),
                _ => report.error(section.head_span(), "expected `(:goal CONDITION)`"),
            })
        }
    };
    let metric = match sections_named(&sections, ":metric").next() {
        None => Some(None),
        Some(section) => {
            report.within("in :metric", |report| metric(report, &mut scope, section)).map(Some)
        }
    };
    let domain_name = sections_named(&sections, ":domain")
        .next()
        .and_then(|section| section.items().nth(1))
        .and_then(Expr::word);
    let Some(domain_name) = domain_name else {
        return report.error(tree.root().head_span(), "expected `(:domain NAME)`");
    };
    let Init { atoms, values, .. } = init;
    let mut problem = Problem {
        name: name.into(),
        domain_name: domain_name.into(),
        goal: goal?,
        metric: metric?,
        atoms,
        values,
        objects: known,
    };
    if let (Care::Lenient, Some(section)) = (care, sections_named(&sections, ":init").next()) {
        for counted in start_at_zero(domain, &mut problem) {
            report.warning(section.head_span(), counted.message(), Some(counted.help()));
        }
    }
    Some(problem)
}

struct Init<'t> {
    numbers: Numbers,
    care: Care,
    atoms: Vec<GroundAtom>,
    values: Vec<(GroundFunction, Rational)>,
    /// The facts listed as false, and where.
    denied: Vec<(GroundAtom, Span)>,
    /// Where in `values` a function is.
    places: FxHashMap<GroundFunction, usize>,
    /// Functions that have values but are not declared: where the first is, and how many there are.
    undeclared: Vec<(&'t str, Span, usize)>,
}

impl<'t> Init<'t> {
    fn new(numbers: Numbers, care: Care) -> Self {
        let (atoms, values, denied, places, undeclared) = Default::default();
        Init { numbers, care, atoms, values, denied, places, undeclared }
    }

    fn fact(
        &mut self,
        report: &mut Diagnostics<'_>,
        scope: &mut Scope<'_>,
        item: Expr<'t>,
    ) -> Option<()> {
        let items: Vec<_> = item.items().collect();
        match &items[..] {
            [head, time, fact] if head.is_word("at") && fact.is_list() && time.word().is_some() => {
                report.error(item.head_span(), "timed initial literals are not supported")
            }
            [head, function, value]
                if head.is_word("=") && self.is_undeclared(scope, *function) =>
            {
                self.value(report, *value)?;
                let name = function.head()?;
                match self
                    .undeclared
                    .iter_mut()
                    .find(|(known, ..)| known.eq_ignore_ascii_case(name))
                {
                    Some((.., count)) => *count += 1,
                    None => self.undeclared.push((name, function.head_span(), 1)),
                }
                Some(())
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
                    Some(_) => {
                        report.error(item.span(), "this function is given another value before")
                    }
                }
            }
            [head, ..] if head.is_word("=") => {
                report.error(item.span(), "expected `(= (FUNCTION ...) NUMBER)`")
            }
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

    /// Whether this is a name that the domain has not, applied to names, and may be passed over.
    fn is_undeclared(&self, scope: &Scope<'_>, function: Expr<'_>) -> bool {
        let Some(name) = function.head() else { return false };
        self.care == Care::Lenient
            && scope.signature.functions.find(name).is_none()
            && scope.signature.predicates.find(name).is_none()
            && function.items().all(|item| item.word().is_some())
    }

    fn warn_of_undeclared(&self, report: &mut Diagnostics<'_>, domain: &Domain) {
        for &(name, span, count) in &self.undeclared {
            let (values, are) = if count == 1 {
                ("its value".to_owned(), "is")
            } else {
                (format!("its {count} values"), "are")
            };
            let message =
                format!("the domain declares no function `{name}`: {values} {are} passed over");
            let help = help_with_function(&domain.signature, name);
            report.warning(span, message, help);
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
        [slash, dividend, divisor] if slash.is_word("/") => {
            quotient(&read_exact(dividend)?, &read_exact(divisor)?)
        }
        _ => Err(NumberError::NotANumber),
    }
}

fn read_exact(expr: Expr<'_>) -> Result<Rational, NumberError> {
    Numbers::Exact.read(expr.word().ok_or(NumberError::NotANumber)?)
}

fn metric(
    report: &mut Diagnostics<'_>,
    scope: &mut Scope<'_>,
    section: Expr<'_>,
) -> Option<Metric> {
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

/// An expression in which `(total-time)`, also without its parentheses, may stand for the length of
/// the plan.
fn objective_expression(
    report: &mut Diagnostics<'_>,
    scope: &mut Scope<'_>,
    expr: Expr<'_>,
) -> Option<Expression> {
    let items: Vec<_> = expr.items().collect();
    match &items[..] {
        [] if is_plan_length(scope, expr) => Some(Expression::TotalTime),
        [only] if is_plan_length(scope, *only) => Some(Expression::TotalTime),
        [head, ..]
            if head.is_word("is-violated")
                && scope.signature.functions.find("is-violated").is_none() =>
        {
            report.error(expr.head_span(), "preferences are not supported")
        }
        [head, rest @ ..] if matches!(head.word(), Some("+" | "*" | "-" | "/")) => {
            let parts: Vec<_> =
                rest.iter().map(|part| objective_expression(report, scope, *part)).collect();
            let parts: Vec<_> = parts.into_iter().collect::<Option<_>>()?;
            scope.combine(report, expr, head.word()?, parts)
        }
        _ => scope.expression(report, expr),
    }
}
