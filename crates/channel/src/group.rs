//! Groups: several connections that are one channel.
//!
//! A dialer may open more than one TLS connection to a listener and have them counted as one channel. The
//! first founds a group; the answer to its hello holds the group's id and a secret. Every further one
//! shows both.

mod backoff;
mod dialer;
mod registry;

pub use backoff::{Backoff, Jitter};
pub use dialer::{AnswerMismatch, Dial, DialFailure, DialOptions, GroupDialer, Wanted};
pub use registry::{
    Admission, Attachment, Decision, Fresh, GroupLimits, Groups, Member, Refusal, Reservation,
    ReservationExpired, Ticket,
};

use std::fmt;
use subtle::ConstantTimeEq as _;

/// Most bytes of a group's id.
const MAX_ID_BYTES: usize = 128;
/// Bytes of a group's secret.
const SECRET_BYTES: usize = 16;

/// The id of a group of connections, header 0 of a hello: a short text that is not empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(String);

impl GroupId {
    /// An id of 1 to 128 bytes.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        (1..=MAX_ID_BYTES)
            .contains(&text.len())
            .then_some(Self(text))
    }

    /// The id as it is on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// For a listener that gives a lone connection no id.
    fn unnamed() -> Self {
        Self("unnamed".to_owned())
    }

    /// The id of the group that takes the place of this one for the `n`th time: `<id>-<n>`.
    fn successor(&self, n: u32) -> Self {
        Self(format!("{self}-{n}"))
    }
}

impl fmt::Display for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a connection has to show to join a group, header 10 of a hello: 16 random bytes.
///
/// Comparing two takes the same time wherever they differ, and nothing prints one.
#[derive(Clone)]
pub struct GroupSecret([u8; SECRET_BYTES]);

impl GroupSecret {
    /// A secret of random bytes.
    pub const fn new(random: [u8; SECRET_BYTES]) -> Self {
        Self(random)
    }

    /// A secret as it is on the wire.
    pub fn from_wire(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The secret as it is on the wire.
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

/// What entitles a connection to be part of a channel.
///
/// Only three can make one: [`Groups`], which has compared secrets; [`GroupDialer`], which has seen the
/// listener's answer; and [`Grant::alone`] for a connection that is a channel of its own. So no connection
/// gets into a channel by a way around these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    id: GroupId,
    secret: Option<GroupSecret>,
}

impl Grant {
    /// For a connection that is a channel of its own: nothing can join it.
    pub const fn alone(id: GroupId) -> Self {
        Self { id, secret: None }
    }

    const fn grouped(id: GroupId, secret: GroupSecret) -> Self {
        Self {
            id,
            secret: Some(secret),
        }
    }

    /// The id of the group, or of the channel that is none.
    pub const fn id(&self) -> &GroupId {
        &self.id
    }

    /// What further connections have to show; none if there can be no further ones.
    pub const fn secret(&self) -> Option<&GroupSecret> {
        self.secret.as_ref()
    }
}
