//! What lies between two routers, or two relays.

use super::line::Line;
use portcullis_bad_line::Mirror;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// What lies between them.
#[derive(Debug, Clone, Copy)]
pub(super) enum Between {
    Nothing,
    /// A line that delays each way, and through which only so much passes.
    Distance(Duration),
    /// The [`Mirror`] that is laid.
    BadLine,
}

impl Between {
    /// Where the second one has to listen.
    pub(super) const fn host(self) -> Ipv4Addr {
        match self {
            Self::Nothing | Self::Distance(_) => Ipv4Addr::LOCALHOST,
            Self::BadLine => Mirror::NEAR,
        }
    }

    /// Where the first one reaches what listens at an address.
    pub(super) async fn leads_to(self, address: SocketAddr) -> anyhow::Result<SocketAddr> {
        match self {
            Self::Nothing => Ok(address),
            Self::Distance(delay) => Ok(Line::open(address, delay).await?.address()),
            Self::BadLine => Ok((Mirror::FAR, address.port()).into()),
        }
    }
}
