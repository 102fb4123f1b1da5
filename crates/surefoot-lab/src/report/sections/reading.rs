//! What numbers, marks and pictures mean.

use maud::{Markup, html};

use super::super::numbers::shown;
use super::{Page, Section, always, no_pictures, no_tables};

pub const SECTION: Section = Section {
    anchor: "reading",
    heading: "How to read this",
    applies: always,
    body,
    tables: no_tables,
    pictures: no_pictures,
};

fn body(page: &Page<'_>) -> Markup {
    html! {
        dl {
            dt { "Precision" }
            dd { "Of the test steps that the learned model allows, the share that the real world \
                  allows, too. " (shown(1.0)) " means that it was never wrong." }
            dt { "Recall" }
            dd { "Of the test steps that the real world allows, the share that the learned model \
                  allows. What is missing was refused out of caution." }
            dt { "Coverage" }
            dd { "The share of test problems that a planner solves with the learned model, by \
                  plans that are valid in the real domain." }
            dt { "MSE" }
            dd { "The mean squared error of numeric effects, where both models allow a step." }
            dt { "P pre, R pre, P eff, R eff" }
            dd { "Precision and recall of the literals in preconditions and effects, compared as \
                  text. A learned precondition that asks for too much has a low precision here and \
                  is still safe." }
            dt { "±" }
            dd { "Half the width of the 95 % confidence interval over folds (Student’s t), if \
                  there are at least three. Hover over a number to see all its digits; >0.99 is \
                  not 1, and <0.01 is not 0." }
            dt { "≠" }
            dd { "This run and the paper are more than 0.03 apart (numbers above 1: more than 3 \
                  %)." }
            dt { "″" }
            dd { "The paper leaves this row out: it prints rows until nothing changes any more, \
                  and only those that differ from the row above. The number is the row above’s." }
            dt { "NOT SAFE" }
            dd { "A learner that promises nothing: what its models allow may fail in the real \
                  world. Without this mark, what a model allows works wherever its assumptions \
                  hold." }
            dt { "Pictures of actions" }
            dd {
                "Dots are observed states in which the action worked, seen on two of its numbers \
                 (of many observations only the corners of their hull \
                 are kept). The outline is the learned region, projected. Crosses are test states \
                 in which the real action works and the learned \
                 region says no. A cross inside the outline lies outside in a direction that the \
                 picture does not show. Triangles are refused by \
                 the Boolean part alone."
            }
        }
        @if !page.beside.is_empty() {
            p { "Beside this page, in " code { (page.beside) } ": the tables as Markdown and \
                LaTeX, and every curve and picture as an SVG file." }
        }
    }
}
