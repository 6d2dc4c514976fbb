//! Queue of connections that wait for a reservation.

use super::{AdmissionTicket, GroupKey};
use crate::time::Moment;
use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct WaitQueue<P> {
    /// All wait equally long, so the first one expires first.
    by_age: BTreeMap<AdmissionTicket, (Moment, GroupKey<P>)>,
    by_group: BTreeMap<GroupKey<P>, Vec<AdmissionTicket>>,
    next: u64,
}

impl<P: Ord + Clone> WaitQueue<P> {
    pub(super) const fn new() -> Self {
        Self {
            by_age: BTreeMap::new(),
            by_group: BTreeMap::new(),
            next: 0,
        }
    }

    pub(super) fn count(&self, key: &GroupKey<P>) -> usize {
        self.by_group.get(key).map_or(0, Vec::len)
    }

    pub(super) fn insert(&mut self, key: GroupKey<P>, deadline: Moment) -> AdmissionTicket {
        let ticket = AdmissionTicket(self.next);
        self.next += 1;
        self.by_group.entry(key.clone()).or_default().push(ticket);
        self.by_age.insert(ticket, (deadline, key));
        ticket
    }

    pub(super) fn remove(&mut self, ticket: AdmissionTicket) {
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

    /// Removes all connections that wait for a group.
    pub(super) fn drain_group(&mut self, key: &GroupKey<P>) -> Vec<AdmissionTicket> {
        let tickets = self.by_group.remove(key).unwrap_or_default();
        for ticket in &tickets {
            self.by_age.remove(ticket);
        }
        tickets
    }

    pub(super) fn next_deadline(&self) -> Option<Moment> {
        let (_, (deadline, _)) = self.by_age.first_key_value()?;
        Some(*deadline)
    }

    /// Removes an expired connection.
    pub(super) fn pop_expired(&mut self, now: Moment) -> Option<AdmissionTicket> {
        let (ticket, (deadline, _)) = self.by_age.first_key_value()?;
        let ticket = (*deadline <= now).then_some(*ticket)?;
        self.remove(ticket);
        Some(ticket)
    }
}
