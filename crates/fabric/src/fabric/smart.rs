//! Moving circuits to paths that have become cheaper.

use super::Fabric;
use crate::circuits::State;
use portcullis_channel::Moment;
use std::cmp::Reverse;
use std::time::Duration;

/// How many circuits are looked at in one cycle, at most, unless more may be moved.
const MAX_SEARCHES: usize = 64;

/// How often, how many and which circuits are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmartRerouting {
    pub cycle: Duration,
    /// Part of all circuits that is moved in one cycle, in millionths; at least one circuit.
    pub per_million: u32,
    /// How many circuits are moved in one cycle, at most.
    pub max: usize,
    /// By how much the path must become cheaper.
    pub min_gain: u64,
}

impl Default for SmartRerouting {
    fn default() -> Self {
        Self {
            cycle: Duration::from_mins(1),
            per_million: 20_000,
            max: 4,
            min_gain: 15,
        }
    }
}

impl SmartRerouting {
    fn count(self, circuits: usize) -> usize {
        let part = circuits as u64 * u64::from(self.per_million) / 1_000_000;
        usize::try_from(part)
            .unwrap_or(usize::MAX)
            .max(1)
            .min(self.max)
    }
}

impl Fabric {
    pub(super) fn reroute_smartly(&mut self, now: Moment) {
        let Some(smart) = self.options.smart_rerouting else {
            return;
        };
        if self.next_smart_rerouting.is_none_or(|next| next > now) {
            return;
        }
        self.next_smart_rerouting = Some(now + smart.cycle);
        let open = self
            .circuits
            .iter()
            .filter(|circuit| matches!(circuit.state, State::Open));
        let mut costs: Vec<_> = open
            .filter_map(|circuit| {
                let cost = self.network.path_cost(&circuit.path)?;
                Some((Reverse(cost), circuit.id().clone()))
            })
            .collect();
        costs.sort();
        let mut left = smart.count(self.circuits.len());
        let looked_at = MAX_SEARCHES.max(left);
        for (Reverse(cost), id) in costs.into_iter().take(looked_at) {
            if left == 0 {
                break;
            }
            let Some(circuit) = self.circuits.get(&id) else {
                continue;
            };
            let better = self.cheapest_path(&circuit.path).filter(|path| {
                let better = self.network.path_cost(path);
                better.is_some_and(|better| better + smart.min_gain <= cost)
            });
            if let Some(path) = better
                && let Some(circuit) = self.circuits.take(&id)
            {
                self.try_path(circuit, path, 0, now);
                left -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_in_a_hundred_circuits_are_moved_but_one_at_least_and_four_at_most() {
        for (circuits, count) in [(0, 1), (99, 1), (100, 2), (149, 2), (150, 3), (10_000, 4)] {
            assert_eq!(
                SmartRerouting::default().count(circuits),
                count,
                "{circuits}"
            );
        }
    }
}
