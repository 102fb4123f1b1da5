//! A model in numbers, and what to do about what is odd.

use std::fmt;

use serde::Serialize;
use surefoot_base::advice::{Advice, Text, Worded};
use surefoot_base::dial;
use surefoot_base::model::{
    Action, Comparison, Condition, Effect, Expression, NumericEffect, NumericOperator,
};
use surefoot_base::pddl::visible;

/// A model in numbers. Its text is a table for people, with a warning under it where something is
/// odd.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The name of the domain.
    pub domain: String,
    /// The paper's name of the algorithm.
    pub algorithm: String,
    /// What is taken for granted.
    pub assumptions: Vec<String>,
    /// What is not promised of it; `None`: it is safe, if what is taken for granted is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_safe: Option<String>,
    /// Why another learner has no model at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
    /// The arity that is assumed.
    #[serde(skip)]
    pub arity: Option<usize>,
    /// How many steps were set aside as recording errors, of all actions.
    pub set_aside: usize,
    /// How many steps that changed nothing count neither way.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// The events that are in no part of their action.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<OutsideSummary>,
    /// One line an action, or a part of one.
    pub actions: Vec<ActionSummary>,
}

/// The events of an action that are in no part of it: nothing is learned from them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OutsideSummary {
    /// The name of the action.
    pub action: String,
    /// How many steps that worked.
    pub steps: usize,
    /// How many attempts that failed.
    pub failed: usize,
}

impl OutsideSummary {
    fn in_words(&self) -> String {
        let counted = |count: usize, what: &str| match count {
            0 => None,
            1 => Some(format!("1 {what}")),
            _ => Some(format!("{count} {what}s")),
        };
        let counts = [counted(self.steps, "step"), counted(self.failed, "failed attempt")];
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        let verb = if self.steps + self.failed == 1 { "is" } else { "are" };
        format!(
            "{}: {} {verb} in none of its parts, or a test has no value there; nothing is learned \
             from that",
            self.action,
            counts.join(" and ")
        )
    }
}

