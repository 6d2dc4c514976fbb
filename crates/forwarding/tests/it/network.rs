//! Three routers and a circuit through them, whose links and routers fail while it carries data.
//!
//! `PORTCULLIS_SIMULATION_SEEDS=N` runs N fresh seeds instead of the usual ones, and prints the first;
//! `PORTCULLIS_SIMULATION_SEED` repeats one.

mod router;
mod wire;
mod world;

use std::env;
use std::hash::{BuildHasher as _, RandomState};
use world::{Outcome, World};

/// Seeds of a usual run.
const SEEDS: u64 = 150;

fn run(seed: u64) -> Outcome {
    World::new(seed).run()
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|error| panic!("{variable}={text}: {error}")),
    )
}

#[test]
fn a_circuit_outlives_its_links_and_the_routers_on_its_way() {
    if let Some(seed) = number("PORTCULLIS_SIMULATION_SEED") {
        println!("{:?}", run(seed));
        return;
    }
    let (first, count) = match number("PORTCULLIS_SIMULATION_SEEDS") {
        Some(count) => (RandomState::new().hash_one(()) >> 1, count),
        None => (0, SEEDS),
    };
    let mut total = Outcome::default();
    for seed in first..first + count {
        let Ok(outcome) = std::panic::catch_unwind(|| run(seed)) else {
            panic!("PORTCULLIS_SIMULATION_SEED={seed}");
        };
        total.add(&outcome);
    }
    println!("{count} seeds from {first}: {total:?}");
    if count >= SEEDS {
        total.check_everything_happened();
    }
}

#[test]
fn a_seed_leads_to_the_same_run_each_time() {
    for seed in 0..5 {
        assert_eq!(run(seed), run(seed));
    }
}
