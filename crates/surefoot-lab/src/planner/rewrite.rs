//! A task as another planner can read it: lower case, legal names, plain decimals, nothing that it
//! stumbles over.
//!
//! Types, predicates, functions, actions and objects keep their ids, so a plan read with the
//! rewritten task is a plan of the original one. Rounding (see [`rounding`](super::rounding)) can
//! lose plans; it cannot make a wrong one pass, because plans are validated against the original.

use std::collections::BTreeSet;

use surefoot_base::exact::{Rational, Rounding};
use surefoot_base::model::{
    Action, Condition, Domain, Effect, Expression, Names, NumericEffect, Objects, Problem,
    Signature, Symbol, Types, Variable,
};
use surefoot_base::pddl::Operands;

use super::rounding::{FunctionBounds, has_short_numbers, is_short, shortened};

/// What a planner can read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dialect {
    /// How many significant decimal digits its numbers hold.
    pub digits: u32,
    /// Whether a `:metric` does it no harm.
    pub metric: bool,
    /// How many operands its sums and products may have.
    pub operands: Operands,
}

/// A task in the dialect of a planner, with what is needed to read its plans back.
pub struct Rewritten {
    pub domain: Domain,
    pub problem: Problem,
    /// Whether all numbers mean what they meant. Where not, the rewritten task may have fewer
    /// plans, or others.
    pub exact: bool,
    /// Whether all numbers are whole: sums of such are exact in floats too.
    pub whole: bool,
}

/// Writes a task in the dialect of a planner.
pub fn rewrite(domain: &Domain, problem: &Problem, dialect: Dialect) -> Rewritten {
    let mut rewriter = Rewriter { digits: dialect.digits, exact: true, whole: true };
    let types = types(&domain.signature.types);
    let objects = objects(&problem.objects, problem.objects.len());
    // Conditions tell predicates and functions apart by context; not every planner does.
    let mut taken = reserved();
    let signature = Signature {
        predicates: symbols(&domain.signature.predicates, &mut taken),
        functions: symbols(&domain.signature.functions, &mut taken),
        constants: objects_up_to(&objects, domain.signature.constants.len()),
        types,
    };
    let actions = domain.actions.iter().map(|(name, action)| (name, rewriter.action(action)));
    let actions = renamed(actions.collect::<Vec<_>>().into_iter(), &mut reserved());
    let mut rewritten =
        Domain { name: legal(&domain.name).into(), requirements: Vec::new(), signature, actions };
    rewritten.requirements = rewritten.used_requirements();
    for word in &mut rewritten.requirements {
        if &**word == ":numeric-fluents" {
            // The older name, which all read.
            *word = ":fluents".into();
        }
    }
    let values =
        problem.values.iter().map(|(function, value)| (function.clone(), rewriter.number(value)));
    let problem = Problem {
        name: legal(&problem.name).into(),
        domain_name: rewritten.name.clone(),
        objects,
        atoms: problem.atoms.clone(),
        values: values.collect(),
        goal: rewriter.whole_condition(&problem.goal),
        metric: problem.metric.clone().filter(|_| dialect.metric),
    };
    Rewritten { domain: rewritten, problem, exact: rewriter.exact, whole: rewriter.whole }
}

fn types(types: &Types) -> Types {
    let mut rewritten = Types::default();
    let mut taken = reserved();
    for id in types.ids().skip(1) {
        rewritten.declare(&free(types.name(id), &mut taken));
    }
    for child in types.ids().skip(1) {
        for &parent in types.parents(child) {
            rewritten.add_parent(child, parent);
        }
    }
    rewritten
}

fn symbols(symbols: &Names<Symbol>, taken: &mut BTreeSet<String>) -> Names<Symbol> {
    let rewritten = symbols.iter().map(|(name, symbol)| {
        let parameters = variables(&symbol.parameters, &mut BTreeSet::new());
        (name, Symbol { parameters })
    });
    renamed(rewritten, taken)
}

fn objects(objects: &Objects, count: usize) -> Objects {
    let (mut rewritten, mut taken) = (Objects::default(), reserved());
    for id in objects.ids().take(count) {
        let _ = rewritten.insert(&free(objects.name(id), &mut taken), objects.type_of(id));
    }
    rewritten
}

