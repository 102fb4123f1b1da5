//! Writes domains, problems, plans, trajectories, and single formulas. What is written reads back
//! to the same value.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::number::{quotient, write_number};
use super::plan::Plan;
use super::trajectory::{ASSUMED, Trajectory};
use super::visible::visible;
use crate::exact::Rational;
use crate::model::{
    ActionId, Condition, Direction, Domain, Effect, Expression, Ground, GroundAction, GroundAtom,
    GroundFunction, Lifted, Names, NumericOperator, ObjectId, Objects, Problem, State, Symbol,
    Term, TypeSet, Types, Universe, Variable,
};

/// How the comment of a problem begins that names a fact which is unknown at the start.
pub const UNKNOWN_AT_START: &str = "; unknown at the start:";

/// How sums and products are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Operands {
    /// As they are: `(+ a b c)`.
    #[default]
    Many,
    /// Two each, nested from the left: `(+ (+ a b) c)`. The grammar of PDDL 2.1 has no others, and
    /// some programs read no others. The value is the same, computed in the same order.
    Two,
    /// As many as can be without another order: `(+ (+ a b) c)` as `(+ a b c)`, `(+ a)` as `a`,
    /// `(/ (+ 1) 2)` as 0.5. One text for what [`Operands::Many`] and [`Operands::Two`] write.
    Most,
}

/// Turns ids back into names. The objects in the slots of the free variables can be given, to write
/// ground formulas.
#[derive(Clone)]
pub struct Writer<'a> {
    domain: &'a Domain,
    objects: &'a Objects,
    /// The text of each slot: `?x`, or the name of an object.
    slots: Vec<String>,
    operands: Operands,
}

impl<'a> Writer<'a> {
    /// Writes formulas without free variables.
    pub fn new(domain: &'a Domain, objects: &'a Objects) -> Self {
        Writer { domain, objects, slots: Vec::new(), operands: Operands::Many }
    }

    /// Writes sums and products in this way.
    pub fn with_operands(self, operands: Operands) -> Self {
        Writer { operands, ..self }
    }

    /// Writes formulas over these parameters.
    pub fn with_parameters(mut self, parameters: &[Variable]) -> Self {
        self.slots = parameters.iter().map(|parameter| format!("?{}", parameter.name)).collect();
        self
    }

    /// Writes formulas with these objects for the variables.
    pub fn with_objects(mut self, environment: &[ObjectId]) -> Self {
        self.slots =
            environment.iter().map(|&object| self.objects.name(object).to_owned()).collect();
        self
    }

    /// An atom, written `(p a b)`.
    pub fn ground_atom(&self, atom: &GroundAtom) -> String {
        self.ground(self.domain.signature.predicates.name(atom.symbol.index()), atom)
    }

    /// A function applied to objects, written `(f a b)`.
    pub fn ground_function(&self, function: &GroundFunction) -> String {
        self.ground(self.domain.signature.functions.name(function.symbol.index()), function)
    }

    /// An action applied to objects, written `(act a b)`.
    pub fn ground_action(&self, action: &GroundAction) -> String {
        self.ground(self.domain.action_name(action.symbol), action)
    }

    fn ground<S>(&self, name: &str, ground: &Ground<S>) -> String {
        let names = ground.arguments.iter().map(|&object| self.objects.name(object));
        list(std::iter::once(name).chain(names))
    }

    fn lifted<S>(&self, name: &str, lifted: &Lifted<S>) -> String {
        list(std::iter::once(name).chain(lifted.terms.iter().map(|term| self.term(*term))))
    }

    fn term(&self, term: Term) -> &str {
        match term {
            Term::Variable(slot) => &self.slots[slot as usize],
            Term::Object(object) => self.objects.name(object),
        }
    }

    /// A predicate applied to terms.
    pub fn atom(&self, atom: &Lifted<crate::model::PredicateId>) -> String {
        self.lifted(self.domain.signature.predicates.name(atom.symbol.index()), atom)
    }

    /// A function applied to terms.
    pub fn function(&self, function: &Lifted<crate::model::FunctionId>) -> String {
        self.lifted(self.domain.signature.functions.name(function.symbol.index()), function)
    }

