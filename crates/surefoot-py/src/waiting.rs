//! Long calls: work in a thread of its own, while the caller's thread, without the GIL, reports
//! progress and heeds Ctrl-C.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use surefoot_base::invariant::guarded;
use surefoot_learn::Progress;

/// How often signals are looked for, and progress is told of.
const TICK: Duration = Duration::from_millis(50);
/// How long work that was told to stop is waited for. What cannot stop by then ends by itself, and
/// nobody sees its result.
const GRACE: Duration = Duration::from_millis(500);

/// How far the work is, and whether it shall stop.
#[derive(Default)]
pub struct WorkProgress {
    stop: AtomicBool,
    done: AtomicUsize,
}

impl WorkProgress {
    /// Notes how much is done.
    pub fn set_done(&self, done: usize) {
        self.done.store(done, Ordering::Relaxed);
    }

    fn tell(&self, progress: Option<&Bound<'_, PyAny>>, total: Option<usize>) -> PyResult<()> {
        progress
            .map_or(Ok(()), |call| call.call1((self.done.load(Ordering::Relaxed), total)).map(drop))
    }
}

impl Progress for WorkProgress {
    fn trace_read(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn go_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }
}

/// What comes within a tick, without the GIL. Others may not look at a receiver at the same time,
/// which detaching has to be told.
fn received<T: Send>(py: Python<'_>, receiver: &Mutex<Receiver<T>>) -> Result<T, RecvTimeoutError> {
    py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK))
}

/// Runs work that may take long. `progress`, where given, is called with how much is done, of
/// `total`.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    total: Option<usize>,
    threads: Option<usize>,
    work: impl FnOnce(&WorkProgress) -> T + Send + 'static,
) -> PyResult<T> {
    let watch = Arc::new(WorkProgress::default());
    let (sender, receiver) = mpsc::channel();
    let theirs = Arc::clone(&watch);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    let pool =
        pool.map_err(|error| PyRuntimeError::new_err(format!("cannot start threads: {error}")))?;
    pool.spawn(move || {
        let _ = sender.send(guarded(|| work(&theirs)));
    });
    let receiver = Mutex::new(receiver);
    loop {
        match received(py, &receiver) {
            Ok(result) => {
                watch.tell(progress, total)?;
                return result.map_err(|broken| PyRuntimeError::new_err(broken.to_string()));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the work ended without a result"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupted) = py.check_signals().and_then(|()| watch.tell(progress, total)) {
            watch.stop.store(true, Ordering::Relaxed);
            let deadline = Instant::now() + GRACE;
            while Instant::now() < deadline
                && matches!(received(py, &receiver), Err(RecvTimeoutError::Timeout))
            {}
            return Err(interrupted);
        }
    }
}
