//! Sealing of secrets that have to be shown again, and hashes to find secrets by.
//!
//! Sealed values are XChaCha20-Poly1305 with a random nonce of 192 bits; the record's full key and
//! the name of the field are authenticated along, so a value moved elsewhere does not open. The
//! sealing keys stand in a file of their own beside the store. What only has to be found, such as a
//! session token, is looked up by an HMAC-SHA-256 whose key is random, sealed inside the store and
//! never changed.
//!
//! Sealing and hashing take place before a transaction body runs, never inside it.

mod key_file;
mod sealing;

use crate::engine::{CommitError, Engine, Overloaded, StoreError, submit_with};
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

/// The row of the key for lookup hashes.
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
    /// The file of the sealing keys is not as it has to be.
    #[error(transparent)]
    KeyFile(#[from] KeyFileError),
    /// The store has secrets, but the keys they were sealed with are gone.
    #[error(
        "the sealing key {} is missing; the secrets of its store cannot be read without it, \
         so put it back from where it is kept",
        path.display()
    )]
    Missing {
        /// Where the file has to be.
        path: PathBuf,
    },
    /// The key for lookup hashes does not open.
    #[error("the lookup key of the store cannot be opened with the sealing key {}", path.display())]
    Lookup {
        /// The file of the sealing keys.
        path: PathBuf,
        /// Why.
        source: SealError,
    },
    /// No key could be made.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store could not be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The store took no write.
    #[error(transparent)]
    Overloaded(#[from] Overloaded),
}

impl Vault {
    /// Opens the vault of `engine` with the keys at `key_path`.
    ///
    /// For a store that has never been written, the key file and the key for lookup hashes are
    /// made; so this comes before anything else is written. For any other store, both have to be
    /// there.
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
            None => return Err(StoreError::corrupt("the row of the lookup key is missing").into()),
        };
        // A key shorter than a block counts as filled up with zeros (RFC 2104 section 2).
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

    /// Adds a sealing key to the file at `key_path`, and tells its id.
    ///
    /// Vaults opened afterwards seal with it and still open what older keys have sealed.
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
        let context = sealing::Context {
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

    /// Opens what [`seal`](Self::seal) made for the same record and field.
    pub fn open_sealed(
        &self,
        record: &RecordKey,
        field: &str,
        sealed: &str,
    ) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let context = sealing::Context {
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

    /// Tells whether `sealed` was sealed with the newest key; what was not is due to be sealed
    /// anew after a key was added.
    pub fn is_current(&self, sealed: &str) -> Result<bool, SealError> {
        Ok(sealing::key_id(sealed)? == self.ring.newest().id)
    }

    /// The hash that `secret` is found by among the secrets of `domain`, such as session tokens.
    ///
    /// It is the first half of HMAC-SHA-256 over the domain, its length before it, and the secret.
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

const fn lookup_context() -> sealing::Context<'static> {
    sealing::Context {
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
