//! What the machine wants done, and when.

use portcullis_domain::clock::Timestamp;

use crate::links::chores::Action;
use crate::links::machine::Links;
use crate::links::names::{LinkKey, RouterId};
use crate::links::peer::{Contact, Peer, REMEMBERED};
use crate::links::target::Target;
use crate::time::after;

impl Links {
    /// When [`poll`](Self::poll) has to be called, if nothing else happens before.
    pub fn deadline(&self) -> Option<Timestamp> {
        let peers = self.peers.values();
        let dials = peers
            .clone()
            .flat_map(|peer| &peer.targets)
            .filter(|(key, _)| self.is_idle(key))
            .map(|(_, target)| self.due(target));
        let forgetting = peers.filter_map(|peer| self.forgotten_at(peer));
        let chores = self.chores.deadline();
        dials.chain(forgetting).chain(chores).min()
    }

    /// Says what to do now.
    pub fn poll(&mut self, now: Timestamp) -> Vec<Action> {
        self.forget(now);
        let mut actions = self.chores.take(now);
        let due: Vec<LinkKey> = self
            .peers
            .values()
            .flat_map(|peer| &peer.targets)
            .filter(|(key, target)| self.is_idle(key) && self.due(target) <= now)
            .map(|(key, _)| key.clone())
            .collect();
        for key in due {
            actions.extend(self.begin(&key, now));
        }
        actions
    }

    fn begin(&mut self, key: &LinkKey, now: Timestamp) -> Option<Action> {
        let peer = self.peers.get_mut(key.peer())?;
        let target = peer.targets.get_mut(key)?;
        let entropy = self.entropy.as_ref();
        if let Ok(dial) = target.begin(key, peer.version.as_deref(), entropy, now) {
            self.dialing.insert(key.clone());
            return Some(Action::Dial(dial));
        }
        // Without an id there is no attempt; the next one comes after a pause.
        target.failed(peer.contact.policy(&target.dialer), entropy, now);
        None
    }

    /// Neither linked nor being dialed.
    pub(super) fn is_idle(&self, key: &LinkKey) -> bool {
        !self.open.contains(key) && !self.dialing.contains(key)
    }

    /// When a target is dialed, startup delay included.
    pub(super) fn due(&self, target: &Target) -> Timestamp {
        target
            .due
            .max(after(self.started, target.dialer.startup_delay))
    }

    fn forget(&mut self, now: Timestamp) {
        let old: Vec<RouterId> = self
            .peers
            .iter()
            .filter(|(_, peer)| self.forgotten_at(peer).is_some_and(|then| then <= now))
            .map(|(router, _)| router.clone())
            .collect();
        for router in old {
            self.peers.remove(&router);
        }
    }

    fn forgotten_at(&self, peer: &Peer) -> Option<Timestamp> {
        let Contact::Lost(since) = peer.contact else {
            return None;
        };
        let is_idle = peer.targets.keys().all(|key| self.is_idle(key));
        is_idle.then(|| after(since, REMEMBERED))
    }
}
