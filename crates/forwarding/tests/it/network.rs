//! Three routers and a circuit through them, whose links and routers fail while it carries data.
//!
//! `PORTCULLIS_SIMULATION_SEEDS=N` runs N fresh seeds instead of the usual ones, and prints the first;
//! `PORTCULLIS_SIMULATION_SEED` repeats one.

mod router;
mod wire;
mod world;

use portcullis_seeded_random::{Seeds, run_seed};
use world::{Outcome, World};

/// Seeds of a usual run.
const SEEDS: u64 = 150;

fn run(seed: u64) -> Outcome {
    World::new(seed).run()
}

#[test]
fn a_circuit_outlives_its_links_and_the_routers_on_its_way() {
    let (first, count) = match Seeds::chosen(SEEDS) {
        Seeds::One(seed) => {
            println!("{:?}", run(seed));
            return;
        },
        Seeds::Many { first, count } => (first, count),
    };
    let mut total = Outcome::default();
    for seed in first..first + count {
        let outcome = run_seed(seed, || run(seed));
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
