//! Cache of verified client chains.
//!
//! Verifying signatures costs more than the rest of a login. The result depends only on the bytes
//! of the chain and on the trust anchors, which do not change while the controller runs. Validity
//! periods are checked each time.

use super::{ClientChain, ClientChainError};
use crate::generational_cache::GenerationalCache;
use portcullis_pki::Sha256Fingerprint;

/// Number of cached chains in each of two generations.
const GENERATION_SIZE: usize = 32_768;

/// Verified chains by digest.
pub(super) struct ChainCache(GenerationalCache<[u8; 32], ClientChain>);

impl Default for ChainCache {
    fn default() -> Self {
        Self(GenerationalCache::new(GENERATION_SIZE))
    }
}

impl ChainCache {
    /// Returns the cached result, or verifies and caches. Failures are not cached: unauthenticated
    /// clients could fill the cache with them.
    pub(super) fn get_or_verify(
        &self,
        chain: &[&[u8]],
        verify: impl FnOnce() -> Result<ClientChain, ClientChainError>,
    ) -> Result<ClientChain, ClientChainError> {
        let key = digest(chain);
        if let Some(verdict) = self.0.find(&key) {
            return Ok(verdict);
        }
        let verdict = verify()?;
        self.0.insert(key, verdict.clone());
        Ok(verdict)
    }
}

/// A digest of the whole chain: with the digest of the leaf alone, a client that once left out an
/// intermediate would count as improper forever.
fn digest(chain: &[&[u8]]) -> [u8; 32] {
    let digests: Vec<u8> = chain
        .iter()
        .flat_map(|der| *Sha256Fingerprint::of_der(der).as_bytes())
        .collect();
    *Sha256Fingerprint::of_der(&digests).as_bytes()
}
