//! Certificates of authorities that were read before.

use portcullis_domain::ca::Ca;
use portcullis_domain::ids::Number;
use portcullis_pki::Certificate;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::Found;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many certificates are kept.
const MOST: usize = 1024;

/// Certificates of authorities by the numbers of their records. Neither is a number used twice nor
/// does the certificate of an authority ever change, so what is here is never out of date.
#[derive(Default)]
pub(crate) struct KnownAuthorities(Mutex<HashMap<Number, Arc<Certificate>>>);

impl KnownAuthorities {
    /// The certificate of an authority.
    pub(super) fn certificate(&self, ca: &Found<Ca>) -> Result<Arc<Certificate>, StoreError> {
        if let Some(known) = self.lock().get(&ca.number()) {
            return Ok(Arc::clone(known));
        }
        let read = Certificate::from_pem(&ca.entity.pem).map_err(|error| {
            StoreError::corrupt(format!("the certificate of an authority: {error}"))
        })?;
        let certificate = Arc::new(read);
        let mut known = self.lock();
        if known.len() >= MOST {
            // Those in use come back at once, those of deleted authorities do not.
            known.clear();
        }
        known.insert(ca.number(), Arc::clone(&certificate));
        Ok(certificate)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Number, Arc<Certificate>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
