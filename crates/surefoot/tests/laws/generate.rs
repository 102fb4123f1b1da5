//! Random planning tasks. A task is a function of a list of numbers (the tape), each of which
//! decides one choice; zero is the plainest choice, so proptest shrinks a failing task to a small
//! one by shrinking the tape.

use proptest::prelude::*;
use surefoot_base::exact::Rational;

use super::naive::{Act, Cond, Eff, Expr, State, Task, Var, applied, bind};

/// A tape long enough for most tasks; where it ends, every further choice is the plainest.
pub fn tape() -> impl Strategy<Value = Tape> {
    proptest::collection::vec(any::<u32>(), 0..500).prop_map(|choices| Tape { choices, at: 0 })
}

/// A random task.
pub fn task() -> impl Strategy<Value = Task> {
    tape().prop_map(|mut tape| tape.task())
}

#[derive(Clone, Debug)]
pub struct Tape {
    choices: Vec<u32>,
    at: usize,
}

const TYPES: [&str; 5] = ["Place", "box", "VAN", "crew", "tool_1"];
const PREDICATES: [&str; 4] = ["at", "In-Side", "clear", "LINKED"];
/// One function has the name of a predicate: they are told apart by where they stand.
const FUNCTIONS: [&str; 3] = ["fuel", "At", "way-to"];
const ACTIONS: [&str; 3] = ["Move", "load-up", "WAIT"];
const OBJECTS: [&str; 6] = ["Home", "b1", "C2", "van-3", "x", "last"];
/// Few, so that quantifiers hide each other's variables and those of the action.
const VARIABLES: [&str; 3] = ["?x", "?Y", "?z1"];

/// Who may be named in a formula.
struct Scope {
    vars: Vec<Var>,
    objects: Vec<(String, String)>,
}

