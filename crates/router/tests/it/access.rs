//! Who may do what.

mod admission;
mod channel;
mod enforcement;
mod following;
mod judging;
mod keeping;
mod legacy;
mod naive;
mod network;
mod posture;
mod seeds;
mod subscriptions;
mod tokens;
mod world;
