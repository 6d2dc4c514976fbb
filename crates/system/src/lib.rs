//! Clock and randomness of the operating system.
//!
//! Everything else takes both through [`Clock`] and [`Entropy`], so that tests can set the time and
//! repeat what is drawn.

use portcullis_domain::Env;
use portcullis_domain::clock::{Clock, Timestamp};
use portcullis_domain::entropy::{Entropy, EntropyError};
use rand::TryRng as _;
use rand::rngs::SysRng;
use std::sync::Arc;

/// The operating system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the adapter that everything else takes the time from"
    )]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The operating system's random number generator.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        SysRng.try_fill_bytes(bytes).map_err(|error| {
            tracing::error!(%error, "the operating system provides no randomness");
            EntropyError
        })
    }
}

/// Environment with the system's clock and randomness.
pub fn env() -> Env {
    Env {
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::entropy;

    #[test]
    fn drawn_bytes_differ() {
        let draw = || entropy::bytes::<32>(&SystemEntropy).unwrap();
        assert_ne!(draw(), draw());
    }

    #[test]
    fn clock_is_past_the_day_it_was_written() {
        assert!(SystemClock.now() > "2026-01-01T00:00:00Z".parse().unwrap());
    }
}
