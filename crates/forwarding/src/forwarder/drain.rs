//! Circuits that were unrouted and may still carry something.

use super::Forwarder;
use crate::circuit::Circuit;
use portcullis_channel::Moment;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Circuits to look at, the next one first: all wait for the same time.
#[derive(Debug, Default)]
pub(super) struct Drain(VecDeque<(Moment, Arc<str>)>);

impl Drain {
    pub(super) fn add(&mut self, circuit: Arc<str>, due: Moment) {
        self.0.push_back((due, circuit));
    }

    fn next_due(&self) -> Option<Moment> {
        Some(self.0.front()?.0)
    }

    fn take_due(&mut self, now: Moment) -> Option<Arc<str>> {
        let (_, circuit) = self.0.pop_front_if(|(due, _)| *due <= now)?;
        Some(circuit)
    }
}

impl<C: Clone, D, N> Forwarder<C, D, N> {
    /// When to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Moment> {
        self.drain.next_due()
    }

    /// Handles deadlines that have passed: removes circuits that were unrouted and carry nothing more.
    pub fn handle_timeout(&mut self, now: Moment) {
        while let Some(id) = self.drain.take_due(now) {
            let Some(circuit) = self.circuits.get(&id) else {
                continue;
            };
            if !circuit.is_unrouted {
                continue;
            }
            let interval = self.options.close_check_interval;
            let is_idle = now.since(circuit.last_active()) >= interval;
            if is_idle || self.has_lost_its_ends(circuit) {
                self.remove(&id);
            } else {
                // A router that lets no time pass between checks would do nothing else.
                let pause = interval.max(Duration::from_millis(1));
                self.drain.add(id, now + pause);
            }
        }
    }

    /// Whether a circuit has ended at this router, and nothing is left of that.
    fn has_lost_its_ends(&self, circuit: &Circuit<C, N>) -> bool {
        let forwards = circuit.forwards().iter();
        let mut ends = forwards.filter(|forward| forward.is_to_end).peekable();
        let has_any = ends.peek().is_some();
        has_any && ends.all(|forward| self.hops.destination(forward.to).is_none())
    }
}
