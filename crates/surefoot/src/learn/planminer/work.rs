//! What a search may cost: units of work, a deadline, and a person who may end it.
//!
//! Searches here need not end by themselves. Every loop spends units, so none can hang as long as a limit, a deadline or a
//! caller's `go_on` is there. The count of units does not depend on the machine: a limit ends a search at the same place everywhere.

use std::time::Instant;

/// Why a search ended before it had its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The limit on units of work is reached.
    Limit,
    /// The deadline has passed.
    Deadline,
    /// The caller asked to end.
    Interrupted,
}

/// After so many units the clock and the caller are asked again.
const LOOK_AROUND: u64 = 1 << 20;

/// A counter of work with optional bounds.
#[derive(Default)]
pub(super) struct Work<'a> {
    spent: u64,
    next_look: u64,
    limit: Option<u64>,
    deadline: Option<Instant>,
    go_on: Option<&'a dyn Fn() -> bool>,
}

impl<'a> Work<'a> {
    /// A counter that ends at `limit` units; `None`: only what is added by [`Work::until`] and [`Work::watched`] ends it.
    pub(super) fn new(limit: Option<u64>) -> Work<'a> {
        Work { limit, ..Work::default() }
    }

    /// With a deadline of the wall clock.
    pub(super) fn until(self, deadline: Instant) -> Work<'a> {
        Work { deadline: Some(deadline), ..self }
    }

    /// With a question asked now and then; the answer `false` ends the search.
    pub(super) fn watched(self, go_on: &'a dyn Fn() -> bool) -> Work<'a> {
        Work { go_on: Some(go_on), ..self }
    }

    /// Units spent so far.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    /// Counts `units`, about one per cell of a table that is looked at.
    pub(super) fn spend(&mut self, units: u64) -> Result<(), Stop> {
        self.spent = self.spent.saturating_add(units);
        if self.limit.is_some_and(|limit| self.spent > limit) {
            return Err(Stop::Limit);
        }
        if self.spent >= self.next_look {
            self.next_look = self.spent.saturating_add(LOOK_AROUND);
            if self.go_on.is_some_and(|go_on| !go_on()) {
                return Err(Stop::Interrupted);
            }
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(Stop::Deadline);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn each_bound_ends_with_its_own_reason() {
        let mut limited = Work::new(Some(10));
        assert_eq!(limited.spend(10), Ok(()));
        assert_eq!(limited.spend(1), Err(Stop::Limit));
        assert_eq!(limited.spent(), 11);
        let mut late = Work::new(None).until(Instant::now() - Duration::from_millis(1));
        assert_eq!(late.spend(1), Err(Stop::Deadline));
        let mut stopped = Work::new(None).watched(&|| false);
        assert_eq!(stopped.spend(1), Err(Stop::Interrupted));
        let mut free = Work::new(None).watched(&|| true);
        assert_eq!(free.spend(u64::MAX), Ok(()));
    }

    #[test]
    fn the_caller_is_asked_now_and_then() {
        let asked = std::cell::Cell::new(0);
        let go_on = || {
            asked.set(asked.get() + 1);
            asked.get() < 3
        };
        let mut work = Work::new(None).watched(&go_on);
        let ended = (0..).find(|_| work.spend(LOOK_AROUND / 4).is_err());
        assert_eq!(ended, Some(8));
    }
}
