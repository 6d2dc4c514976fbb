//! Control sessions with controllers that do as a test says, over sockets.

pub(crate) mod controller;
mod online;
mod renewal;
mod roster;
mod traces;
mod trouble;
pub(crate) mod world;
