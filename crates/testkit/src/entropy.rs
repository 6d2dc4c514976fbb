//! Randomness that repeats, and none at all.

use portcullis_domain::entropy::{Entropy, EntropyError};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The same bytes for the same seed, until it is made to run dry.
#[derive(Debug)]
pub struct SeededEntropy {
    generator: Mutex<StdRng>,
    is_dry: AtomicBool,
}

impl SeededEntropy {
    /// Begins at `seed`.
    pub fn new(seed: u64) -> Self {
        Self {
            generator: Mutex::new(StdRng::seed_from_u64(seed)),
            is_dry: AtomicBool::new(false),
        }
    }

    /// Makes it fail, or give bytes again.
    pub fn run_dry(&self, is_dry: bool) {
        self.is_dry.store(is_dry, Ordering::SeqCst);
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        if self.is_dry.load(Ordering::SeqCst) {
            return Err(EntropyError);
        }
        self.generator.lock().unwrap().fill_bytes(bytes);
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
