//! Fetches from servers of all kinds.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod answers;
mod limits;
mod names;
mod redirects;
mod roots;
mod server;
mod setting;
mod tls;
