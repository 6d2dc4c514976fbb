//! What a name server wants done.

use crate::upstream::{Transport, Upstream};
use std::net::SocketAddr;

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Client {
    pub address: SocketAddr,
    pub transport: Transport,
    /// Which of its sockets the caller has received the query at. It is handed back as it came.
    pub socket: usize,
}

/// A query to an upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UpstreamQueryId(pub(crate) u64);

/// What a name server wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Send this to a client.
    Reply { client: Client, message: Vec<u8> },
    /// Send this to an upstream, from a socket of its own, so that nobody can guess its port (RFC 5452,
    /// section 9.2). What comes back belongs to [`NameServer::handle_answer`](crate::NameServer::handle_answer);
    /// if nothing can come back, [`NameServer::handle_unreachable`](crate::NameServer::handle_unreachable).
    Ask {
        query: UpstreamQueryId,
        upstream: Upstream,
        message: Vec<u8>,
    },
    /// Nobody waits for the answer of an upstream any more; its socket can go.
    Forget(UpstreamQueryId),
}
