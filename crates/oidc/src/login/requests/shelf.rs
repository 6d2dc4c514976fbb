//! Entries that are bounded by number, peer and age.

use super::{Entry, LOGIN_LIFETIME, LoginLimits, Stage};
use crate::secret::SecretHash;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::peer::{Peer, PeerUsage};
use std::collections::BTreeMap;

/// How far the clock may go back before entries count as expired: one that was set back must not make them
/// last longer.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(5);

/// The entries by the hash of their id, which is a secret of whoever keeps no cookies.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    limits: LoginLimits,
    places: BTreeMap<SecretHash, Place>,
    by_age: BTreeMap<u64, SecretHash>,
    by_peer: BTreeMap<(Peer, u64), SecretHash>,
    usage: PeerUsage,
    /// Number of the next entry; grows, so that the smallest is the oldest.
    next: u64,
}

#[derive(Debug)]
struct Place {
    number: u64,
    peer: Peer,
    since: Timestamp,
    entry: Entry,
}

impl Shelf {
    pub(super) fn new(limits: LoginLimits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Adds an entry; returns those that give way to it.
    pub(super) fn insert(
        &mut self,
        id: SecretHash,
        peer: Peer,
        entry: Entry,
        now: Timestamp,
    ) -> Vec<Entry> {
        let mut displaced = Vec::new();
        while self.usage.get(peer) >= self.limits.per_peer.max(1) {
            displaced.extend(self.take_oldest_of(peer));
        }
        while self.len() >= self.limits.total.max(1) {
            let Some((heaviest, _)) = self.usage.heaviest() else {
                break;
            };
            displaced.extend(self.take_oldest_of(heaviest));
        }
        self.put(id, peer, entry, now);
        displaced
    }

    /// An entry that has not expired, and how old it is.
    pub(super) fn get_mut(
        &mut self,
        id: SecretHash,
        now: Timestamp,
    ) -> Option<(&mut Entry, SignedDuration)> {
        let place = self.places.get_mut(&id)?;
        let age = now.duration_since(place.since);
        (!place.is_expired(now)).then_some((&mut place.entry, age))
    }

    /// Puts an entry into its next stage, which begins its life again.
    pub(super) fn replace(&mut self, id: SecretHash, now: Timestamp, stage: Stage) {
        if let Some(place) = self.take(id) {
            let entry = Entry {
                stage,
                ..place.entry
            };
            self.put(id, place.peer, entry, now);
        }
    }

    pub(super) fn take_expired(&mut self, now: Timestamp) -> Vec<Entry> {
        let mut expired = Vec::new();
        while let Some((_, &id)) = self.by_age.first_key_value()
            && let Some(place) = self.places.get(&id)
            && place.is_expired(now)
        {
            expired.extend(self.take(id).map(|place| place.entry));
        }
        expired
    }

    fn put(&mut self, id: SecretHash, peer: Peer, entry: Entry, now: Timestamp) {
        let number = self.next;
        self.next += 1;
        self.by_age.insert(number, id);
        self.by_peer.insert((peer, number), id);
        self.usage.charge(peer, 1);
        let place = Place {
            number,
            peer,
            since: now,
            entry,
        };
        self.places.insert(id, place);
    }

    fn take_oldest_of(&mut self, peer: Peer) -> Option<Entry> {
        let mut of_peer = self.by_peer.range((peer, 0)..=(peer, u64::MAX));
        let (_, &id) = of_peer.next()?;
        self.take(id).map(|place| place.entry)
    }

    fn take(&mut self, id: SecretHash) -> Option<Place> {
        let place = self.places.remove(&id)?;
        self.by_age.remove(&place.number);
        self.by_peer.remove(&(place.peer, place.number));
        self.usage.release(place.peer, 1);
        Some(place)
    }

    /// Checks that the indexes tell the same as the entries.
    #[cfg(test)]
    pub(super) fn check(&self) {
        assert_eq!(self.by_age.len(), self.places.len());
        assert_eq!(self.by_peer.len(), self.places.len());
        assert_eq!(self.usage.total(), self.places.len());
        for (id, place) in &self.places {
            assert_eq!(self.by_age.get(&place.number), Some(id));
            assert_eq!(self.by_peer.get(&(place.peer, place.number)), Some(id));
        }
        assert!(self.len() <= self.limits.total);
        assert!(
            self.usage
                .heaviest()
                .is_none_or(|(_, most)| most <= self.limits.per_peer)
        );
    }
}

impl Place {
    fn is_expired(&self, now: Timestamp) -> bool {
        let age = now.duration_since(self.since);
        age >= LOGIN_LIFETIME || age < -CLOCK_TOLERANCE
    }
}
