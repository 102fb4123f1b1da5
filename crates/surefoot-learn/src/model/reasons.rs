//! Reasons whose sentences name functions or atoms of an action, and remedies where records are not
//! exact. The other reasons have their sentences in `conclude/conclusion.rs`. A setting is named
//! only if it was tried.

use serde_json::json;
use surefoot_base::advice::Text;
use surefoot_base::assumptions::Monotone;
use surefoot_base::dial;
use surefoot_base::exact::Rational;
use surefoot_base::model::{ActionId, Unsatisfiable};
use surefoot_base::pddl::Writer;

use crate::conclude::{Conclusion, LeftOut, Settings};
use crate::evidence::{Learner, LiftedFunctionId, Mention, Thin};

/// The decimals of effects with which marks are tried, if the user gave none.
const DECIMALS: u32 = 2;

impl Learner {
    /// Why an action is not in a model, with names.
    pub fn reason(&self, action: ActionId, conclusion: &Conclusion) -> String {
        match conclusion {
            Conclusion::LeftOut(LeftOut::Unlisted(functions)) => {
                let names = self.named(action, functions.iter().copied());
                format!(
                    "it changes {names}; where records are not exact, its list of relevant \
                     functions must name all that it changes"
                )
            }
            Conclusion::LeftOut(LeftOut::UnlistedElsewhere(functions)) => {
                let names = self.named(action, functions.iter().copied());
                format!(
                    "outside this part it changes {names}, and the map of relevant functions must \
                     list all that an action with parts changes"
                )
            }
            Conclusion::LeftOut(LeftOut::Thin(thin)) => self.thin(action, thin),
            Conclusion::LeftOut(LeftOut::NeverApplicable(Unsatisfiable::Atom(atom))) => {
                let domain = self.domain();
                let writer = Writer::new(domain, &domain.signature.constants)
                    .with_parameters(&domain.action(action).parameters);
                let atom = writer.atom(atom);
                format!(
                    "its precondition would require {atom} and its opposite: no recorded step \
                     shows whether {atom} was true before it"
                )
            }
            other => other.to_string(),
        }
    }

    /// What would help an action that errors leave nothing of, each if it is true. Marks and
    /// arities are named where they do help.
    pub(crate) fn remedies(
        &self,
        settings: &Settings,
        action: ActionId,
        conclusion: &Conclusion,
    ) -> Option<Text> {
        let functions: Vec<LiftedFunctionId> = match conclusion {
            Conclusion::LeftOut(LeftOut::Thin(thin)) => {
                thin.iter().map(|(function, _)| *function).collect()
            }
            _ => return None,
        };
        let (&first, name) = (functions.first()?, self.domain().action_name(action));
        let all = self.named(action, functions.iter().copied());
        let it = if functions.len() == 1 { "it" } else { "them" };
        let mut remedies = vec![
            Text::from(format!("steps that differ more in {all}")),
            format!("that records of {it} are exact").into(),
        ];
        remedies
            .extend(functions.iter().find_map(|&function| self.mark(settings, action, function)));
        remedies.extend(self.arity(settings, action));
        // The others were not tried: the records that show them are not at hand.
        let one = self.named(action, [first].into_iter());
        remedies.push(format!("that {name} neither reads nor changes {one}").into());
        Some(Text::from("what would help, if it is true: ") + Text::joined(remedies, "; "))
    }

    /// A mark with which something is left. A mark opens the region; the effect has to be known
    /// there, too.
    fn mark(
        &self,
        settings: &Settings,
        action: ActionId,
        function: LiftedFunctionId,
    ) -> Option<Text> {
        let column = self.vocabulary(action).column_of(function)?;
        let marks = [(Monotone::More, "more"), (Monotone::Less, "less"), (Monotone::Any, "any")];
        let decimals = settings.effect_decimals.unwrap_or(DECIMALS);
        let (_, word) = marks.iter().find(|(mark, _)| {
            let mut marked = Settings { effect_decimals: Some(decimals), ..settings.clone() };
            marked.monotone.entry(action).or_default().insert(column, *mark);
            matches!(self.conclude(action, &marked), Conclusion::Learned(_))
        })?;
        let (name, function) =
            (self.domain().action_name(action), self.named(action, [function].into_iter()));
        let mut advice = vec![dial!("monotone", json!({ name: { function.as_str(): word } }))];
        if settings.effect_decimals.is_none() {
            advice.push(dial!("effect-decimals", decimals));
        }
        Some(
            Text::from(format!("that {word} of {function} never hurts ("))
                + Text::joined(advice.into_iter().map(Text::from), ", with ")
                + ")",
        )
    }

    /// The largest arity with which something is left, whatever errors effects have.
    fn arity(&self, settings: &Settings, action: ActionId) -> Option<Text> {
        if settings.arity.is_some() {
            return None;
        }
        let (arity, reads) = [(3, 1), (1, 0)].into_iter().find(|&(arity, reads)| {
            let assumed =
                Settings { arity: Some(arity), effect_arity: Some(reads), ..settings.clone() };
            matches!(self.conclude(action, &assumed), Conclusion::Learned(_))
        })?;
        let advice = vec![dial!("arity", arity), dial!("effect-arity", reads)];
        Some(
            Text::from(format!(
                "that each condition mentions at most {arity} and each effect reads at most \
                 {reads} functions ("
            )) + Text::together(advice)
                + ")",
        )
    }

    fn named(&self, action: ActionId, functions: impl Iterator<Item = LiftedFunctionId>) -> String {
        let names: Vec<String> = functions
            .map(|function| self.lens().written_mention(action, Mention::Function(function)))
            .collect();
        names.join(", ")
    }

    /// Records that differ by too little: of one function, or of several together.
    fn thin(&self, action: ActionId, thin: &[(LiftedFunctionId, Thin)]) -> String {
        let mut flat: Vec<String> = Vec::new();
        for (function, found) in thin {
            let two = &Rational::integer(2) * &found.error;
            if found.spread <= two {
                let name = self.named(action, [*function].into_iter());
                flat.push(format!(
                    "its recorded values of {name} differ by {}, and two records of the same value \
                     with errors of {} differ by up to {two}",
                    found.spread, found.error
                ));
            }
        }
        if !flat.is_empty() {
            return flat.join("; ");
        }
        let names = self.named(action, thin.iter().map(|(function, _)| *function));
        format!(
            "its recorded values of {names} nearly follow from each other and from other \
             functions; the remaining differences are smaller than the recording errors"
        )
    }
}
