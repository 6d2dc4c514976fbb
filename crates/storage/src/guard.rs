//! Calls whose panics are expected.
//!
//! redb panics on some damaged pages where it could fail. Such a panic is caught and becomes an
//! error that says what is wrong; what the panic itself prints would only stand in the way.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// How many guarded calls this thread is inside of.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// A guarded call panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Tells whether this thread is inside a call into the engine whose panics become errors.
///
/// A panic hook can ask this in order to leave such panics to the error.
pub fn is_guarded() -> bool {
    DEPTH.get() > 0
}

/// Makes a call whose panic becomes an error.
pub(crate) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, Panicked> {
    // Dropped after the panic, if there is one, has been caught.
    let _inside = Inside::enter();
    catch_unwind(AssertUnwindSafe(call)).map_err(|_payload| Panicked)
}

/// Counts a guarded call for as long as it lives.
struct Inside;

impl Inside {
    fn enter() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get().saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guard_is_there_during_the_call_and_no_longer() {
        assert!(!is_guarded());
        let nested = guarded(|| (is_guarded(), guarded(|| panic!("expected"))));
        assert_eq!(nested, Ok((true, Err::<(), _>(Panicked))));
        assert_eq!(guarded(|| panic!("expected")), Err::<(), _>(Panicked));
        assert!(!is_guarded());
    }
}
