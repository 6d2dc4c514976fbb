//! Fuzzing: mutated input for every parser that strangers reach, and for the picture of the network, and
//! what holds for each input.
//!
//! `cargo test` tries the same few thousand inputs each time. For longer, and from other seeds:
//!
//! ```text
//! PORTCULLIS_FUZZ_SECONDS=600 cargo test --release -p portcullis-tests --test fuzz -- --nocapture
//! ```
//!
//! The inputs grow out of `corpus` and out of what the tests make themselves. One that breaks a promise
//! is shown; it belongs into the corpus with the change that mends it. The filter language and the
//! routers' files have fuzzers of their own in their crates.

mod bodies;
mod certificates;
mod claims;
mod clients_without_sdk;
mod driver;
mod fabric;
mod files;
mod frames;
mod logins;
mod mutate;
mod name_server;
mod names;
mod oidc;
mod rights;
mod tokens;
