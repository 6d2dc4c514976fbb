//! Ports for programs that have to be told theirs.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

/// A port of the loopback that is free now.
pub(super) fn free() -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?)
}
