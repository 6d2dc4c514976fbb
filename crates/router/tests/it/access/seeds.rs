//! Seeds of random histories.

use portcullis_seeded_random::{Seeds, run_seed};

/// Runs the usual number of seeds, or those that the environment asks for. Returns whether these were the
/// usual ones, so that they meet what is expected of them together.
pub(crate) fn for_seeds(usual: u64, mut run: impl FnMut(u64)) -> bool {
    let (first, count) = match Seeds::chosen(usual) {
        Seeds::One(seed) => (seed, 1),
        Seeds::Many { first, count } => (first, count),
    };
    for seed in first..first + count {
        run_seed(seed, || run(seed));
    }
    (first, count) == (0, usual)
}
