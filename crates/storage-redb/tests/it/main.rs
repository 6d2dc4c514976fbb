//! Integration tests of the engine, and of the vault on it.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail loudly"
)]

mod bit_rot;
mod conformance;
mod copies;
mod faults;
mod groups;
mod kill;
mod opening;
mod power_loss;
mod support;
mod vault;
