//! A model in numbers, and what to do about what is odd.

use std::fmt;

use serde::Serialize;

use crate::pddl::visible;

/// A model in numbers. Its text is a table for people, with a warning under it where something is odd.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The domain's name.
    pub domain: String,
    /// The paper's name of the algorithm.
    pub algorithm: String,
    /// What is taken for granted.
    pub assumptions: Vec<String>,
    /// What is not promised of it; `None`: it is safe, if what is taken for granted is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_safe: Option<String>,
    /// The arity that is assumed.
    #[serde(skip)]
    pub arity: Option<usize>,
    /// One line an action.
    pub actions: Vec<ActionSummary>,
}

/// An action in numbers; zeros where it is not learned.
#[derive(Clone, Debug, Serialize, Default)]
pub struct ActionSummary {
    /// Its name.
    pub action: String,
    /// How often it was seen.
    pub steps: usize,
    /// Whether it is in the model.
    pub learned: bool,
    /// Distinct observed vectors that are kept.
    pub vectors: usize,
    /// Functions, or products of them, that its conditions are linear in.
    pub columns: usize,
    /// The dimension of what was observed.
    pub dimension: usize,
    /// Conditions that are not numeric.
    pub literals: usize,
    /// Numeric equations.
    pub equations: usize,
    /// Numeric inequalities.
    pub facets: usize,
    /// Atoms that it changes.
    pub effects: usize,
    /// Functions that it changes.
    pub numeric_effects: usize,
    /// Whether the facets exceeded the budget, so that the region is a part of the safe one.
    pub inner: bool,
    /// How many observed vectors the region leaves out.
    pub uncovered: usize,
    /// How many of the steps it was shown the model refuses.
    pub refused: usize,
    /// What became of it, in words.
    pub result: String,
    /// Whether the numbers above are known: a learner of another kind gives none.
    #[serde(skip)]
    pub explained: bool,
}

/// More conditions than this make planners slow.
const MANY_FACETS: usize = 200;

const HEADER: [&str; 9] = ["action", "steps", "vectors", "dim", "literals", "equations", "facets", "effects", "result"];

impl Summary {
    fn cells(&self) -> Vec<[String; 9]> {
        let mut rows = vec![HEADER.map(str::to_owned)];
        rows.extend(self.actions.iter().map(ActionSummary::cells));
        rows
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.cells();
        let mut widths = [0; HEADER.len()];
        for row in &rows {
            widths.iter_mut().zip(row).for_each(|(width, cell)| *width = (*width).max(cell.chars().count()));
        }
        for row in &rows {
            let mut line = String::new();
            for (place, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                // Names and results stand left, numbers right.
                line += &match place {
                    0 => format!(" {cell:<width$} "),
                    8 => format!(" {cell}"),
                    _ => format!(" {cell:>width$} "),
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        self.actions.iter().try_for_each(|action| f.write_str(&action.advice(self.arity)))?;
        match &self.not_safe {
            Some(warning) => writeln!(f, "NOT SAFE: {}", visible(warning)),
            None => Ok(()),
        }
    }
}

impl ActionSummary {
    fn cells(&self) -> [String; 9] {
        let known = |number: String| if self.explained { number } else { "-".to_owned() };
        [
            self.action.clone(),
            self.steps.to_string(),
            known(self.vectors.to_string()),
            known(format!("{}/{}", self.dimension, self.columns)),
            known(self.literals.to_string()),
            known(self.equations.to_string()),
            known(self.facets.to_string()),
            known((self.effects + self.numeric_effects).to_string()),
            self.result.clone(),
        ]
    }

    fn advice(&self, arity: Option<usize>) -> String {
        let Self { action, columns, facets, uncovered, refused, .. } = self;
        // An assumption is the user's to make: what is offered is what the data cannot decide, and never what was given already.
        let arity = if arity.is_none() { "if each condition mentions few functions, --arity; " } else { "" };
        let mut text = String::new();
        if *refused > 0 {
            text += &format!("warning: {action}: its model refuses {refused} of the {} steps it was learned from\n", self.steps);
        }
        if self.inner {
            text += &format!(
                "warning: {action}: its facets exceed the budget in {columns} dimensions; the region learned is inside the safe one and \
                 leaves out {uncovered} observed vectors. What helps: {arity}if some functions do not matter to it, a --relevant map; \
                 a larger --facet-budget; --certificate, with which plan and validate -c use the whole\n"
            );
        } else if *facets > MANY_FACETS {
            text += &format!(
                "warning: {action}: {} dimensions, {facets} facets: planners will not like this. What helps: {arity}if some functions do \
                 not matter to it, a --relevant map\n",
                self.dimension
            );
        }
        text
    }
}
