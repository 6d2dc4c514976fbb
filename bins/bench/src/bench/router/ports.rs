//! Ports for programs that have to be told theirs.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

/// A port of the loopback that is free now.
pub(in crate::bench) fn free() -> anyhow::Result<SocketAddr> {
    free_at(Ipv4Addr::LOCALHOST)
}

/// A port of an address that is free now.
pub(super) fn free_at(host: Ipv4Addr) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind((host, 0))?;
    Ok(listener.local_addr()?)
}
