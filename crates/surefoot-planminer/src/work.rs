//! What a search may cost: units of work, and a deadline.
//!
//! Searches here need not end by themselves. Every loop spends units, so none can hang as long as a
//! limit or a deadline is there. The count of units does not depend on the machine: a limit ends a
//! search at the same place everywhere.

use std::time::Instant;

/// Why a search ended before it had its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The limit on units of work is reached.
    Limit,
    /// The deadline has passed.
    Deadline,
}

/// After so many units the clock is asked again.
const LOOK_AROUND: u64 = 1 << 20;

/// A counter of work with optional bounds.
#[derive(Default)]
pub(super) struct Work {
    spent: u64,
    next_look: u64,
    limit: Option<u64>,
    deadline: Option<Instant>,
}

impl Work {
    /// A counter that ends at `limit` units; `None`: only a deadline ends it.
    pub(super) fn new(limit: Option<u64>) -> Work {
        Work { limit, ..Work::default() }
    }

    /// With a deadline of the wall clock.
    pub(super) fn until(self, deadline: Instant) -> Work {
        Work { deadline: Some(deadline), ..self }
    }

    /// Units spent so far.
    #[cfg(test)]
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
        let mut free = Work::new(None);
        assert_eq!(free.spend(u64::MAX), Ok(()));
    }
}
