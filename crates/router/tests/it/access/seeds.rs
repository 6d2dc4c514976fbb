//! Seeds of random histories.

use std::env;
use std::hash::{BuildHasher as _, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the usual number of seeds; or, by `PORTCULLIS_SIMULATION_SEEDS`, so many fresh ones, or by
/// `PORTCULLIS_SIMULATION_SEED` that one. Returns whether these were the usual ones, so that they meet what
/// is expected of them together.
pub(crate) fn for_seeds(usual: u64, mut run: impl FnMut(u64)) -> bool {
    let one = number("PORTCULLIS_SIMULATION_SEED").map(|seed| (seed, 1));
    let fresh = number("PORTCULLIS_SIMULATION_SEEDS");
    let fresh = fresh.map(|count| (RandomState::new().hash_one(()) >> 1, count));
    let asked = one.or(fresh);
    let (first, count) = asked.unwrap_or((0, usual));
    for seed in first..first + count {
        let run = AssertUnwindSafe(|| run(seed));
        assert!(
            catch_unwind(run).is_ok(),
            "PORTCULLIS_SIMULATION_SEED={seed}"
        );
    }
    asked.is_none()
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap())
}
