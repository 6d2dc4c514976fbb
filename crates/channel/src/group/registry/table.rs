//! Groups by peer, and reservations by age.

use super::{GroupId, GroupSecret};
use crate::time::Moment;
use std::collections::BTreeMap;

/// Key of a group: peer, hello id and group id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::group) struct GroupKey<P> {
    pub(super) peer: P,
    pub(super) hello: String,
    pub(super) group: GroupId,
}

/// A group. The number distinguishes consecutive groups with the same key.
#[derive(Debug)]
pub(super) enum GroupEntry<C> {
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
pub(super) struct GroupTable<P, C> {
    groups: BTreeMap<P, BTreeMap<(String, GroupId), GroupEntry<C>>>,
    /// By number and thus by age: the first one expires first.
    reserved: BTreeMap<u64, (Moment, GroupKey<P>)>,
    next: u64,
}

impl<C> GroupEntry<C> {
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

impl<P: Ord + Clone, C> GroupTable<P, C> {
    pub(super) const fn new() -> Self {
        Self {
            groups: BTreeMap::new(),
            reserved: BTreeMap::new(),
            next: 0,
        }
    }

    pub(super) fn get(&self, key: &GroupKey<P>) -> Option<&GroupEntry<C>> {
        // The pair is cloned because a map of pairs cannot be searched by borrowed halves.
        let place = (key.hello.clone(), key.group.clone());
        self.groups.get(&key.peer)?.get(&place)
    }

    pub(super) fn count_groups(&self, peer: &P) -> usize {
        self.groups.get(peer).map_or(0, BTreeMap::len)
    }

    pub(super) fn reserve(
        &mut self,
        key: GroupKey<P>,
        secret: GroupSecret,
        deadline: Moment,
    ) -> u64 {
        let number = self.next;
        self.next += 1;
        let place = (key.hello.clone(), key.group.clone());
        let groups = self.groups.entry(key.peer.clone()).or_default();
        groups.insert(place, GroupEntry::Reserved { number, secret });
        self.reserved.insert(number, (deadline, key));
        number
    }

    /// Opens the group that was reserved under this number, if it still exists.
    pub(super) fn open(&mut self, key: &GroupKey<P>, number: u64, channel: C) -> Option<()> {
        self.reserved.remove(&number)?;
        let place = (key.hello.clone(), key.group.clone());
        let entry = self.groups.get_mut(&key.peer)?.get_mut(&place)?;
        let secret = entry.secret().clone();
        *entry = GroupEntry::Open {
            number,
            secret,
            channel,
        };
        Some(())
    }

    /// Removes the group with this number; returns whether it existed.
    pub(super) fn remove(&mut self, key: &GroupKey<P>, number: u64) -> bool {
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

    pub(super) fn next_deadline(&self) -> Option<Moment> {
        let (_, (deadline, _)) = self.reserved.first_key_value()?;
        Some(*deadline)
    }

    /// Removes an expired reservation.
    pub(super) fn pop_expired(&mut self, now: Moment) -> Option<GroupKey<P>> {
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