impl Tape {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        let choice = self.choices.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        choice as usize % bound.max(1)
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            let other = index - self.below(index + 1);
            items.swap(index, other);
        }
    }

    pub fn number(&mut self) -> Rational {
        let whole = self.below(8) as i64 - 2;
        match self.below(6) {
            0..=2 => Rational::integer(whole.max(0)),
            3 => Rational::new(whole * 5, 10).unwrap(),
            4 => Rational::new(whole, 3).unwrap(),
            _ => Rational::from_integers(i128::from(i64::MAX).into(), (whole.abs() + 1).into())
                .unwrap(),
        }
    }

    fn task(&mut self) -> Task {
        let mut task = Task::default();
        for (index, name) in TYPES.iter().enumerate().take(self.below(TYPES.len() + 1)) {
            let mut parents: Vec<String> =
                TYPES[..index].iter().map(|&name| name.to_owned()).collect();
            self.shuffle(&mut parents);
            parents.truncate(self.below(3));
            task.types.push((name.to_string(), parents));
        }
        let mut listed = task.types.clone();
        self.shuffle(&mut listed);
        task.types = listed;
        let constants = self.below(3);
        for (index, name) in OBJECTS.iter().enumerate().take(1 + constants + self.below(4)) {
            let of = self.a_type(&task);
            let list = if index < constants { &mut task.constants } else { &mut task.objects };
            list.push((name.to_string(), of));
        }
        for name in PREDICATES.iter().take(1 + self.below(PREDICATES.len())) {
            let parameters = self.vars(&task, 3);
            task.predicates.push((name.to_string(), parameters));
        }
        for name in FUNCTIONS.iter().take(self.below(FUNCTIONS.len() + 1)) {
            let parameters = self.vars(&task, 3);
            task.functions.push((name.to_string(), parameters));
        }
        for name in ACTIONS.iter().take(1 + self.below(ACTIONS.len())) {
            let parameters = self.vars(&task, 3);
            let mut scope = Scope { vars: parameters.clone(), objects: task.constants.clone() };
            // An action that can never be taken tests little: many preconditions are short.
            let depth = self.below(4);
            let precondition =
                (self.below(4) > 0).then(|| self.condition(&task, &mut scope, depth));
            let effect = (self.below(8) > 0).then(|| self.effect(&task, &mut scope, 3));
            task.actions.push(Act { name: name.to_string(), parameters, precondition, effect });
        }
        task.init = self.state(&task);
        let mut scope = Scope { vars: Vec::new(), objects: task.all_objects().cloned().collect() };
        let depth = self.below(4);
        task.goal = (self.below(4) > 0).then(|| self.condition(&task, &mut scope, depth));
        if self.below(2) > 0 {
            let direction = self.pick(&["minimize", "maximize"]);
            let expression = self.expression(&task, &mut scope, 2);
            let time = Expr::Sum(vec![expression, Expr::TotalTime]);
            task.metric = Some((direction, time));
        }
        task
    }

    /// A random state: a value for most functions, and about half of the facts.
    pub fn state(&mut self, task: &Task) -> State {
        let mut state = State::default();
        for (name, parameters) in &task.predicates {
            for objects in task.bindings(parameters) {
                if self.below(2) > 0 {
                    state.facts.insert(applied(name, &objects).to_lowercase());
                }
            }
        }
        for (name, parameters) in &task.functions {
            for objects in task.bindings(parameters) {
                if self.below(5) < 4 {
                    let value = self.number();
                    state.values.insert(applied(name, &objects).to_lowercase(), value);
                }
            }
        }
        state
    }

    /// Up to `length` steps of well-typed actions.
    pub fn plan(&mut self, task: &Task, length: usize) -> Vec<(usize, Vec<String>)> {
        let mut steps = Vec::new();
        for _ in 0..self.below(length + 1) {
            let act = self.below(task.actions.len());
            let bindings = task.bindings(&task.actions[act].parameters);
            if !bindings.is_empty() {
                steps.push((act, self.pick(&bindings)));
            }
        }
        steps
    }

    fn a_type(&mut self, task: &Task) -> String {
        let mut names = vec!["object".to_owned()];
        names.extend(task.types.iter().map(|(name, _)| name.clone()));
        self.pick(&names)
    }

    fn vars(&mut self, task: &Task, below: usize) -> Vec<Var> {
        let mut names = VARIABLES;
        self.shuffle(&mut names);
        let names = names.iter().take(self.below(below));
        names
            .map(|name| {
                let types =
                    (0..1 + usize::from(self.below(4) == 3)).map(|_| self.a_type(task)).collect();
                Var { name: name.to_string(), types }
            })
            .collect()
    }

    /// Terms that may stand where these types are expected: whatever a variable stands for must be
    /// of them.
    fn fitting(&self, task: &Task, scope: &Scope, types: &[String]) -> Vec<String> {
        let fits = |var: &Var| var.types.iter().all(|of| task.is_one_of(of, types));
        let hidden = |index: usize| {
            scope.vars[index + 1..].iter().any(|later| later.name == scope.vars[index].name)
        };
        let vars =
            scope.vars.iter().enumerate().filter(|(index, var)| !hidden(*index) && fits(var));
        let objects = scope.objects.iter().filter(|(_, of)| task.is_one_of(of, types));
        vars.map(|(_, var)| var.name.clone()).chain(objects.map(|(name, _)| name.clone())).collect()
    }

    /// One of the symbols that can be applied in this scope, applied.
    fn application(
        &mut self,
        task: &Task,
        scope: &Scope,
        symbols: &[(String, Vec<Var>)],
    ) -> Option<(String, Vec<String>)> {
        let mut order: Vec<usize> = (0..symbols.len()).collect();
        self.shuffle(&mut order);
        order.into_iter().find_map(|index| {
            let (name, parameters) = &symbols[index];
            let terms = parameters.iter().map(|parameter| {
                let fitting = self.fitting(task, scope, &parameter.types);
                (!fitting.is_empty()).then(|| self.pick(&fitting))
            });
            Some((name.clone(), terms.collect::<Option<Vec<_>>>()?))
        })
    }

    fn within<T>(
        &mut self,
        scope: &mut Scope,
        vars: &[Var],
        read: impl FnOnce(&mut Self, &mut Scope) -> T,
    ) -> T {
        let outer = scope.vars.len();
        scope.vars.extend(vars.iter().cloned());
        let inner = read(self, scope);
        scope.vars.truncate(outer);
        inner
    }

    fn condition(&mut self, task: &Task, scope: &mut Scope, depth: usize) -> Cond {
        let kind = if depth == 0 { self.below(5) } else { self.below(12) };
        match kind {
            0 | 1 => match self.application(task, scope, &task.predicates) {
                Some((name, terms)) => Cond::Atom(name, terms),
                None => Cond::And(Vec::new()),
            },
            2 | 3 => {
                let sides =
                    [self.expression(task, scope, depth), self.expression(task, scope, depth)];
                Cond::Compare(self.pick(&["<", "<=", "=", ">=", ">"]), Box::new(sides))
            }
            4 => {
                let terms = self.fitting(task, scope, &["object".to_owned()]);
                if terms.is_empty() {
                    Cond::Or(Vec::new())
                } else {
                    Cond::Same(self.pick(&terms), self.pick(&terms))
                }
            }
            5 | 6 => Cond::And(self.conditions(task, scope, depth)),
            7 => Cond::Or(self.conditions(task, scope, depth)),
            8 => Cond::Not(Box::new(self.condition(task, scope, depth - 1))),
            9 => Cond::Imply(Box::new([
                self.condition(task, scope, depth - 1),
                self.condition(task, scope, depth - 1),
            ])),
            _ => {
                let vars = self.vars(task, 3);
                let body = self.within(scope, &vars, |this, scope| {
                    Box::new(this.condition(task, scope, depth - 1))
                });
                if kind == 10 { Cond::ForAll(vars, body) } else { Cond::Exists(vars, body) }
            }
        }
    }

    fn conditions(&mut self, task: &Task, scope: &mut Scope, depth: usize) -> Vec<Cond> {
        (0..self.below(4)).map(|_| self.condition(task, scope, depth - 1)).collect()
    }

    fn expression(&mut self, task: &Task, scope: &mut Scope, depth: usize) -> Expr {
        let kind = if depth == 0 { self.below(4) } else { self.below(9) };
        match kind {
            0 | 1 => Expr::Number(self.number()),
            2 | 3 => match self.application(task, scope, &task.functions) {
                Some((name, terms)) => Expr::Function(name, terms),
                None => Expr::Number(Rational::ONE),
            },
            4 | 5 => {
                let parts = (0..1 + self.below(3))
                    .map(|_| self.expression(task, scope, depth - 1))
                    .collect();
                if kind == 4 { Expr::Sum(parts) } else { Expr::Product(parts) }
            }
            6 => Expr::Negation(Box::new(self.expression(task, scope, depth - 1))),
            _ => {
                let sides = Box::new([
                    self.expression(task, scope, depth - 1),
                    self.expression(task, scope, depth - 1),
                ]);
                if kind == 7 { Expr::Difference(sides) } else { Expr::Quotient(sides) }
            }
        }
    }

    fn effect(&mut self, task: &Task, scope: &mut Scope, depth: usize) -> Eff {
        let kind = if depth == 0 { self.below(4) } else { self.below(8) };
        match kind {
            0 | 1 => match self.application(task, scope, &task.predicates) {
                Some((name, terms)) if kind == 0 => Eff::Add(name, terms),
                Some((name, terms)) => Eff::Delete(name, terms),
                None => Eff::And(Vec::new()),
            },
            2 | 3 => match self.application(task, scope, &task.functions) {
                Some((name, terms)) => {
                    // Mostly those that go together, or nearly every step would be a conflict.
                    let operator = self.pick(&[
                        "increase",
                        "decrease",
                        "increase",
                        "assign",
                        "scale-up",
                        "scale-down",
                    ]);
                    Eff::Numeric(operator, name, terms, self.expression(task, scope, depth))
                }
                None => Eff::And(Vec::new()),
            },
            4 | 5 => {
                Eff::And((0..self.below(5)).map(|_| self.effect(task, scope, depth - 1)).collect())
            }
            6 => Eff::When(
                self.condition(task, scope, depth - 1),
                Box::new(self.effect(task, scope, depth - 1)),
            ),
            _ => {
                let vars = self.vars(task, 3);
                let inner = self.within(scope, &vars, |this, scope| {
                    Box::new(this.effect(task, scope, depth - 1))
                });
                Eff::ForAll(vars, inner)
            }
        }
    }

    /// The same condition, with the parts of conjunctions, disjunctions and sums in another order.
    pub fn shuffled_condition(&mut self, cond: &Cond) -> Cond {
        match cond {
            Cond::And(parts) => Cond::And(self.shuffled_conditions(parts)),
            Cond::Or(parts) => Cond::Or(self.shuffled_conditions(parts)),
            Cond::Not(part) => Cond::Not(Box::new(self.shuffled_condition(part))),
            Cond::Imply(sides) => Cond::Imply(Box::new([
                self.shuffled_condition(&sides[0]),
                self.shuffled_condition(&sides[1]),
            ])),
            Cond::ForAll(vars, body) => {
                Cond::ForAll(vars.clone(), Box::new(self.shuffled_condition(body)))
            }
            Cond::Exists(vars, body) => {
                Cond::Exists(vars.clone(), Box::new(self.shuffled_condition(body)))
            }
            other => other.clone(),
        }
    }

    fn shuffled_conditions(&mut self, parts: &[Cond]) -> Vec<Cond> {
        let mut parts: Vec<Cond> = parts.iter().map(|part| self.shuffled_condition(part)).collect();
        self.shuffle(&mut parts);
        parts
    }

    /// The same effect, with the parts of conjunctions in another order.
    pub fn shuffled_effect(&mut self, effect: &Eff) -> Eff {
        match effect {
            Eff::And(parts) => {
                let mut parts: Vec<Eff> =
                    parts.iter().map(|part| self.shuffled_effect(part)).collect();
                self.shuffle(&mut parts);
                Eff::And(parts)
            }
            Eff::When(condition, inner) => {
                Eff::When(self.shuffled_condition(condition), Box::new(self.shuffled_effect(inner)))
            }
            Eff::ForAll(vars, inner) => {
                Eff::ForAll(vars.clone(), Box::new(self.shuffled_effect(inner)))
            }
            other => other.clone(),
        }
    }
}

/// A step as PDDL.
pub fn step_text(task: &Task, act: usize, objects: &[String]) -> String {
    let act = &task.actions[act];
    debug_assert_eq!(bind(&act.parameters, objects).len(), objects.len());
    applied(&act.name, objects)
}
