//! Password hashes.

use super::on_all_processors;
use crate::bench::load::{Budget, Pace, Tally};
use argon2::{Algorithm, Argon2, Block, Params, Version};

/// Computes hashes of the cost that new passwords get, on all processors.
pub(in crate::bench) fn hashes(budget: Budget) -> anyhow::Result<Tally> {
    on_all_processors(budget, work)
}

fn work(pace: &Pace) -> anyhow::Result<u64> {
    // OWASP password storage cheat sheet: 19 MiB, two passes, one lane.
    let params = Params::new(19 * 1024, 2, 1, Some(32))?;
    let mut blocks = vec![Block::default(); params.block_count()];
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let mut hash = [0; 32];
    let mut done = 0;
    while pace.next().is_some() {
        argon2.hash_password_into_with_memory(
            b"correct-horse-battery-1",
            &[7; 16],
            &mut hash,
            &mut blocks,
        )?;
        done += 1;
    }
    Ok(done)
}
