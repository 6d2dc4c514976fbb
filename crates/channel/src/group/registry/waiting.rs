//! Connections that wait for a reservation, by age.

use super::{Key, Ticket};
use crate::time::Moment;
use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct Waiting<P> {
    /// All wait equally long, so the first one has waited longest.
    by_age: BTreeMap<Ticket, (Moment, Key<P>)>,
    by_group: BTreeMap<Key<P>, Vec<Ticket>>,
    next: u64,
}

impl<P: Ord + Clone> Waiting<P> {
    pub(super) const fn new() -> Self {
        Self {
            by_age: BTreeMap::new(),
            by_group: BTreeMap::new(),
            next: 0,
        }
    }

    pub(super) fn count(&self, key: &Key<P>) -> usize {
        self.by_group.get(key).map_or(0, Vec::len)
    }

    pub(super) fn insert(&mut self, key: Key<P>, deadline: Moment) -> Ticket {
        let ticket = Ticket(self.next);
        self.next += 1;
        self.by_group.entry(key.clone()).or_default().push(ticket);
        self.by_age.insert(ticket, (deadline, key));
        ticket
    }

    pub(super) fn remove(&mut self, ticket: Ticket) {
        let Some((_, key)) = self.by_age.remove(&ticket) else {
            return;
        };
        if let Some(tickets) = self.by_group.get_mut(&key) {
            tickets.retain(|waiting| *waiting != ticket);
            if tickets.is_empty() {
                self.by_group.remove(&key);
            }
        }
    }

    /// Removes all that wait for a group.
    pub(super) fn take(&mut self, key: &Key<P>) -> Vec<Ticket> {
        let tickets = self.by_group.remove(key).unwrap_or_default();
        for ticket in &tickets {
            self.by_age.remove(ticket);
        }
        tickets
    }

    pub(super) fn first_deadline(&self) -> Option<Moment> {
        let (_, (deadline, _)) = self.by_age.first_key_value()?;
        Some(*deadline)
    }

    /// Removes a connection that has waited long enough.
    pub(super) fn expired(&mut self, now: Moment) -> Option<Ticket> {
        let (ticket, (deadline, _)) = self.by_age.first_key_value()?;
        let ticket = (*deadline <= now).then_some(*ticket)?;
        self.remove(ticket);
        Some(ticket)
    }
}
