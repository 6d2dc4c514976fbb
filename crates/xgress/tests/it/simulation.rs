//! Two ends of a circuit in virtual time, over ways that lose, double, delay and reorder what they carry,
//! with programs at both ends that write, pause, and end in every way.
//!
//! `PORTCULLIS_SIMULATION_SEEDS=N` runs N fresh seeds instead of the usual ones, and prints the first;
//! `PORTCULLIS_SIMULATION_SEED` repeats one.

mod program;
mod world;

use portcullis_seeded_random::{Seeds, run_seed};
use portcullis_xgress::EndReason;
use std::collections::BTreeSet;
use world::{Outcome, World};

/// Seeds of a usual run.
const SEEDS: u64 = 400;

/// Seeds that once found a fault.
const FOUND: [u64; 0] = [];

/// What the usual runs meet at least once.
const CASES: [&str; 15] = [
    "Writable",
    "PeerStopped",
    "Blocked",
    "Finished",
    "Closed",
    "Loss",
    "Probe",
    "Impatience",
    "Linger",
    "Start",
    "Unanswered",
    "refused",
    "much memory",
    "Ended(PeerEndedEarly)",
    "Ended(Aborted)",
];

fn run(seed: u64) -> Outcome {
    World::new(seed).run()
}

#[test]
fn what_goes_in_comes_out_in_order_and_once() {
    let (first, count) = match Seeds::chosen(SEEDS) {
        Seeds::One(seed) => {
            println!("{:?}", run(seed));
            return;
        },
        Seeds::Many { first, count } => (first, count),
    };
    let mut reached = BTreeSet::new();
    let (mut segments, mut complete) = (0, 0);
    for seed in FOUND.into_iter().chain(first..first + count) {
        let outcome = run_seed(seed, || run(seed));
        reached.extend(outcome.reached);
        segments += outcome.read;
        let is_complete = |why: &EndReason| *why == EndReason::Finished;
        complete += usize::from(outcome.reasons.iter().any(is_complete));
    }
    println!("{count} seeds from {first}: {segments} segments, {complete} circuits finished");
    for case in CASES {
        let is_reached = reached.iter().any(|reached| reached.starts_with(case));
        assert!(
            is_reached || count < SEEDS,
            "no run meets {case}: {reached:?}"
        );
    }
}

#[test]
fn a_seed_leads_to_the_same_run_each_time() {
    for seed in 0..20 {
        assert_eq!(run(seed), run(seed));
    }
}
