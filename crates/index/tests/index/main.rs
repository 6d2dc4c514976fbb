//! The projections against naive models.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests fail by panicking"
)]

mod access;
mod catalog;
mod changes;
mod entities;
mod kinds;
mod projections;
mod rows;
mod search;
mod sessions;
mod support;
