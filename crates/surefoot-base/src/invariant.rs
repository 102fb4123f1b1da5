//! Invariants: what the argument for an algorithm says is always so. Where one does not hold, there
//! is no answer. The computation ends by a panic that names the invariant, and the public functions
//! of this library return that as an error ([`BrokenInvariant`]). A value made up instead could
//! become an unsafe model.

use std::any::Any;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};

/// An invariant of this library that did not hold: a mistake in the library, whatever the input.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "internal: an invariant of surefoot does not hold: {0}. There is no result. Please report \
     this, with the input if possible"
)]
pub struct BrokenInvariant(pub String);

/// How the message of a panic about an invariant begins.
const BROKEN: &str = "broken invariant: ";

/// Ends a computation in a case that cannot be.
#[cold]
#[track_caller]
pub fn broken(why_not: &str) -> ! {
    panic!("{BROKEN}{why_not} ({})", Location::caller())
}

/// A value that is there by an invariant.
pub trait Invariant {
    /// The value that is there if the invariant holds.
    type Value;

    /// The value; without it, the computation ends, and `always` says what should have been so.
    #[track_caller]
    fn invariant(self, always: &str) -> Self::Value;
}

impl<T> Invariant for Option<T> {
    type Value = T;

    #[inline]
    fn invariant(self, always: &str) -> T {
        match self {
            Some(value) => value,
            None => broken(always),
        }
    }
}

impl<T, E> Invariant for Result<T, E> {
    type Value = T;

    #[inline]
    fn invariant(self, always: &str) -> T {
        match self {
            Ok(value) => value,
            Err(_) => broken(always),
        }
    }
}

/// What some work returns; a panic in it, on whichever thread of its pool, is an error that says
/// what did not hold.
///
/// # Errors
/// The work panicked.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, BrokenInvariant> {
    // What the work was changing is dropped with it, or is a cache that is written whole.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| BrokenInvariant(message(&*panic)))
}

/// What a panic says.
fn message(panic: &(dyn Any + Send)) -> String {
    let said = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    said.map_or("a panic without a message", |said| said.strip_prefix(BROKEN).unwrap_or(said))
        .to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    #[test]
    fn what_does_not_hold_is_an_error_that_names_it_also_from_other_threads() {
        assert_eq!(guarded(|| Some(3).invariant("there is one")), Ok(3));
        let error = guarded(|| None::<u8>.invariant("a hull has a vertex")).unwrap_err();
        assert!(
            error.0.starts_with("a hull has a vertex (") && error.0.contains("invariant.rs"),
            "{error}"
        );
        assert!(
            error.to_string().starts_with(
                "internal: an invariant of surefoot does not hold: a hull has a vertex"
            )
        );
        let work = || {
            (0..100)
                .into_par_iter()
                .map(|i| (i != 77).then_some(i).invariant("no step is the 77th"))
                .sum::<u32>()
        };
        assert!(guarded(work).unwrap_err().0.starts_with("no step is the 77th"));
        let index = guarded(|| [1, 2, 3][std::hint::black_box(7)]).unwrap_err();
        assert!(index.0.contains("out of bounds"), "{index}");
    }
}
