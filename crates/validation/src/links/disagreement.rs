//! What router and controller say differently about a link.

use super::LinkConnection;
use crate::finding::Finding;
use crate::text::shown;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{LinkId, RouterId};
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkDisagreement {
    /// The router has a link to a router that is connected.
    UnknownToController { link: LinkId, destination: RouterId },
    UnknownToRouter {
        link: LinkId,
        destination: RouterId,
        since: Option<Timestamp>,
    },
    /// The controller has a link whose other end is not connected.
    DestinationNotConnected {
        link: LinkId,
        destination: RouterId,
        since: Option<Timestamp>,
    },
    /// The link was dialed again.
    Iteration {
        link: LinkId,
        controller: u32,
        router: u64,
    },
    /// The connections of the link have changed.
    ConnectionsIteration {
        link: LinkId,
        controller: u32,
        router: u64,
    },
    ConnectionCount {
        link: LinkId,
        controller: usize,
        router: usize,
    },
    Connection {
        link: LinkId,
        controller: LinkConnection,
        router: LinkConnection,
    },
}

impl LinkDisagreement {
    /// Whether the link counts as invalid. Numbers that differ only say that a report is on its way.
    pub const fn is_invalid(&self) -> bool {
        match self {
            Self::UnknownToController { .. }
            | Self::UnknownToRouter { .. }
            | Self::DestinationNotConnected { .. }
            | Self::Connection { .. } => true,
            Self::Iteration { .. }
            | Self::ConnectionsIteration { .. }
            | Self::ConnectionCount { .. } => false,
        }
    }
}

impl fmt::Display for LinkDisagreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownToController { link, destination } => write!(
                formatter,
                "the router has link {} to router {}, which the controller does not know",
                shown(link),
                shown(destination)
            ),
            Self::UnknownToRouter {
                link, destination, ..
            } => write!(
                formatter,
                "the controller has link {} to router {}, which the router does not have",
                shown(link),
                shown(destination)
            ),
            Self::DestinationNotConnected {
                link, destination, ..
            } => write!(
                formatter,
                "link {} leads to router {}, which is not connected to the controller",
                shown(link),
                shown(destination)
            ),
            Self::Iteration {
                link,
                controller,
                router,
            } => write!(
                formatter,
                "link {} has iteration {router} at the router, {controller} at the controller",
                shown(link)
            ),
            Self::ConnectionsIteration {
                link,
                controller,
                router,
            } => write!(
                formatter,
                "the connections of link {} have iteration {router} at the router, {controller} at the \
                 controller",
                shown(link)
            ),
            Self::ConnectionCount {
                link,
                controller,
                router,
            } => write!(
                formatter,
                "link {} has {router} connections at the router, {controller} at the controller",
                shown(link)
            ),
            Self::Connection {
                link,
                controller,
                router,
            } => write!(
                formatter,
                "link {} has connection {router} at the router, {controller} at the controller",
                shown(link)
            ),
        }
    }
}

impl Finding for LinkDisagreement {
    fn advice(&self) -> &'static str {
        match self {
            Self::UnknownToController { .. } => {
                "No circuit takes this link until the router reports it, which it does at the latest when \
                 its control channel is opened again: restart the router if it stays so."
            },
            Self::UnknownToRouter { .. } => {
                "Circuits that take this link fail. The controller forgets it when the router reports its \
                 links anew: restart the router if it stays so."
            },
            Self::DestinationNotConnected { .. } => {
                "Circuits avoid this link. See why the router at its other end is not connected."
            },
            Self::Iteration { .. }
            | Self::ConnectionsIteration { .. }
            | Self::ConnectionCount { .. }
            | Self::Connection { .. } => {
                "A report of the router may be on its way: ask again in a minute. Restart the router if it \
                 stays so."
            },
        }
    }

    fn since(&self) -> Option<Timestamp> {
        match self {
            Self::UnknownToRouter { since, .. } | Self::DestinationNotConnected { since, .. } => {
                *since
            },
            _ => None,
        }
    }
}
