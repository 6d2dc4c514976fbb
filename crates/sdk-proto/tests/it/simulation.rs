//! Two SDKs in virtual time, one that dials and one that hosts, with a router between them whose links lose,
//! double, delay and reorder payloads. Circuits end in SDKs or in the router, at each side by chance; services are
//! encrypted or not; programs write, pause, half close, close and abort.
//!
//! `PORTCULLIS_SIMULATION_SEEDS=N` runs N fresh seeds instead of the usual ones;
//! `PORTCULLIS_SIMULATION_SEED` repeats one.

mod program;
mod router;
mod way;
mod world;

use portcullis_seeded_random::{Seeds, run_seed};
use std::collections::BTreeSet;
use world::{Outcome, World};

/// Seeds of a usual run.
const SEEDS: u64 = 100;

/// What the usual runs meet at least once.
const CASES: [&str; 14] = [
    "sdk to sdk, clear",
    "sdk to sdk, encrypted",
    "sdk to router, clear",
    "sdk to router, encrypted",
    "router to sdk, clear",
    "router to sdk, encrypted",
    "router to router, clear",
    "router to router, encrypted",
    "blocked",
    "stopped",
    "Finished",
    "Peer",
    "lost",
    "refused",
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
    let mut bytes = 0;
    for seed in first..first + count {
        let outcome = run_seed(seed, || run(seed));
        reached.extend(outcome.reached);
        bytes += outcome.read;
    }
    println!("{count} seeds from {first}: {bytes} bytes");
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
    for seed in 0..10 {
        assert_eq!(run(seed), run(seed));
    }
}
