//! The client against a server that says what a test wants said.
#![expect(clippy::unwrap_used, reason = "what is unexpected ends a test")]

mod access_tokens;
mod certificates;
mod connections;
mod entities;
mod first_contact;
mod mfa;
mod requests;
mod retries;
mod server;
mod streams;
mod trust;
mod upgrades;
