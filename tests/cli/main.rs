//! The real command line against the real controller.

mod exit_codes;
mod output;
mod session;
mod trust;
mod walk_through;

pub(crate) use session::Session;
