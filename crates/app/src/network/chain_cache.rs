//! Cache of verified client chains.
//!
//! Verifying signatures costs more than the rest of a login. The result depends only on the bytes
//! of the chain and on the trust anchors, which do not change while the controller runs. Validity
//! periods are checked each time; if the chain is not valid now but another path may be, the search
//! is repeated.

use super::{ClientChain, ClientChainError};
use crate::generational_cache::GenerationalCache;
use portcullis_domain::clock::Timestamp;
use portcullis_pki::{Sha256Fingerprint, Validity};

/// Number of cached chains in each of two generations.
const GENERATION_SIZE: usize = 32_768;

/// Verified chains by digest.
pub(super) struct ChainCache(GenerationalCache<[u8; 32], CachedChain>);

/// A verified chain, and when it is not the only one.
#[derive(Clone)]
pub(super) struct CachedChain {
    pub(super) chain: ClientChain,
    /// The period in which another path from the same leaf may be valid: that of the leaf, if the
    /// client presented intermediates. Another one of them or an anchor may take their place.
    pub(super) alternatives: Option<Validity>,
}

impl CachedChain {
    /// Whether no other path can be better at `now`.
    fn is_best(&self, now: Timestamp) -> bool {
        let may_be_valid = |period: Validity| period.contains(now);
        self.chain.validity.contains(now) || !self.alternatives.is_some_and(may_be_valid)
    }
}

impl Default for ChainCache {
    fn default() -> Self {
        Self(GenerationalCache::new(GENERATION_SIZE))
    }
}

impl ChainCache {
    /// Returns the cached result, or searches and caches. Failures are not cached: unauthenticated
    /// clients could fill the cache with them.
    pub(super) fn get_or_find(
        &self,
        presented: &[&[u8]],
        now: Timestamp,
        search: impl FnOnce() -> Result<CachedChain, ClientChainError>,
    ) -> Result<ClientChain, ClientChainError> {
        let key = digest(presented);
        if let Some(cached) = self.0.find(&key)
            && cached.is_best(now)
        {
            return Ok(cached.chain);
        }
        let found = search()?;
        self.0.insert(key, found.clone());
        Ok(found.chain)
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
