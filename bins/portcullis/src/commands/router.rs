//! Shared parts of edge and transit router commands.

mod args;
mod show;
mod state;
mod token;

pub(crate) use args::{RouterArgs, RouterFlagArgs, RouterFlagUpdateArgs};
pub(crate) use show::ShowArgs;
pub(crate) use state::RouterState;
pub(crate) use token::{EnrollableRouter, RouterChange, create, deliver};

/// Fields of filters and orders of routers of both kinds.
pub(crate) const FIELDS: &[&str] = &[
    "name",
    "fingerprint",
    "cost",
    "noTraversal",
    "disabled",
    "configs",
    "connected",
];
