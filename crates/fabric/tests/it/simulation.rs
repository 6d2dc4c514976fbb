//! A controller and its routers in virtual time: messages that are late, lost or overtaken, control
//! channels and links that break, routers and controllers that are restarted, rights that end.
//!
//! `PORTCULLIS_SIMULATION_SEEDS=N` runs N fresh seeds instead of the usual ones, and prints the first, which
//! `PORTCULLIS_SIMULATION_FIRST` sets;
//! `PORTCULLIS_SIMULATION_SEED` repeats one.

mod controller;
mod message;
mod router;
mod world;

use portcullis_seeded_random::{Seeds, run_seed};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use world::World;

/// Seeds of a usual run.
const SEEDS: u64 = 200;
/// Steps in which things go wrong.
const STEPS: usize = 150;

/// Seeds that have found something.
const FOUND: [u64; 9] = [
    // A router and the controller were restarted: the rest of a circuit went on, and nobody knew it.
    3,
    // The result of an earlier route was taken for that of the newest.
    3_252_876_105_372_593_058,
    // The controller was restarted while a circuit changed its path: each way took another.
    117_817_963_613_175_737,
    7_031_971_275_513_477_081,
    // A route was set up after the newest, and its result was lost with the control channel.
    934_507_669_345_999_683,
    // A route was set up after the router had been told to forget the circuit.
    723_985_226_533_420_568,
    688_551_738_583_481_978,
    1_577_755_279_047_078_967,
    // A late fault ended a link that was down, and its other end was not told.
    3_765_355_286_605_271_954,
];

/// What the usual runs meet at least once.
const CASES: [&str; 17] = [
    "created",
    "adopted",
    "path changed",
    "ended Closed",
    "ended NoPath",
    "ended Removed",
    "ended RerouteFailed",
    "ended RightEnded",
    "ended RouterLost",
    "failed CANCELLED",
    "failed PATH_MISSING_LINK",
    "failed RIGHT_ENDED",
    "failed ROUTER_ERR_CONN_REFUSED",
    "failed ROUTER_ERR_INVALID_LINK_DESTINATION",
    "failed ROUTER_ERR_INVALID_TERMINATOR",
    "failed ROUTER_LOST",
    "failed ROUTER_RESPONSE_TIMEOUT",
];

/// What happened, for comparing runs and for showing the end of one that failed.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    hasher: DefaultHasher,
    last: Vec<String>,
    reached: BTreeSet<String>,
}

impl Trace {
    fn add(&mut self, line: String) {
        line.hash(&mut self.hasher);
        self.last.push(line);
        if self.last.len() > 20_000 {
            self.last.remove(0);
        }
    }

    /// Notes that a case was met.
    fn reach(&mut self, case: String) {
        self.reached.insert(case);
    }

    /// Lines that name this text.
    fn about(&self, text: &str) -> String {
        let lines = self.last.iter().filter(|line| line.contains(text)).take(60);
        lines.fold(String::new(), |all, line| all + "\n" + line)
    }
}

/// What is left of a run.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    hash: u64,
    reached: BTreeSet<String>,
    circuits: usize,
}

fn run(seed: u64) -> Outcome {
    let mut world = World::new(seed);
    for _ in 0..STEPS {
        world.step();
    }
    world.calm_down();
    let circuits = world.circuits();
    world.revoke_everything();
    Outcome {
        hash: world.trace.hasher.finish(),
        reached: world.trace.reached,
        circuits,
    }
}

#[test]
fn both_sides_agree_whatever_happens_between_them() {
    let (first, count) = match Seeds::chosen(SEEDS) {
        Seeds::One(seed) => {
            println!("{:?}", run(seed));
            return;
        },
        Seeds::Many { first, count } => (first, count),
    };
    let mut reached = BTreeSet::new();
    let mut circuits = 0;
    for seed in FOUND.into_iter().chain(first..first + count) {
        let outcome = run_seed(seed, || run(seed));
        reached.extend(outcome.reached);
        circuits += outcome.circuits;
    }
    println!("{count} seeds from {first}: {circuits} circuits left, {reached:?}");
    assert!(circuits > 0, "some circuits live on");
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
        assert_eq!(run(seed), run(seed));
    }
}
