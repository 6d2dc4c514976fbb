//! Circuits that have to be judged again at some time, even if nothing else happens.

use portcullis_domain::clock::Timestamp;
use portcullis_fabric::CircuitId;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The longest sleep: the wall clock may be set meanwhile.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// When circuits have to be judged again.
#[derive(Debug, Default)]
pub(super) struct DueRights {
    by_time: BTreeSet<(Timestamp, CircuitId)>,
    by_circuit: BTreeMap<CircuitId, Timestamp>,
}

impl DueRights {
    /// A circuit has to be judged at this time; of several times, at the first one.
    pub(super) fn add(&mut self, circuit: CircuitId, at: Timestamp) {
        let known = self.by_circuit.get(&circuit);
        if known.is_some_and(|known| *known <= at) {
            return;
        }
        self.remove(&circuit);
        self.by_time.insert((at, circuit.clone()));
        self.by_circuit.insert(circuit, at);
    }

    /// A circuit has ended.
    pub(super) fn remove(&mut self, circuit: &CircuitId) {
        if let Some(at) = self.by_circuit.remove(circuit) {
            self.by_time.remove(&(at, circuit.clone()));
        }
    }

    /// How long to wait for the first one.
    pub(super) fn wait(&self, now: Timestamp) -> Duration {
        let first = self.by_time.first();
        first.map_or(MAX_WAIT, |(at, _)| {
            let left = Duration::try_from(at.duration_since(now)).unwrap_or_default();
            left.min(MAX_WAIT)
        })
    }

    /// Takes those whose time has come.
    pub(super) fn take(&mut self, now: Timestamp) -> Vec<CircuitId> {
        let mut due = Vec::new();
        while self.by_time.first().is_some_and(|(at, _)| *at <= now)
            && let Some((_, circuit)) = self.by_time.pop_first()
        {
            self.by_circuit.remove(&circuit);
            due.push(circuit);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circuit(id: &str) -> CircuitId {
        CircuitId::new(id).unwrap()
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn circuit_is_due_once_and_at_its_first_time() {
        let mut due = DueRights::default();
        due.add(circuit("a"), at(20));
        due.add(circuit("a"), at(10));
        due.add(circuit("a"), at(30));
        due.add(circuit("b"), at(15));
        due.add(circuit("c"), at(5));
        due.remove(&circuit("c"));
        assert_eq!(due.wait(at(0)), Duration::from_secs(10));
        assert_eq!(due.take(at(9)), []);
        assert_eq!(due.take(at(15)), [circuit("a"), circuit("b")]);
        assert_eq!(due.wait(at(15)), MAX_WAIT);
    }

    #[test]
    fn time_that_has_passed_is_not_waited_for() {
        let mut due = DueRights::default();
        due.add(circuit("a"), at(10));
        assert_eq!(due.wait(at(11)), Duration::ZERO);
    }
}
