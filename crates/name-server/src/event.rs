//! What is worth telling whoever runs the name server.

use crate::names::NoAddress;
use crate::upstream::Upstream;
use portcullis_tunnel_config::HostName;
use std::net::IpAddr;

/// What is worth telling. Clients cannot cause more of these than there are changes: each but the first is told
/// once, until the contrary has happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameServerEvent {
    /// A name got its address, once; for the debug log.
    AddressAssigned { name: HostName, address: IpAddr },
    /// An intercepted name got no address, and the client SERVFAIL.
    NoAddress { name: HostName, reason: NoAddress },
    /// An upstream has been silent or unreachable several times in a row.
    UpstreamAway(Upstream),
    /// It answers again.
    UpstreamBack(Upstream),
    /// So many queries wait for upstreams that further ones get SERVFAIL.
    TooManyQueries,
    /// There is no randomness, without which no upstream is asked; clients get SERVFAIL.
    NoRandomness,
}

/// How often what has happened since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages of clients.
    pub received: u64,
    /// Those that got no answer, because they were no queries or nobody could tell what they were.
    pub dropped: u64,
    /// Those that got an error at once: malformed, or of a kind that is not answered here.
    pub rejected: u64,
    /// Queries about intercepted names and their addresses that got an answer.
    pub answered: u64,
    /// Queries about intercepted names that got SERVFAIL, because there was no address left.
    pub without_address: u64,
    /// Queries about other names that nobody could be asked for.
    pub unanswerable: u64,
    /// Queries about other names that upstreams were to answer.
    pub passed_on: u64,
    /// Of these, those that asked what was being asked already.
    pub joined: u64,
    /// Queries that their client sent again while the first one was waiting. They get no answer of their own.
    pub repeated: u64,
    /// Queries about other names that got SERVFAIL, because too many were waiting.
    pub refused_full: u64,
    /// Queries about other names that got SERVFAIL, because no upstream answered in time.
    pub timed_out: u64,
    /// Messages that came as answers of upstreams, and were none.
    pub forged: u64,
}
