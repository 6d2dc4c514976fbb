//! What has to be random.

use bytes::Bytes;
use portcullis_domain::entropy::{self, Entropy, EntropyError};
use portcullis_e2e_encryption::{Header, KeyPair};
use portcullis_sdk_proto::DialKeys;
use std::fmt;
use std::sync::Arc;

/// Draws what has to be random.
#[derive(Clone)]
pub(crate) struct Randomness(Arc<dyn Entropy>);

impl Randomness {
    pub(crate) fn new(entropy: Arc<dyn Entropy>) -> Self {
        Self(entropy)
    }

    pub(crate) fn key_pair(&self) -> Result<KeyPair, EntropyError> {
        KeyPair::from_secret(self.bytes()?).map_err(|_never_with_random_bytes| EntropyError)
    }

    pub(crate) fn header(&self) -> Result<Header, EntropyError> {
        Ok(Header(self.bytes()?))
    }

    pub(crate) fn dial_keys(&self) -> Result<DialKeys, EntropyError> {
        Ok(DialKeys {
            pair: self.key_pair()?,
            header: self.header()?,
        })
    }

    /// What all terminators of a listener have in common.
    pub(crate) fn listener_id(&self) -> Result<Bytes, EntropyError> {
        Ok(Bytes::copy_from_slice(&self.bytes::<16>()?))
    }

    /// By which logs of both ends name a connection.
    pub(crate) fn marker(&self) -> Result<String, EntropyError> {
        let bytes = self.bytes::<8>()?;
        Ok(bytes
            .map(|byte| char::from(b'a' + byte % 26))
            .iter()
            .collect())
    }

    /// For what is only to be spread.
    pub(crate) fn number(&self) -> u32 {
        self.bytes().map_or(0, u32::from_le_bytes)
    }

    fn bytes<const N: usize>(&self) -> Result<[u8; N], EntropyError> {
        entropy::bytes(self.0.as_ref())
    }
}

impl fmt::Debug for Randomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Randomness").finish_non_exhaustive()
    }
}
