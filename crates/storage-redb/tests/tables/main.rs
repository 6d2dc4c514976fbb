//! Tables of the store, on the embedded engine.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may fail loudly"
)]

mod audit;
mod cached;
mod damage;
mod entities;
mod exact_rows;
mod golden;
mod integrity;
mod kinds;
mod network;
mod removal;
mod sequences;
mod support;
mod uniqueness;
mod unlinking;
