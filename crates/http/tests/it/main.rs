//! The controller's service behind a listener.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod controller;
mod origin;
mod refusals;
