//! What one connection, and all of them together, may cost.

use std::time::Duration;

/// Bounds of a listener; the defaults suit a controller that faces the Internet.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Time from accept to the end of the TLS handshake.
    pub handshake: Duration,
    /// Time from the end of the handshake, or from the first byte of a later request, to the end of
    /// the request head.
    pub header_read: Duration,
    /// Time that a connection which has served a request may stay unused.
    pub idle: Duration,
    /// Time that the client may leave written bytes untaken before the connection is dropped.
    pub write_stall: Duration,
    /// Time within which the client has to take a piece (16 KiB, or the rest of an answer) of what
    /// waits for it, in HTTP/2 also if it makes no room for it.
    pub answer_stall: Duration,
    /// Time within which the client has to take the whole of an answer.
    pub answer_total: Duration,
    /// Time to take in, unread, what a refused client is still sending, so that the reset that
    /// follows a close does not overtake the answer.
    pub linger: Duration,
    /// Time that running requests are given once shutdown has begun.
    pub drain: Duration,
    /// Largest request head in bytes: request line and headers (HTTP/1), header list (HTTP/2).
    /// Values below 8 KiB count as 8 KiB.
    pub max_head_bytes: usize,
    /// Most header lines in one HTTP/1 request.
    pub max_headers: usize,
    /// Most connections with an unfinished handshake. One more drops the oldest of the peer that has
    /// most of them: a client that means it is done within a fraction of the deadline, a flood is not.
    /// Among equals, who finished a handshake lately loses last, and who comes often loses first.
    pub max_half_open: usize,
    /// Bounds that only HTTP/2 has.
    pub http2: Http2Limits,
}

/// Bounds of an HTTP/2 connection.
#[derive(Clone, Debug)]
pub struct Http2Limits {
    /// Most streams open at a time.
    pub max_streams: u32,
    /// Flow-control window of one stream, in bytes.
    pub stream_window: u32,
    /// Flow-control window of the connection, in bytes.
    pub connection_window: u32,
    /// Most streams that the client has reset before they were looked at; one more ends the
    /// connection (rapid reset, CVE-2023-44487).
    pub max_reset_streams: usize,
    /// Most streams reset by this side because of the client's faults; one more ends the connection.
    pub max_faulty_streams: usize,
    /// Time without a frame after which the client is asked for a sign of life.
    pub ping_interval: Duration,
    /// Time that the client has to give it.
    pub ping_timeout: Duration,
}

/// How much of something all clients may use together, and one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Most of it for all.
    pub total: usize,
    /// Most of it for one peer: an address (in IPv6 a network of 64 bits) or an identity.
    pub per_peer: usize,
}

/// What clients share. When all of something is in use, the peer that uses most of it loses some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Connections with a finished handshake; those of least use are closed first.
    pub connections: Quota,
    /// Bytes of requests whose head is not complete, besides the first 2 KiB of each connection. A header
    /// block of HTTP/2 counts as the largest head. The connection that has had one for longest is closed.
    pub request_heads: Quota,
    /// Bytes of answers that were not taken yet, besides the first 16 KiB of each connection, and 8 KiB
    /// for each request beyond the fourth that it has under way; the connection with most is closed.
    pub unread_answers: Quota,
    /// Bytes of requests of full sessions, by identity: bodies as they arrive, and heads of more than
    /// 4 KiB. The largest that is still arriving is broken off.
    pub session_requests: Quota,
    /// The same of all other requests, by address.
    pub stranger_requests: Quota,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            connections: Quota {
                total: 16 * 1024,
                per_peer: 4 * 1024,
            },
            request_heads: Quota {
                total: 32 * MIB,
                per_peer: 8 * MIB,
            },
            unread_answers: Quota {
                total: 128 * MIB,
                per_peer: 32 * MIB,
            },
            session_requests: Quota {
                total: 128 * MIB,
                per_peer: 4 * MIB,
            },
            stranger_requests: Quota {
                total: 32 * MIB,
                per_peer: MIB,
            },
        }
    }
}

const MIB: usize = 1024 * 1024;

impl Limits {
    /// Returns [`Self::max_head_bytes`], raised to the least that the HTTP/1 reader works with.
    pub(super) fn head_bytes(&self) -> usize {
        self.max_head_bytes.max(8 * 1024)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(10),
            header_read: Duration::from_secs(10),
            idle: Duration::from_secs(75),
            write_stall: Duration::from_secs(30),
            answer_stall: Duration::from_secs(8),
            answer_total: Duration::from_mins(2),
            linger: Duration::from_secs(2),
            drain: Duration::from_secs(10),
            // The longest URI that the parser takes (64 KiB, a filter may fill it) and 16 KiB of
            // headers, room for several bearer tokens.
            max_head_bytes: 80 * 1024,
            max_headers: 100,
            max_half_open: 4096,
            http2: Http2Limits::default(),
        }
    }
}

impl Default for Http2Limits {
    fn default() -> Self {
        Self {
            max_streams: 100,
            stream_window: 64 * 1024,
            connection_window: 256 * 1024,
            max_reset_streams: 20,
            max_faulty_streams: 64,
            ping_interval: Duration::from_secs(30),
            ping_timeout: Duration::from_secs(10),
        }
    }
}
