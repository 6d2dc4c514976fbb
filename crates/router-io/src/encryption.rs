//! Key exchange of ends that the router encrypts for.

use portcullis_domain::entropy::{self, Entropy, EntropyError};
use portcullis_e2e_encryption::{Header, KeyExchangeError, KeyPair, PublicKey, Role, StreamKeys};

/// What an encrypted end needs.
pub(crate) struct Encryption {
    pub(crate) keys: StreamKeys,
    pub(crate) header: Header,
}

/// The part of this end in a key exchange.
pub(crate) struct OwnKey {
    pair: KeyPair,
    header: Header,
}

/// Two ends have no keys in common.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoEncryption {
    #[error("the other end's key for encryption cannot be used: {0}")]
    Key(#[from] KeyExchangeError),
    #[error("there is no randomness for encryption")]
    Entropy(#[from] EntropyError),
}

impl OwnKey {
    pub(crate) fn new(entropy: &dyn Entropy) -> Result<Self, NoEncryption> {
        Ok(Self {
            pair: KeyPair::from_secret(entropy::bytes(entropy)?)?,
            header: Header(entropy::bytes(entropy)?),
        })
    }

    /// For the other end.
    pub(crate) fn public_key(&self) -> PublicKey {
        self.pair.public_key()
    }

    /// Agrees with an end that has this public key.
    pub(crate) fn agree(self, role: Role, peer: &[u8]) -> Result<Encryption, NoEncryption> {
        let peer = PublicKey::try_from(peer)?;
        Ok(Encryption {
            keys: self.pair.agree(role, &peer)?,
            header: self.header,
        })
    }
}
