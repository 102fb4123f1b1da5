//! Several searches side by side, by counted work, so that the plan found does not depend on how many cores there are.
//!
//! Searches take turns in rounds that double. In a round each gets the same work; with two cores two of them run at once,
//! but the plan of the round is that of the first search in order that found one.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Effort;
use super::search::{Control, Search, Status};

/// The work of the first round: some hundredths of a second.
const FIRST: u64 = 2_000_000;

/// Runs the searches until one settles the task.
pub fn run(searches: &mut [Box<dyn Search + '_>], threads: usize, control: &Control) -> (Status, Effort) {
    let mut open: Vec<bool> = vec![true; searches.len()];
    let mut work = FIRST;
    let mut last = Status::GaveUp;
    loop {
        let mut members: Vec<(usize, &mut Box<dyn Search + '_>)> =
            searches.iter_mut().enumerate().filter(|(index, _)| open[*index]).collect();
        if members.is_empty() {
            return (last, total(searches));
        }
        let mut statuses: Vec<(usize, Status)> = Vec::new();
        for pair in members.chunks_mut(threads.max(1)) {
            statuses.extend(together(pair, work, control));
            if statuses.iter().any(|(_, status)| matches!(status, Status::Solved(_) | Status::Exhausted | Status::Stopped)) {
                break;
            }
        }
        drop(members);
        for (index, status) in statuses {
            match status {
                Status::Open => {}
                Status::Solved(_) | Status::Exhausted | Status::Stopped => return (status, total(searches)),
                Status::GaveUp => open[index] = false,
                Status::MemoryLimit => {
                    open[index] = false;
                    last = Status::MemoryLimit;
                }
            }
        }
        work = work.saturating_mul(2);
    }
}

fn together(members: &mut [(usize, &mut Box<dyn Search + '_>)], work: u64, control: &Control) -> Vec<(usize, Status)> {
    if let [(index, search)] = members {
        return vec![(*index, search.advance(work, control))];
    }
    // A search is called off as soon as one before it in order has settled the task.
    let stops: Vec<AtomicBool> = members.iter().map(|_| AtomicBool::new(false)).collect();
    std::thread::scope(|scope| {
        let stops = &stops;
        let handles: Vec<_> = members
            .iter_mut()
            .enumerate()
            .map(|(place, (index, search))| {
                let index = *index;
                scope.spawn(move || {
                    let stop = |later: &[AtomicBool]| later.iter().for_each(|stop| stop.store(true, Ordering::Relaxed));
                    let own = Control { stop: &stops[place], ..*control };
                    let status = search.advance(work, &own);
                    if matches!(status, Status::Solved(_) | Status::Exhausted) {
                        stop(&stops[place + 1..]);
                    }
                    (index, status)
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

fn total(searches: &[Box<dyn Search + '_>]) -> Effort {
    searches.iter().fold(Effort::default(), |sum, search| sum.plus(&search.effort()))
}
