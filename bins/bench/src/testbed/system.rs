//! Time and randomness of the machine.

use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::{Entropy, EntropyError};
use rustls::crypto::aws_lc_rs;

/// The randomness of the cryptographic library.
#[derive(Debug)]
pub(crate) struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        aws_lc_rs::default_provider()
            .secure_random
            .fill(bytes)
            .map_err(|_refused| EntropyError)
    }
}

/// The present instant.
#[expect(
    clippy::disallowed_methods,
    reason = "certificates made for a run have to be valid now, and nothing here is replayed"
)]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}
