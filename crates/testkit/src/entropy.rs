//! Deterministic and exhausted entropy sources.

use portcullis_domain::entropy::{Entropy, EntropyError};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Deterministic bytes from a seed; can be made to fail.
#[derive(Debug)]
pub struct SeededEntropy {
    generator: Mutex<StdRng>,
    is_exhausted: AtomicBool,
    call_count: AtomicU64,
}

impl SeededEntropy {
    pub fn new(seed: u64) -> Self {
        Self {
            generator: Mutex::new(StdRng::seed_from_u64(seed)),
            is_exhausted: AtomicBool::new(false),
            call_count: AtomicU64::new(0),
        }
    }

    /// Makes it fail, or work again.
    pub fn set_exhausted(&self, is_dry: bool) {
        self.is_exhausted.store(is_dry, Ordering::SeqCst);
    }

    /// Number of calls, including failed ones.
    pub fn call_count(&self) -> u64 {
        self.call_count.load(Ordering::SeqCst)
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        self.call_count.fetch_add(1, Ordering::SeqCst);
        if self.is_exhausted.load(Ordering::SeqCst) {
            return Err(EntropyError);
        }
        self.generator.lock().unwrap().fill_bytes(bytes);
        Ok(())
    }
}

/// A source that always fails.
#[derive(Debug)]
pub struct NoEntropy;

impl Entropy for NoEntropy {
    fn fill(&self, _bytes: &mut [u8]) -> Result<(), EntropyError> {
        Err(EntropyError)
    }
}
