//! What a network says to its owner.

use super::{FaultKind, Link, RouterSession, RouterSlot};
use crate::LinkId;
use portcullis_domain::ids::RouterId;
use std::sync::Arc;

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
    Router(RouterEvent),
    Link(LinkEvent),
}

/// A router came or went, for those who watch. A session that replaces another one is no news.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouterEvent {
    pub router: RouterId,
    pub is_online: bool,
}

/// News about links, for those who watch; with links as they were then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkEvent {
    Added(Arc<Link>),
    /// The link was dialed again by the same router.
    Redialed(Arc<Link>),
    /// Reported again without news.
    Known(Arc<Link>),
    /// The destination of the link is not connected. Comes before `Added`.
    DestinationUnconnected(LinkId),
    ConnectionsChanged(Arc<Link>),
    /// The link is gone.
    Removed {
        link: Arc<Link>,
        /// What an end reports of it; `None` if it is gone for another reason.
        fault: Option<FaultKind>,
    },
    /// An end reports that a link is gone which is unknown, or was gone before.
    UnknownFaulted {
        link: LinkId,
        kind: FaultKind,
    },
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
