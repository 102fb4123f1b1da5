//! Long calls: work in a thread of its own, while the caller's thread, without the GIL, reports progress and heeds Ctrl-C.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use surefoot::learn::Progress;

/// How often signals are looked for, and progress is told of.
const TICK: Duration = Duration::from_millis(50);
/// How long work that was told to stop is waited for. What cannot stop by then ends by itself, and nobody sees its result.
const GRACE: Duration = Duration::from_millis(500);

/// How far the work is, and whether it shall stop.
#[derive(Default)]
pub struct Watch {
    stop: AtomicBool,
    done: AtomicUsize,
}

impl Watch {
    /// Notes how much is done.
    pub fn set_done(&self, done: usize) {
        self.done.store(done, Ordering::Relaxed);
    }
}

impl Progress for Watch {
    fn trace_read(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn go_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }
}

/// Runs work that may take long. `progress`, where given, is called with how much is done, of `total`.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    total: Option<usize>,
    threads: Option<usize>,
    work: impl FnOnce(&Watch) -> T + Send + 'static,
) -> PyResult<T> {
    let watch = Arc::new(Watch::default());
    let (sender, receiver) = mpsc::channel();
    let theirs = Arc::clone(&watch);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    let pool = pool.map_err(|error| PyRuntimeError::new_err(format!("cannot start threads: {error}")))?;
    pool.spawn(move || {
        let _ = sender.send(work(&theirs));
    });
    // Others may not look at a receiver at the same time, which detaching has to be told.
    let receiver = Mutex::new(receiver);
    let receive = |most: Duration| py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(most));
    let tell = || progress.map_or(Ok(()), |call| call.call1((watch.done.load(Ordering::Relaxed), total)).map(drop));
    loop {
        match receive(TICK) {
            Ok(result) => {
                tell()?;
                return Ok(result);
            }
            Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the work ended without a result")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupted) = py.check_signals().and_then(|()| tell()) {
            watch.stop.store(true, Ordering::Relaxed);
            let deadline = Instant::now() + GRACE;
            while Instant::now() < deadline && matches!(receive(TICK), Err(RecvTimeoutError::Timeout)) {}
            return Err(interrupted);
        }
    }
}
