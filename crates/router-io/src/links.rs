//! Links to other routers.
//!
//! ```text
//! controllers -> LinkManager -> dials, closings
//!                     ^  |
//! dials, LinkService -+  +-> OpenLink: inbox -> Relay
//!                            Destination <------+
//! ```
//!
//! What is dialed and what stays is decided by [`Links`](portcullis_router::links::Links). A link is a
//! channel of one or several connections; with routers before 1.6.6 it is one connection, or a channel for
//! data and one for acknowledgments. The one who dials reports it to the controllers; the one who accepts has
//! the router at the other end verified by one.
//!
//! Memory: a link holds at most its two queues; [`options`] says how much.
//! A router may have [`MAX_ACCEPTED`](accept::MAX_ACCEPTED) links that it has dialed to this one.

mod accept;
mod announcement;
mod connections;
mod counters;
mod dial;
mod halves;
mod manager;
mod open_link;
mod options;
mod service;
#[cfg(test)]
mod tests;
mod verification;
mod view;

#[cfg(target_os = "linux")]
pub(crate) use announcement::interface_of;
pub(crate) use counters::LinkSizes;
#[cfg(test)]
pub(crate) use counters::{LinkCounts, Traffic};
pub(crate) use manager::{LinkManager, LinkParts};
pub(crate) use view::{LinkInventory, LinkView};

/// ALPN name of links.
pub(crate) const LINK_ALPN: &str = "ziti-link";
