//! Values that name certificates and keys.

use std::borrow::Cow;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use portcullis_pki::{Certificate, SigningKey, certificates_from_pem};
use portcullis_router_config::{PemSource, parse_pem_source};
use zeroize::Zeroizing;

use super::IdentityError;

/// A value of the file that names a certificate or key, or holds it.
#[derive(Clone)]
pub(crate) struct PemValue {
    key: String,
    place: Place,
}

#[derive(Clone)]
enum Place {
    File(PathBuf),
    /// May be a private key.
    Inline(Zeroizing<String>),
}

impl PemValue {
    /// Parses the value of a key such as `identity.cert`.
    pub(crate) fn parse(key: &str, value: &str) -> Result<Self, IdentityError> {
        let place = match parse_pem_source(value) {
            PemSource::File(path) if !path.is_empty() => Place::File(path.into()),
            PemSource::Inline(text) => Place::Inline(text.to_owned().into()),
            PemSource::UnsupportedScheme(scheme) => {
                return Err(IdentityError::Engine {
                    key: key.to_owned(),
                    scheme: scheme.to_owned(),
                });
            },
            _ => {
                return Err(IdentityError::Malformed {
                    key: key.to_owned(),
                });
            },
        };
        Ok(Self {
            key: key.to_owned(),
            place,
        })
    }

    pub(super) fn key_name(&self) -> &str {
        &self.key
    }

    /// For messages: the key, and its file.
    pub(crate) fn describe(&self) -> String {
        match &self.place {
            Place::File(path) => format!("`{}` ({})", self.key, path.display()),
            Place::Inline(_) => format!("`{}`", self.key),
        }
    }

    pub(crate) fn file(&self) -> Option<&Path> {
        match &self.place {
            Place::File(path) => Some(path),
            Place::Inline(_) => None,
        }
    }

    /// The same value with the content of another file.
    pub(super) fn in_file(&self, path: &Path) -> Self {
        Self {
            key: self.key.clone(),
            place: Place::File(path.to_owned()),
        }
    }

    fn text(&self) -> Result<Cow<'_, Zeroizing<String>>, IdentityError> {
        match &self.place {
            Place::Inline(text) => Ok(Cow::Borrowed(text)),
            Place::File(path) => match fs::read_to_string(path) {
                Ok(text) => Ok(Cow::Owned(text.into())),
                Err(source) => Err(IdentityError::Unreadable {
                    value: self.describe(),
                    source,
                }),
            },
        }
    }

    pub(crate) fn certificates(&self) -> Result<Vec<Certificate>, IdentityError> {
        certificates_from_pem(&self.text()?).map_err(|source| IdentityError::Certificates {
            value: self.describe(),
            source,
        })
    }

    pub(crate) fn key(&self) -> Result<SigningKey, IdentityError> {
        SigningKey::from_pem(&self.text()?).map_err(|source| IdentityError::Key {
            value: self.describe(),
            source,
        })
    }
}

impl fmt::Debug for PemValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.describe())
    }
}