    /// A condition, on one line.
    pub fn condition(&mut self, condition: &Condition) -> String {
        match condition {
            Condition::And(parts) => {
                let parts = self.conjuncts(parts);
                list(std::iter::once("and").chain(parts.iter().map(String::as_str)))
            }
            Condition::Or(parts) => self.conditions("or", parts),
            Condition::Not(inner) => format!("(not {})", self.condition(inner)),
            Condition::Imply(both) => {
                format!("(imply {} {})", self.condition(&both[0]), self.condition(&both[1]))
            }
            Condition::ForAll(variables, body) => {
                self.quantified("forall", variables, |this| this.condition(body))
            }
            Condition::Exists(variables, body) => {
                self.quantified("exists", variables, |this| this.condition(body))
            }
            Condition::Atom(atom) => self.atom(atom),
            Condition::Same(left, right) => {
                format!("(= {} {})", self.term(*left), self.term(*right))
            }
            Condition::Compare(comparison, sides) => {
                format!(
                    "({} {} {})",
                    comparison.symbol(),
                    self.expression(&sides[0]),
                    self.expression(&sides[1])
                )
            }
            Condition::Within(_) => self.condition(&condition.expanded()),
        }
    }

    /// The parts of a conjunction. A region is written as its comparisons, without those that stand
    /// there already.
    fn conjuncts(&mut self, parts: &[Condition]) -> Vec<String> {
        let mut all: Vec<(String, bool)> = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Condition::Within(region) => {
                    all.extend(
                        region.comparisons().map(|comparison| (self.condition(&comparison), true)),
                    );
                }
                other => all.push((self.condition(other), false)),
            }
        }
        if all.iter().any(|(_, of_region)| *of_region) {
            let mut told = FxHashSet::default();
            let repeated: Vec<bool> = all
                .iter()
                .map(|(text, of_region)| !told.insert(text.as_str()) && *of_region)
                .collect();
            let mut repeated = repeated.into_iter();
            all.retain(|_| !repeated.next().unwrap_or(false));
        }
        all.into_iter().map(|(text, _)| text).collect()
    }

    fn conditions(&mut self, head: &str, parts: &[Condition]) -> String {
        let parts: Vec<_> = parts.iter().map(|part| self.condition(part)).collect();
        list(std::iter::once(head).chain(parts.iter().map(String::as_str)))
    }

    fn quantified(
        &mut self,
        head: &str,
        variables: &[Variable],
        body: impl FnOnce(&mut Self) -> String,
    ) -> String {
        let free = self.slots.len();
        self.slots.extend(variables.iter().map(|variable| format!("?{}", variable.name)));
        let body = body(self);
        self.slots.truncate(free);
        format!("({head} ({}) {body})", typed_variables(&self.domain.signature.types, variables))
    }

    /// A numeric expression as text.
    pub fn expression(&self, expression: &Expression) -> String {
        match expression {
            Expression::Number(number) => write_number(number),
            Expression::Function(function) => self.function(function),
            Expression::Sum(terms) => self.operation_of_many("+", terms, |inner| match inner {
                Expression::Sum(terms) => Some(terms),
                _ => None,
            }),
            Expression::Product(factors) => {
                self.operation_of_many("*", factors, |inner| match inner {
                    Expression::Product(factors) => Some(factors),
                    _ => None,
                })
            }
            Expression::Difference(sides) => self.operation("-", &**sides),
            Expression::Quotient(sides) => {
                let number =
                    if self.operands == Operands::Most { constant(expression) } else { None };
                number.map_or_else(|| self.operation("/", &**sides), |number| write_number(&number))
            }
            Expression::Negation(inner) => self.operation("-", std::slice::from_ref(inner)),
            Expression::TotalTime => "(total-time)".into(),
        }
    }

    /// A sum or a product; `same` gives the parts of another of its kind.
    fn operation_of_many(
        &self,
        operator: &str,
        parts: &[Expression],
        same: fn(&Expression) -> Option<&Vec<Expression>>,
    ) -> String {
        match (self.operands, parts) {
            (Operands::Two, [first, rest @ ..]) => {
                let nest = |left: String, part| {
                    list([operator, &left, &self.expression(part)].into_iter())
                };
                rest.iter().fold(self.expression(first), nest)
            }
            (Operands::Most, _) => {
                let (mut outer, mut rest) = (parts, Vec::new());
                while let [first, others @ ..] = outer
                    && let Some(inner) = same(without_brackets(first))
                {
                    rest.push(others);
                    outer = inner;
                }
                let all: Vec<&Expression> =
                    outer.iter().chain(rest.into_iter().rev().flatten()).collect();
                match all[..] {
                    [only] => self.expression(only),
                    _ => {
                        let texts: Vec<String> =
                            all.into_iter().map(|part| self.expression(part)).collect();
                        list(std::iter::once(operator).chain(texts.iter().map(String::as_str)))
                    }
                }
            }
            _ => self.operation(operator, parts),
        }
    }

    fn operation(&self, operator: &str, parts: &[Expression]) -> String {
        let parts: Vec<_> = parts.iter().map(|part| self.expression(part)).collect();
        list(std::iter::once(operator).chain(parts.iter().map(String::as_str)))
    }

    /// An effect, on one line.
    pub fn effect(&mut self, effect: &Effect) -> String {
        match effect {
            Effect::And(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.effect(part)).collect();
                list(std::iter::once("and").chain(parts.iter().map(String::as_str)))
            }
            Effect::Add(atom) => self.atom(atom),
            Effect::Delete(atom) => format!("(not {})", self.atom(atom)),
            Effect::Numeric(numeric) => {
                let operator = match numeric.operator {
                    NumericOperator::Assign => "assign",
                    NumericOperator::Increase => "increase",
                    NumericOperator::Decrease => "decrease",
                    NumericOperator::ScaleUp => "scale-up",
                    NumericOperator::ScaleDown => "scale-down",
                };
                format!(
                    "({operator} {} {})",
                    self.function(&numeric.target),
                    self.expression(&numeric.value)
                )
            }
            Effect::When(condition, inner) => {
                format!("(when {} {})", self.condition(condition), self.effect(inner))
            }
            Effect::ForAll(variables, inner) => {
                self.quantified("forall", variables, |this| this.effect(inner))
            }
        }
    }
}

