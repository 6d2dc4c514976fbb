//! What is to be done.

use crate::mode::ProxyPort;
use crate::rules::RuleChange;
use crate::service::{ServerKey, ServiceId};
use portcullis_domain::identity::Precedence;
use portcullis_tunnel_config::Probe;
use std::sync::Arc;
use std::time::Duration;

/// Something that is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Offer a server. [`Tunneler::offered`](crate::Tunneler::offered) or
    /// [`Tunneler::offer_ended`](crate::Tunneler::offer_ended) has to follow.
    Offer(ServerKey, Offer),
    /// A server that is offered, or that is being offered, has another precedence or cost.
    Reprice {
        server: ServerKey,
        precedence: Precedence,
        cost: u16,
    },
    /// Offer a server no longer. What is connected to it goes on.
    Withdraw(ServerKey),
    /// Check a server. [`Tunneler::checked`](crate::Tunneler::checked) has to follow.
    Check(ServerCheck),
    /// Tell the controller whether a server is healthy.
    TellHealth { server: ServerKey, is_healthy: bool },
    /// Listen at a port.
    Listen(ProxyPort),
    /// Listen at a port no longer. What is connected goes on.
    StopListening(ProxyPort),
    /// Change what the kernel intercepts.
    Intercept(RuleChange),
    /// The identity may not dial the service any more: end the connections to it.
    EndDialed(ServiceId),
    /// The identity may not host the service any more: end the connections to its servers.
    EndHosted(ServiceId),
}

/// How a server is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub service_name: Arc<str>,
    pub is_encrypted: bool,
    /// The name by which this host is dialed, of several.
    pub identity: Option<String>,
    pub precedence: Precedence,
    pub cost: u16,
    /// At how many routers an SDK offers it.
    pub max_connections: Option<u32>,
}

/// A check of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCheck {
    pub id: CheckId,
    pub probe: Probe,
    /// After which it has failed.
    pub timeout: Duration,
}

/// One check of a server, of many in a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckId {
    pub server: ServerKey,
    pub(crate) index: usize,
    pub(crate) number: u64,
}