fn objects_up_to(objects: &Objects, count: usize) -> Objects {
    let mut first = Objects::default();
    for id in objects.ids().take(count) {
        let _ = first.insert(objects.name(id), objects.type_of(id));
    }
    first
}

fn renamed<'n, T>(
    names: impl Iterator<Item = (&'n str, T)>,
    taken: &mut BTreeSet<String>,
) -> Names<T> {
    let mut rewritten = Names::default();
    for (name, value) in names {
        let _ = rewritten.insert(&free(name, taken), value);
    }
    rewritten
}

fn variables(variables: &[Variable], taken: &mut BTreeSet<String>) -> Vec<Variable> {
    let mut rewritten = Vec::new();
    for variable in variables {
        rewritten.push(Variable {
            name: free(&variable.name, taken).into(),
            types: variable.types.clone(),
        });
    }
    rewritten
}

fn reserved() -> BTreeSet<String> {
    let words = "and or not imply forall exists when either assign increase decrease scale-up \
                 scale-down total-time minimize \
                 maximize define domain problem preference object number";
    words.split_whitespace().map(str::to_owned).collect()
}

/// A legal name that is not taken yet, and is from now on.
fn free(name: &str, taken: &mut BTreeSet<String>) -> String {
    let legal = legal(name);
    let numbered = (2..).map(|number| format!("{legal}_{number}"));
    let Some(name) =
        std::iter::once(legal.clone()).chain(numbered).find(|name| !taken.contains(name))
    else {
        return legal;
    };
    taken.insert(name.clone());
    name
}

/// Letters, digits, `-` and `_`, a letter first.
fn legal(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let name = lower.replace(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-', "_");
    if name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        name
    } else {
        format!("n{name}")
    }
}

struct Rewriter {
    digits: u32,
    exact: bool,
    whole: bool,
}

impl Rewriter {
    fn action(&mut self, action: &Action) -> Action {
        let mut scope = BTreeSet::new();
        let parameters = variables(&action.parameters, &mut scope);
        // Other planners read comparisons; of a set known by its generators these bound a part.
        let precondition = action.precondition.expanded();
        let bounds = FunctionBounds::of(&precondition);
        let mut adds = Vec::new();
        unconditional_adds(&action.effect, &mut adds);
        Action {
            parameters,
            precondition: self.condition(&precondition, Some(&bounds), false, &mut scope),
            effect: self.effect(&action.effect, &adds, &mut scope),
        }
    }

    fn whole_condition(&mut self, condition: &Condition) -> Condition {
        self.condition(condition, Some(&FunctionBounds::of(condition)), false, &mut BTreeSet::new())
    }

    /// With `outward` the result is implied by the condition, otherwise it implies it; without
    /// bounds it is the nearest.
    fn condition(
        &mut self,
        condition: &Condition,
        bounds: Option<&FunctionBounds>,
        outward: bool,
        scope: &mut BTreeSet<String>,
    ) -> Condition {
        match condition {
            Condition::And(parts) => Condition::And(self.conditions(parts, bounds, outward, scope)),
            Condition::Or(parts) => Condition::Or(self.conditions(parts, bounds, outward, scope)),
            Condition::Not(inner) => {
                Condition::Not(Box::new(self.condition(inner, bounds, !outward, scope)))
            }
            Condition::Imply(both) => {
                let [premise, conclusion] = &**both;
                Condition::Imply(Box::new([
                    self.condition(premise, bounds, !outward, scope),
                    self.condition(conclusion, bounds, outward, scope),
                ]))
            }
            Condition::ForAll(bound, inner) => {
                let (bound, mut scope) = inner_scope(bound, scope);
                Condition::ForAll(
                    bound,
                    Box::new(self.condition(inner, bounds, outward, &mut scope)),
                )
            }
            Condition::Exists(bound, inner) => {
                let (bound, mut scope) = inner_scope(bound, scope);
                Condition::Exists(
                    bound,
                    Box::new(self.condition(inner, bounds, outward, &mut scope)),
                )
            }
            Condition::Atom(_) | Condition::Same(..) => condition.clone(),
            Condition::Within(_) => self.condition(&condition.expanded(), bounds, outward, scope),
            Condition::Compare(comparison, sides) => {
                let is_short = sides.iter().all(|side| has_short_numbers(side, self.digits));
                let shortened = match bounds {
                    Some(bounds) if !is_short => {
                        shortened(*comparison, sides, bounds, self.digits, outward)
                    }
                    _ => None,
                };
                if let Some((short, exact)) = shortened {
                    self.exact &= exact;
                    return self.condition(&short, None, outward, scope);
                }
                let sides = Box::new([self.expression(&sides[0]), self.expression(&sides[1])]);
                Condition::Compare(*comparison, sides)
            }
        }
    }

