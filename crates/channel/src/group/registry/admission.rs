//! Outcomes of admitting a connection.

use super::{ChannelGrant, GroupId, GroupKey, GroupSecret};

/// Result of [`GroupRegistry::admit`](super::GroupRegistry::admit).
#[derive(Debug)]
#[must_use]
pub enum Admission<P, C> {
    /// A new channel. Its id is reserved until [`open`](super::GroupRegistry::open) or
    /// [`abandon`](super::GroupRegistry::abandon).
    New(Reservation<P>),
    /// An existing channel.
    Attach(Attachment<C>),
    /// A channel that is being opened; [`poll_decision`](super::GroupRegistry::poll_decision)
    /// follows.
    Wait(AdmissionTicket),
    /// No channel. The connection is closed, in most cases without an answer.
    Refuse(RefusalReason),
}

/// Decision about a connection that had to wait.
#[derive(Debug, PartialEq, Eq)]
pub enum Decision<C> {
    /// It belongs to a channel that is open now.
    Attach(Attachment<C>),
    /// It belongs to no channel.
    Refuse(RefusalReason),
}

/// The reason why a connection is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RefusalReason {
    /// Close the connection without an answer: the dialer then founds a new group.
    #[error("the connection belongs to a group that this peer does not have")]
    UnknownGroup,
    /// Close the connection without an answer.
    #[error("the connection does not present the secret of its group")]
    WrongSecret,
    /// The connection may be refused with an answer.
    #[error("the peer has too many groups")]
    TooManyGroups,
    /// Close the connection without an answer.
    #[error("too many connections wait for a group that is being opened")]
    TooManyWaiting,
}

/// Generated id and secret for a group whose dialer brought none. Both are random; the id is
/// displayed and may be short.
#[derive(Debug, Clone)]
pub struct GeneratedCredentials {
    pub id: GroupId,
    pub secret: GroupSecret,
}

/// A connection of an existing channel.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub struct Attachment<C> {
    pub channel: C,
    pub grant: ChannelGrant,
}

/// The reserved id of a channel that is being opened. It expires, and can be used once.
#[derive(Debug)]
#[must_use]
pub struct Reservation<P> {
    member: Registration<P>,
    grant: ChannelGrant,
}

/// The registration of an open channel, to be returned when the channel is closed.
#[derive(Debug)]
#[must_use = "a group whose place is lost is never forgotten"]
pub struct Registration<P> {
    pub(super) slot: Option<(GroupKey<P>, u64)>,
}

/// A channel was not opened before its reservation expired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("opening the channel took too long: the reservation of its group has expired")]
pub struct ReservationExpiredError;

/// A connection that waits for a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AdmissionTicket(pub(super) u64);

impl<P> Reservation<P> {
    pub(super) const fn ungrouped(id: GroupId) -> Self {
        Self {
            member: Registration { slot: None },
            grant: ChannelGrant::ungrouped(id),
        }
    }

    pub(super) const fn grouped(key: GroupKey<P>, number: u64, grant: ChannelGrant) -> Self {
        Self {
            member: Registration {
                slot: Some((key, number)),
            },
            grant,
        }
    }

    /// The grant for the first connection of the new channel.
    pub const fn grant(&self) -> &ChannelGrant {
        &self.grant
    }

    pub(super) fn into_parts(self) -> (Registration<P>, ChannelGrant) {
        (self.member, self.grant)
    }
}
