//! What to host, and how.

use bytes::Bytes;
use portcullis_domain::identity::Precedence;
use std::fmt;

/// What to host, and how.
#[derive(Clone, PartialEq, Eq)]
pub struct ListenOptions {
    /// Name of the service.
    pub service: String,
    /// Name by which dialers choose this one among all that host the service; usually that of the own identity.
    /// Whoever does not ask for it does not reach it.
    pub identity: Option<String>,
    /// Needed to host under the same `identity` as another terminator that was created with it.
    pub identity_secret: Option<Bytes>,
    /// The terminator with the lowest one is preferred. By default what administrators have said of the identity.
    pub cost: Option<u16>,
    /// By default what administrators have said of the identity.
    pub precedence: Option<Precedence>,
    /// At how many routers others can reach the service at the same time, if there are as many; 3 by default.
    pub max_connections: usize,
    /// How many connections may wait to be accepted: 1 to 65,536, 128 by default.
    pub backlog: usize,
}

impl ListenOptions {
    /// The usual options.
    pub fn new(service: impl Into<String>) -> Self {
        Self {
            service: service.into(),
            identity: None,
            identity_secret: None,
            cost: None,
            precedence: None,
            max_connections: 3,
            backlog: 128,
        }
    }
}

impl fmt::Debug for ListenOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListenOptions")
            .field("service", &self.service)
            .field("identity", &self.identity)
            .field("cost", &self.cost)
            .field("precedence", &self.precedence)
            .field("max_connections", &self.max_connections)
            .field("backlog", &self.backlog)
            .finish_non_exhaustive()
    }
}
