//! One circuit at a router.

use crate::hops::Hop;
use portcullis_channel::Moment;
use std::sync::atomic::{AtomicU64, Ordering};

/// How exactly it is known when a circuit was last active: as rarely is shared memory written to.
const PRECISION_MICROS: u64 = 100_000;

/// A circuit of a controller `C`, with what is kept for it.
#[derive(Debug)]
pub(crate) struct Circuit<C, N> {
    pub(crate) owner: C,
    pub(crate) note: N,
    /// Microseconds since the start.
    last_active: AtomicU64,
    /// Where what comes from a hop goes. Few enough to be looked through.
    forwards: Vec<Forward>,
    /// It goes on as long as there is traffic.
    pub(crate) is_unrouted: bool,
}

/// What comes from one hop goes to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Forward {
    pub(crate) from: Hop,
    pub(crate) to: Hop,
    /// Whether `to` is an end of the circuit, and not a link.
    pub(crate) is_to_end: bool,
}

impl<C, N> Circuit<C, N> {
    pub(crate) const fn new(owner: C, note: N, now: Moment) -> Self {
        Self {
            owner,
            note,
            last_active: AtomicU64::new(now.as_micros()),
            forwards: Vec::new(),
            is_unrouted: false,
        }
    }

    pub(crate) fn next(&self, from: Hop) -> Option<Forward> {
        let mut forwards = self.forwards.iter();
        forwards.find(|forward| forward.from == from).copied()
    }

    /// Whether a hop is an end of the circuit, and not a link.
    pub(crate) fn is_end(&self, hop: Hop) -> bool {
        let mut forwards = self.forwards.iter();
        forwards.any(|forward| forward.to == hop && forward.is_to_end)
    }

    pub(crate) fn note_activity(&self, now: Moment) {
        let last = self.last_active.load(Ordering::Relaxed);
        if now.as_micros() >= last.saturating_add(PRECISION_MICROS) {
            self.last_active
                .fetch_max(now.as_micros(), Ordering::Relaxed);
        }
    }

    pub(crate) fn last_active(&self) -> Moment {
        Moment::from_micros(self.last_active.load(Ordering::Relaxed))
    }

    pub(crate) fn forwards(&self) -> &[Forward] {
        &self.forwards
    }

    /// Takes over a forward. Returns the one that it replaces.
    pub(crate) fn set(&mut self, forward: Forward) -> Option<Forward> {
        let mut known = self.forwards.iter_mut();
        if let Some(known) = known.find(|known| known.from == forward.from) {
            return Some(std::mem::replace(known, forward));
        }
        self.forwards.push(forward);
        None
    }

    /// Takes out forwards that lead nowhere.
    pub(crate) fn take_dead(&mut self, is_dead: impl Fn(&Forward) -> bool) -> Vec<Forward> {
        self.forwards
            .extract_if(.., |forward| is_dead(forward))
            .collect()
    }
}
