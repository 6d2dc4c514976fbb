//! Links, as inspections, checks and metrics see them.

use std::time::Duration;

use portcullis_channel::{Liveness, Priority, Role};
use portcullis_router::links::PeerView;
use portcullis_wire::control::link::{LinkConnection, LinkConnections};

use crate::links::counters::{LinkCounts, LinkSizes};
use crate::links::manager::LinkManager;
use crate::links::open_link::OpenLink;

/// A link that is open.
#[derive(Debug, Clone)]
pub(crate) struct LinkView {
    pub(crate) id: String,
    pub(crate) iteration: u32,
    pub(crate) key: String,
    /// The router at the other end.
    pub(crate) router: String,
    pub(crate) protocol: String,
    /// Address that was dialed; none if the other router has dialed.
    pub(crate) dialed: Option<String>,
    /// The connections that this router has dialed.
    pub(crate) connections: Vec<LinkConnection>,
    /// Changes of these connections.
    pub(crate) changes: u32,
    /// All connections, by role.
    pub(crate) roles: Vec<Role>,
    /// Time that an answer takes: `link.<id>.latency`; and how long one is missing.
    pub(crate) liveness: Liveness,
    /// How long messages wait to be sent: `link.<id>.queue_time`.
    pub(crate) queue_delay: Duration,
    /// Whether it may carry anything; duplicates must not.
    pub(crate) is_used: bool,
    pub(crate) counts: LinkCounts,
    pub(crate) sizes: LinkSizes,
}

/// Knows the links that are open.
pub(crate) trait LinkInventory: Send + Sync {
    fn views(&self) -> Vec<LinkView>;

    /// The routers that are known, and the links to them that are wanted.
    fn peers(&self) -> Vec<PeerView>;
}

impl LinkInventory for LinkManager {
    fn views(&self) -> Vec<LinkView> {
        Self::views(self)
    }

    fn peers(&self) -> Vec<PeerView> {
        Self::peers(self)
    }
}

impl OpenLink {
    pub(super) fn view(&self, is_used: bool) -> LinkView {
        let LinkConnections {
            iteration: changes,
            connections,
        } = self.connections.get();
        LinkView {
            id: self.link.id.as_str().to_owned(),
            iteration: self.link.iteration,
            key: self.key.to_string(),
            router: self.key.peer().as_str().to_owned(),
            protocol: self.key.protocol().to_owned(),
            dialed: self.dialed.clone(),
            connections,
            changes,
            roles: self.channels.roles(),
            liveness: self.liveness(),
            queue_delay: self.channels.data.queue_delay(Priority::Default),
            is_used,
            counts: self.counters.get(),
            sizes: self.counters.sizes().clone(),
        }
    }
}
