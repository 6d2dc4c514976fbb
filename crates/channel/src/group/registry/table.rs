//! The groups by peer, and the reservations by age.

use super::{GroupId, GroupSecret};
use crate::time::Moment;
use std::collections::BTreeMap;

/// What finds a group: who the peer is, what its hello says it is, and the group's id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::group) struct Key<P> {
    pub(super) peer: P,
    pub(super) hello: String,
    pub(super) group: GroupId,
}

/// A group. The number tells groups of one key apart that come after one another.
#[derive(Debug)]
pub(super) enum Entry<C> {
    Reserved {
        number: u64,
        secret: GroupSecret,
    },
    Open {
        number: u64,
        secret: GroupSecret,
        channel: C,
    },
}

#[derive(Debug)]
pub(super) struct Table<P, C> {
    groups: BTreeMap<P, BTreeMap<(String, GroupId), Entry<C>>>,
    /// By number, hence by age: the first one ends first.
    reserved: BTreeMap<u64, (Moment, Key<P>)>,
    next: u64,
}

impl<C> Entry<C> {
    pub(super) const fn secret(&self) -> &GroupSecret {
        match self {
            Self::Reserved { secret, .. } | Self::Open { secret, .. } => secret,
        }
    }

    const fn number(&self) -> u64 {
        match self {
            Self::Reserved { number, .. } | Self::Open { number, .. } => *number,
        }
    }
}

impl<P: Ord + Clone, C> Table<P, C> {
    pub(super) const fn new() -> Self {
        Self {
            groups: BTreeMap::new(),
            reserved: BTreeMap::new(),
            next: 0,
        }
    }

    pub(super) fn get(&self, key: &Key<P>) -> Option<&Entry<C>> {
        // The pair is cloned because a map of pairs cannot be asked for borrowed halves.
        let place = (key.hello.clone(), key.group.clone());
        self.groups.get(&key.peer)?.get(&place)
    }

    pub(super) fn groups_of(&self, peer: &P) -> usize {
        self.groups.get(peer).map_or(0, BTreeMap::len)
    }

    pub(super) fn reserve(&mut self, key: Key<P>, secret: GroupSecret, deadline: Moment) -> u64 {
        let number = self.next;
        self.next += 1;
        let place = (key.hello.clone(), key.group.clone());
        let groups = self.groups.entry(key.peer.clone()).or_default();
        groups.insert(place, Entry::Reserved { number, secret });
        self.reserved.insert(number, (deadline, key));
        number
    }

    /// Opens the group that was reserved under this number, if it still is.
    pub(super) fn open(&mut self, key: &Key<P>, number: u64, channel: C) -> Option<()> {
        self.reserved.remove(&number)?;
        let place = (key.hello.clone(), key.group.clone());
        let entry = self.groups.get_mut(&key.peer)?.get_mut(&place)?;
        let secret = entry.secret().clone();
        *entry = Entry::Open {
            number,
            secret,
            channel,
        };
        Some(())
    }

    /// Removes the group of this number; tells whether it was there.
    pub(super) fn remove(&mut self, key: &Key<P>, number: u64) -> bool {
        self.reserved.remove(&number);
        let Some(groups) = self.groups.get_mut(&key.peer) else {
            return false;
        };
        let place = (key.hello.clone(), key.group.clone());
        let is_there = groups
            .get(&place)
            .is_some_and(|entry| entry.number() == number);
        if is_there {
            groups.remove(&place);
            if groups.is_empty() {
                self.groups.remove(&key.peer);
            }
        }
        is_there
    }

    pub(super) fn first_deadline(&self) -> Option<Moment> {
        let (_, (deadline, _)) = self.reserved.first_key_value()?;
        Some(*deadline)
    }

    /// Removes a reservation whose time is over.
    pub(super) fn expired(&mut self, now: Moment) -> Option<Key<P>> {
        let first = self.reserved.first_entry()?;
        if first.get().0 > now {
            return None;
        }
        let number = *first.key();
        let (_, key) = first.remove();
        self.remove(&key, number);
        Some(key)
    }
}