/// What a sum or a product of one part, or such of such, is made of.
fn without_brackets(mut expression: &Expression) -> &Expression {
    while let Expression::Sum(parts) | Expression::Product(parts) = expression
        && let [only] = &parts[..]
    {
        expression = only;
    }
    expression
}

/// The number that is read where a quotient of numbers is written, once brackets are left out.
fn constant(expression: &Expression) -> Option<Rational> {
    match without_brackets(expression) {
        Expression::Number(number) => Some(number.clone()),
        Expression::Quotient(sides) => quotient(&constant(&sides[0])?, &constant(&sides[1])?).ok(),
        _ => None,
    }
}

fn list<'w>(words: impl Iterator<Item = &'w str>) -> String {
    format!("({})", words.collect::<Vec<_>>().join(" "))
}

fn type_names(types: &Types, set: &TypeSet) -> String {
    match set.types() {
        [only] => types.name(*only).to_owned(),
        several => list(std::iter::once("either").chain(several.iter().map(|&id| types.name(id)))),
    }
}

/// `?a ?b - t ?c - u`; without types where all are objects.
fn typed_variables(types: &Types, variables: &[Variable]) -> String {
    let names = variables
        .iter()
        .map(|variable| (format!("?{}", variable.name), type_names(types, &variable.types)));
    typed(names.collect()).join(" ")
}

/// Groups neighbours of one type: `["a b - t", "c - u"]`.
fn typed(names: Vec<(String, String)>) -> Vec<String> {
    if names.iter().all(|(_, of)| of == "object") {
        return names.into_iter().map(|(name, _)| name).collect();
    }
    let groups = names.chunk_by(|one, other| one.1 == other.1);
    groups
        .map(|group| {
            format!(
                "{} - {}",
                group.iter().map(|(name, _)| &**name).collect::<Vec<_>>().join(" "),
                group[0].1
            )
        })
        .collect()
}

fn section(text: &mut String, keyword: &str, lines: &[String]) {
    if !lines.is_empty() {
        let _ = write!(text, "\n  ({keyword}\n    {})", lines.join("\n    "));
    }
}

/// Writes a domain, one conjunct a line. Names keep their spelling.
pub fn write_domain(domain: &Domain) -> String {
    write_domain_with(domain, Operands::Many)
}

