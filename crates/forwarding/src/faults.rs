//! Payloads that could not be forwarded, which controllers are told of.

use crate::options::ForwardingOptions;
use portcullis_channel::Moment;
use portcullis_wire::control::link::{Fault, FaultSubject};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// Circuits of payloads that could not be forwarded. They are collected, so that a stream of payloads that
/// lead nowhere becomes one message.
#[derive(Debug)]
pub struct Faults<C> {
    interval: Option<Duration>,
    max_circuits: usize,
    /// By owner, if that is known.
    circuits: BTreeMap<Option<C>, BTreeSet<Box<str>>>,
    count: usize,
    due: Option<Moment>,
    reports: VecDeque<FaultReport<C>>,
    dropped: u64,
}

/// What a controller is told, or all of them if nobody knows whose circuits they are.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultReport<C> {
    pub to: Option<C>,
    pub fault: Fault,
}

impl<C: Clone + Ord> Faults<C> {
    pub const fn new(options: &ForwardingOptions) -> Self {
        Self {
            interval: options.fault_interval,
            max_circuits: options.max_reported,
            circuits: BTreeMap::new(),
            count: 0,
            due: None,
            reports: VecDeque::new(),
            dropped: 0,
        }
    }

    /// A payload could not be forwarded; `owner` is that of its circuit, if the circuit is known here.
    pub fn add(&mut self, circuit: &str, owner: Option<&C>, now: Moment) {
        let Some(interval) = self.interval else {
            return;
        };
        // Several are told apart by blanks, which no id has.
        let is_id = !circuit.is_empty() && !circuit.contains(char::is_whitespace);
        let owner = owner.cloned();
        let known = self.circuits.get(&owner);
        if !is_id || known.is_some_and(|known| known.contains(circuit)) {
            return;
        }
        if self.count >= self.max_circuits {
            self.dropped += 1;
            return;
        }
        self.count += 1;
        self.circuits
            .entry(owner)
            .or_default()
            .insert(circuit.into());
        self.due.get_or_insert(now + interval);
    }

    /// How many circuits were one too many for a report. They are told of later, if payloads still come.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// When to call [`handle_timeout`](Self::handle_timeout).
    pub const fn poll_timeout(&self) -> Option<Moment> {
        self.due
    }

    /// Handles the deadline if it has passed: makes reports of what was collected.
    pub fn handle_timeout(&mut self, now: Moment) {
        if self.due.is_none_or(|due| due > now) {
            return;
        }
        self.due = None;
        self.count = 0;
        for (to, circuits) in std::mem::take(&mut self.circuits) {
            let circuits: Vec<&str> = circuits.iter().map(|circuit| &**circuit).collect();
            let subject = match to {
                Some(_) => FaultSubject::Forward,
                None => FaultSubject::ForwardUnknownOwner,
            };
            let fault = Fault {
                subject,
                id: circuits.join(" "),
                iteration: 0,
            };
            self.reports.push_back(FaultReport { to, fault });
        }
    }

    /// The next report.
    pub fn poll_report(&mut self) -> Option<FaultReport<C>> {
        self.reports.pop_front()
    }
}
