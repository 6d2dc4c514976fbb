//! Groups: several connections that form one channel.
//!
//! A dialer may open several TLS connections to a listener as one channel. The first one founds a
//! group; the answer to its hello contains the group's id and a secret. All further connections
//! present both.

mod backoff;
mod dialer;
mod registry;

pub use backoff::{Backoff, Jitter};
pub use dialer::{
    AnswerMismatchError, ConnectionCounts, Dial, DialFailure, DialOptions, GroupDialer,
};
pub use registry::{
    Admission, AdmissionTicket, Attachment, Decision, GeneratedCredentials, GroupLimits,
    GroupRegistry, RefusalReason, Registration, Reservation, ReservationExpiredError,
};

use std::fmt;
use subtle::ConstantTimeEq as _;

/// Maximum length of a group id.
const MAX_ID_BYTES: usize = 128;
/// Length of a group secret.
const SECRET_BYTES: usize = 16;

/// The id of a group of connections, header 0 of a hello: a short non-empty text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(String);

impl GroupId {
    /// Creates an id of 1 to 128 bytes.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        (1..=MAX_ID_BYTES)
            .contains(&text.len())
            .then_some(Self(text))
    }

    /// The id as on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Id of an ungrouped connection if the listener assigns none.
    fn unnamed() -> Self {
        Self("unnamed".to_owned())
    }

    /// The id of the `n`th successor of the group: `<id>-<n>`.
    fn successor(&self, n: u32) -> Self {
        Self(format!("{self}-{n}"))
    }
}

impl fmt::Display for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The secret for joining a group, header 10 of a hello: 16 random bytes.
///
/// Comparison takes constant time, and debug output never contains it.
#[derive(Clone)]
pub struct GroupSecret([u8; SECRET_BYTES]);

impl GroupSecret {
    /// Creates a secret from random bytes.
    pub const fn new(random: [u8; SECRET_BYTES]) -> Self {
        Self(random)
    }

    /// Parses a secret from the wire.
    pub fn from_wire(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The secret as on the wire.
    pub const fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl PartialEq for GroupSecret {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for GroupSecret {}

impl fmt::Debug for GroupSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GroupSecret(..)")
    }
}

/// Proof that a connection may be part of a channel.
///
/// There are only three sources: [`GroupRegistry`], which has compared secrets; [`GroupDialer`],
/// which has seen the listener's answer; and [`ChannelGrant::ungrouped`] for a connection that is a
/// channel of its own. So no connection becomes part of a channel without one of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelGrant {
    id: GroupId,
    secret: Option<GroupSecret>,
}

impl ChannelGrant {
    /// Grant for a connection that is a channel of its own: nothing can join it.
    pub const fn ungrouped(id: GroupId) -> Self {
        Self { id, secret: None }
    }

    const fn grouped(id: GroupId, secret: GroupSecret) -> Self {
        Self {
            id,
            secret: Some(secret),
        }
    }

    /// The id of the group, or of the ungrouped channel.
    pub const fn id(&self) -> &GroupId {
        &self.id
    }

    /// The secret that further connections must present; none if there can be no further ones.
    pub const fn secret(&self) -> Option<&GroupSecret> {
        self.secret.as_ref()
    }
}
