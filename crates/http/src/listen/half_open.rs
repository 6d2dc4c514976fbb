//! Connections whose handshake is not done yet.

#[cfg(test)]
mod interleavings;
mod registry;
#[cfg(test)]
mod tests;
mod waiting;

// The registry takes its lock from here, so that `interleavings` can put that of loom in its place.
use std::sync;

pub(super) use self::registry::{HalfOpen, Place};
