//! Links between routers.

use serde::Serialize;
use std::sync::Arc;

/// Something about a link. What is not known of it is not told.
#[derive(Debug, Clone, Serialize)]
pub struct Link {
    #[serde(rename = "event_type")]
    pub kind: LinkKind,
    pub link_id: Arc<str>,
    /// The router that dialed.
    #[serde(rename = "src_router_id", skip_serializing_if = "Option::is_none")]
    pub source_router_id: Option<Arc<str>>,
    #[serde(rename = "dst_router_id", skip_serializing_if = "Option::is_none")]
    pub destination_router_id: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dial_address: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<i32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<LinkConnection>,
}

impl Link {
    /// Bytes of what routers choose of it.
    pub(super) fn size(&self) -> usize {
        let own = [&self.protocol, &self.dial_address].into_iter().flatten();
        let connections = self.connections.iter().flat_map(|connection| {
            [
                &connection.id,
                &connection.local_address,
                &connection.remote_address,
            ]
        });
        own.chain(connections).map(|text| text.len()).sum()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum LinkKind {
    #[serde(rename = "routerLinkNew")]
    New,
    #[serde(rename = "routerLinkKnown")]
    Known,
    /// A router reports a link to one that is not connected.
    #[serde(rename = "routerLinkDisconnectedDest")]
    DisconnectedDestination,
    #[serde(rename = "connectionsChanged")]
    ConnectionsChanged,
    #[serde(rename = "fault")]
    Fault,
    #[serde(rename = "duplicate")]
    Duplicate,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkConnection {
    /// What it carries: `link.default`, `link.ack` or `single`.
    pub id: Arc<str>,
    #[serde(rename = "local_addr")]
    pub local_address: Arc<str>,
    #[serde(rename = "remote_addr")]
    pub remote_address: Arc<str>,
}
