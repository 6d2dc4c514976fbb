//! Agreement on the keys of both directions.

use std::fmt;

use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};
use blake2::{Blake2b512, Digest as _};
use zeroize::{Zeroize as _, ZeroizeOnDrop, Zeroizing};

const KEY_LEN: usize = 32;

/// A key cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyExchangeError {
    #[error("a public key has {KEY_LEN} bytes")]
    WrongLength,
    /// No point of the curve, or one that leads to the same secret whatever the other key is.
    #[error("the public key is not acceptable")]
    Unacceptable,
    #[error("the secret key is not acceptable")]
    Secret,
}

/// What an end tells the other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; KEY_LEN]);

impl PublicKey {
    pub const fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl TryFrom<&[u8]> for PublicKey {
    type Error = KeyExchangeError;

    fn try_from(bytes: &[u8]) -> Result<Self, KeyExchangeError> {
        let key = bytes.try_into();
        key.map(Self)
            .map_err(|_wrong_length| KeyExchangeError::WrongLength)
    }
}

/// Which part an end has in the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The end that dials.
    Client,
    /// The end that hosts.
    Server,
}

/// Keys of one end, for one circuit.
#[derive(Debug)]
pub struct KeyPair {
    secret: PrivateKey,
    public: PublicKey,
}

impl KeyPair {
    /// The pair to a secret, which has to be random.
    pub fn from_secret(secret: [u8; KEY_LEN]) -> Result<Self, KeyExchangeError> {
        let secret = Zeroizing::new(secret);
        let secret = PrivateKey::from_private_key(&X25519, secret.as_slice())
            .map_err(|_rejected| KeyExchangeError::Secret)?;
        let public = secret
            .compute_public_key()
            .map_err(|_unspecified| KeyExchangeError::Secret)?;
        let public = PublicKey::try_from(public.as_ref())?;
        Ok(Self { secret, public })
    }

    pub const fn public_key(&self) -> PublicKey {
        self.public
    }

    /// The keys that both ends arrive at.
    pub fn agree(&self, role: Role, peer: &PublicKey) -> Result<StreamKeys, KeyExchangeError> {
        let (client, server) = match role {
            Role::Client => (&self.public, peer),
            Role::Server => (peer, &self.public),
        };
        let peer = UnparsedPublicKey::new(&X25519, peer.as_bytes());
        agree(
            &self.secret,
            peer,
            KeyExchangeError::Unacceptable,
            |shared| {
                let hash = Blake2b512::new()
                    .chain_update(shared)
                    .chain_update(client.as_bytes())
                    .chain_update(server.as_bytes())
                    .finalize();
                let hash = Zeroizing::new(<[u8; 2 * KEY_LEN]>::from(hash));
                let (to_client, to_server) = hash.split_at(KEY_LEN);
                let (receive, send) = match role {
                    Role::Client => (to_client, to_server),
                    Role::Server => (to_server, to_client),
                };
                Ok(StreamKeys {
                    receive: StreamKey::copied(receive),
                    send: StreamKey::copied(send),
                })
            },
        )
    }
}

/// The keys of an end, one for each direction.
#[derive(Debug)]
pub struct StreamKeys {
    pub receive: StreamKey,
    pub send: StreamKey,
}

/// The key of one direction.
pub struct StreamKey([u8; KEY_LEN]);

impl StreamKey {
    fn copied(half: &[u8]) -> Self {
        let mut key = Self([0; KEY_LEN]);
        key.0.copy_from_slice(half);
        key
    }

    /// Not for logs.
    pub const fn expose(&self) -> &[u8; KEY_LEN] {
        &self.0
    }
}

impl From<[u8; KEY_LEN]> for StreamKey {
    fn from(key: [u8; KEY_LEN]) -> Self {
        Self(key)
    }
}

impl fmt::Debug for StreamKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StreamKey(…)")
    }
}

impl Drop for StreamKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl ZeroizeOnDrop for StreamKey {}
