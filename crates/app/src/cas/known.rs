//! Certificates of authorities that were read before.

use crate::recent::Recent;
use portcullis_domain::ca::Ca;
use portcullis_domain::ids::Number;
use portcullis_pki::Certificate;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::Found;
use std::sync::Arc;

/// How many certificates are kept, in each of two generations.
const GENERATION: usize = 512;

/// Certificates of authorities by the numbers of their records. Neither is a number used twice nor
/// does the certificate of an authority ever change, so what is here is never out of date.
pub(crate) struct KnownAuthorities(Recent<Number, Arc<Certificate>>);

impl Default for KnownAuthorities {
    fn default() -> Self {
        Self(Recent::new(GENERATION))
    }
}

impl KnownAuthorities {
    /// The certificate of an authority.
    pub(super) fn certificate(&self, ca: &Found<Ca>) -> Result<Arc<Certificate>, StoreError> {
        if let Some(known) = self.0.find(&ca.number()) {
            return Ok(known);
        }
        let read = Certificate::from_pem(&ca.entity.pem).map_err(|error| {
            StoreError::corrupt(format!("the certificate of an authority: {error}"))
        })?;
        let certificate = Arc::new(read);
        self.0.keep(ca.number(), Arc::clone(&certificate));
        Ok(certificate)
    }
}
