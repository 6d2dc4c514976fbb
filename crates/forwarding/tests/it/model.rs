//! Random histories of a router, held against the simplest table that does the same.

use crate::support::{Table, at, end, link, route, start, unroute, way};
use portcullis_channel::Moment;
use portcullis_forwarding::{Forwarder, ForwardingOptions, Hop, NoWay};
use portcullis_seeded_random::Random;
use portcullis_wire::control::route::{DestinationKind, Forward};
use std::collections::{BTreeMap, BTreeSet};

const LINKS: [&str; 4] = ["l0", "l1", "l2", "l3"];
const ENDS: [&str; 6] = ["e0", "e1", "e2", "e3", "e4", "e5"];
const CIRCUITS: [&str; 5] = ["c0", "c1", "c2", "c3", "c4"];
const STEPS: usize = 300;

/// The same in maps of texts.
#[derive(Default)]
struct Model {
    attached: BTreeSet<&'static str>,
    forwards: BTreeMap<&'static str, BTreeMap<String, String>>,
}

struct Run {
    table: Table,
    model: Model,
    /// Hops as they were given out last.
    hops: BTreeMap<&'static str, Hop>,
    random: Random,
    now: Moment,
}

impl Run {
    fn new(seed: u64) -> Self {
        Self {
            table: Forwarder::new(ForwardingOptions::default()),
            model: Model::default(),
            hops: BTreeMap::new(),
            random: Random::new(seed, "history"),
            now: at(0),
        }
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.random.index(from.len())]
    }

    fn any(&mut self) -> &'static str {
        let of = if self.random.one_in(2) {
            &LINKS[..]
        } else {
            &ENDS
        };
        self.pick(of)
    }

    fn step(&mut self) {
        match self.random.below(10) {
            0..3 => {
                let address = self.any();
                let (hop, _) = self.table.attach(address, address);
                self.hops.insert(address, hop);
                self.model.attached.insert(address);
            },
            3 | 4 => {
                let address = self.any();
                if let Some(hop) = self.hops.get(address) {
                    let detached = self.table.detach(*hop, |_| true);
                    assert_eq!(detached.is_some(), self.model.attached.remove(address));
                }
            },
            5..8 => self.route(),
            8 => {
                let circuit = self.pick(&CIRCUITS);
                self.table.unroute(&unroute(circuit, true), self.now);
                let known = self.model.forwards.remove(circuit);
                assert_eq!(self.table.poll_ended().is_some(), known.is_some());
            },
            _ => self.now = self.now + std::time::Duration::from_secs(1),
        }
    }

    fn route(&mut self) {
        let circuit = self.pick(&CIRCUITS);
        let forwards: Vec<Forward> = (0..=self.random.index(2))
            .map(|_| {
                let (from, to) = (self.any(), self.any());
                match self.random.below(3) {
                    _ if LINKS.contains(&to) => link(from, to),
                    0 => start(from, to),
                    _ => end(from, to),
                }
            })
            .collect();
        let taken = self
            .table
            .route(&route(circuit, &forwards), &"controller", self.now);
        let is_there = |forward: &Forward| {
            forward.destination_kind == DestinationKind::Start
                || self.model.attached.contains(forward.destination.as_str())
        };
        assert_eq!(taken.is_ok(), forwards.iter().all(is_there));
        if taken.is_ok() {
            let known = self.model.forwards.entry(circuit).or_default();
            known.extend(
                forwards
                    .into_iter()
                    .map(|forward| (forward.source, forward.destination)),
            );
        }
    }

    fn check(&self) {
        for circuit in CIRCUITS {
            for (address, hop) in &self.hops {
                if !self.model.attached.contains(address) {
                    continue;
                }
                let expected = match self.model.forwards.get(circuit) {
                    None => Err(NoWay::UnknownCircuit),
                    Some(forwards) => match forwards.get(*address) {
                        None => Err(NoWay::NoForward),
                        Some(to) => self
                            .model
                            .attached
                            .get(to.as_str())
                            .copied()
                            .ok_or(NoWay::NotAttached),
                    },
                };
                assert_eq!(way(&self.table, circuit, *hop, self.now), expected);
            }
        }
        assert_eq!(self.table.len(), self.model.forwards.len());
    }
}

#[test]
fn histories_lead_where_they_should() {
    for seed in 0..200 {
        let mut run = Run::new(seed);
        for _ in 0..STEPS {
            run.step();
            run.check();
        }
    }
}
