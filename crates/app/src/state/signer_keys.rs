//! Verification keys of external signers, cached, with key sets fetched as needed.
//!
//! A key set is fetched when a token names a key that is not in it, at most once a second, and when
//! it is stale. One fetch per address runs at a time. Requests wait for its result only if their
//! key is missing. While an address fails or returns no usable key, the previous keys stay in use
//! and the retry delay grows.

mod endpoint;

use crate::generational_cache::GenerationalCache;
use endpoint::KeySetEndpoint;
use portcullis_domain::clock::Clock;
use portcullis_domain::signer::{KeySource, Signer, SignerCertificate};
use portcullis_pki::Certificate;
use portcullis_pki::external::{KeySet, VerificationKey};
use std::pin::Pin;
use std::sync::Arc;

/// Number of cached key sets in each of two generations.
const MAX_KEY_SETS: usize = 256;

/// Number of cached certificate keys in each of two generations.
const MAX_CERTIFICATES: usize = 1024;

/// Future of a key set document.
pub type KeySetFuture<'f> = Pin<Box<dyn Future<Output = Result<Vec<u8>, KeySetError>> + Send + 'f>>;

/// A key set could not be fetched. The text does not disclose the response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KeySetError(pub String);

/// Fetches key sets from configured addresses.
pub trait KeySetFetcher: Send + Sync {
    /// Validates an address without network access.
    ///
    /// # Errors
    ///
    /// [`KeySetError`] when a fetch from the address would be refused.
    fn validate_address(&self, address: &str) -> Result<(), KeySetError>;

    /// Fetches the document at an address, limited in time and size.
    fn fetch<'f>(&'f self, address: &'f str) -> KeySetFuture<'f>;
}

/// Cache of the keys of all signers.
pub struct SignerKeys {
    fetcher: Arc<dyn KeySetFetcher>,
    endpoints: GenerationalCache<String, Arc<KeySetEndpoint>>,
    /// By PEM.
    certificates: GenerationalCache<String, Arc<VerificationKey>>,
}

/// Candidate keys for the signature of a token.
pub(crate) enum SigningKeys {
    None,
    Certificate(Arc<VerificationKey>),
    Set(Arc<KeySet>),
}

impl SigningKeys {
    /// The keys with a key id.
    pub(crate) fn candidates(&self, key_id: &str) -> Vec<&VerificationKey> {
        match self {
            Self::None => Vec::new(),
            Self::Certificate(key) => vec![key],
            Self::Set(set) => set.candidates(key_id).collect(),
        }
    }
}

impl SignerKeys {
    /// An empty cache that uses `fetcher` for key sets.
    pub fn new(fetcher: Arc<dyn KeySetFetcher>) -> Self {
        Self {
            fetcher,
            endpoints: GenerationalCache::new(MAX_KEY_SETS),
            certificates: GenerationalCache::new(MAX_CERTIFICATES),
        }
    }

    /// As [`KeySetFetcher::validate_address`].
    pub(crate) fn validate_address(&self, address: &str) -> Result<(), KeySetError> {
        self.fetcher.validate_address(address)
    }

    /// Candidate keys of a signer for a token with this `key_id`.
    pub(crate) async fn keys_for(
        &self,
        signer: &Signer,
        key_id: &str,
        clock: &Arc<dyn Clock>,
    ) -> SigningKeys {
        match &signer.spec.keys {
            KeySource::Certificate(certificate) => {
                let own = signer.spec.settings.kid.as_deref();
                if own.unwrap_or(&certificate.fingerprint) == key_id {
                    self.certificate_key(certificate)
                } else {
                    SigningKeys::None
                }
            },
            KeySource::KeySet(address) => {
                let endpoint = self.get_endpoint(address);
                let set = endpoint.keys(key_id, &self.fetcher, clock).await;
                set.map_or(SigningKeys::None, SigningKeys::Set)
            },
        }
    }

    fn certificate_key(&self, certificate: &SignerCertificate) -> SigningKeys {
        if let Some(known) = self.certificates.find(certificate.pem.as_str()) {
            return SigningKeys::Certificate(known);
        }
        parse_key(certificate).map_or(SigningKeys::None, |key| {
            let pem = certificate.pem.clone();
            self.certificates.insert(pem, Arc::clone(&key));
            SigningKeys::Certificate(key)
        })
    }

    fn get_endpoint(&self, address: &str) -> Arc<KeySetEndpoint> {
        let make = || Arc::new(KeySetEndpoint::new(address));
        self.endpoints.get_or_insert_with(address.to_owned(), make)
    }
}

impl std::fmt::Debug for SignerKeys {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SignerKeys").finish_non_exhaustive()
    }
}

/// Parses the key of a certificate, which was validated when the signer was created.
fn parse_key(certificate: &SignerCertificate) -> Option<Arc<VerificationKey>> {
    let certificate = Certificate::from_pem(&certificate.pem).ok()?;
    let key = VerificationKey::from_certificate(&certificate).ok()?;
    Some(Arc::new(key))
}
