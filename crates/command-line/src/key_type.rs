//! `--key-type`.

use clap::ValueEnum;
use portcullis_pki::KeyType;

/// Types of generated keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum KeyTypeArg {
    /// ECDSA over P-256
    #[default]
    #[value(alias = "ec")]
    P256,
    /// ECDSA over P-384
    P384,
    /// RSA of 2048 bits
    Rsa2048,
    /// RSA of 4096 bits
    #[value(alias = "rsa")]
    Rsa4096,
}

impl From<KeyTypeArg> for KeyType {
    fn from(kind: KeyTypeArg) -> Self {
        match kind {
            KeyTypeArg::P256 => Self::P256,
            KeyTypeArg::P384 => Self::P384,
            KeyTypeArg::Rsa2048 => Self::Rsa2048,
            KeyTypeArg::Rsa4096 => Self::Rsa4096,
        }
    }
}
