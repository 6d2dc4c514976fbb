//! Everything nondeterministic that a use case may touch.

use crate::clock::{self, Clock, Timestamp};
use crate::entropy::Entropy;
use std::sync::Arc;

/// The outside world of the domain, reduced to time and randomness.
#[derive(Clone)]
pub struct Env {
    /// Wall clock.
    pub clock: Arc<dyn Clock>,
    /// Source of secrets and ids.
    pub entropy: Arc<dyn Entropy>,
}

impl Env {
    /// The present instant, in whole milliseconds.
    pub fn now(&self) -> Timestamp {
        clock::to_millisecond(self.clock.now())
    }
}

impl std::fmt::Debug for Env {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Env").finish_non_exhaustive()
    }
}
