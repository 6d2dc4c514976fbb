//! Answers to callers that ask for their own identity.

use crate::generational_cache::GenerationalCache;
use bytes::Bytes;
use portcullis_domain::ids::RecordNumber;

/// Number of identities in a generation.
const GENERATION_SIZE: usize = 2048;
/// Maximum size of a cached identity, in bytes.
const MAX_BYTES: usize = 16 * 1024;

/// Encoded identities as of one snapshot, by record number.
pub(crate) struct OwnIdentityCache(GenerationalCache<RecordNumber, Bytes>);

impl OwnIdentityCache {
    pub(crate) fn find(&self, identity: RecordNumber) -> Option<Bytes> {
        self.0.find(&identity)
    }

    /// Caches an encoded identity, unless it is large.
    pub(crate) fn insert(&self, identity: RecordNumber, encoded: Bytes) {
        if encoded.len() <= MAX_BYTES {
            self.0.insert(identity, encoded);
        }
    }
}

impl Default for OwnIdentityCache {
    fn default() -> Self {
        Self(GenerationalCache::new(GENERATION_SIZE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_identity_is_not_cached() {
        let cache = OwnIdentityCache::default();
        for (number, size) in [(1, MAX_BYTES), (2, MAX_BYTES + 1)] {
            cache.insert(RecordNumber(number), vec![0; size].into());
        }
        assert!(cache.find(RecordNumber(1)).is_some());
        assert!(cache.find(RecordNumber(2)).is_none());
    }
}
