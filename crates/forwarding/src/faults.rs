//! Payloads that could not be forwarded, which controllers are told of.

use crate::options::ForwardingOptions;
use portcullis_channel::Moment;
use portcullis_wire::control::link::{Fault, FaultSubject};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// Length of the ids in one report, unless a single one is longer: a frame has room for them.
const REPORT_BYTES: usize = 32 << 10;
/// Longest id of a circuit that nobody has routed here. Whoever sends payloads may make such ids up; real ones
/// have 10 to 36 characters.
const MAX_UNKNOWN_ID: usize = 64;

/// Circuits of payloads that could not be forwarded. They are collected, so that a stream of payloads that
/// lead nowhere becomes one message.
#[derive(Debug)]
pub struct Faults<C> {
    interval: Option<Duration>,
    max_circuits: usize,
    /// By owner, if that is known. Each has room of its own, so that ids which were made up take none away
    /// from real ones.
    circuits: BTreeMap<Option<C>, BTreeSet<Box<str>>>,
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
        if !is_id || (owner.is_none() && circuit.len() > MAX_UNKNOWN_ID) {
            return;
        }
        let circuits = self.circuits.entry(owner.cloned()).or_default();
        if circuits.contains(circuit) {
            return;
        }
        if circuits.len() >= self.max_circuits {
            self.dropped += 1;
            return;
        }
        circuits.insert(circuit.into());
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
        for (to, circuits) in std::mem::take(&mut self.circuits) {
            let subject = match to {
                Some(_) => FaultSubject::Forward,
                None => FaultSubject::ForwardUnknownOwner,
            };
            let reports = joined(&circuits).into_iter().map(|id| FaultReport {
                to: to.clone(),
                fault: Fault {
                    subject,
                    id,
                    iteration: 0,
                },
            });
            self.reports.extend(reports);
        }
    }

    /// The next report.
    pub fn poll_report(&mut self) -> Option<FaultReport<C>> {
        self.reports.pop_front()
    }
}

/// Ids with blanks between them, as many together as a report takes.
fn joined(circuits: &BTreeSet<Box<str>>) -> Vec<String> {
    let mut reports: Vec<String> = Vec::new();
    for circuit in circuits {
        match reports.last_mut() {
            Some(report) if report.len() + circuit.len() < REPORT_BYTES => {
                report.push(' ');
                report.push_str(circuit);
            },
            _ => reports.push(circuit.to_string()),
        }
    }
    reports
}
