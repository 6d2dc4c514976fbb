//! The randomness of the operating system.

use portcullis_domain::entropy::{Entropy, EntropyError};
use rand::TryRng as _;
use rand::rngs::SysRng;

/// The random number generator of the operating system.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        SysRng.try_fill_bytes(bytes).or(Err(EntropyError))
    }
}
