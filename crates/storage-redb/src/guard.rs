//! Guarded calls, whose panics become errors.
//!
//! redb panics on some damaged pages instead of failing. Such a panic is caught and turned into an
//! error; its own output would only be noise.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Nesting depth of guarded calls on this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// A guarded call panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Whether this thread is inside a guarded call.
///
/// A panic hook can use this to stay silent.
pub fn is_guarded() -> bool {
    DEPTH.get() > 0
}

/// Runs `call` and turns a panic into an error.
pub(crate) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, Panicked> {
    // Dropped after a panic has been caught.
    let _inside = GuardScope::enter();
    catch_unwind(AssertUnwindSafe(call)).map_err(|_payload| Panicked)
}

/// RAII guard of a guarded call.
struct GuardScope;

impl GuardScope {
    fn enter() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for GuardScope {
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
