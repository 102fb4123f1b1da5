//! A second implementation of planning tasks, as plain as can be: names are strings, a state is a
//! set of strings, nothing is resolved in advance, nothing is cut short. It prints itself as PDDL
//! and says what PDDL means by it, straight from the definition; the real implementation has to
//! agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use surefoot_base::exact::Rational;

#[derive(Clone, Debug)]
pub struct Var {
    /// With its question mark.
    pub name: String,
    pub types: Vec<String>,
}

#[derive(Clone, Debug)]
pub enum Expr {
    Number(Rational),
    Function(String, Vec<String>),
    Sum(Vec<Expr>),
    Product(Vec<Expr>),
    Difference(Box<[Expr; 2]>),
    Negation(Box<Expr>),
    Quotient(Box<[Expr; 2]>),
    TotalTime,
}

#[derive(Clone, Debug)]
pub enum Cond {
    And(Vec<Cond>),
    Or(Vec<Cond>),
    Not(Box<Cond>),
    Imply(Box<[Cond; 2]>),
    ForAll(Vec<Var>, Box<Cond>),
    Exists(Vec<Var>, Box<Cond>),
    Atom(String, Vec<String>),
    Same(String, String),
    Compare(&'static str, Box<[Expr; 2]>),
}

#[derive(Clone, Debug)]
pub enum Eff {
    And(Vec<Eff>),
    Add(String, Vec<String>),
    Delete(String, Vec<String>),
    Numeric(&'static str, String, Vec<String>, Expr),
    When(Cond, Box<Eff>),
    ForAll(Vec<Var>, Box<Eff>),
}

#[derive(Clone, Debug)]
pub struct Act {
    pub name: String,
    pub parameters: Vec<Var>,
    pub precondition: Option<Cond>,
    pub effect: Option<Eff>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// `(p a b)`, in lower case.
    pub facts: BTreeSet<String>,
    /// By `(f a b)`, in lower case.
    pub values: BTreeMap<String, Rational>,
}

#[derive(Clone, Debug, Default)]
pub struct Task {
    pub types: Vec<(String, Vec<String>)>,
    pub constants: Vec<(String, String)>,
    pub predicates: Vec<(String, Vec<Var>)>,
    pub functions: Vec<(String, Vec<Var>)>,
    pub actions: Vec<Act>,
    pub objects: Vec<(String, String)>,
    pub init: State,
    pub goal: Option<Cond>,
    pub metric: Option<(&'static str, Expr)>,
}

pub fn number_text(number: &Rational) -> String {
    let (num, den) = (number.numerator(), number.denominator());
    if number.is_integer() { num.to_string() } else { format!("(/ {num} {den})") }
}

pub fn applied(name: &str, arguments: &[String]) -> String {
    let mut text = format!("({name}");
    for argument in arguments {
        let _ = write!(text, " {argument}");
    }
    text + ")"
}

fn of_types(types: &[String]) -> String {
    match types {
        [one] => one.clone(),
        several => applied("either", several),
    }
}

/// `a - t b - object c`: the last one without its type where that is `object`.
fn typed<'a>(items: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let mut parts: Vec<String> =
        items.into_iter().map(|(name, of)| format!("{name} - {of}")).collect();
    if let Some(last) = parts.last_mut()
        && let Some(name) = last.strip_suffix(" - object")
    {
        *last = name.to_owned();
    }
    parts.join(" ")
}

pub fn vars_text(vars: &[Var]) -> String {
    typed(vars.iter().map(|var| (&*var.name, of_types(&var.types))))
}

fn objects_text(objects: &[(String, String)]) -> String {
    typed(objects.iter().map(|(name, of)| (&**name, of.clone())))
}

impl Expr {
    pub fn text(&self) -> String {
        let all = |head: &str, parts: &[Expr]| {
            applied(head, &parts.iter().map(Expr::text).collect::<Vec<_>>())
        };
        match self {
            Expr::Number(number) => number_text(number),
            Expr::Function(name, arguments) => applied(name, arguments),
            Expr::Sum(parts) => all("+", parts),
            Expr::Product(parts) => all("*", parts),
            Expr::Difference(parts) => all("-", &parts[..]),
            Expr::Negation(part) => all("-", std::slice::from_ref(part)),
            Expr::Quotient(parts) => all("/", &parts[..]),
            Expr::TotalTime => "(total-time)".into(),
        }
    }
}

impl Cond {
    pub fn text(&self) -> String {
        let all = |head: &str, parts: &[Cond]| {
            applied(head, &parts.iter().map(Cond::text).collect::<Vec<_>>())
        };
        match self {
            Cond::And(parts) => all("and", parts),
            Cond::Or(parts) => all("or", parts),
            Cond::Not(part) => all("not", std::slice::from_ref(part)),
            Cond::Imply(parts) => all("imply", &parts[..]),
            Cond::ForAll(vars, body) => format!("(forall ({}) {})", vars_text(vars), body.text()),
            Cond::Exists(vars, body) => format!("(exists ({}) {})", vars_text(vars), body.text()),
            Cond::Atom(name, arguments) => applied(name, arguments),
            Cond::Same(left, right) => format!("(= {left} {right})"),
            Cond::Compare(head, sides) => {
                format!("({head} {} {})", sides[0].text(), sides[1].text())
            }
        }
    }
}

impl Eff {
    pub fn text(&self) -> String {
        match self {
            Eff::And(parts) => applied("and", &parts.iter().map(Eff::text).collect::<Vec<_>>()),
            Eff::Add(name, arguments) => applied(name, arguments),
            Eff::Delete(name, arguments) => format!("(not {})", applied(name, arguments)),
            Eff::Numeric(operator, name, arguments, value) => {
                format!("({operator} {} {})", applied(name, arguments), value.text())
            }
            Eff::When(condition, inner) => format!("(when {} {})", condition.text(), inner.text()),
            Eff::ForAll(vars, inner) => format!("(forall ({}) {})", vars_text(vars), inner.text()),
        }
    }
}

impl State {
    /// `(p a) (= (f b) 1)`, as in an initial state.
    pub fn text(&self) -> Vec<String> {
        let values = self
            .values
            .iter()
            .map(|(function, value)| format!("(= {function} {})", number_text(value)));
        self.facts.iter().cloned().chain(values).collect()
    }
}

impl Task {
    pub fn domain_text(&self) -> String {
        let mut text =
            String::from("(define (domain Random)\n(:requirements :adl :numeric-fluents)\n");
        let types = self.types.iter().map(|(name, parents)| {
            let of = if parents.is_empty() { "object".into() } else { of_types(parents) };
            (&**name, of)
        });
        let symbols = |symbols: &[(String, Vec<Var>)]| {
            symbols
                .iter()
                .map(|(name, parameters)| format!("({name} {})", vars_text(parameters)))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let _ = writeln!(text, "(:types {})", typed(types));
        let _ = writeln!(text, "(:constants {})", objects_text(&self.constants));
        let _ = writeln!(text, "(:predicates {})", symbols(&self.predicates));
        let _ = writeln!(text, "(:functions {})", symbols(&self.functions));
        for Act { name, parameters, precondition, effect } in &self.actions {
            let _ = write!(text, "(:action {name} :parameters ({})", vars_text(parameters));
            if let Some(precondition) = precondition {
                let _ = write!(text, "\n  :precondition {}", precondition.text());
            }
            if let Some(effect) = effect {
                let _ = write!(text, "\n  :effect {}", effect.text());
            }
            text.push_str(")\n");
        }
        text + ")"
    }

    pub fn problem_text(&self) -> String {
        let mut text = format!(
            "(define (problem any) (:domain random)\n(:objects {})\n(:init {})\n(:goal {})",
            objects_text(&self.objects),
            self.init.text().join(" "),
            self.goal.as_ref().map_or("()".into(), Cond::text)
        );
        if let Some((direction, metric)) = &self.metric {
            let _ = write!(text, "\n(:metric {direction} {})", metric.text());
        }
        text + ")"
    }

    pub fn is_subtype(&self, sub: &str, of: &str) -> bool {
        let mut parents =
            self.types.iter().filter(|(name, _)| name == sub).flat_map(|(_, parents)| parents);
        of == "object" || sub == of || parents.any(|parent| self.is_subtype(parent, of))
    }

    pub fn is_one_of(&self, of: &str, types: &[String]) -> bool {
        types.iter().any(|any| self.is_subtype(of, any))
    }

    pub fn all_objects(&self) -> impl Iterator<Item = &(String, String)> {
        self.constants.iter().chain(&self.objects)
    }

    /// Every way to give the variables objects of their types.
    pub fn bindings(&self, vars: &[Var]) -> Vec<Vec<String>> {
        let mut found = vec![Vec::new()];
        for var in vars {
            let mut longer = Vec::new();
            for prefix in found {
                for (object, _) in
                    self.all_objects().filter(|(_, of)| self.is_one_of(of, &var.types))
                {
                    let mut binding: Vec<String> = prefix.clone();
                    binding.push(object.clone());
                    longer.push(binding);
                }
            }
            found = longer;
        }
        found
    }
}

/// What the names of variables stand for; the last one of a name counts.
pub type Binding = Vec<(String, String)>;

pub fn bind(vars: &[Var], objects: &[String]) -> Binding {
    vars.iter().map(|var| var.name.to_lowercase()).zip(objects.iter().cloned()).collect()
}

fn ground_term(term: &str, binding: &Binding) -> String {
    let folded = term.to_lowercase();
    if !folded.starts_with('?') {
        return folded;
    }
    binding
        .iter()
        .rev()
        .find(|(name, _)| *name == folded)
        .expect("the variable is bound")
        .1
        .to_lowercase()
}

fn ground(name: &str, terms: &[String], binding: &Binding) -> String {
    let terms: Vec<String> = terms.iter().map(|term| ground_term(term, binding)).collect();
    applied(&name.to_lowercase(), &terms)
}

/// One state, looked at with a tolerance.
pub struct Look<'a> {
    pub task: &'a Task,
    pub state: &'a State,
    pub tolerance: Rational,
    pub steps: usize,
}

impl Look<'_> {
    /// `None` is a fault: undefined, or a division by zero.
    pub fn value(&self, expr: &Expr, binding: &Binding) -> Option<Rational> {
        let value = |expr: &Expr| self.value(expr, binding);
        match expr {
            Expr::Number(number) => Some(number.clone()),
            Expr::Function(name, terms) => {
                self.state.values.get(&ground(name, terms, binding)).cloned()
            }
            Expr::Sum(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(value).collect();
                Some(parts?.iter().fold(Rational::ZERO, |sum, part| &sum + part))
            }
            Expr::Product(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(value).collect();
                Some(parts?.iter().fold(Rational::ONE, |product, part| &product * part))
            }
            Expr::Difference(sides) => Some(&value(&sides[0])? - &value(&sides[1])?),
            Expr::Negation(inner) => Some(-&value(inner)?),
            Expr::Quotient(sides) => value(&sides[0])?.checked_div(&value(&sides[1])?),
            Expr::TotalTime => Some(Rational::integer(self.steps as i64)),
        }
    }