/// An action in numbers; zeros where it is not learned, `None` for what only the safe learners
/// have.
#[derive(Clone, Debug, Serialize, Default)]
pub struct ActionSummary {
    /// The name of the action.
    pub action: String,
    /// The tests of the part of an action that it stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<String>,
    /// The number of its observed steps.
    pub steps: usize,
    /// How many of these steps were set aside as recording errors.
    pub set_aside: Option<usize>,
    /// Whether it is in the model.
    pub learned: bool,
    /// Distinct observed vectors that are kept.
    pub vectors: Option<usize>,
    /// Functions, or products of them, that its conditions are linear in.
    pub columns: Option<usize>,
    /// The dimension of what was observed.
    pub dimension: Option<usize>,
    /// Conditions that are not numeric.
    pub literals: usize,
    /// The number of equations of its region.
    pub equations: usize,
    /// The number of inequalities of its region.
    pub facets: usize,
    /// Atoms that it changes.
    pub effects: usize,
    /// Functions that it changes.
    pub numeric_effects: usize,
    /// Whether the facets exceeded the budget, so that the region is a part of the safe one.
    pub inner: bool,
    /// How many observed vectors the region leaves out.
    pub uncovered: Option<usize>,
    /// The number of recorded steps that the model refuses.
    pub refused: Option<usize>,
    /// How many attempts failed.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed: usize,
    /// How many of them say nothing, since something was unknown that it may mention.
    #[serde(skip_serializing_if = "is_zero")]
    pub unclear: usize,
    /// What was unknown in these, as far as this run read them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// How many different failures rule something out that no other one does.
    #[serde(skip_serializing_if = "is_zero")]
    pub telling: usize,
    /// How many of these the budget leaves out.
    #[serde(skip_serializing_if = "is_zero")]
    pub beyond_budget: usize,
    /// What would help where errors of records leave nothing of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedies: Option<Text>,
    /// The settings that would help, if they are true.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<Advice>,
    /// Whether its records are not exact, so that failed attempts prove nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inexact: bool,
    /// How far off its successors can be at most, beyond what is off before; none where records are
    /// exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// The function whose effect is not known well enough for arity and marks to be made use of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_within: Option<String>,
    /// What became of it, in words.
    pub result: String,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// More conditions than this make planners slow.
const MANY_FACETS: usize = 200;

const CELLS: usize = 10;

const HEADER: [&str; CELLS] = [
    "action",
    "steps",
    "set aside",
    "vectors",
    "dim",
    "literals",
    "equations",
    "facets",
    "effects",
    "result",
];

impl Summary {
    fn cells(&self) -> Vec<[String; CELLS]> {
        let mut rows = vec![HEADER.map(str::to_owned)];
        rows.extend(self.actions.iter().map(ActionSummary::cells));
        rows
    }
}

impl Worded for Summary {
    fn text(&self) -> Text {
        let mut text = Text::default();
        let rows = self.cells();
        let mut widths = [0; CELLS];
        for row in &rows {
            widths
                .iter_mut()
                .zip(row)
                .for_each(|(width, cell)| *width = (*width).max(cell.chars().count()));
        }
        for row in &rows {
            let mut line = String::new();
            for (place, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                // Names and results stand left, numbers right.
                line += &match place {
                    0 => format!(" {cell:<width$} "),
                    place if place + 1 == CELLS => format!(" {cell}"),
                    _ => format!(" {cell:>width$} "),
                };
            }
            text += format!("{}\n", line.trim_end());
        }
        self.actions.iter().for_each(|action| text += action.successors());
        self.actions.iter().for_each(|action| text += action.failures());
        for action in &self.actions {
            if let Some(tests) = &action.tests {
                text += format!("{} is where {tests}\n", action.action);
            }
        }
        self.outside.iter().for_each(|outside| text += format!("{}\n", outside.in_words()));
        match self.left_out {
            0 => {}
            1 => text += "1 step that changed nothing counts neither as worked nor as failed\n",
            steps => {
                text += format!(
                    "{steps} steps that changed nothing count neither as worked nor as failed\n"
                );
            }
        }
        self.actions.iter().for_each(|action| text += action.warnings(self.arity));
        // A state of an earlier version does not say whose steps were set aside.
        let placed: usize = self.actions.iter().filter_map(|action| action.set_aside).sum();
        if let more @ 1.. = self.set_aside.saturating_sub(placed) {
            text += format!(
                "{more} more steps were set aside in an earlier run; its state does not say of \
                 which actions\n"
            );
        }
        if let Some(why) = &self.lost {
            text += format!("{}\n", visible(why));
        }
        if let Some(warning) = &self.not_safe {
            text += format!("NOT SAFE: {}\n", visible(warning));
        }
        text
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl ActionSummary {
    /// Counts what an action has that another learner made.
    pub(crate) fn count(&mut self, action: &Action) {
        self.count_condition(&action.precondition.expanded());
        let mut changes = Vec::new();
        self.count_effect(&action.effect, &mut changes);
        let clash = |(place, one): (usize, &&NumericEffect)| {
            changes[place + 1..].iter().any(|other| contradict(one, other))
        };
        if changes.iter().enumerate().any(clash) {
            self.result += "; its effects contradict each other";
        }
    }

    fn count_condition(&mut self, condition: &Condition) {
        match condition {
            Condition::And(parts) | Condition::Or(parts) => {
                parts.iter().for_each(|part| self.count_condition(part))
            }
            Condition::Imply(parts) => parts.iter().for_each(|part| self.count_condition(part)),
            Condition::Not(part) | Condition::ForAll(_, part) | Condition::Exists(_, part) => {
                self.count_condition(part)
            }
            Condition::Atom(_) | Condition::Same(..) => self.literals += 1,
            Condition::Compare(Comparison::Equal, _) => self.equations += 1,
            Condition::Compare(..) | Condition::Within(_) => self.facets += 1,
        }
    }

    /// Collects the changes of functions that happen in every step.
    fn count_effect<'e>(&mut self, effect: &'e Effect, changes: &mut Vec<&'e NumericEffect>) {
        match effect {
            Effect::And(parts) => parts.iter().for_each(|part| self.count_effect(part, changes)),
            Effect::Add(_) | Effect::Delete(_) => self.effects += 1,
            Effect::Numeric(change) => {
                self.numeric_effects += 1;
                changes.push(change);
            }
            Effect::When(_, part) | Effect::ForAll(_, part) => {
                self.count_effect(part, &mut Vec::new())
            }
        }
    }

    fn cells(&self) -> [String; CELLS] {
        let known = |number: String| if self.learned { number } else { "-".to_owned() };
        let found = |number: Option<String>| number.map_or_else(|| "-".to_owned(), known);
        let dimension = self
            .dimension
            .zip(self.columns)
            .map(|(dimension, columns)| format!("{dimension}/{columns}"));
        [
            self.action.clone(),
            self.steps.to_string(),
            self.set_aside.map_or_else(|| "-".to_owned(), |steps| steps.to_string()),
            found(self.vectors.map(|vectors| vectors.to_string())),
            found(dimension),
            known(self.literals.to_string()),
            known(self.equations.to_string()),
            known(self.facets.to_string()),
            known((self.effects + self.numeric_effects).to_string()),
            self.result.clone(),
        ]
    }

    /// How well its effects are known, where records are not exact.
    fn successors(&self) -> String {
        let Some(within) = &self.within else { return String::new() };
        let action = &self.action;
        let mut text = match &**within {
            "0" => format!("{action}: its effects are exact\n"),
            _ => format!("{action}: each step adds up to {within} to the errors of numbers\n"),
        };
        if let Some(function) = &self.kept_within {
            text += &format!(
                "{action}: arity and marks are not used, since outside the recorded range its \
                 effect on {function} is not known well enough\n"
            );
        }
        text
    }

    /// What became of its failed attempts, where there were any.
    fn failures(&self) -> Text {
        let Self { action, failed, unclear, unknown, telling, beyond_budget, .. } = self;
        if failed + telling == 0 {
            return Text::default();
        }
        let rule = if *telling == 1 { "rules" } else { "rule" };
        let mut text = Text::from(match failed {
            0 => format!(
                "{action}: failed attempts of earlier runs; {telling} of them {rule} out steps \
                 that no other failed attempt rules out"
            ),
            1 => format!("{action}: 1 failed attempt"),
            _ => format!(
                "{action}: {failed} failed attempts; {telling} of them {rule} out steps that no \
                 other failed attempt rules out"
            ),
        });
        if *unclear > 0 {
            let show = if *unclear == 1 { "proves" } else { "prove" };
            text += format!(
                "; {unclear} {show} less, because a value that {action} may depend on was \
                unknown"
            );
            const SHOWN: usize = 3;
            text += match &unknown[..] {
                [] => String::new(),
                all if all.len() > SHOWN => {
                    format!(": {} and {} more", all[..SHOWN].join(", "), all.len() - SHOWN)
                }
                all => format!(": {}", all.join(", ")),
            };
        }
        if *beyond_budget > 0 {
            text += format!("; {beyond_budget} are not used, since they exceed ");
            text += dial!("failure-budget");
        }
        text + "\n"
    }

    /// What the user must know about it.
    fn warnings(&self, arity: Option<usize>) -> Text {
        let Self { action, facets, steps, .. } = self;
        let [columns, dimension, uncovered, refused] =
            [self.columns, self.dimension, self.uncovered, self.refused]
                .map(Option::unwrap_or_default);
        let mut text = Text::default();
        if let Some(remedies) = &self.remedies {
            text += format!("warning: {action} is left out; ");
            text += remedies.clone();
            text += "\n";
        }
        text += match (refused, self.inexact && self.learned) {
            (0, _) => String::new(),
            (_, true) => format!(
                "{action}: {refused} of its {steps} recorded steps lie within the margins for \
                 errors, so the model is not certain that it allows them\n"
            ),
            (_, false) => format!(
                "warning: {action}: the model refuses {refused} of the {steps} steps that it was \
                 learned from\n"
            ),
        };
        if self.inner {
            text += format!(
                "warning: {action}: its region has more facets than the budget, in {columns} \
                 dimensions. The model has a smaller region, which is safe and leaves out \
                 {uncovered} observed vectors. A larger "
            );
            text += dial!("facet-budget");
            text += " leaves out fewer; the certificate has the whole region. ";
            text += self.question(arity);
        } else if *facets > MANY_FACETS && self.columns.is_some() {
            text += format!(
                "warning: {action}: {facets} facets in {dimension} dimensions make planners slow. "
            );
            text += self.question(arity);
        }
        text
    }

    /// Assumptions are asked about, never recommended: they are true or false whatever planners
    /// like. None is asked about that was given already.
    fn question(&self, arity: Option<usize>) -> Text {
        let mut text = Text::from(format!(
            "Is it true that some functions do not matter to {} (",
            self.action
        ));
        text += dial!("relevant");
        if arity.is_none() {
            text += "), or that each condition mentions few functions (";
            text += dial!("arity");
        }
        text + ")?\n"
    }
}

/// Whether no step can make both changes, as [`surefoot_base::model::semantics`] has it.
fn contradict(one: &NumericEffect, other: &NumericEffect) -> bool {
    let kind = |operator| match operator {
        NumericOperator::Assign => 0,
        NumericOperator::Increase | NumericOperator::Decrease => 1,
        NumericOperator::ScaleUp | NumericOperator::ScaleDown => 2,
    };
    let kinds = [one, other].map(|change| kind(change.operator));
    let differ = match (&one.value, &other.value) {
        (Expression::Number(one), Expression::Number(other)) => one != other,
        _ => false,
    };
    one.target == other.target && (kinds[0] != kinds[1] || kinds == [0, 0] && differ)
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_base::pddl::{Source, read_domain};

    #[test]
    fn an_action_is_counted_and_said_to_contradict_itself_where_no_step_can_do_all_it_says() {
        let row = |effects: &str| {
            let text = format!(
                "(define (domain d) (:predicates (p ?x)) (:functions (cost) (n ?x)) (:action a \
                 :parameters (?x ?y) :precondition
                 (and (p ?x) (not (p ?y)) (= (cost) 1) (> (cost) 0)) :effect (and (p ?y) \
                 {effects})))"
            );
            let domain = read_domain(&Source::new("d", text)).unwrap();
            let mut row = ActionSummary { result: "learned".into(), ..ActionSummary::default() };
            row.count(domain.action(0.into()));
            row
        };
        let clear = row("(increase (cost) 1) (decrease (cost) 2)");
        assert_eq!((clear.literals, clear.equations, clear.facets), (2, 1, 1));
        assert_eq!((clear.effects, clear.numeric_effects, &*clear.result), (1, 2, "learned"));
        let contradicts =
            |effects: &str| row(effects).result == "learned; its effects contradict each other";
        assert!(contradicts("(assign (cost) 2) (increase (cost) 1)"));
        assert!(contradicts("(assign (n ?x) 2) (p ?x) (assign (n ?x) 3)"));
        assert!(!contradicts("(assign (n ?x) 2) (assign (n ?y) 3)"));
        assert!(!contradicts("(assign (n ?x) 2) (assign (n ?x) 2)"));
        assert!(!contradicts("(assign (n ?x) (cost)) (when (p ?x) (increase (n ?x) 1))"));
    }
}
