//! Sealing of recoverable secrets, and keyed hashes to look up secrets.
//!
//! Sealed values use XChaCha20-Poly1305 with a random 192-bit nonce; the full key of the record and
//! the field name are authenticated, so a value moved elsewhere does not open. The sealing keys are
//! in a separate file beside the store. Secrets that only have to be looked up, such as session
//! tokens, are stored as HMAC-SHA-256 under a random key, which is sealed in the store and never
//! changes.
//!
//! Seal and hash before a transaction body runs, never inside it.

mod key_file;
mod sealing;

use crate::engine::{CommitError, Engine, OverloadedError, StoreError, submit_with};
use crate::frame;
use crate::key::{META_TAG, RecordKey};
use hmac::{Hmac, KeyInit as _, Mac as _};
use key_file::KeyRing;
use portcullis_domain::entropy::{self, Entropy, EntropyError};
use secrecy::SecretString;
use sha2::Sha256;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zeroize::Zeroizing;

pub use key_file::KeyFileError;
pub use sealing::SealError;

/// Key of the row with the sealed lookup key.
const LOOKUP_ROW: &[u8] = &[META_TAG, 2];
const LOOKUP_FIELD: &str = "lookup key";

/// Seals and opens the secrets of one store.
pub struct Vault {
    ring: KeyRing,
    entropy: Arc<dyn Entropy>,
    lookup: Hmac<Sha256>,
}

/// A vault could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The key file is invalid.
    #[error(transparent)]
    KeyFile(#[from] KeyFileError),
    /// The store exists, but its key file is missing.
    #[error(
        "the sealing key {} is missing; the secrets of the store cannot be read without it; \
         restore it from a backup",
        path.display()
    )]
    Missing { path: PathBuf },
    /// The lookup key cannot be opened.
    #[error("the lookup key of the store cannot be opened with the sealing key {}", path.display())]
    Lookup {
        /// The key file.
        path: PathBuf,
        source: SealError,
    },
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    Overloaded(#[from] OverloadedError),
}

impl Vault {
    /// Opens the vault of `engine` with the keys at `key_path`.
    ///
    /// For a store that has never been written, the key file and the lookup key are created, so
    /// this has to come before any other write. For any other store, both have to exist.
    pub fn open<C: Send + Sync + 'static>(
        engine: &(impl Engine<C> + ?Sized),
        key_path: &Path,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, VaultError> {
        let fresh = engine.feed().revision() == 0;
        let ring = match KeyRing::load(key_path)? {
            Some(ring) => ring,
            None if fresh => KeyRing::create(key_path, entropy.as_ref())?,
            None => {
                let path = key_path.to_owned();
                return Err(VaultError::Missing { path });
            },
        };
        let key = match engine.snapshot()?.get(LOOKUP_ROW)? {
            Some(row) => stored_lookup_key(&ring, key_path, &row)?,
            None if fresh => new_lookup_key(engine, &ring, key_path, entropy.as_ref())?,
            None => return Err(StoreError::corrupt("the lookup key row is missing").into()),
        };
        // HMAC pads keys shorter than a block with zeros (RFC 2104 section 2).
        let mut block = Zeroizing::new([0; 64]);
        for (byte, value) in block.iter_mut().zip(key.iter()) {
            *byte = *value;
        }
        Ok(Self {
            ring,
            entropy,
            lookup: Hmac::new(&(*block).into()),
        })
    }

    /// Adds a sealing key to the file at `key_path` and returns its id.
    ///
    /// Vaults opened afterwards seal with it and can still open values of older keys.
    pub fn add_key(key_path: &Path, entropy: &dyn Entropy) -> Result<u32, VaultError> {
        let Some(mut ring) = KeyRing::load(key_path)? else {
            let path = key_path.to_owned();
            return Err(VaultError::Missing { path });
        };
        let id = ring.add(key_path, entropy)?;
        Ok(id)
    }

    /// Seals `plaintext` as the field `field` of the record under `record`, in base64.
    pub fn seal(
        &self,
        record: &RecordKey,
        field: &str,
        plaintext: &[u8],
    ) -> Result<String, SealError> {
        let context = sealing::SealContext {
            row: record.as_bytes(),
            field,
        };
        sealing::seal(
            self.ring.newest(),
            context,
            plaintext,
            self.entropy.as_ref(),
        )
    }

    /// Opens a value sealed for the same record and field.
    pub fn open_sealed(
        &self,
        record: &RecordKey,
        field: &str,
        sealed: &str,
    ) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let context = sealing::SealContext {
            row: record.as_bytes(),
            field,
        };
        sealing::open(&self.ring, context, sealed)
    }

    /// Opens a sealed text.
    pub fn open_text(
        &self,
        record: &RecordKey,
        field: &str,
        sealed: &str,
    ) -> Result<SecretString, SealError> {
        let plaintext = self.open_sealed(record, field, sealed)?;
        let text = std::str::from_utf8(&plaintext).map_err(SealError::NotText)?;
        Ok(SecretString::from(text))
    }

    /// Whether `sealed` was sealed with the newest key; other values should be resealed.
    pub fn is_current(&self, sealed: &str) -> Result<bool, SealError> {
        Ok(sealing::key_id(sealed)? == self.ring.newest().id)
    }

    /// Lookup hash of `secret` in `domain`, such as session tokens.
    ///
    /// The first half of HMAC-SHA-256 over the length of the domain, the domain and the secret.
    pub fn lookup_hash(&self, domain: &str, secret: &[u8]) -> [u8; 16] {
        let mut mac = self.lookup.clone();
        let length = u64::try_from(domain.len()).unwrap_or(u64::MAX);
        mac.update(&length.to_be_bytes());
        mac.update(domain.as_bytes());
        mac.update(secret);
        let full: [u8; 32] = mac.finalize().into_bytes().into();
        let mut half = [0; 16];
        for (byte, value) in half.iter_mut().zip(full) {
            *byte = value;
        }
        half
    }
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vault")
            .field("newest_key", &self.ring.newest().id)
            .finish_non_exhaustive()
    }
}

const fn lookup_context() -> sealing::SealContext<'static> {
    sealing::SealContext {
        row: LOOKUP_ROW,
        field: LOOKUP_FIELD,
    }
}

fn stored_lookup_key(
    ring: &KeyRing,
    path: &Path,
    row: &[u8],
) -> Result<Zeroizing<Vec<u8>>, VaultError> {
    let sealed = frame::decode(LOOKUP_ROW, row).map_err(StoreError::from)?;
    std::str::from_utf8(sealed)
        .map_err(SealError::NotText)
        .and_then(|sealed| sealing::open(ring, lookup_context(), sealed))
        .map_err(|source| VaultError::Lookup {
            path: path.to_owned(),
            source,
        })
}

fn new_lookup_key<C: Send + Sync + 'static>(
    engine: &(impl Engine<C> + ?Sized),
    ring: &KeyRing,
    path: &Path,
    entropy: &dyn Entropy,
) -> Result<Zeroizing<Vec<u8>>, VaultError> {
    let key = Zeroizing::new(entropy::bytes::<32>(entropy)?);
    let sealed = sealing::seal(ring.newest(), lookup_context(), key.as_ref(), entropy).map_err(
        |source| VaultError::Lookup {
            path: path.to_owned(),
            source,
        },
    )?;
    let row = frame::encode(LOOKUP_ROW, sealed.as_bytes());
    submit_with(engine, move |tx| {
        tx.put(LOOKUP_ROW, &row);
        Ok::<_, StoreError>(())
    })?
    .wait()??;
    Ok(Zeroizing::new(key.to_vec()))
}
