//! A whole controller and its routers in virtual time: connections that are late, stall or break, routers
//! and controllers that are killed, links that flap, hosts that are gone, rights and records that change,
//! a store that fails.
//!
//! The controller is the real one, with its store, over the messages of the wire; the picture of the
//! network by itself is simulated in `portcullis-fabric`. Once nothing more goes wrong, and a quarter of an
//! hour has passed:
//!
//! - **No circuit without a right.** Each circuit is one that its client may dial and its host may serve;
//!   and a second after all rights have ended there is none, on any router.
//! - **No route left behind.** A router carries what the controller shows that it carries, and data gets
//!   from one end to the other.
//! - **No link that only one side believes.** The controller shows the links that both routers have.
//! - **No lost change.** Each router has the model and the sessions that a new one is given, the
//!   controller has the terminators that have a host, and routers that are disabled are not connected.
//! - **No event too many, none too few.** Whoever has listened since the controller started knows which routers
//!   are online, which links there are, and that each circuit has ended once.
//!
//! Which events follow on each other depends on the seed alone, but for the order of tasks that wait for
//! threads of the runtime.
//!
//! `PORTCULLIS_SIMULATION_SEEDS=N` runs N fresh seeds instead of the usual ones, and prints the first, which
//! `PORTCULLIS_SIMULATION_FIRST` sets;
//! `PORTCULLIS_SIMULATION_SEED` repeats one, and prints what happens.

mod agreement;
mod circuits;
mod knowledge;
mod line;
mod links;
mod router;
mod scenarios;
mod slow_events;
mod told;
mod trouble;
mod world;

use portcullis_seeded_random::{Seeds, run_seed};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use tokio::time::Instant;
use world::{Beginning, World};

/// Seeds of a usual run.
const SEEDS: u64 = 30;
/// Steps in which things go wrong.
const STEPS: usize = 60;

/// Seeds that have found something.
const FOUND: [u64; 2] = [
    // A circuit that was adopted outlived the right of its host.
    5_338_742_536_801_495_222,
    // Terminators whose router had lost them stayed, because the store refused when it said so.
    3_976_986_738_078_165_412,
];

/// What the usual runs meet at least once.
const CASES: [&str; 8] = [
    "a circuit",
    "a circuit over a link",
    "a controller that is killed",
    "a router that crashes",
    "a line that stalls",
    "a right that ends",
    "a store that fails",
    "a terminator",
];

/// Prints what happens in a run that is repeated.
fn trace(line: impl FnOnce() -> String) {
    static IS_ON: LazyLock<bool> = LazyLock::new(|| matches!(Seeds::chosen(SEEDS), Seeds::One(_)));
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    if *IS_ON {
        println!("{:?} {}", START.elapsed(), line());
    }
}

/// Runs something in virtual time.
fn in_virtual_time<F: Future>(work: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(work)
}

/// Runs a seed; returns the cases that it has met.
fn run(beginning: &Beginning, seed: u64) -> BTreeSet<&'static str> {
    in_virtual_time(async {
        let mut world = World::new(beginning, seed).await;
        for _ in 0..STEPS {
            world.step().await;
        }
        world.calm_down().await;
        world.revoke_everything().await;
        world.check_told().await;
        world.end().await
    })
}

#[test]
fn controller_and_routers_agree_whatever_happens() {
    let beginning = Beginning::new();
    let (first, count) = match Seeds::chosen(SEEDS) {
        Seeds::One(seed) => {
            println!("{:?}", run(&beginning, seed));
            return;
        },
        Seeds::Many { first, count } => (first, count),
    };
    let mut reached = BTreeSet::new();
    for seed in FOUND.into_iter().chain(first..first + count) {
        let cases = run_seed(seed, || run(&beginning, seed));
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
