//! A link, and what routers say about links.

use super::RouterSlot;
use crate::LinkId;
use portcullis_domain::ids::RouterId;
use std::time::Duration;

/// Cost of a link apart from its latencies, unless an administrator sets another.
const DEFAULT_STATIC_COST: u32 = 1;

/// A link between two routers, as the one that dialed it reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub id: LinkId,
    /// The router that dialed the link, and reports it.
    pub source: RouterSlot,
    pub destination: RouterSlot,
    pub protocol: String,
    pub dial_address: String,
    /// Counts how often the source has dialed the link.
    pub iteration: u32,
    pub connections: LinkConnections,
    pub static_cost: u32,
    /// Latency as measured by the source, queues included.
    pub source_latency: Duration,
    /// Latency as measured by the destination, queues included.
    pub destination_latency: Duration,
    /// Whether an administrator keeps circuits off the link.
    pub is_down: bool,
}

/// The connections of a link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkConnections {
    /// Counts the changes of the list within one iteration of the link.
    pub iteration: u32,
    pub list: Vec<LinkConnection>,
}

/// One connection of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkConnection {
    /// What it carries, `link.default` or `link.ack`.
    pub kind: String,
    pub local_address: String,
    pub remote_address: String,
}

/// A link as its source reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkReport {
    pub id: LinkId,
    pub destination: RouterId,
    pub protocol: String,
    pub dial_address: String,
    pub iteration: u32,
    pub connections: LinkConnections,
}

/// A changed list of connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkState {
    pub id: LinkId,
    /// Iteration of the link that the list belongs to.
    pub link_iteration: u32,
    pub connections: LinkConnections,
}

/// One end has lost or closed a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkFault {
    pub id: LinkId,
    /// Iteration of the link that is lost; 0 for any.
    pub iteration: u32,
    pub kind: FaultKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    Fault,
    /// Closed because the two routers have another link.
    Duplicate,
}

impl Link {
    /// A link whose latencies are not measured yet.
    pub(super) fn new(
        source: RouterSlot,
        destination: RouterSlot,
        report: LinkReport,
        latency: Duration,
    ) -> Self {
        Self {
            id: report.id,
            source,
            destination,
            protocol: report.protocol,
            dial_address: report.dial_address,
            iteration: report.iteration,
            connections: report.connections,
            static_cost: DEFAULT_STATIC_COST,
            source_latency: latency,
            destination_latency: latency,
            is_down: false,
        }
    }

    /// The static cost and the milliseconds of both latencies, each rounded down.
    pub fn cost(&self) -> u32 {
        [self.source_latency, self.destination_latency]
            .iter()
            .map(|latency| u32::try_from(latency.as_millis()).unwrap_or(u32::MAX))
            .fold(self.static_cost, u32::saturating_add)
    }

    pub(crate) fn has_end(&self, router: RouterSlot) -> bool {
        self.source == router || self.destination == router
    }

    /// The end that is not `router`.
    pub(crate) fn other_end(&self, router: RouterSlot) -> RouterSlot {
        if self.source == router {
            self.destination
        } else {
            self.source
        }
    }
}

impl LinkReport {
    /// Whether all texts and lists are short enough to be kept.
    pub(super) fn is_small(&self) -> bool {
        is_text_small(&self.protocol)
            && is_text_small(&self.dial_address)
            && self.connections.is_small()
    }
}

impl LinkConnections {
    /// Connections of a link, at most: what routers are configured for, at most.
    const MAX: usize = 200;

    pub(super) fn is_small(&self) -> bool {
        self.list.len() <= Self::MAX
            && self.list.iter().all(|connection| {
                is_text_small(&connection.kind)
                    && is_text_small(&connection.local_address)
                    && is_text_small(&connection.remote_address)
            })
    }
}

const fn is_text_small(text: &str) -> bool {
    text.len() <= 512
}