/// Writes a domain with sums and products as others read them. Reads back to a domain of the same
/// meaning.
pub fn write_domain_with(domain: &Domain, operands: Operands) -> String {
    let signature = &domain.signature;
    let types = &signature.types;
    let mut text = format!("(define (domain {})", domain.name);
    if !domain.requirements.is_empty() {
        let _ = write!(
            text,
            "\n  {}",
            list(
                std::iter::once(":requirements")
                    .chain(domain.requirements.iter().map(|word| &**word))
            )
        );
    }
    let declared = types.ids().skip(1).map(|id| {
        let parents = TypeSet::either(types.parents(id).iter().copied());
        (types.name(id).to_owned(), type_names(types, &parents))
    });
    section(&mut text, ":types", &typed(declared.collect()));
    section(&mut text, ":constants", &typed_objects(types, &signature.constants, 0));
    section(&mut text, ":predicates", &typed_symbols(types, &signature.predicates));
    section(&mut text, ":functions", &typed_symbols(types, &signature.functions));
    for id in domain.action_ids() {
        let _ = write!(text, "\n\n  {}", Writer::action(domain, id, operands));
    }
    text.push_str("\n)\n");
    text
}

impl Writer<'_> {
    /// One of several ways in which a precondition holds, one conjunct a line.
    fn alternative(&mut self, condition: &Condition) -> String {
        match condition {
            // However many there are: what is read back must be written the same.
            Condition::And(parts) if !parts.is_empty() => {
                format!("(and\n        {})", self.conjuncts(parts).join("\n        "))
            }
            other => self.condition(other),
        }
    }

    /// An action as it stands in the text of its domain, from its parenthesis on.
    fn action(domain: &Domain, id: ActionId, operands: Operands) -> String {
        let (name, action) = (domain.action_name(id), domain.action(id));
        let writer =
            Writer::new(domain, &domain.signature.constants).with_parameters(&action.parameters);
        let mut writer = writer.with_operands(operands);
        let parameters = typed_variables(&domain.signature.types, &action.parameters);
        let precondition = match &action.precondition {
            Condition::And(parts) => conjuncts(writer.conjuncts(parts)),
            region @ Condition::Within(_) => {
                conjuncts(writer.conjuncts(std::slice::from_ref(region)))
            }
            Condition::Or(parts) if parts.len() > 1 => {
                let all: Vec<String> = parts.iter().map(|part| writer.alternative(part)).collect();
                format!("(or\n      {})", all.join("\n      "))
            }
            other => writer.condition(other),
        };
        let effect = match &action.effect {
            Effect::And(parts) => conjuncts(parts.iter().map(|part| writer.effect(part)).collect()),
            other => writer.effect(other),
        };
        format!(
            "(:action {name}\n    :parameters ({parameters})\n    :precondition \
             {precondition}\n    :effect {effect})"
        )
    }
}

/// Writes one action of a domain, as it would stand alone.
pub fn write_action(domain: &Domain, id: ActionId) -> String {
    Writer::action(domain, id, Operands::Many)
        .lines()
        .map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line)))
        .collect()
}

fn conjuncts(parts: Vec<String>) -> String {
    if parts.is_empty() {
        "(and)".into()
    } else {
        format!("(and\n      {})", parts.join("\n      "))
    }
}

fn typed_objects(types: &Types, objects: &Objects, from: usize) -> Vec<String> {
    let named = objects
        .ids()
        .skip(from)
        .map(|id| (objects.name(id).to_owned(), types.name(objects.type_of(id)).to_owned()));
    typed(named.collect())
}

/// Declarations of predicates or functions, one a line.
fn typed_symbols(types: &Types, names: &Names<Symbol>) -> Vec<String> {
    let parameters =
        names.iter().map(|(name, symbol)| (name, typed_variables(types, &symbol.parameters)));
    parameters
        .map(
            |(name, typed)| {
                if typed.is_empty() { format!("({name})") } else { format!("({name} {typed})") }
            },
        )
        .collect()
}

/// Writes a problem as PDDL.
pub fn write_problem(domain: &Domain, problem: &Problem) -> String {
    write_problem_with(domain, problem, Operands::Many)
}

