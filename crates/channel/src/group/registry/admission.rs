//! What becomes of a connection that says hello.

use super::{Grant, GroupId, GroupSecret, Key};

/// Where a connection belongs.
#[derive(Debug)]
#[must_use]
pub enum Admission<P, C> {
    /// To a new channel. Its id is reserved until [`open`](super::Groups::open) or
    /// [`abandon`](super::Groups::abandon).
    New(Reservation<P>),
    /// To a channel that is there.
    Attach(Attachment<C>),
    /// To a channel that is being made; [`poll_decision`](super::Groups::poll_decision) tells.
    Wait(Ticket),
    /// Nowhere. The connection is closed, in most cases without an answer.
    Refuse(Refusal),
}

/// What became of a connection that had to wait.
#[derive(Debug, PartialEq, Eq)]
pub enum Decision<C> {
    /// It belongs to a channel that is there now.
    Attach(Attachment<C>),
    /// It belongs nowhere.
    Refuse(Refusal),
}

/// Why a connection belongs nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Close the connection without an answer: the dialer then founds a new group.
    #[error("the connection belongs to a group that this peer does not have")]
    UnknownGroup,
    /// Close the connection without an answer.
    #[error("the connection does not show the secret of its group")]
    WrongSecret,
    /// The connection may be refused with an answer.
    #[error("the peer has too many groups")]
    TooManyGroups,
    /// Close the connection without an answer.
    #[error("too many connections wait for a group that is being made")]
    TooManyWaiting,
}

/// What the listener gives a group whose dialer brought none of its own. Both are random; the id is shown
/// to people and may be short.
#[derive(Debug, Clone)]
pub struct Fresh {
    /// An id.
    pub id: GroupId,
    /// A secret.
    pub secret: GroupSecret,
}

/// A connection that belongs to a channel that is there.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub struct Attachment<C> {
    /// The channel.
    pub channel: C,
    /// What entitles the connection to be part of it.
    pub grant: Grant,
}

/// The id of a channel that is being made. It holds for a while; it can be used once.
#[derive(Debug)]
#[must_use]
pub struct Reservation<P> {
    member: Member<P>,
    grant: Grant,
}

/// The place of an open channel in the registry, to be given back when the channel is closed.
#[derive(Debug)]
#[must_use = "a group whose place is lost is never forgotten"]
pub struct Member<P> {
    pub(super) place: Option<(Key<P>, u64)>,
}

/// A channel was not opened within the time that a reservation holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("opening the channel took too long: its group is not reserved any more")]
pub struct ReservationExpired;

/// A connection that waits for a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub(super) u64);

impl<P> Reservation<P> {
    pub(super) const fn alone(id: GroupId) -> Self {
        Self {
            member: Member { place: None },
            grant: Grant::alone(id),
        }
    }

    pub(super) const fn grouped(key: Key<P>, number: u64, grant: Grant) -> Self {
        Self {
            member: Member {
                place: Some((key, number)),
            },
            grant,
        }
    }

    /// What entitles the connection to be the first of the new channel.
    pub const fn grant(&self) -> &Grant {
        &self.grant
    }

    pub(super) fn into_parts(self) -> (Member<P>, Grant) {
        (self.member, self.grant)
    }
}
