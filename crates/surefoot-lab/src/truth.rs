//! The real domain of an evaluation or an experiment: it replays the test traces, or there is
//! nothing to measure against.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use surefoot_analysis::evaluate::{Replayer, has_no_effects};
use surefoot_base::advice::Text;
use surefoot_base::exact::Rational;
use surefoot_base::model::{Domain, FunctionId};
use surefoot_base::pddl::Numbers;
use surefoot_learn::{OnBadData, Recording, SetAsideLimit};

use surefoot_io::output::count;
use surefoot_io::tolerance::Tolerance;
use surefoot_io::voice;

/// What to do where there is no real domain.
const WITHOUT: &str = "Without a real domain, held-out traces still measure a model: `surefoot \
     score -m LEARNED TRACES` says how many of \
     their steps it allows, and `truth = \"none\"` under [[domain]] of an experiment gives curves \
     of that by number of training traces";

/// Noise of computing in doubles is smaller than that of the last of so many decimals.
pub(crate) const DECIMALS: u32 = 6;

/// A domain that is to be measured against, and how its test traces are read.
pub struct Truth<'a> {
    /// The domain that is given as the real one.
    pub domain: &'a Domain,
    /// What it is called in messages.
    pub name: &'a str,
    /// By how much numeric comparisons may be missed.
    pub tolerance: &'a Tolerance,
    /// How far recorded numbers may be from the true ones.
    pub errors: &'a BTreeMap<FunctionId, Rational>,
    /// How recorded numbers are read.
    pub numbers: Numbers,
    /// How a user asks for numbers that are rounded to six decimals here.
    pub rounding: Text,
    /// How a user asks for [`OnBadData::Quarantine`] here.
    pub quarantine: Text,
    /// With [`OnBadData::Quarantine`], as few steps as learning may set aside count as recording
    /// errors.
    pub on_bad_data: OnBadData,
}

impl Truth<'_> {
    /// Stops where the domain has no effects.
    ///
    /// # Errors
    /// It has none.
    pub fn has_bodies(&self) -> Result<()> {
        if has_no_effects(self.domain) {
            bail!(
                "no action of {} has an effect, so it is not the real domain. {WITHOUT}",
                self.name
            );
        }
        Ok(())
    }

    /// Stops where the domain does not replay the traces.
    ///
    /// # Errors
    /// It does not, or a trace cannot be read.
    pub fn replays(&self, traces: &dyn Recording) -> Result<()> {
        self.has_bodies()?;
        let replayer = Replayer {
            real: self.domain,
            tolerance: self.tolerance.number(),
            errors: self.errors,
            numbers: self.numbers,
        };
        let replay = replayer.replay(traces)?;
        let Some(first) = &replay.first else { return Ok(()) };
        let first = first.to_string();
        let first = first.strip_prefix("error: ").unwrap_or(&first).trim_end();
        let differing =
            format!("{} of {}", replay.differing(), count(replay.steps(), "recorded step"));
        let as_errors = replay.is_faithful(Some(SetAsideLimit::default()));
        if as_errors && self.on_bad_data == OnBadData::Quarantine {
            voice::warn(&format!(
                "{} does not replay {differing} of the test traces, which count as recording \
                 errors. The first:\n{}",
                self.name, first
            ));
            return Ok(());
        }
        let rounded = Replayer { numbers: Numbers::Decimals(DECIMALS), ..replayer };
        let advice = match as_errors {
            true => {
                Text::from("If these are recording errors, say so with ")
                    + self.quarantine.clone()
                    + ". "
            }
            false
                if self.numbers == Numbers::Exact
                    && rounded.replay(traces)?.is_faithful(Some(SetAsideLimit::default())) =>
            {
                Text::from(format!(
                    "Rounded to {DECIMALS} decimals, the recorded numbers are those of this \
                     domain: say "
                )) + self.rounding.clone()
                    + ". "
            }
            false => Text::default(),
        };
        let text = Text::from(format!(
            "{} does not replay the test traces, so it is not their real domain: it refuses \
             {differing}, or ends in another state. The first:\n{first}\n",
            self.name
        ));
        Err((text + advice + WITHOUT).into())
    }
}
