//! The keys of external signers: made ready once, and key sets kept and fetched anew.
//!
//! A key set is fetched when a token names a key that is not in it, at most once a second, and when
//! it is old. One fetch runs at a time for an address. Whoever needs a key that is not there waits
//! for its outcome; whose key is there does not. While the address does not answer, or answers no
//! key that can be used, the keys that were there last stay in use, and it is asked ever more rarely.

mod endpoint;

use crate::recent::Recent;
use endpoint::Endpoint;
use portcullis_domain::clock::Clock;
use portcullis_domain::signer::{KeySource, Signer, SignerCertificate};
use portcullis_pki::Certificate;
use portcullis_pki::external::{KeySet, VerificationKey};
use std::pin::Pin;
use std::sync::Arc;

/// How many key sets are kept, in each of two generations.
const KEY_SETS: usize = 256;

/// How many keys of certificates are kept, in each of two generations.
const CERTIFICATES: usize = 1024;

/// A key set that is being fetched.
pub type Fetching<'f> = Pin<Box<dyn Future<Output = Result<Vec<u8>, KeySetFault>> + Send + 'f>>;

/// Why a key set cannot be had; the text tells nothing of what was answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KeySetFault(pub String);

/// Fetches key sets from where administrators say that they are.
pub trait FetchKeySets: Send + Sync {
    /// Judges what can be judged of an address without asking anybody.
    ///
    /// # Errors
    ///
    /// [`KeySetFault`] when nothing would be fetched from there.
    fn judge(&self, address: &str) -> Result<(), KeySetFault>;

    /// Fetches the document at an address, bounded in time and size.
    fn fetch<'f>(&'f self, address: &'f str) -> Fetching<'f>;
}

/// The keys of all signers, as far as they were needed.
pub struct SignerKeys {
    fetcher: Arc<dyn FetchKeySets>,
    /// By address.
    endpoints: Recent<String, Arc<Endpoint>>,
    /// By the text of the certificate.
    certificates: Recent<String, Arc<VerificationKey>>,
}

/// The keys that a token may be signed with.
pub(crate) enum Keys {
    /// None is known.
    None,
    /// The key of a certificate.
    One(Arc<VerificationKey>),
    /// Those of a set.
    Set(Arc<KeySet>),
}

impl Keys {
    /// The keys that go by a name.
    pub(crate) fn candidates(&self, key_id: &str) -> Vec<&VerificationKey> {
        match self {
            Self::None => Vec::new(),
            Self::One(key) => vec![key],
            Self::Set(set) => set.candidates(key_id).collect(),
        }
    }
}

impl SignerKeys {
    /// Knows no keys yet, and has key sets fetched by `fetcher`.
    pub fn new(fetcher: Arc<dyn FetchKeySets>) -> Self {
        Self {
            fetcher,
            endpoints: Recent::new(KEY_SETS),
            certificates: Recent::new(CERTIFICATES),
        }
    }

    /// Judges the address of a key set, as [`FetchKeySets::judge`].
    pub(crate) fn judge(&self, address: &str) -> Result<(), KeySetFault> {
        self.fetcher.judge(address)
    }

    /// The keys of a signer that a token may be signed with whose header names `key_id`.
    pub(crate) async fn of(&self, signer: &Signer, key_id: &str, clock: &Arc<dyn Clock>) -> Keys {
        match &signer.keys {
            KeySource::Certificate(certificate) => {
                let own = signer.spec.kid.as_deref();
                if own.unwrap_or(&certificate.fingerprint) == key_id {
                    self.of_certificate(certificate)
                } else {
                    Keys::None
                }
            },
            KeySource::KeySet(address) => {
                let endpoint = self.endpoint(address);
                let set = endpoint.keys(key_id, &self.fetcher, clock).await;
                set.map_or(Keys::None, Keys::Set)
            },
        }
    }

    fn of_certificate(&self, certificate: &SignerCertificate) -> Keys {
        if let Some(known) = self.certificates.find(certificate.pem.as_str()) {
            return Keys::One(known);
        }
        ready(certificate).map_or(Keys::None, |key| {
            let pem = certificate.pem.clone();
            self.certificates.keep(pem, Arc::clone(&key));
            Keys::One(key)
        })
    }

    fn endpoint(&self, address: &str) -> Arc<Endpoint> {
        let make = || Arc::new(Endpoint::new(address));
        self.endpoints.find_or_make(address.to_owned(), make)
    }
}

impl std::fmt::Debug for SignerKeys {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SignerKeys").finish_non_exhaustive()
    }
}

/// Makes the key of a certificate ready; it was checked when the signer was made.
fn ready(certificate: &SignerCertificate) -> Option<Arc<VerificationKey>> {
    let certificate = Certificate::from_pem(&certificate.pem).ok()?;
    let key = VerificationKey::from_certificate(&certificate).ok()?;
    Some(Arc::new(key))
}
