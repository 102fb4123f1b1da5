//! Ctrl-C and other signals that ask us to end: noticed, so that planners are ended and no half-written files are left.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

static RECEIVED: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// From now on a signal that asks us to end is noticed; a second one ends us at once.
pub fn listen() -> io::Result<()> {
    if RECEIVED.get().is_some() {
        return Ok(());
    }
    let received = Arc::new(AtomicUsize::new(0));
    let again = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the first signal finds `again` unset.
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&again))?;
        signal_hook::flag::register(signal, Arc::clone(&again))?;
        signal_hook::flag::register_usize(signal, Arc::clone(&received), signal as usize)?;
    }
    let _ = RECEIVED.set(received);
    Ok(())
}

/// The signal that asked us to end, if one did since [`listen`].
pub fn received() -> Option<u8> {
    let signal = RECEIVED.get()?.load(Ordering::Relaxed);
    u8::try_from(signal).ok().filter(|&signal| signal != 0)
}