/// Writes a problem with sums and products as others read them. Reads back to a problem of the same
/// meaning.
pub fn write_problem_with(domain: &Domain, problem: &Problem, operands: Operands) -> String {
    let mut writer = Writer::new(domain, &problem.objects).with_operands(operands);
    let mut text =
        format!("(define (problem {})\n  (:domain {})", problem.name, problem.domain_name);
    let constants = domain.signature.constants.len();
    section(
        &mut text,
        ":objects",
        &typed_objects(&domain.signature.types, &problem.objects, constants),
    );
    let atoms = problem.atoms.iter().map(|atom| writer.ground_atom(atom));
    let values = problem.values.iter().map(|(function, value)| {
        format!("(= {} {})", writer.ground_function(function), write_number(value))
    });
    let init: Vec<_> = atoms.chain(values).collect();
    if init.is_empty() {
        text.push_str("\n  (:init)");
    }
    section(&mut text, ":init", &init);
    let _ = write!(text, "\n  (:goal {})", writer.condition(&problem.goal));
    if let Some(metric) = &problem.metric {
        let direction = match metric.direction {
            Direction::Minimize => "minimize",
            Direction::Maximize => "maximize",
        };
        let _ = write!(text, "\n  (:metric {direction} {})", writer.expression(&metric.expression));
    }
    text.push_str("\n)\n");
    text
}

/// Writes a plan, one step a line.
pub fn write_plan(domain: &Domain, objects: &Objects, plan: &Plan) -> String {
    let writer = Writer::new(domain, objects);
    plan.steps.iter().map(|step| writer.ground_action(&step.action) + "\n").collect()
}

/// Sentences about what was taken for granted when a trajectory was made, as the comments that
/// stand at its top: [`assumed_by`](super::assumed_by) reads them back.
pub fn write_assumed<'s>(sentences: impl IntoIterator<Item = &'s String>) -> String {
    sentences.into_iter().map(|words| format!("{ASSUMED} {}\n", visible(words.trim()))).collect()
}

/// Writes a trajectory in the dialect of the published data: lower case, values first, decimals
/// always with a point, and a space after a name without arguments.
pub fn write_trajectory(domain: &Domain, objects: &Objects, trajectory: &Trajectory) -> String {
    let writer = Writer::new(domain, objects);
    let mut text = String::from("(");
    let mut failures = trajectory.failures.iter().peekable();
    for (index, here) in trajectory.states.iter().enumerate() {
        if index > 0 {
            text.push_str(&writer.trajectory_action("operator:", &trajectory.actions[index - 1]));
        }
        text.push_str(&writer.trajectory_state(
            if index == 0 { ":init" } else { ":state" },
            &trajectory.universe,
            here,
        ));
        while let Some((_, action)) = failures.next_if(|(state, _)| *state <= index) {
            text.push_str(&writer.trajectory_action("failed:", action));
        }
    }
    text.push_str(")\n");
    text
}

impl Writer<'_> {
    /// What was done (`operator:`) or tried in vain (`failed:`) in a trajectory, on one line.
    pub fn trajectory_action(&self, keyword: &str, action: &GroundAction) -> String {
        format!("({keyword} {})\n", spaced(self.ground_action(action)))
    }

    /// A state of a trajectory (`:init`, `:state`, `:reset`), on one line.
    pub fn trajectory_state(&self, keyword: &str, universe: &Universe, state: &State) -> String {
        let values = state.values().map(|(id, value)| {
            let mut number = write_number(value);
            // Integers beyond machine size are left alone, or the longest that can be read would
            // become too long.
            if matches!(value.as_small(), Some((_, 1))) {
                number.push_str(".0");
            }
            format!(" (= {} {number})", spaced(self.ground_function(universe.ground_function(id))))
        });
        let atoms = state
            .atoms()
            .map(|id| format!(" {}", spaced(self.ground_atom(universe.ground_atom(id)))));
        let unknown_values =
            state.unknown_values().map(|id| self.ground_function(universe.ground_function(id)));
        let unknown_atoms =
            state.unknown_atoms().map(|id| self.ground_atom(universe.ground_atom(id)));
        let unknown =
            unknown_values.chain(unknown_atoms).map(|what| format!(" (unknown {})", spaced(what)));
        format!("({keyword}{})\n", values.chain(atoms).chain(unknown).collect::<String>())
    }
}

/// In lower case, with a space after a name without arguments.
fn spaced(text: String) -> String {
    let text = text.to_ascii_lowercase();
    if text.contains(' ') { text } else { text.replace(')', " )") }
}
