//! Idle circuits, which their controllers are asked about.

use crate::forwarder::Forwarder;
use crate::options::ForwardingOptions;
use portcullis_channel::Moment;
use portcullis_wire::control::circuit::CircuitConfirmation;
use std::sync::Arc;
use std::time::Duration;

/// Looks for idle circuits from time to time. A circuit that a controller has forgotten is found by it.
#[derive(Debug)]
pub struct IdleScan {
    timeout: Duration,
    interval: Option<Duration>,
    max_reported: usize,
    next: Moment,
}

/// Circuits that have been idle for long.
#[derive(Debug)]
#[must_use = "their controllers are to be asked"]
pub struct IdleCircuits<C> {
    circuits: Vec<(C, Arc<str>, Duration)>,
    max_reported: usize,
}

/// What a controller is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmation<C> {
    pub to: C,
    pub message: CircuitConfirmation,
}

impl IdleScan {
    pub fn new(options: &ForwardingOptions, now: Moment) -> Self {
        Self {
            timeout: options.idle_timeout,
            interval: options.idle_interval,
            max_reported: options.max_reported.max(1),
            next: now + options.idle_interval.unwrap_or_default(),
        }
    }

    /// When to call [`find`](Self::find).
    pub fn poll_timeout(&self) -> Option<Moment> {
        self.interval.map(|_| self.next)
    }

    /// Finds all circuits that have been idle for long, if it is time. It takes a look at each circuit, and
    /// changes none.
    pub fn find<C: Clone, D, N>(
        &mut self,
        forwarder: &Forwarder<C, D, N>,
        now: Moment,
    ) -> IdleCircuits<C> {
        let mut circuits = Vec::new();
        if let Some(interval) = self.interval.filter(|_| self.next <= now) {
            self.next = now + interval.max(Duration::from_millis(1));
            circuits = forwarder.idle(self.timeout, now);
        }
        IdleCircuits {
            circuits,
            max_reported: self.max_reported,
        }
    }
}

impl<C: Clone + Ord> IdleCircuits<C> {
    /// What controllers are to be asked, in messages of bounded size.
    pub fn into_confirmations(mut self) -> Vec<Confirmation<C>> {
        self.circuits.sort_unstable();
        let of_owners = self
            .circuits
            .chunk_by(|(owner, ..), (next, ..)| owner == next);
        let messages = of_owners.flat_map(|circuits| circuits.chunks(self.max_reported));
        messages
            .filter_map(|circuits| {
                let (owner, ..) = circuits.first()?;
                Some(Confirmation {
                    to: owner.clone(),
                    message: message(circuits),
                })
            })
            .collect()
    }
}

fn message<C>(circuits: &[(C, Arc<str>, Duration)]) -> CircuitConfirmation {
    let nanos = |idle: &Duration| i64::try_from(idle.as_nanos()).unwrap_or(i64::MAX);
    let ids = circuits.iter().map(|(_, circuit, _)| circuit.to_string());
    let idle = circuits
        .iter()
        .map(|(_, circuit, idle)| (circuit.to_string(), nanos(idle)));
    CircuitConfirmation {
        circuit_ids: ids.collect(),
        idle_nanos: idle.collect(),
    }
}
