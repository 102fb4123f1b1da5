//! Learning from the text of a trajectory.

use surefoot_base::certificate::digest;
use surefoot_base::model::{Event, Objects};
use surefoot_base::pddl::{Diagnostic, ReadError, Source, assumed_by};

use super::learner::{Attempts, Learner, Outside};
use super::lens::with_action;
use super::recording::read_text;

impl Learner {
    /// Adds all steps of one trajectory and what it takes for granted, and remembers that it was
    /// read, as certificates ask for. The counterpart of
    /// `ModelChecker::read` of `surefoot-check`.
    ///
    /// # Errors
    /// The trajectory does not read as one of the domain, or has steps that no model of the class
    /// explains, whatever else was seen; or it comes from a log that was read without the others,
    /// where that matters. Nothing is learned from it then. Who wants to learn from
    /// the other steps looks at them one by one, through an [`Observer`](super::Observer).
    pub fn read(&mut self, trace: &Source, objects: &Objects) -> Result<(), ReadError> {
        let mut seen = self.empty();
        let mut steps = vec![0; self.domain().actions.len()];
        let mut attempts = vec![Attempts::default(); steps.len()];
        let mut outside = vec![Outside::default(); self.given().actions.len()];
        let mut wrong = Vec::new();
        let mut observer = self.lens().observer();
        read_text(trace, objects, self.given(), self.class().numbers, &mut |recorded| {
            let Some(in_part) = self.lens().in_part(recorded.event.attempt()) else {
                seen.count_outside(recorded.event, &mut observer, &mut outside);
                return true;
            };
            let action = in_part.symbol;
            match with_action(recorded.event, &in_part) {
                Event::Worked(step) => {
                    steps[action.index()] += 1;
                    match observer.observe_step(step) {
                        Ok(observation) => seen.observe(action, &observation),
                        Err(anomaly) => wrong.push(recorded.error(anomaly.in_words(
                            self.domain(),
                            objects,
                            step,
                        ))),
                    }
                }
                Event::Failed(attempt) => {
                    let failed = observer.count_attempt(attempt, &mut attempts[action.index()]);
                    seen.observe_failure(action, &failed);
                }
            }
            true
        })?;
        if !wrong.is_empty() {
            return Err(ReadError::new(wrong));
        }
        seen.assume(assumed_by(trace.text()));
        seen.add_outside(digest(trace.text()), outside);
        seen.add_attempts(digest(trace.text()), attempts);
        seen.add_trace(digest(trace.text()), steps);
        if let Some(sentence) = self.needs_one_reading(&seen) {
            let message = format!("this is of another log than what was read before: {sentence}");
            let help = "import all logs in one go, or learn from the logs themselves";
            return Err(Diagnostic::of_file(trace.name(), message).help(help).into());
        }
        self.merge(&seen);
        Ok(())
    }
}
