//! Times and limits.

use portcullis_datagram_flows::FlowOptions;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

/// Times and limits of a tunnel.
#[derive(Debug, Clone)]
pub struct TunnelOptions {
    /// How long after the start the first terminators are created. Until then, services may still come and
    /// change.
    pub settle_delay: Duration,
    /// Where ports are opened that name neither an address nor an interface.
    pub proxy_address: IpAddr,
    /// Connections of clients at one port, and such that are intercepted. Others wait in the kernel.
    pub max_streams_of_port: usize,
    /// Those of one client address. Others are reset.
    pub max_streams_of_client: usize,
    /// Circuits to the servers of one terminator, with those that are being connected. Others are refused.
    pub max_circuits_of_terminator: usize,
    /// Flows of datagrams at one port, and of all that is intercepted. The idle time counts at the side of
    /// servers as well.
    pub flows: FlowOptions,
    /// Dials at a time for new flows of one port. Datagrams of others are dropped.
    pub max_flow_dials: usize,
    /// For checks of servers by HTTPS, which fail without.
    pub tls: Option<Arc<rustls::ClientConfig>>,
}

impl Default for TunnelOptions {
    fn default() -> Self {
        Self {
            settle_delay: Duration::from_secs(2),
            proxy_address: Ipv4Addr::UNSPECIFIED.into(),
            max_streams_of_port: 10_000,
            max_streams_of_client: 5_000,
            max_circuits_of_terminator: 10_000,
            flows: FlowOptions::default(),
            max_flow_dials: 1_024,
            tls: None,
        }
    }
}