    /// `None` is a fault. Strong Kleene logic, everything evaluated. `loosen` says on which side a
    /// comparison errs.
    pub fn truth(&self, cond: &Cond, binding: &Binding, loosen: bool) -> Option<bool> {
        let all = |truths: Vec<Option<bool>>| {
            if truths.contains(&Some(false)) {
                Some(false)
            } else if truths.contains(&None) {
                None
            } else {
                Some(true)
            }
        };
        let any = |truths: Vec<Option<bool>>| {
            all(truths.into_iter().map(|truth| truth.map(|truth| !truth)).collect())
                .map(|truth| !truth)
        };
        let over = |vars: &[Var], body: &Cond| {
            let extended = |objects: Vec<String>| {
                let mut inner = binding.clone();
                inner.extend(bind(vars, &objects));
                self.truth(body, &inner, loosen)
            };
            self.task.bindings(vars).into_iter().map(extended).collect::<Vec<_>>()
        };
        match cond {
            Cond::And(parts) => {
                all(parts.iter().map(|part| self.truth(part, binding, loosen)).collect())
            }
            Cond::Or(parts) => {
                any(parts.iter().map(|part| self.truth(part, binding, loosen)).collect())
            }
            Cond::Not(part) => self.truth(part, binding, !loosen).map(|truth| !truth),
            Cond::Imply(sides) => {
                let premise = self.truth(&sides[0], binding, !loosen).map(|truth| !truth);
                any(vec![premise, self.truth(&sides[1], binding, loosen)])
            }
            Cond::ForAll(vars, body) => all(over(vars, body)),
            Cond::Exists(vars, body) => any(over(vars, body)),
            Cond::Atom(name, terms) => {
                Some(self.state.facts.contains(&ground(name, terms, binding)))
            }
            Cond::Same(left, right) => {
                Some(ground_term(left, binding) == ground_term(right, binding))
            }
            Cond::Compare(head, sides) => {
                let gap = &self.value(&sides[0], binding)? - &self.value(&sides[1], binding)?;
                // Loosened, some gap within the tolerance has to do; tightened, every one.
                let (low, high) = (&gap - &self.tolerance, &gap + &self.tolerance);
                let (least, most) = if loosen { (low, high) } else { (high, low) };
                Some(match *head {
                    "<" => least < Rational::ZERO,
                    "<=" => least <= Rational::ZERO,
                    ">" => most > Rational::ZERO,
                    ">=" => most >= Rational::ZERO,
                    _ if loosen => least <= Rational::ZERO && most >= Rational::ZERO,
                    _ => self.tolerance.is_zero() && gap.is_zero(),
                })
            }
        }
    }

