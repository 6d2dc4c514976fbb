//! The key file.

use crate::directory::sync_directory_of;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portcullis_domain::entropy::{self, Entropy, EntropyError};
use portcullis_domain::io_error::describe_io_error;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use zeroize::{Zeroize as _, Zeroizing};

const FORMAT: u32 = 1;

/// The key file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// Others than its owner have access.
    #[error(
        "the sealing key {} is accessible to other users (mode {mode:03o}); \
         set its mode to 600",
        path.display()
    )]
    Exposed {
        path: PathBuf,
        /// Permission bits.
        mode: u32,
    },
    /// It is not a valid key file.
    #[error("the sealing key {} is damaged or of an unknown format", path.display())]
    Malformed { path: PathBuf },
    #[error("the sealing key {} cannot be read or written: {}", path.display(), describe_io_error(source))]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Entropy(#[from] EntropyError),
}

/// A sealing key.
pub(super) struct SealingKey {
    pub(super) id: u32,
    pub(super) bytes: Zeroizing<[u8; 32]>,
}

/// All keys of a file; the newest seals, any can open.
pub(super) struct KeyRing {
    newest: SealingKey,
    older: Vec<SealingKey>,
}

#[derive(Serialize, Deserialize)]
struct KeyFileContent {
    format: u32,
    /// Oldest first.
    keys: Vec<KeyEntry>,
}

#[derive(Serialize, Deserialize)]
struct KeyEntry {
    id: u32,
    key: String,
}

impl Drop for KeyEntry {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

impl KeyRing {
    /// Loads the file at `path`; `None` if it does not exist.
    pub(super) fn load(path: &Path) -> Result<Option<Self>, KeyFileError> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error(path)(error)),
        };
        let mode = file
            .metadata()
            .map_err(io_error(path))?
            .permissions()
            .mode()
            & 0o777;
        if mode & 0o077 != 0 {
            let path = path.to_owned();
            return Err(KeyFileError::Exposed { path, mode });
        }
        // Large enough for any key file: a growing buffer would leave copies of the keys behind.
        let mut text = Zeroizing::new(Vec::with_capacity(16 * 1024));
        file.read_to_end(&mut text).map_err(io_error(path))?;
        match parse(&text) {
            Some(ring) => Ok(Some(ring)),
            None => Err(KeyFileError::Malformed {
                path: path.to_owned(),
            }),
        }
    }

    /// Creates a file with one key at `path`, which must not exist.
    pub(super) fn create(path: &Path, entropy: &dyn Entropy) -> Result<Self, KeyFileError> {
        let ring = Self {
            newest: SealingKey::generate(1, entropy)?,
            older: Vec::new(),
        };
        let draft = ring.write_draft(path)?;
        // A link, unlike a rename, never replaces an existing key.
        fs::hard_link(&draft, path).map_err(io_error(path))?;
        fs::remove_file(&draft).map_err(io_error(path))?;
        sync_directory_of(path).map_err(io_error(path))?;
        Ok(ring)
    }

    /// Adds a key, rewrites the file at `path` and returns the key id.
    pub(super) fn add(&mut self, path: &Path, entropy: &dyn Entropy) -> Result<u32, KeyFileError> {
        let id = self.newest.id.saturating_add(1);
        let newest = SealingKey::generate(id, entropy)?;
        self.older.push(std::mem::replace(&mut self.newest, newest));
        let draft = self.write_draft(path)?;
        fs::rename(&draft, path).map_err(io_error(path))?;
        sync_directory_of(path).map_err(io_error(path))?;
        Ok(id)
    }

    pub(super) fn newest(&self) -> &SealingKey {
        &self.newest
    }

    pub(super) fn get(&self, id: u32) -> Option<&SealingKey> {
        std::iter::once(&self.newest)
            .chain(&self.older)
            .find(|key| key.id == id)
    }

    /// Writes all keys to a draft file beside `path`, synced and with mode 600.
    fn write_draft(&self, path: &Path) -> Result<PathBuf, KeyFileError> {
        let mut name = path.as_os_str().to_owned();
        name.push(".new");
        let draft = PathBuf::from(name);
        match fs::remove_file(&draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(io_error(path)(error));
            },
            _ => {},
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&draft)
            .map_err(io_error(path))?;
        let text = self.text().map_err(io_error(path))?;
        file.write_all(&text).map_err(io_error(path))?;
        file.sync_all().map_err(io_error(path))?;
        Ok(draft)
    }

    fn text(&self) -> io::Result<Zeroizing<Vec<u8>>> {
        let keys = self.older.iter().chain([&self.newest]);
        let content = KeyFileContent {
            format: FORMAT,
            keys: keys
                .map(|key| KeyEntry {
                    id: key.id,
                    key: STANDARD.encode(*key.bytes),
                })
                .collect(),
        };
        let mut text = Zeroizing::new(Vec::with_capacity(16 * 1024));
        serde_json::to_writer(&mut *text, &content)?;
        text.push(b'\n');
        Ok(text)
    }
}

impl SealingKey {
    fn generate(id: u32, entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        let bytes = Zeroizing::new(entropy::bytes(entropy)?);
        Ok(Self { id, bytes })
    }
}

fn parse(text: &[u8]) -> Option<KeyRing> {
    let content: KeyFileContent = serde_json::from_slice(text).ok()?;
    if content.format != FORMAT {
        return None;
    }
    let mut keys = Vec::with_capacity(content.keys.len());
    for entry in &content.keys {
        let decoded = Zeroizing::new(STANDARD.decode(&entry.key).ok()?);
        let bytes = Zeroizing::new(decoded.as_slice().try_into().ok()?);
        keys.push(SealingKey {
            id: entry.id,
            bytes,
        });
    }
    let newest = keys.pop()?;
    Some(KeyRing {
        newest,
        older: keys,
    })
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> KeyFileError + use<> {
    let path = path.to_owned();
    move |source| KeyFileError::Io { path, source }
}
