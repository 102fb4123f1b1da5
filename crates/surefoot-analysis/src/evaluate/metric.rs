//! The figures that models are measured by: their names, in one place.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// A figure of a learned model, of one of its actions or of all of them. A variant here, its line
/// in `FACTS` and what computes it are all that a new one takes: files, tables and curves ask for
/// the rest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Metric {
    /// Of the literals in learned preconditions, the share that is in the real ones.
    PreconditionPrecision,
    /// Of the literals in real preconditions, the share that is in the learned ones.
    PreconditionRecall,
    /// Of the literals in learned effects, the share that is in the real ones.
    EffectPrecision,
    /// Of the literals in real effects, the share that is in the learned ones.
    EffectRecall,
    /// Of the steps that the learned model allows, the share that the real one allows.
    SemanticPrecision,
    /// Of the steps that the real model allows, the share that the learned one allows.
    SemanticRecall,
    /// The mean squared error of numeric effects, where both models allow a step.
    SquaredError,
    /// How often both models agree on the atoms after a step that both allow.
    BooleanEffectAgreement,
    /// Recall lost because literals alone refuse the step: the share of such steps among those that
    /// the real model allows.
    LostBoolean,
    /// Recall lost because numeric conditions alone refuse the step.
    LostNumeric,
    /// Recall lost because literals and numeric conditions both refuse the step.
    LostBoth,
    /// Recall lost because the action was not learned.
    LostUnlearned,
    /// The number of test steps.
    Steps,
    /// Test steps that the real model allows.
    StepsApplicable,
    /// Test steps that the learned model allows.
    StepsAllowed,
    /// Test steps that the learned model allows and the real one refuses.
    StepsFailing,
    /// Test steps that both models allow, and after which their states differ.
    StepsElsewhere,
    /// Test steps that a failed attempt forbids.
    StepsForbidden,
    /// Test steps that are neither allowed nor forbidden.
    StepsUnknown,
    /// Test steps that a failed attempt forbids and the real model allows.
    ForbiddenWrong,
    /// Actions that have a model.
    ActionsLearned,
    /// Linear conditions of all actions.
    LinearConditions,
    /// Recorded steps that were set aside as errors.
    StepsSetAside,
    /// The share of test problems that are solved with the learned model by plans that are valid in
    /// the real one.
    Coverage,
    /// The largest error of a function after a step that both models allow; of models that know
    /// numbers within errors only.
    SuccessorError,
    /// What such a model promises that it is at most.
    SuccessorBound,
    /// Of the held-out steps that worked, the share that the learned model allows; where there is
    /// no real model to compare with.
    HeldOutRecall,
    /// Held-out steps that worked and that the model decides.
    HeldOutWorked,
    /// Those that it allows.
    HeldOutAllowed,
    /// Those that it allows with another state after than the recorded one.
    HeldOutMistaken,
    /// Held-out attempts that failed and that the model decides.
    HeldOutFailed,
    /// Those that it allows.
    HeldOutFailuresAllowed,
    /// Held-out events for which the model's answer depends on unknown values.
    HeldOutUndecided,
}

/// What a metric compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Texts of models: their literals.
    Syntactic,
    /// Meanings of models: what they say of test steps.
    Semantic,
    /// It compares nothing; it counts.
    Size,
    /// Plans made with a model.
    Effectiveness,
    /// How far off numbers are, where a model knows them within errors only.
    Imprecision,
    /// A model and held-out traces, without a real model.
    HeldOut,
}

/// Which way is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// A higher value is better.
    Higher,
    /// A lower value is better.
    Lower,
    /// Neither is better: the value describes.
    Neither,
}

/// What there is to say of a metric.
struct Facts {
    metric: Metric,
    name: &'static str,
    label: &'static str,
    kind: Kind,
    better: Better,
}

const fn facts(
    metric: Metric,
    name: &'static str,
    label: &'static str,
    kind: Kind,
    better: Better,
) -> Facts {
    Facts { metric, name, label, kind, better }
}