    /// The state after an action; `None` where it cannot be taken.
    pub fn step(&self, act: &Act, objects: &[String]) -> Option<State> {
        let binding = bind(&act.parameters, objects);
        if let Some(precondition) = &act.precondition
            && self.truth(precondition, &binding, true) != Some(true)
        {
            return None;
        }
        let mut changes = Changes::default();
        if let Some(effect) = &act.effect {
            // Only preconditions and goals are loosened.
            let exact = Look { tolerance: Rational::ZERO, ..*self };
            exact.collect(effect, &binding, &mut changes)?;
        }
        let mut next = self.state.clone();
        next.facts.retain(|fact| !changes.deletes.contains(fact));
        next.facts.extend(changes.adds);
        for (function, numeric) in changes.numeric {
            let old = self.state.values.get(&function);
            let only =
                |kinds: &[&str]| numeric.iter().all(|(operator, _)| kinds.contains(operator));
            let new = if only(&["assign"]) {
                let values: BTreeSet<_> = numeric.iter().map(|(_, value)| value.clone()).collect();
                let mut values = values.into_iter();
                let (value, other) = (values.next()?, values.next());
                if other.is_some() {
                    return None;
                }
                value
            } else if only(&["increase", "decrease"]) {
                numeric.iter().fold(old?.clone(), |sum, (operator, value)| {
                    if *operator == "increase" { &sum + value } else { &sum - value }
                })
            } else if only(&["scale-up", "scale-down"]) {
                let mut product = old?.clone();
                for (operator, value) in &numeric {
                    product = if *operator == "scale-up" {
                        &product * value
                    } else {
                        product.checked_div(value)?
                    };
                }
                product
            } else {
                return None;
            };
            next.values.insert(function, new);
        }
        Some(next)
    }

