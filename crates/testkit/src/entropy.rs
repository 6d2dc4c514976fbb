//! Randomness that repeats, and none at all.

use portcullis_domain::entropy::{Entropy, EntropyError};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The same bytes for the same seed, until it is made to run dry.
#[derive(Debug)]
pub struct SeededEntropy {
    generator: Mutex<StdRng>,
    is_dry: AtomicBool,
    asked: AtomicU64,
}

impl SeededEntropy {
    /// Begins at `seed`.
    pub fn new(seed: u64) -> Self {
        Self {
            generator: Mutex::new(StdRng::seed_from_u64(seed)),
            is_dry: AtomicBool::new(false),
            asked: AtomicU64::new(0),
        }
    }

    /// Makes it fail, or give bytes again.
    pub fn run_dry(&self, is_dry: bool) {
        self.is_dry.store(is_dry, Ordering::SeqCst);
    }

    /// How often it was asked for bytes, whether it gave some or not.
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
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
