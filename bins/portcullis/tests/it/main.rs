//! Tests of the command line as a process, without a controller.
#![expect(clippy::unwrap_used, reason = "what is unexpected ends a test")]

mod arguments;
mod environment;
mod help;
mod profiles;
mod unreachable;