    fn collect(&self, effect: &Eff, binding: &Binding, changes: &mut Changes) -> Option<()> {
        match effect {
            Eff::And(parts) => {
                parts.iter().try_for_each(|part| self.collect(part, binding, changes))?
            }
            Eff::Add(name, terms) => {
                changes.adds.insert(ground(name, terms, binding));
            }
            Eff::Delete(name, terms) => {
                changes.deletes.insert(ground(name, terms, binding));
            }
            Eff::Numeric(operator, name, terms, value) => {
                let value = self.value(value, binding)?;
                changes
                    .numeric
                    .entry(ground(name, terms, binding))
                    .or_default()
                    .push((operator, value));
            }
            Eff::When(condition, inner) => {
                if self.truth(condition, binding, true)? {
                    self.collect(inner, binding, changes)?;
                }
            }
            Eff::ForAll(vars, inner) => {
                for objects in self.task.bindings(vars) {
                    let mut extended = binding.clone();
                    extended.extend(bind(vars, &objects));
                    self.collect(inner, &extended, changes)?;
                }
            }
        }
        Some(())
    }
}

#[derive(Default)]
struct Changes {
    deletes: BTreeSet<String>,
    adds: BTreeSet<String>,
    numeric: BTreeMap<String, Vec<(&'static str, Rational)>>,
}
