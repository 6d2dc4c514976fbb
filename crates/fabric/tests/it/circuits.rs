//! The life of circuits.

mod adopting;
mod dialing;
mod ending;
mod options;
mod rerouting;
pub(crate) mod stage;
