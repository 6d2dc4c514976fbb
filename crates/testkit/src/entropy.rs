//! Randomness that repeats, and none at all.

use portcullis_domain::entropy::{Entropy, EntropyError};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use std::sync::Mutex;

/// The same bytes for the same seed.
#[derive(Debug)]
pub struct SeededEntropy(Mutex<StdRng>);

impl SeededEntropy {
    /// Begins at `seed`.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(StdRng::seed_from_u64(seed)))
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        self.0.lock().unwrap().fill_bytes(bytes);
        Ok(())
    }
}

/// A source that has run dry.
#[derive(Debug)]
pub struct NoEntropy;

impl Entropy for NoEntropy {
    fn fill(&self, _bytes: &mut [u8]) -> Result<(), EntropyError> {
        Err(EntropyError)
    }
}
