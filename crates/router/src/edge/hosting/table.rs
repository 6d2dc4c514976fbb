//! Terminators by id, by bind and by what distinguishes them.

use std::collections::BTreeMap;
use std::ops::Bound;

use portcullis_wire::edge::ConnectionId;

use super::terminator::{Place, Terminator};
use crate::edge::host_exchange::BindKey;
use crate::edge::names::{ChannelId, TerminatorId};

#[derive(Debug, Default)]
pub(super) struct Table {
    terminators: BTreeMap<TerminatorId, Terminator>,
    binds: BTreeMap<BindKey, TerminatorId>,
    places: BTreeMap<Place, TerminatorId>,
}

impl Table {
    pub(super) fn len(&self) -> usize {
        self.terminators.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Terminator> {
        self.terminators.values()
    }

    /// Those after an id, by id; all of them after `None`.
    pub(super) fn iter_after(
        &self,
        after: Option<&TerminatorId>,
    ) -> impl Iterator<Item = &Terminator> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let range = self
            .terminators
            .range::<TerminatorId, _>((start, Bound::Unbounded));
        range.map(|(_, terminator)| terminator)
    }

    pub(super) fn get(&self, id: &str) -> Option<&Terminator> {
        self.terminators.get(id)
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Terminator> {
        self.terminators.get_mut(id)
    }

    pub(super) fn of_bind(&self, bind: BindKey) -> Option<&Terminator> {
        self.terminators.get(self.binds.get(&bind)?)
    }

    pub(super) fn of_bind_mut(&mut self, bind: BindKey) -> Option<&mut Terminator> {
        self.terminators.get_mut(self.binds.get(&bind)?)
    }

    pub(super) fn of_place(&self, place: &Place) -> Option<&Terminator> {
        self.terminators.get(self.places.get(place)?)
    }

    /// The binds of a channel.
    pub(super) fn binds_of(&self, channel: ChannelId) -> Vec<BindKey> {
        let first = BindKey {
            channel,
            connection: ConnectionId(0),
            serial: 0,
        };
        let last = BindKey {
            channel,
            connection: ConnectionId(u32::MAX),
            serial: u64::MAX,
        };
        self.binds
            .range(first..=last)
            .map(|(bind, _)| *bind)
            .collect()
    }

    /// Adds a terminator. Another one of the same id, bind or place must be gone.
    pub(super) fn insert(&mut self, terminator: Terminator) {
        let id = terminator.id.clone();
        self.binds.insert(terminator.bind, id.clone());
        self.places.insert(terminator.place(), id.clone());
        self.terminators.insert(id, terminator);
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<Terminator> {
        let terminator = self.terminators.remove(id)?;
        self.binds.remove(&terminator.bind);
        self.places.remove(&terminator.place());
        Some(terminator)
    }
}
