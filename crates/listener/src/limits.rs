//! Limits of connections and quotas of clients.

use std::time::Duration;

/// Limits of a listener; the defaults suit a controller that faces the Internet.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Time from accept to the end of the TLS handshake.
    pub handshake: Duration,
    /// Time from the end of the handshake, or from the first byte of a later request, to the end of
    /// the request head.
    pub header_read: Duration,
    /// Time that a connection may stay idle after serving a request.
    pub idle: Duration,
    /// Time that the client may leave written bytes unread before the connection is dropped.
    pub write_stall: Duration,
    /// Time within which the client has to read a chunk (16 KiB, or the rest of a response), even
    /// if it does not open the HTTP/2 window for it.
    pub response_stall: Duration,
    /// Time within which the client has to read a complete response.
    pub response_total: Duration,
    /// Time to read and discard what a refused client is still sending, so that the reset that
    /// follows a close does not overtake the response.
    pub linger: Duration,
    /// Time that running requests have once shutdown has begun.
    pub drain: Duration,
    /// Largest request head in bytes: request line and headers (HTTP/1), header list (HTTP/2).
    /// Values below 8 KiB count as 8 KiB.
    pub max_head_bytes: usize,
    /// Most header lines in one HTTP/1 request.
    pub max_headers: usize,
    /// Most unfinished handshakes. One more evicts the oldest of the peer that has most of them: a
    /// genuine client finishes within a fraction of the deadline, a flood does not. Among equals,
    /// peers that finished a handshake lately are evicted last, and frequent ones first.
    pub max_half_open: usize,
    /// HTTP/2 limits.
    pub http2: Http2Limits,
}

/// Limits of an HTTP/2 connection.
#[derive(Clone, Debug)]
pub struct Http2Limits {
    /// Most concurrent streams.
    pub max_streams: u32,
    /// Flow-control window of one stream, in bytes.
    pub stream_window: u32,
    /// Flow-control window of the connection, in bytes.
    pub connection_window: u32,
    /// Most streams that the client has reset before they were accepted; one more ends the
    /// connection (rapid reset, CVE-2023-44487).
    pub max_reset_streams: usize,
    /// Most streams reset by the server because of client errors; one more ends the connection.
    pub max_faulty_streams: usize,
    /// Time without a frame after which a ping is sent.
    pub ping_interval: Duration,
    /// Time that the client has to answer it.
    pub ping_timeout: Duration,
}

/// How much of a resource all clients may use together, and each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Limit for all peers together.
    pub total: usize,
    /// Limit for one peer: an address (in IPv6 a 64-bit network) or an identity.
    pub per_peer: usize,
}

/// Quotas of the [`Budgets`](crate::Budgets). When one is exhausted, the heaviest peer is evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Connections with a finished handshake; the least useful are closed first.
    pub connections: Quota,
    /// Bytes of requests whose head is incomplete, besides the first 2 KiB of each connection. An
    /// HTTP/2 header block counts as the largest head. The connection with the oldest incomplete
    /// head is closed.
    pub request_heads: Quota,
    /// Bytes of unread responses, besides the first 16 KiB of each connection, and 8 KiB for each
    /// concurrent request beyond the fourth; the connection with most is closed.
    pub unread_responses: Quota,
    /// Bytes of requests of full sessions, by identity: bodies as they arrive, and heads of more
    /// than 4 KiB. The largest that is still arriving is cancelled.
    pub session_requests: Quota,
    /// The same for all other requests, by address.
    pub unauthenticated_requests: Quota,
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
            unread_responses: Quota {
                total: 128 * MIB,
                per_peer: 32 * MIB,
            },
            session_requests: Quota {
                total: 128 * MIB,
                per_peer: 4 * MIB,
            },
            unauthenticated_requests: Quota {
                total: 32 * MIB,
                per_peer: MIB,
            },
        }
    }
}

const MIB: usize = 1024 * 1024;

impl Limits {
    /// Returns [`Self::max_head_bytes`], raised to hyper's minimum for HTTP/1.
    pub(crate) fn head_bytes(&self) -> usize {
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
            response_stall: Duration::from_secs(8),
            response_total: Duration::from_mins(2),
            linger: Duration::from_secs(2),
            drain: Duration::from_secs(10),
            // The longest URI that hyper accepts, 64 KiB, and 16 KiB of headers.
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
