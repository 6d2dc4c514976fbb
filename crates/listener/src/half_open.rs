//! Unfinished TLS handshakes.

#[cfg(test)]
mod interleavings;
mod pending;
mod registry;
#[cfg(test)]
mod tests;

// The registry takes its lock from here, so that `interleavings` can substitute loom's.
use std::sync;

pub(crate) use self::registry::{HalfOpenRegistry, HandshakeSlot};
