//! Ctrl-C and other signals that ask us to end, heeded at once in whatever is going on, however
//! deep in a computation.
//!
//! A thread waits for signals. Most commands are ended by it: what is being written is finished
//! first, since files appear whole, and nothing else has to be put in order. Planners end with us,
//! as their supervisors notice. A command that has an answer to give all the same asks to
//! [notice](listen) signals instead. A signal that was ignored when we were started, as by `nohup`,
//! stays ignored.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, Once, PoisonError, RwLock, RwLockReadGuard};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Whether a command runs at all; between two of them signals mean what they usually mean.
static RUNNING: AtomicBool = AtomicBool::new(false);
/// Whether the command that runs ends by itself when it notices a signal.
static LISTENING: AtomicBool = AtomicBool::new(false);
/// The signal that was noticed; zero: none.
static RECEIVED: AtomicU8 = AtomicU8::new(0);
/// Held by those who write files.
static WRITING: RwLock<()> = RwLock::new(());

/// How long files that are being written are waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// While this lives, signals end the command; `say` is told which one did, before the end.
pub struct SignalWatch(());

impl SignalWatch {
    /// Starts watching. Without it signals end us as well, only that nothing is said or waited for.
    pub fn start(say: fn(u8)) -> Self {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let ignored = ignored();
            let wanted = [SIGINT, SIGTERM, SIGHUP]
                .into_iter()
                .filter(|signal| ignored >> (signal - 1) & 1 == 0);
            if let Ok(signals) = Signals::new(wanted) {
                let _ = thread::Builder::new()
                    .name("signals".into())
                    .spawn(move || serve(signals, say));
            }
        });
        RUNNING.store(true, Ordering::Relaxed);
        SignalWatch(())
    }
}

impl Drop for SignalWatch {
    fn drop(&mut self) {
        RUNNING.store(false, Ordering::Relaxed);
        RECEIVED.store(0, Ordering::Relaxed);
    }
}

/// The signals that are ignored, as bits from signal 1 on, as Linux tells; none where nobody tells.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn serve(mut signals: Signals, say: fn(u8)) {
    for signal in signals.forever() {
        if !RUNNING.load(Ordering::Relaxed) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            continue;
        }
        let number = u8::try_from(signal).unwrap_or(0);
        // A command that listens is given one chance to end by itself.
        if LISTENING.load(Ordering::Relaxed) && RECEIVED.swap(number, Ordering::Relaxed) == 0 {
            continue;
        }
        end(number, say);
    }
}

fn end(signal: u8, say: fn(u8)) {
    let deadline = Instant::now() + PATIENCE;
    let mut lock = WRITING.try_write();
    while lock.is_err() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
        lock = WRITING.try_write();
    }
    // Whoever finishes one now has to wait, and ends with us.
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.iter() {
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    say(signal);
    process::exit(128 + i32::from(signal));
}

/// Held while a file is written: signals wait for its end.
pub fn writing() -> RwLockReadGuard<'static, ()> {
    WRITING.read().unwrap_or_else(PoisonError::into_inner)
}

/// Files and folders that take long to write, under the temporary names that they have until they
/// are whole.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// While this lives a signal that ends us removes a file or a folder, which is not waited for.
pub struct Unfinished(PathBuf);

/// Begins a file that takes long to write.
pub fn unfinished(path: &Path) -> Unfinished {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
    Unfinished(path.to_owned())
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.0);
    }
}

/// While this lives a signal that asks us to end is noticed; a second one ends us at once.
pub struct Listening(());

/// Begins to notice signals.
pub fn listen() -> Listening {
    LISTENING.store(true, Ordering::Relaxed);
    Listening(())
}

impl Drop for Listening {
    fn drop(&mut self) {
        LISTENING.store(false, Ordering::Relaxed);
    }
}

/// The signal that asked us to end, if one did since [`listen`].
pub fn received() -> Option<u8> {
    Some(RECEIVED.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
}
