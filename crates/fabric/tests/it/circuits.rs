//! The life of circuits.

mod adopting;
mod dialing;
mod ending;
mod options;
mod rerouting;
mod speed;
pub(crate) mod stage;