    fn conditions(
        &mut self,
        parts: &[Condition],
        bounds: Option<&FunctionBounds>,
        outward: bool,
        scope: &mut BTreeSet<String>,
    ) -> Vec<Condition> {
        parts.iter().map(|part| self.condition(part, bounds, outward, scope)).collect()
    }

    fn effect(
        &mut self,
        effect: &Effect,
        adds: &[&Effect],
        scope: &mut BTreeSet<String>,
    ) -> Effect {
        match effect {
            Effect::And(parts) => {
                let lasting = parts.iter().filter(|part| !is_undone(part, adds));
                Effect::And(lasting.map(|part| self.effect(part, adds, scope)).collect())
            }
            Effect::Add(_) | Effect::Delete(_) => effect.clone(),
            Effect::Numeric(numeric) => Effect::Numeric(NumericEffect {
                operator: numeric.operator,
                target: numeric.target.clone(),
                value: self.expression(&numeric.value),
            }),
            Effect::When(condition, inner) => {
                let condition = self.condition(condition, None, false, scope);
                Effect::When(condition, Box::new(self.effect(inner, adds, scope)))
            }
            Effect::ForAll(bound, inner) => {
                let (bound, mut scope) = inner_scope(bound, scope);
                Effect::ForAll(bound, Box::new(self.effect(inner, adds, &mut scope)))
            }
        }
    }

    /// The nearest short numbers, and operations of two operands.
    fn expression(&mut self, expression: &Expression) -> Expression {
        match expression {
            Expression::Number(number) => Expression::Number(self.number(number)),
            Expression::Function(_) | Expression::TotalTime => expression.clone(),
            Expression::Sum(terms) => self.nested(terms, Expression::Sum, Rational::ZERO),
            Expression::Product(factors) => {
                self.nested(factors, Expression::Product, Rational::ONE)
            }
            Expression::Difference(sides) => Expression::Difference(self.sides(sides)),
            Expression::Quotient(sides) => Expression::Quotient(self.sides(sides)),
            // Not every planner reads a minus of one operand.
            Expression::Negation(inner) => Expression::Difference(Box::new([
                Expression::Number(Rational::ZERO),
                self.expression(inner),
            ])),
        }
    }

    fn sides(&mut self, sides: &[Expression; 2]) -> Box<[Expression; 2]> {
        Box::new([self.expression(&sides[0]), self.expression(&sides[1])])
    }

    fn nested(
        &mut self,
        parts: &[Expression],
        operation: fn(Vec<Expression>) -> Expression,
        neutral: Rational,
    ) -> Expression {
        let parts: Vec<_> = parts.iter().map(|part| self.expression(part)).collect();
        parts
            .into_iter()
            .reduce(|left, right| operation(vec![left, right]))
            .unwrap_or(Expression::Number(neutral))
    }

    fn number(&mut self, number: &Rational) -> Rational {
        self.exact &= is_short(number, self.digits);
        self.whole &= number.is_integer();
        number.with_digits(self.digits, Rounding::Nearest)
    }
}

fn inner_scope(bound: &[Variable], scope: &BTreeSet<String>) -> (Vec<Variable>, BTreeSet<String>) {
    let mut scope = scope.clone();
    (variables(bound, &mut scope), scope)
}

/// Delete first, then add: where both happen to one atom, only the addition counts.
fn is_undone(effect: &Effect, adds: &[&Effect]) -> bool {
    match effect {
        Effect::Delete(atom) => {
            adds.iter().any(|add| matches!(add, Effect::Add(added) if added == atom))
        }
        _ => false,
    }
}

fn unconditional_adds<'a>(effect: &'a Effect, adds: &mut Vec<&'a Effect>) {
    match effect {
        Effect::And(parts) => parts.iter().for_each(|part| unconditional_adds(part, adds)),
        Effect::Add(_) => adds.push(effect),
        _ => {}
    }
}
