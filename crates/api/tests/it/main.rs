//! The wire types as clients and servers meet them.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may fail loudly"
)]

mod answers;
mod constructors;
mod decoding;
mod recorded;
mod replay;
mod requests;
mod secrets;
mod service_views;
mod views;
