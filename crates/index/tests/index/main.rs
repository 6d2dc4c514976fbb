//! The projections against naive models.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod catalog;
mod projections;
mod sessions;
mod support;
