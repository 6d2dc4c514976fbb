//! The listener as clients of all kinds see it.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod bodies;
mod capacity;
mod handshakes;
mod http2;
mod protocols;
mod refusals;
mod requests;
mod server;
mod shares;
mod shutdown;
mod upgrades;
