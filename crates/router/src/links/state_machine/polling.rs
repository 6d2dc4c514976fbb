//! Polling of the link state machine.

use portcullis_domain::clock::Timestamp;

use crate::links::dial_target::DialTarget;
use crate::links::names::{LinkKey, RouterId};
use crate::links::peer::{ControllerContact, PEER_RETENTION, Peer};
use crate::links::scheduled_actions::Action;
use crate::links::state_machine::Links;
use crate::time::after;

impl Links {
    /// When to call [`poll`](Self::poll), unless something else happens before.
    pub fn deadline(&self) -> Option<Timestamp> {
        let peers = self.peers.values();
        let dials = peers
            .clone()
            .flat_map(|peer| &peer.targets)
            .filter(|(key, _)| self.is_idle(key))
            .map(|(_, target)| self.dial_at(target));
        let forgetting = peers.filter_map(|peer| self.evict_at(peer));
        let chores = self.scheduled_actions.deadline();
        dials.chain(forgetting).chain(chores).min()
    }

    /// The actions to perform now.
    pub fn poll(&mut self, now: Timestamp) -> Vec<Action> {
        self.evict_lost_peers(now);
        let mut actions = self.scheduled_actions.take_due(now);
        let due: Vec<LinkKey> = self
            .peers
            .values()
            .flat_map(|peer| &peer.targets)
            .filter(|(key, target)| self.is_idle(key) && self.dial_at(target) <= now)
            .map(|(key, _)| key.clone())
            .collect();
        for key in due {
            actions.extend(self.begin_dial(&key, now));
        }
        actions
    }

    fn begin_dial(&mut self, key: &LinkKey, now: Timestamp) -> Option<Action> {
        let peer = self.peers.get_mut(key.peer())?;
        let target = peer.targets.get_mut(key)?;
        let entropy = self.entropy.as_ref();
        if let Ok(dial) = target.begin_attempt(key, peer.version.as_deref(), entropy, now) {
            self.dialing.insert(key.clone());
            return Some(Action::Dial(dial));
        }
        // Without an id there is no attempt; the next one follows after a pause.
        target.record_failure(peer.contact.policy(&target.dialer), entropy, now);
        None
    }

    /// Whether it is neither open nor being dialed.
    pub(super) fn is_idle(&self, key: &LinkKey) -> bool {
        !self.open.contains(key) && !self.dialing.contains(key)
    }

    /// When a target is dialed, including the startup delay.
    pub(super) fn dial_at(&self, target: &DialTarget) -> Timestamp {
        target
            .due
            .max(after(self.started, target.dialer.startup_delay))
    }

    fn evict_lost_peers(&mut self, now: Timestamp) {
        let old: Vec<RouterId> = self
            .peers
            .iter()
            .filter(|(_, peer)| self.evict_at(peer).is_some_and(|then| then <= now))
            .map(|(router, _)| router.clone())
            .collect();
        for router in old {
            self.peers.remove(&router);
        }
    }

    fn evict_at(&self, peer: &Peer) -> Option<Timestamp> {
        let ControllerContact::Lost(since) = peer.contact else {
            return None;
        };
        let is_idle = peer.targets.keys().all(|key| self.is_idle(key));
        is_idle.then(|| after(since, PEER_RETENTION))
    }
}
