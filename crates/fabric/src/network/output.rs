//! What a network says to its owner.

use super::{FaultKind, RouterSession, RouterSlot};
use crate::LinkId;

/// What follows from a report or a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkOutput {
    /// Tell a router to close this link, unless it has a newer iteration of it.
    CloseLink {
        to: RouterSession,
        link: LinkId,
        iteration: u32,
    },
    /// No answer of this session will come any more.
    SessionEnded(RouterSession),
    Connected(RouterSession),
    /// The link carries nothing any more.
    LinkLost(LinkId),
    /// The router carries nothing any more, or is no longer reached.
    RouterLost(RouterSlot),
    /// There may be paths that were not there before.
    PathsAdded,
    Link(LinkEvent),
}

/// News about links, for those who watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkEvent {
    Added(LinkId),
    /// The link was dialed again by the same router.
    Redialed(LinkId),
    /// Reported again without news.
    Known(LinkId),
    /// The destination of the link is not connected. Comes before `Added`.
    DestinationUnconnected(LinkId),
    ConnectionsChanged(LinkId),
    /// An end reports that the link is gone. The link may be unknown.
    Faulted {
        link: LinkId,
        kind: FaultKind,
    },
    /// The link is gone, for whatever reason.
    Removed(LinkId),
    /// Ignored, because of what it says or who says it.
    Refused {
        link: LinkId,
        by: RouterSlot,
        reason: LinkRefusal,
    },
}

/// Why a report is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum LinkRefusal {
    #[error("the link belongs to other routers")]
    NotAnEnd,
    #[error("the destination is unknown")]
    UnknownDestination,
    #[error("the destination is the source")]
    ToItself,
    #[error("the router has the maximum number of links")]
    TooMany,
    #[error("an address or the list of connections is too long")]
    TooLong,
}
