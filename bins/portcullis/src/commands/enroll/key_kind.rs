//! Kinds of keys that are made here.

use clap::ValueEnum;
use portcullis_pki::KeyType;

/// Kinds of keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyKind {
    /// ECDSA over NIST P-256
    #[default]
    P256,
    /// ECDSA over NIST P-384
    P384,
    /// RSA of 2048 bits
    Rsa2048,
    /// RSA of 4096 bits
    Rsa4096,
}

impl From<KeyKind> for KeyType {
    fn from(kind: KeyKind) -> Self {
        match kind {
            KeyKind::P256 => Self::P256,
            KeyKind::P384 => Self::P384,
            KeyKind::Rsa2048 => Self::Rsa2048,
            KeyKind::Rsa4096 => Self::Rsa4096,
        }
    }
}
