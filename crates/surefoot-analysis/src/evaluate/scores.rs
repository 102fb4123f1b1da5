//! The figures of one action, or of a model: what was compared, by metric.

use std::collections::BTreeMap;

use super::metric::{Kind, Metric};
use super::semantic::{self, ActionSemantics};
use super::syntactic::{self, ActionSyntax};
use surefoot_base::exact::Rational;

/// A number, exact where it can be.
#[derive(Clone, PartialEq, Debug)]
pub enum Score {
    /// A share, or a mean of shares.
    Share(f64),
    /// An exact rational number.
    Exact(Rational),
}

impl Score {
    /// The double nearest to the value.
    pub fn to_f64(&self) -> f64 {
        match self {
            Score::Share(share) => *share,
            Score::Exact(number) => number.to_f64(),
        }
    }
}

/// Syntactic and semantic figures by metric. There is none where there is nothing to share: no
/// recall without a step that works.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scores(BTreeMap<Metric, Score>);

impl Scores {
    /// The figures of an action.
    pub fn of(syntax: &ActionSyntax, meaning: &ActionSemantics) -> Scores {
        Scores::known([
            (Metric::PreconditionPrecision, Some(Score::Share(syntax.precondition_precision()))),
            (Metric::PreconditionRecall, Some(Score::Share(syntax.precondition_recall()))),
            (Metric::EffectPrecision, Some(Score::Share(syntax.effect_precision()))),
            (Metric::EffectRecall, Some(Score::Share(syntax.effect_recall()))),
            (Metric::SemanticPrecision, Some(Score::Share(meaning.precision()))),
            (Metric::SemanticRecall, meaning.recall().map(Score::Share)),
            (Metric::SquaredError, Some(Score::Exact(meaning.error()))),
            (Metric::BooleanEffectAgreement, meaning.boolean_effects().map(Score::Share)),
            (Metric::LostBoolean, meaning.share_lost(meaning.lost_boolean).map(Score::Share)),
            (Metric::LostNumeric, meaning.share_lost(meaning.lost_numeric).map(Score::Share)),
            (Metric::LostBoth, meaning.share_lost(meaning.lost_both).map(Score::Share)),
            (Metric::LostUnlearned, Some(Score::Share(f64::from(u8::from(!meaning.learned))))),
        ])
    }

    /// The means over actions; `None` for a domain without actions.
    pub fn mean(syntax: &[ActionSyntax], meaning: &[ActionSemantics]) -> Option<Scores> {
        let (syntax, meaning) = (syntactic::averages(syntax)?, semantic::averages(meaning)?);
        let [boolean, numeric, both, unlearned] =
            meaning.lost.map_or([None; 4], |lost| lost.map(Some));
        Some(Scores::known([
            (Metric::PreconditionPrecision, Some(Score::Share(syntax.precondition_precision))),
            (Metric::PreconditionRecall, Some(Score::Share(syntax.precondition_recall))),
            (Metric::EffectPrecision, Some(Score::Share(syntax.effect_precision))),
            (Metric::EffectRecall, Some(Score::Share(syntax.effect_recall))),
            (Metric::SemanticPrecision, Some(Score::Share(meaning.precision))),
            (Metric::SemanticRecall, meaning.recall.map(Score::Share)),
            (Metric::SquaredError, Some(Score::Exact(meaning.error.clone()))),
            (Metric::BooleanEffectAgreement, meaning.boolean_effects.map(Score::Share)),
            (Metric::LostBoolean, boolean.map(Score::Share)),
            (Metric::LostNumeric, numeric.map(Score::Share)),
            (Metric::LostBoth, both.map(Score::Share)),
            (Metric::LostUnlearned, unlearned.map(Score::Share)),
        ]))
    }

    fn known(scores: [(Metric, Option<Score>); 12]) -> Scores {
        Scores(scores.into_iter().filter_map(|(metric, score)| Some((metric, score?))).collect())
    }

    /// The metrics that it is about, in the order of tables.
    pub fn metrics() -> impl Iterator<Item = Metric> {
        Metric::of_kind(Kind::Syntactic).chain(Metric::of_kind(Kind::Semantic))
    }

    /// The value of a metric, if it was computed.
    pub fn get(&self, metric: Metric) -> Option<&Score> {
        self.0.get(&metric)
    }

    /// Figures of a kind, in the order of tables.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = (Metric, &Score)> {
        self.0
            .iter()
            .map(|(metric, score)| (*metric, score))
            .filter(move |(metric, _)| metric.kind() == kind)
    }
}
