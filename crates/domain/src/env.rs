//! Environment of use cases: time and randomness.

use crate::clock::{self, Clock, Timestamp};
use crate::entropy::Entropy;
use std::sync::Arc;

/// Time and randomness for use cases.
#[derive(Clone)]
pub struct Env {
    /// Wall clock.
    pub clock: Arc<dyn Clock>,
    /// Source of secrets and ids.
    pub entropy: Arc<dyn Entropy>,
}

impl Env {
    /// The current instant, truncated to milliseconds.
    pub fn now(&self) -> Timestamp {
        clock::to_millisecond(self.clock.now())
    }
}

impl std::fmt::Debug for Env {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Env").finish_non_exhaustive()
    }
}
