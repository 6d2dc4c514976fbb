//! The cluster of controllers.

use crate::event::size;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cluster {
    #[serde(rename = "eventType")]
    pub kind: ClusterKind,
    /// Of the log, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<ClusterPeer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leader_id: Option<Arc<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum ClusterKind {
    #[serde(rename = "peer.connected")]
    PeerConnected,
    #[serde(rename = "peer.disconnected")]
    PeerDisconnected,
    #[serde(rename = "peer.not_member")]
    PeerNotMember,
    #[serde(rename = "members.changed")]
    MembersChanged,
    #[serde(rename = "leadership.gained")]
    LeadershipGained,
    #[serde(rename = "leadership.lost")]
    LeadershipLost,
    #[serde(rename = "state.has_leader")]
    HasLeader,
    #[serde(rename = "state.is_leaderless")]
    IsLeaderless,
    #[serde(rename = "state.ro")]
    ReadOnly,
    #[serde(rename = "state.rw")]
    ReadWrite,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterPeer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Arc<str>>,
    #[serde(rename = "addr", skip_serializing_if = "Option::is_none")]
    pub address: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Arc<str>>,
    /// By the name of the API.
    pub api_addresses: Option<BTreeMap<String, Vec<ApiAddress>>>,
    pub is_preferred_leader: bool,
}

#[derive(Debug, Clone, Serialize)]
pub struct ApiAddress {
    pub url: String,
    pub version: String,
}

impl Cluster {
    /// Bytes of the peers.
    pub(super) fn size(&self) -> usize {
        self.peers.iter().map(ClusterPeer::size).sum()
    }
}

impl ClusterPeer {
    fn size(&self) -> usize {
        /// What a peer, an API or an address takes beside its texts.
        const OVERHEAD: usize = 96;
        let own = [&self.id, &self.address, &self.version];
        let own = own.into_iter().flatten().map(|text| &**text);
        let apis = self.api_addresses.iter().flatten();
        let apis = apis.map(|(api, addresses)| {
            let texts = addresses
                .iter()
                .map(|address| OVERHEAD + size::texts([&*address.url, &*address.version]));
            OVERHEAD + api.len() + texts.sum::<usize>()
        });
        OVERHEAD + size::texts(own) + apis.sum::<usize>()
    }
}
