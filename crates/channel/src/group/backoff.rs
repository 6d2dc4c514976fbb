//! Exponential backoff after failures.

use std::time::Duration;

/// A delay that doubles with each consecutive failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Delay after the first failure.
    pub initial: Duration,
    /// Maximum delay.
    pub max: Duration,
    /// Random part of the delay.
    pub jitter: Jitter,
}

/// Random part of a delay, so that many peers that failed together do not come back together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jitter {
    /// No randomness.
    None,
    /// The second half is random.
    Half,
}

impl Backoff {
    /// The delay after this many consecutive failures, at least one. `random` is any random number.
    pub fn delay(&self, failures: u32, random: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        let pause = self.initial.saturating_mul(doubled).min(self.max);
        match self.jitter {
            Jitter::None => pause,
            Jitter::Half => {
                let half = pause / 2;
                half + half.mul_f64(f64::from(random) / f64::from(u32::MAX))
            },
        }
    }
}
