//! Several searches side by side, by counted work, so that the plan found does not depend on how
//! many cores there are.
//!
//! Searches take turns in rounds that double. In a round each gets the same work; with two cores
//! two of them run at once, but the plan of the round is that of the first search in order that
//! found one.

use std::sync::atomic::{AtomicBool, Ordering};

use super::SearchEffort;
use super::search::{Control, PlanSearch, SearchStatus};
use surefoot_base::ids::{Id, IdVec, id};

id!(/// A search of the portfolio.
    SearchId);

/// A search that takes part in a round.
type NumberedSearch<'m, 's> = (SearchId, &'m mut Box<dyn PlanSearch + 's>);

/// The work of the first round: some hundredths of a second.
const FIRST: u64 = 2_000_000;

/// Runs the searches until one settles the task.
pub fn run(
    searches: &mut [Box<dyn PlanSearch + '_>],
    threads: usize,
    control: &Control,
) -> (SearchStatus, SearchEffort) {
    let mut open: IdVec<SearchId, bool> = IdVec::filled(true, searches.len());
    let mut work = FIRST;
    let mut last = SearchStatus::GaveUp;
    loop {
        let numbered = searches
            .iter_mut()
            .enumerate()
            .map(|(index, search)| (SearchId::from_index(index), search));
        let mut members: Vec<NumberedSearch> = numbered.filter(|&(id, _)| open[id]).collect();
        if members.is_empty() {
            return (last, total(searches));
        }
        let mut statuses: Vec<(SearchId, SearchStatus)> = Vec::new();
        for pair in members.chunks_mut(threads.max(1)) {
            statuses.extend(together(pair, work, control));
            if statuses.iter().any(|(_, status)| {
                matches!(
                    status,
                    SearchStatus::Solved(_) | SearchStatus::Exhausted | SearchStatus::Stopped
                )
            }) {
                break;
            }
        }
        drop(members);
        for (id, status) in statuses {
            match status {
                SearchStatus::Open => {}
                SearchStatus::Solved(_) | SearchStatus::Exhausted | SearchStatus::Stopped => {
                    return (status, total(searches));
                }
                SearchStatus::GaveUp => open[id] = false,
                SearchStatus::MemoryLimit => {
                    open[id] = false;
                    last = SearchStatus::MemoryLimit;
                }
            }
        }
        work = work.saturating_mul(2);
    }
}

fn together(
    members: &mut [NumberedSearch],
    work: u64,
    control: &Control,
) -> Vec<(SearchId, SearchStatus)> {
    if let [(id, search)] = members {
        return vec![(*id, search.advance(work, control))];
    }
    // A search is called off as soon as one before it in order has settled the task.
    let stops: Vec<AtomicBool> = members.iter().map(|_| AtomicBool::new(false)).collect();
    std::thread::scope(|scope| {
        let stops = &stops;
        let handles: Vec<_> = members
            .iter_mut()
            .enumerate()
            .map(|(place, (id, search))| {
                let id = *id;
                scope.spawn(move || {
                    let own = Control { stop: &stops[place], ..*control };
                    let status = search.advance(work, &own);
                    if matches!(status, SearchStatus::Solved(_) | SearchStatus::Exhausted) {
                        stops[place + 1..]
                            .iter()
                            .for_each(|stop| stop.store(true, Ordering::Relaxed));
                    }
                    (id, status)
                })
            })
            .collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

fn total(searches: &[Box<dyn PlanSearch + '_>]) -> SearchEffort {
    searches.iter().fold(SearchEffort::default(), |sum, search| sum.plus(&search.effort()))
}
