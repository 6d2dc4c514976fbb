//! Ports that stand for others.

use std::net::SocketAddr;

/// What comes to one port of this machine, TCP and UDP, goes to another one: so that a name server is reached at a
/// port that it may not open itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redirect {
    pub from: SocketAddr,
    /// At the same address.
    pub to: SocketAddr,
}
