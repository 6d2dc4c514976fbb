//! Shared parts of edge and transit router commands.

mod args;
mod state;
mod token;

pub(crate) use args::{RouterArgs, RouterFlagArgs, RouterFlagUpdateArgs};
pub(crate) use state::RouterState;
pub(crate) use token::{EnrollableRouter, RouterChange, create, deliver, show};
