//! What the machine does on its own: disk, engine, hashing, signatures.

mod certificates;
mod codes;
mod commits;
mod disk;
mod groups;
mod hashes;
mod rotations;
mod signatures;

pub(super) use certificates::certificates;
pub(super) use codes::{recovery_codes, updates, verifications};
pub(super) use commits::Commits;
pub(super) use disk::syncs;
pub(super) use hashes::hashes;
pub(super) use rotations::Rotations;
pub(super) use signatures::signatures;

use super::load::{Budget, Pace, Tally};
use anyhow::anyhow;
use std::thread;
use std::time::Instant;

/// Does something over and over on all processors; `work` tells how often one of them did.
fn on_all_processors(
    budget: Budget,
    work: impl Fn(&Pace) -> anyhow::Result<u64> + Sync,
) -> anyhow::Result<Tally> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let pace = Pace::new(budget);
    let start = Instant::now();
    let done = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| work(&pace))).collect();
        workers
            .into_iter()
            .map(|worker| {
                worker
                    .join()
                    .map_err(|_panic| anyhow!("what was measured broke down"))?
            })
            .sum::<anyhow::Result<u64>>()
    })?;
    Ok(Tally {
        done,
        elapsed: start.elapsed(),
    })
}
