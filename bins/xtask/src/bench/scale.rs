//! How long and how much is measured.

use super::load::Budget;
use std::time::Duration;

/// Bounds of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    /// Time for one figure.
    time: Duration,
    /// Turns in which a figure and what it stands beside are taken.
    pub(super) turns: u32,
    /// Starts of the controller.
    pub(super) starts: u32,
    /// Identities that there are when memory and lists are measured.
    pub(super) identities: u64,
    /// Identities that log in with certificates.
    pub(super) devices: usize,
}

/// The most that is done for one figure in one turn, however fast it goes: it keeps the store, and
/// the ports that closed connections hold for a while, within bounds.
const MOST: u64 = 100_000;

impl Scale {
    /// About two minutes.
    pub(super) const FULL: Self = Self {
        time: Duration::from_millis(5500),
        turns: 3,
        starts: 5,
        identities: 10_000,
        devices: 64,
    };

    /// About twenty seconds.
    pub(super) const QUICK: Self = Self {
        time: Duration::from_millis(700),
        turns: 1,
        starts: 3,
        identities: 10_000,
        devices: 16,
    };

    /// What one figure may take.
    pub(super) fn budget(&self) -> Budget {
        Budget {
            time: self.time,
            count: MOST,
        }
    }

    /// What one turn of one figure may take.
    pub(super) fn turn(&self) -> Budget {
        Budget {
            time: self.time / self.turns,
            count: MOST,
        }
    }
}
