//! What a router tells of a terminator that it hosts.

use crate::FieldError;
use crate::ids::{IdentityId, SessionId};
use crate::oidc_session::TokenId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Values that the host passes to whoever dials, by number.
pub type PeerData = BTreeMap<u32, Vec<u8>>;

/// The identity for which a router created a terminator, which exists no longer than this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminatorHost {
    pub identity: IdentityId,
    /// The service session of its client; `None` for the router itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The access token that its client showed last, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_token: Option<TokenId>,
}

/// Keyed hash of the secret that the hosts of an instance share. Hosts of other instances, and those
/// that name none, do without.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InstanceSecretHash(pub [u8; 16]);

impl std::fmt::Debug for InstanceSecretHash {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("InstanceSecretHash(..)")
    }
}

/// Maximum number of values that a host passes to whoever dials.
const MAX_PEER_VALUES: usize = 32;

/// Maximum size of all of them, bytes.
const MAX_PEER_BYTES: usize = 4 << 10;

/// Checks what is stored, and sent with each circuit.
pub(super) fn validate_peer_data(values: &PeerData) -> Result<(), FieldError> {
    let bytes: usize = values.values().map(Vec::len).sum();
    if values.len() <= MAX_PEER_VALUES && bytes <= MAX_PEER_BYTES {
        return Ok(());
    }
    let reason = "has too many values, or too long ones";
    Err(FieldError::new(
        "peerData",
        reason,
        format!("{bytes} bytes"),
    ))
}
