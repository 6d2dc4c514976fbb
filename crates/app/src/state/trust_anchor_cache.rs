//! Cache of parsed CA certificates.

use crate::generational_cache::GenerationalCache;
use portcullis_domain::ca::Ca;
use portcullis_domain::ids::RecordNumber;
use portcullis_pki::Certificate;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::Found;
use std::sync::Arc;

/// Number of cached certificates in each of two generations.
const GENERATION_SIZE: usize = 512;

/// CA certificates by record number. Numbers are never reused and the certificate of a CA never
/// changes, so entries are never stale.
pub(crate) struct TrustAnchorCache(GenerationalCache<RecordNumber, Arc<Certificate>>);

impl Default for TrustAnchorCache {
    fn default() -> Self {
        Self(GenerationalCache::new(GENERATION_SIZE))
    }
}

impl TrustAnchorCache {
    /// The certificate of an authority.
    pub(crate) fn get(&self, ca: &Found<Ca>) -> Result<Arc<Certificate>, StoreError> {
        if let Some(known) = self.0.find(&ca.number()) {
            return Ok(known);
        }
        let read = Certificate::from_pem(&ca.entity.spec.pem).map_err(|error| {
            StoreError::corrupt(format!("the certificate of an authority: {error}"))
        })?;
        let certificate = Arc::new(read);
        self.0.insert(ca.number(), Arc::clone(&certificate));
        Ok(certificate)
    }
}
