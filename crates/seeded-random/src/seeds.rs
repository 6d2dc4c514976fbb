//! Which seeds a simulation runs.
//!
//! | Variable | Seeds |
//! |---|---|
//! | none | the usual number, from 0 on |
//! | `PORTCULLIS_SIMULATION_SEED` | that one, to look at it |
//! | `PORTCULLIS_SIMULATION_SEEDS` | so many, from `PORTCULLIS_SIMULATION_FIRST` on, or else fresh ones |

#![expect(clippy::panic, reason = "tests fail by it")]

use std::env;
use std::hash::{BuildHasher as _, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The seeds to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seeds {
    One(u64),
    Many { first: u64, count: u64 },
}

impl Seeds {
    /// What the environment asks for; `usual` seeds if it does not.
    ///
    /// # Panics
    ///
    /// If a variable is no number.
    #[must_use]
    pub fn chosen(usual: u64) -> Self {
        if let Some(seed) = number("PORTCULLIS_SIMULATION_SEED") {
            return Self::One(seed);
        }
        let Some(count) = number("PORTCULLIS_SIMULATION_SEEDS") else {
            return Self::Many {
                first: 0,
                count: usual,
            };
        };
        let first = number("PORTCULLIS_SIMULATION_FIRST");
        let fresh = || RandomState::new().hash_one(()) >> 1;
        Self::Many {
            first: first.unwrap_or_else(fresh),
            count,
        }
    }
}

/// Runs a seed; tells how to run it again if that panics.
///
/// # Panics
///
/// If `run` does.
pub fn run_seed<T>(seed: u64, run: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|_| panic!("PORTCULLIS_SIMULATION_SEED={seed}"))
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|error| panic!("{variable}={text}: {error}")),
    )
}
