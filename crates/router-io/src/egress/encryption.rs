//! The hosting part of a key exchange.

use portcullis_domain::entropy::{self, Entropy};
use portcullis_e2e_encryption::{Header, KeyPair, PublicKey, Role, StreamKeys};

use super::failure::Unreached;

/// What an encrypted end needs.
pub(super) struct Encryption {
    /// For the dialing end.
    pub(super) public_key: PublicKey,
    pub(super) keys: StreamKeys,
    pub(super) header: Header,
}

impl Encryption {
    /// Agrees with a dialing end that has this public key.
    pub(super) fn agree(peer: &[u8], entropy: &dyn Entropy) -> Result<Self, Unreached> {
        let peer = PublicKey::try_from(peer)?;
        let secret = entropy::bytes(entropy).map_err(|_error| Unreached::Entropy)?;
        let pair = KeyPair::from_secret(secret)?;
        let header = entropy::bytes(entropy).map_err(|_error| Unreached::Entropy)?;
        Ok(Self {
            public_key: pair.public_key(),
            keys: pair.agree(Role::Server, &peer)?,
            header: Header(header),
        })
    }
}
