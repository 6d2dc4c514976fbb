//! How long to wait after a failure.

use std::time::Duration;

/// A pause that doubles with each failure in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// After the first failure.
    pub first: Duration,
    /// At most.
    pub most: Duration,
    /// How much of it is left to chance.
    pub jitter: Jitter,
}

/// How much of a pause is left to chance, so that many who failed together do not come back together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jitter {
    /// Nothing.
    None,
    /// The second half of it.
    Half,
}

impl Backoff {
    /// The pause after so many failures in a row, at least one. `random` is any random number.
    pub fn pause(&self, failures: u32, random: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        let pause = self.first.saturating_mul(doubled).min(self.most);
        match self.jitter {
            Jitter::None => pause,
            Jitter::Half => {
                let half = pause / 2;
                half + half.mul_f64(f64::from(random) / f64::from(u32::MAX))
            },
        }
    }
}
