//! Other routers and the links to them, as inspections see them.

use std::time::Duration;

use portcullis_domain::clock::Timestamp;

use crate::links::group_names::GroupNames;
use crate::links::names::{LinkId, LinkKey, RouterId};
use crate::links::peer::{ControllerContact, Listener};
use crate::links::state_machine::{LinkStatus, Links};

/// Another router, as controllers have announced it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerView {
    pub router: RouterId,
    /// Software version.
    pub version: Option<String>,
    /// Since when no controller has contact to it.
    pub lost_since: Option<Timestamp>,
    /// The links to it that are wanted.
    pub targets: Vec<TargetView>,
}

/// A link that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetView {
    pub key: LinkKey,
    /// Of the links that are dialed for it, once one was.
    pub id: Option<LinkId>,
    pub status: LinkStatus,
    pub attempts: u32,
    /// How often it was open, whoever had dialed.
    pub opened: u32,
    /// Before the next attempt; zero after a success.
    pub pause: Duration,
    pub listener: Listener,
    /// Of the dialer.
    pub groups: GroupNames,
    /// Of the dialer.
    pub interface: Option<String>,
}

impl Links {
    /// The routers that are known, and the links to them that are wanted.
    pub fn peers(&self) -> Vec<PeerView> {
        let peers = self.known_peers().iter();
        peers
            .map(|(router, peer)| PeerView {
                router: router.clone(),
                version: peer.version.clone(),
                lost_since: match peer.contact {
                    ControllerContact::Connected => None,
                    ControllerContact::Lost(since) => Some(since),
                },
                targets: peer
                    .targets
                    .iter()
                    .filter_map(|(key, target)| Some(target.view(key, self.status(key)?)))
                    .collect(),
            })
            .collect()
    }
}
