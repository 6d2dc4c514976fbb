//! Format of sealed values.
//!
//! In base64: version (1 byte), key id (4 bytes, big-endian), nonce (24 bytes), ciphertext with
//! tag. Associated data: version, key id, length of the row key, row key, field.

use super::key_file::{KeyRing, SealingKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use portcullis_domain::entropy::{self, Entropy, EntropyError};
use zeroize::Zeroizing;

const VERSION: u8 = 1;
const NONCE_BYTES: usize = 24;

/// A value could not be sealed or opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// No nonce could be drawn.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// The plaintext is too long for the cipher.
    #[error("the value is too long to be sealed")]
    TooLong,
    /// The text is not a sealed value.
    #[error("the value is not a sealed value")]
    Malformed,
    /// It was sealed with a key that is not in the key file.
    #[error("the value is sealed with key {0}, which the key file does not have")]
    UnknownKey(u32),
    /// It was altered, or sealed for another record, field or key.
    #[error("the sealed value has been altered or belongs to another record")]
    Unauthentic,
    /// It is not valid UTF-8.
    #[error("the sealed value is not text")]
    NotText(#[source] std::str::Utf8Error),
}

/// The record and field that a value is sealed for.
#[derive(Clone, Copy)]
pub(super) struct SealContext<'c> {
    pub(super) row: &'c [u8],
    pub(super) field: &'c str,
}

impl SealContext<'_> {
    fn bytes(self, key: u32) -> Vec<u8> {
        let length = u64::try_from(self.row.len()).unwrap_or(u64::MAX);
        let mut bytes = vec![VERSION];
        bytes.extend(key.to_be_bytes());
        bytes.extend(length.to_be_bytes());
        bytes.extend(self.row);
        bytes.extend(self.field.as_bytes());
        bytes
    }
}

pub(super) fn seal(
    key: &SealingKey,
    context: SealContext<'_>,
    plaintext: &[u8],
    entropy: &dyn Entropy,
) -> Result<String, SealError> {
    let nonce = entropy::bytes::<NONCE_BYTES>(entropy)?;
    let aad = context.bytes(key.id);
    let payload = Payload {
        msg: plaintext,
        aad: &aad,
    };
    let ciphertext = cipher(key)
        .encrypt(&XNonce::from(nonce), payload)
        .map_err(|_error| SealError::TooLong)?;
    let mut sealed = vec![VERSION];
    sealed.extend(key.id.to_be_bytes());
    sealed.extend(nonce);
    sealed.extend(ciphertext);
    Ok(STANDARD.encode(sealed))
}

pub(super) fn open(
    ring: &KeyRing,
    context: SealContext<'_>,
    sealed: &str,
) -> Result<Zeroizing<Vec<u8>>, SealError> {
    let bytes = STANDARD
        .decode(sealed)
        .map_err(|_error| SealError::Malformed)?;
    let (id, rest) = parse(&bytes).ok_or(SealError::Malformed)?;
    let (nonce, ciphertext) = rest
        .split_first_chunk::<NONCE_BYTES>()
        .ok_or(SealError::Malformed)?;
    let key = ring.get(id).ok_or(SealError::UnknownKey(id))?;
    let aad = context.bytes(id);
    let payload = Payload {
        msg: ciphertext,
        aad: &aad,
    };
    cipher(key)
        .decrypt(&XNonce::from(*nonce), payload)
        .map(Zeroizing::new)
        .map_err(|_error| SealError::Unauthentic)
}

/// Id of the sealing key of a value.
pub(super) fn key_id(sealed: &str) -> Result<u32, SealError> {
    let bytes = STANDARD
        .decode(sealed)
        .map_err(|_error| SealError::Malformed)?;
    parse(&bytes).map(|(id, _)| id).ok_or(SealError::Malformed)
}

fn parse(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (&VERSION, rest) = bytes.split_first()? else {
        return None;
    };
    let (id, rest) = rest.split_first_chunk::<4>()?;
    Some((u32::from_be_bytes(*id), rest))
}

fn cipher(key: &SealingKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new((&*key.bytes).into())
}
