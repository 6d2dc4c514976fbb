//! What is to be done.

use crate::mode::ProxyPort;
use crate::rules::RuleChange;
use crate::service::{ServiceId, TerminatorId, TerminatorKey};
use portcullis_domain::identity::Precedence;
use portcullis_name_server::ReleasedName;
use portcullis_tunnel_config::Probe;
use std::sync::Arc;
use std::time::Duration;

/// Something that is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Create a terminator. [`Tunneler::terminator_created`](crate::Tunneler::terminator_created) or
    /// [`Tunneler::terminator_ended`](crate::Tunneler::terminator_ended) has to follow.
    CreateTerminator(TerminatorId, TerminatorOptions),
    /// Give a terminator that was created another precedence or cost.
    UpdateTerminator {
        terminator: TerminatorId,
        precedence: Precedence,
        cost: u16,
    },
    /// Remove a terminator, or create it no longer. What is connected to its server goes on.
    RemoveTerminator(TerminatorId),
    /// Check a server. [`Tunneler::checked`](crate::Tunneler::checked) has to follow.
    Check(ServerCheck),
    /// Tell the controller whether the server of a terminator that was created is healthy.
    ReportHealth {
        terminator: TerminatorId,
        is_healthy: bool,
    },
    /// Listen at a port. [`Tunneler::listen_ended`](crate::Tunneler::listen_ended) has to follow if that fails,
    /// at once or later.
    Listen(ProxyPort),
    /// Listen at a port no longer. What is connected goes on.
    StopListening(ProxyPort),
    /// Change what the kernel intercepts.
    Intercept(RuleChange),
    /// These names are intercepted no longer, or have been idle while names are short: forget their addresses, which
    /// other names can have from now on, and end the connections that were intercepted at them.
    ReleaseNames(Vec<ReleasedName>),
    /// What is intercepted has changed. End each flow of datagrams, and whatever else is remembered by its
    /// destination, whose [`Tunneler::service_at`](crate::Tunneler::service_at) is another one than before.
    CheckFlows,
    /// The identity may not dial the service any more: end the connections to it.
    EndDialed(ServiceId),
    /// The identity may not host the service any more: end the connections to its servers.
    EndHosted(ServiceId),
}

/// How a terminator is created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminatorOptions {
    pub service_name: Arc<str>,
    pub is_encrypted: bool,
    /// The name by which this host is dialed, of several.
    pub identity: Option<String>,
    pub precedence: Precedence,
    pub cost: u16,
    /// At how many routers an SDK creates it.
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
    pub terminator: TerminatorKey,
    pub(crate) index: usize,
    pub(crate) number: u64,
}
