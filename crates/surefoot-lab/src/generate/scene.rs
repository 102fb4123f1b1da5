//! A problem and its plan as they are put together: names and text, read into values afterwards.

use std::fmt::{Display, Write};

/// Objects, what is true and what is wanted, and the steps from one to the other.
#[derive(Default)]
pub struct ProblemBuilder {
    objects: String,
    atoms: String,
    values: String,
    goal: String,
    metric: Option<String>,
    steps: Vec<String>,
}

impl ProblemBuilder {
    /// Declares objects of a type.
    pub fn objects<'n>(&mut self, of: &str, names: impl IntoIterator<Item = &'n String>) {
        for name in names {
            let _ = writeln!(self.objects, "{name} - {of}");
        }
    }

    /// States an atom, such as `adj a b`.
    pub fn atom(&mut self, atom: impl Display) {
        let _ = writeln!(self.atoms, "({atom})");
    }

    /// States a value, such as `x a` and 7.
    pub fn value(&mut self, function: impl Display, value: impl Display) {
        let _ = writeln!(self.values, "(= ({function}) {value})");
    }

    /// Wants a condition, such as `at a b`.
    pub fn goal(&mut self, condition: impl Display) {
        let _ = writeln!(self.goal, "({condition})");
    }

    /// Wants an expression, such as `(cost)`, to be small.
    pub fn minimize(&mut self, expression: impl Into<String>) {
        self.metric = Some(expression.into());
    }

    /// The steps of the witness, such as `drive t a b`.
    pub fn steps(&mut self, steps: impl IntoIterator<Item = String>) {
        self.steps.extend(steps);
    }

    /// The problem as text.
    pub fn problem(&self, name: &str, domain: &str) -> String {
        let ProblemBuilder { objects, atoms, values, goal, .. } = self;
        let metric = self
            .metric
            .as_ref()
            .map(|metric| format!("(:metric minimize {metric})"))
            .unwrap_or_default();
        format!(
            "(define (problem {name}) (:domain {domain})\n(:objects {objects})\n(:init \
             {atoms}{values})\n(:goal (and {goal}))\n{metric})"
        )
    }

    /// The witness as text.
    pub fn plan(&self) -> String {
        self.steps.iter().map(|step| format!("({step})\n")).collect()
    }
}
