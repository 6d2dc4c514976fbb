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
    /// Identities that there are when memory is measured.
    pub(super) identities: u64,
    /// Sizes of the stores on which lists are measured, the smallest first.
    pub(super) stores: &'static [u64],
    /// Identities of the networks on which services are measured, the fewest first.
    pub(super) networks: &'static [u64],
    /// How often a policy is created and changed on each of them.
    pub(super) changes: u32,
    /// Identities that give a TOTP code.
    pub(super) people: usize,
    /// What one list of one store may take.
    pub(super) list: Budget,
    /// Identities that log in with certificates.
    pub(super) devices: usize,
    /// Circuits that are open while they are listed.
    pub(super) circuits: u64,
    /// Checks of one configuration file.
    pub(super) checks: u32,
    /// Streams that are open through routers and carry nothing.
    pub(super) streams: u32,
    /// What a run of its own is told, so that it has these bounds.
    pub(super) arguments: &'static [&'static str],
}

/// The most that is done for one figure in one turn, however fast it goes: it keeps the store, and
/// the ports that closed connections hold for a while, within bounds.
const MOST: u64 = 100_000;

impl Scale {
    /// About seven minutes.
    pub(super) const FULL: Self = Self {
        time: Duration::from_millis(5500),
        turns: 3,
        starts: 5,
        identities: 10_000,
        people: 20_000,
        stores: &[1_000, 100_000, 1_000_000],
        networks: &[1_000, 10_000, 100_000],
        changes: 200,
        list: Budget {
            time: Duration::from_secs(2),
            count: 1000,
        },
        devices: 64,
        circuits: 100_000,
        checks: 10,
        streams: 4_000,
        arguments: &[],
    };

    /// About eighty seconds.
    pub(super) const QUICK: Self = Self {
        time: Duration::from_millis(700),
        turns: 1,
        starts: 3,
        identities: 10_000,
        people: 4_000,
        stores: &[1_000, 20_000],
        networks: &[1_000, 10_000],
        changes: 40,
        list: Budget {
            time: Duration::from_millis(500),
            count: 200,
        },
        devices: 16,
        circuits: 20_000,
        checks: 3,
        streams: 1_000,
        arguments: &["--quick"],
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
