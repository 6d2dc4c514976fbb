//! Hostile SDKs, slow and wrong controllers and hosts, rights that come and go, in virtual time.
//!
//! Whatever they do: each dial, bind and offer is answered exactly once, no circuit and no terminator is
//! forgotten, and nothing grows beyond its limit.
//!
//! `PORTCULLIS_SIMULATION_SEEDS=N` runs N fresh seeds instead of the usual ones, and prints the first;
//! `PORTCULLIS_SIMULATION_SEED` repeats one.

mod books;
mod people;

use super::world::World;
use books::Books;
use people::People;
use portcullis_router::edge::EdgeLimits;
use portcullis_seeded_random::{Seeds, run_seed};
use std::collections::BTreeSet;
use std::time::Duration;

/// Seeds of a usual run.
const SEEDS: u64 = 150;
/// Steps in which things go wrong.
const STEPS: usize = 400;

/// What the usual runs meet at least once.
const CASES: [&str; 20] = [
    "bind refused",
    "both ends at one channel",
    "bound",
    "channel closed",
    "channel lost",
    "circuit closed AtOnce",
    "circuit closed Gracefully",
    "circuit given back",
    "dial refused",
    "dialed",
    "malformed",
    "offer declined DialTimedOut",
    "offer declined Generic",
    "offer declined InvalidTerminator",
    "offer declined RejectedByApplication",
    "offer declined ResourcesNotAvailable",
    "offer taken",
    "put",
    "removal",
    "terminator ended",
];

/// Few of everything, so that limits are met.
fn limits() -> EdgeLimits {
    EdgeLimits {
        connections: 12,
        pending_dials: 4,
        pending_offers: 3,
        binds: 3,
        terminators: 10,
        traces: 2,
        inspections: 2,
        connection_backlog_bytes: 500,
        backlog_bytes: 1_000,
        ..EdgeLimits::default()
    }
}

/// Runs a seed: the cases that it has met, and what happened, as text.
fn run(seed: u64) -> (BTreeSet<String>, String) {
    let mut people = People::new(World::with_limits(limits()), Books::default(), seed);
    for _ in 0..STEPS {
        people.step();
    }
    people.go_home();
    people.world.wait(Duration::from_mins(20));
    people.settle();
    people.books.check_empty();
    assert!(
        people.world.hosting.is_empty(),
        "all terminators are removed"
    );
    (people.books.reached, people.books.log)
}

#[test]
fn everything_is_answered_once_and_nothing_is_forgotten() {
    let (first, count) = match Seeds::chosen(SEEDS) {
        Seeds::One(seed) => {
            println!("{}", run(seed).1);
            return;
        },
        Seeds::Many { first, count } => (first, count),
    };
    let mut reached = BTreeSet::new();
    for seed in first..first + count {
        let (cases, _) = run_seed(seed, || run(seed));
        reached.extend(cases);
    }
    println!("{count} seeds from {first}: {reached:?}");
    for case in CASES {
        assert!(
            reached.contains(case) || count < SEEDS,
            "no run meets {case}: {reached:?}"
        );
    }
}

#[test]
fn a_seed_leads_to_the_same_run_each_time() {
    for seed in [3, 7] {
        assert_eq!(run(seed).1, run(seed).1);
    }
}
