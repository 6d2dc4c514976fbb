//! Circuits that have just ended.
//!
//! Routers keep a circuit that was closed until what is on its way has arrived, and longer if nobody tells
//! them: until they look for idle circuits, every minute.

use portcullis_fabric::{CircuitId, Moment};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// How long routers may rightly have a circuit that has ended.
const KEPT: Duration = Duration::from_mins(2);

/// Circuits that are remembered, at most: about 5 MB.
const MAX: usize = 65_536;

#[derive(Debug, Default)]
pub(super) struct EndedCircuits {
    order: VecDeque<(Moment, CircuitId)>,
    last_ends: BTreeMap<CircuitId, Moment>,
}

impl EndedCircuits {
    pub(super) fn add(&mut self, circuit: CircuitId, now: Moment) {
        while self.order.len() >= MAX || self.has_old(now) {
            let Some((at, oldest)) = self.order.pop_front() else {
                break;
            };
            if self.last_ends.get(&oldest) == Some(&at) {
                self.last_ends.remove(&oldest);
            }
        }
        self.last_ends.insert(circuit.clone(), now);
        self.order.push_back((now, circuit));
    }

    fn has_old(&self, now: Moment) -> bool {
        let first = self.order.front();
        first.is_some_and(|(at, _)| now.since(*at) >= KEPT)
    }

    pub(super) fn contains(&self, circuit: &CircuitId, now: Moment) -> bool {
        let ended = self.last_ends.get(circuit);
        ended.is_some_and(|at| now.since(*at) < KEPT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Moment {
        Moment::ZERO + Duration::from_secs(seconds)
    }

    fn circuit(id: &str) -> CircuitId {
        CircuitId::new(id).unwrap()
    }

    #[test]
    fn circuits_are_forgotten_after_a_while() {
        let mut ended = EndedCircuits::default();
        ended.add(circuit("a"), at(0));
        assert!(ended.contains(&circuit("a"), at(119)));
        assert!(!ended.contains(&circuit("a"), at(120)));
        assert!(!ended.contains(&circuit("b"), at(1)));
        ended.add(circuit("a"), at(100));
        ended.add(circuit("b"), at(130));
        assert!(
            ended.contains(&circuit("a"), at(131)),
            "its last end counts"
        );
        assert_eq!(ended.order.len(), 2);
        ended.add(circuit("b"), at(500));
        assert_eq!((ended.order.len(), ended.last_ends.len()), (1, 1));
    }

    #[test]
    fn the_oldest_give_way() {
        let mut ended = EndedCircuits::default();
        for number in 0..=MAX {
            ended.add(circuit(&format!("c{number}")), at(1));
        }
        assert_eq!(ended.last_ends.len(), MAX);
        assert!(!ended.contains(&circuit("c0"), at(1)));
        assert!(ended.contains(&circuit("c1"), at(1)));
    }
}