impl Metric {
    /// In the order of the variants, which is that of tables.
    const FACTS: &'static [Facts] = &[
        facts(
            Metric::PreconditionPrecision,
            "precondition_precision",
            "P pre",
            Kind::Syntactic,
            Better::Higher,
        ),
        facts(
            Metric::PreconditionRecall,
            "precondition_recall",
            "R pre",
            Kind::Syntactic,
            Better::Higher,
        ),
        facts(
            Metric::EffectPrecision,
            "effect_precision",
            "P eff",
            Kind::Syntactic,
            Better::Higher,
        ),
        facts(Metric::EffectRecall, "effect_recall", "R eff", Kind::Syntactic, Better::Higher),
        facts(
            Metric::SemanticPrecision,
            "semantic_precision",
            "precision",
            Kind::Semantic,
            Better::Higher,
        ),
        facts(Metric::SemanticRecall, "semantic_recall", "recall", Kind::Semantic, Better::Higher),
        facts(Metric::SquaredError, "mse", "MSE", Kind::Semantic, Better::Lower),
        facts(
            Metric::BooleanEffectAgreement,
            "boolean_effect_agreement",
            "atoms",
            Kind::Semantic,
            Better::Higher,
        ),
        facts(Metric::LostBoolean, "lost_boolean", "lost: Boolean", Kind::Semantic, Better::Lower),
        facts(Metric::LostNumeric, "lost_numeric", "numeric", Kind::Semantic, Better::Lower),
        facts(Metric::LostBoth, "lost_both", "both", Kind::Semantic, Better::Lower),
        facts(Metric::LostUnlearned, "lost_unlearned", "unlearned", Kind::Semantic, Better::Lower),
        facts(Metric::Steps, "steps", "steps", Kind::Size, Better::Neither),
        facts(
            Metric::StepsApplicable,
            "steps_applicable",
            "applicable",
            Kind::Size,
            Better::Neither,
        ),
        facts(Metric::StepsAllowed, "steps_allowed", "allowed", Kind::Size, Better::Neither),
        facts(Metric::StepsFailing, "steps_failing", "failing", Kind::Size, Better::Lower),
        facts(Metric::StepsElsewhere, "steps_elsewhere", "elsewhere", Kind::Size, Better::Lower),
        facts(Metric::StepsForbidden, "steps_forbidden", "forbidden", Kind::Size, Better::Neither),
        facts(Metric::StepsUnknown, "steps_unknown", "unknown", Kind::Size, Better::Lower),
        facts(
            Metric::ForbiddenWrong,
            "forbidden_wrong",
            "forbidden, wrong",
            Kind::Size,
            Better::Lower,
        ),
        facts(Metric::ActionsLearned, "actions_learned", "actions", Kind::Size, Better::Neither),
        facts(
            Metric::LinearConditions,
            "linear_conditions",
            "conditions",
            Kind::Size,
            Better::Neither,
        ),
        facts(Metric::StepsSetAside, "steps_set_aside", "set aside", Kind::Size, Better::Neither),
        facts(Metric::Coverage, "coverage", "coverage", Kind::Effectiveness, Better::Higher),
        facts(
            Metric::SuccessorError,
            "successor_error",
            "largest error",
            Kind::Imprecision,
            Better::Lower,
        ),
        facts(
            Metric::SuccessorBound,
            "successor_bound",
            "promised",
            Kind::Imprecision,
            Better::Lower,
        ),
        facts(
            Metric::HeldOutRecall,
            "held_out_recall",
            "share allowed",
            Kind::HeldOut,
            Better::Higher,
        ),
        facts(Metric::HeldOutWorked, "held_out_worked", "worked", Kind::HeldOut, Better::Neither),
        facts(Metric::HeldOutAllowed, "held_out_allowed", "allowed", Kind::HeldOut, Better::Higher),
        facts(
            Metric::HeldOutMistaken,
            "held_out_mistaken",
            "other outcome",
            Kind::HeldOut,
            Better::Lower,
        ),
        facts(Metric::HeldOutFailed, "held_out_failed", "failed", Kind::HeldOut, Better::Neither),
        facts(
            Metric::HeldOutFailuresAllowed,
            "held_out_failures_allowed",
            "failures allowed",
            Kind::HeldOut,
            Better::Lower,
        ),
        facts(
            Metric::HeldOutUndecided,
            "held_out_undecided",
            "undecided",
            Kind::HeldOut,
            Better::Lower,
        ),
    ];

    fn facts(self) -> &'static Facts {
        &Self::FACTS[self as usize]
    }

    /// All, in the order of tables.
    pub fn all() -> impl Iterator<Item = Metric> {
        Self::FACTS.iter().map(|facts| facts.metric)
    }

    /// Those of a kind, in the order of tables.
    pub fn of_kind(kind: Kind) -> impl Iterator<Item = Metric> {
        Self::all().filter(move |metric| metric.kind() == kind)
    }

    /// Its name in files.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// At the head of a column.
    pub fn label(self) -> &'static str {
        self.facts().label
    }

    /// As a heading: its label with a capital.
    pub fn title(self) -> String {
        let mut letters = self.label().chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect())
            .unwrap_or_default()
    }

    /// What the metric compares.
    pub fn kind(self) -> Kind {
        self.facts().kind
    }

    /// Which way is better.
    pub fn better(self) -> Better {
        self.facts().better
    }
}

impl Display for Metric {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// No metric has this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownMetric(pub String);

impl Display for UnknownMetric {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` is no metric", self.0)
    }
}

impl std::error::Error for UnknownMetric {}

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(name: &str) -> Result<Self, UnknownMetric> {
        let found = Self::FACTS.iter().find(|facts| facts.name == name);
        found.map(|facts| facts.metric).ok_or_else(|| UnknownMetric(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_its_own_line_and_a_name_that_finds_it() {
        for (place, metric) in Metric::all().enumerate() {
            assert_eq!(metric as usize, place, "{metric}: lines are in the order of variants");
            assert_eq!(metric.name().parse(), Ok(metric));
        }
        // A variant without a line would be the last: nothing comes after it.
        assert_eq!(Metric::FACTS.len(), Metric::HeldOutUndecided as usize + 1);
        assert_eq!("recal".parse::<Metric>(), Err(UnknownMetric("recal".into())));
    }
}
