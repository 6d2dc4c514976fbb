//! Who may do what.

mod admission;
mod channel;
mod enforcement;
mod following;
mod judging;
mod keeping;
mod legacy;
mod naive;
pub(crate) mod network;
mod posture;
mod seeds;
mod subscriptions;
mod tokens;
pub(crate) mod world;
