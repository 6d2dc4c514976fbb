//! Protocol tracking of client bytes: heads, bodies and frames that are incomplete
//! (`docs/adr/0022-trackers-beside-hyper.md`).

use crate::http2_frames;
use crate::request_parser::RequestParser;

/// Follows the bytes of a connection as far as their protocol has to be understood.
pub(crate) enum ProtocolTracker {
    Http1(RequestParser),
    /// HTTP/2; hyper reads its bytes unchanged.
    Http2(http2_frames::FrameScanner),
}

/// Bytes of requests that have not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PendingInput {
    Http1 {
        /// Whether a head is incomplete. Empty lines before one do not begin it: some clients send
        /// them after a body, and then nothing.
        in_head: bool,
        /// Bytes of it, and of such lines.
        partial: usize,
        /// Bytes that hyper was given beyond the request that began last.
        pipelined: usize,
        /// Number of the last request among those.
        last: u64,
    },
    Http2 {
        /// Whether a header block is incomplete.
        in_block: bool,
        /// Bytes of an incomplete frame.
        partial: usize,
    },
}

impl ProtocolTracker {
    /// Takes the bytes of one read. Returns how many of them, from the start, go to hyper
    /// unchanged; what follows these is appended to `out`.
    pub(crate) fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> usize {
        match self {
            Self::Http1(parser) => parser.feed(bytes, out),
            Self::Http2(frames) => {
                frames.feed(bytes);
                bytes.len()
            },
        }
    }

    /// Refuses an incomplete head whose time is over.
    pub(crate) fn refuse_late_head(&mut self, out: &mut Vec<u8>) {
        if let Self::Http1(parser) = self {
            parser.refuse_late_head(out);
        }
    }

    /// Returns what is buffered of requests that have not begun.
    pub(crate) fn pending(&self) -> PendingInput {
        match self {
            Self::Http1(parser) => parser.pending(),
            Self::Http2(frames) => PendingInput::Http2 {
                in_block: frames.in_block(),
                partial: frames.buffered(),
            },
        }
    }
}

impl PendingInput {
    /// A new HTTP/1 connection.
    pub(crate) const HTTP1: Self = Self::Http1 {
        in_head: false,
        partial: 0,
        pipelined: 0,
        last: 0,
    };

    /// A new HTTP/2 connection.
    pub(crate) const HTTP2: Self = Self::Http2 {
        in_block: false,
        partial: 0,
    };

    pub(crate) fn is_http2(self) -> bool {
        matches!(self, Self::Http2 { .. })
    }

    /// Reports whether a head is incomplete.
    pub(crate) fn in_head(self) -> bool {
        match self {
            Self::Http1 { in_head, .. } => in_head,
            Self::Http2 { in_block, .. } => in_block,
        }
    }

    /// Records that request number `number` has begun.
    pub(crate) fn begin(&mut self, number: u64) {
        if let Self::Http1 {
            pipelined: ahead,
            last,
            ..
        } = self
            && *last <= number
        {
            *ahead = 0;
        }
    }

    /// Returns an upper bound of the buffered bytes; `largest` is the largest possible head.
    pub(crate) fn bytes(self, is_running: bool, largest: usize) -> usize {
        match self {
            // Complete requests begin at once, unless another one is running.
            Self::Http1 {
                partial,
                pipelined: ahead,
                ..
            } => partial + if is_running { ahead } else { 0 },
            Self::Http2 { in_block: true, .. } => largest,
            // The frame may belong to a body.
            Self::Http2 { partial, .. } => {
                if is_running {
                    0
                } else {
                    partial
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::refusal::RefusedRequest;
    use crate::request_head::HeadLimits;
    use std::sync::Arc;

    fn feed(inbound: &mut ProtocolTracker, bytes: &[u8]) -> PendingInput {
        inbound.feed(bytes, &mut Vec::new());
        inbound.pending()
    }

    #[test]
    fn requests_that_are_sent_ahead_count_until_they_begin() {
        let refused = Arc::new(RefusedRequest::default());
        let limits = HeadLimits::from_limits(&Limits::default());
        let parser = RequestParser::new(limits, Arc::clone(&refused));
        let mut inbound = ProtocolTracker::Http1(parser);
        let get = b"GET / HTTP/1.1\r\n\r\n";
        let mut pending = feed(&mut inbound, &[&get[..], b"GET /and"].concat());
        assert_eq!(pending.bytes(false, 100), 8);
        pending.begin(refused.begin().0);
        assert_eq!(pending.bytes(true, 100), 8);
        assert!(pending.in_head());
        pending = feed(&mut inbound, b"-so-on");
        assert_eq!(pending.bytes(true, 100), 14);

        let rest = [&b" HTTP/1.1\r\n\r\n"[..], get, b"G"].concat();
        pending = feed(&mut inbound, &rest);
        let ahead = 14 + rest.len();
        assert_eq!(pending.bytes(true, 100), ahead);
        pending.begin(refused.begin().0);
        assert_eq!(pending.bytes(true, 100), ahead, "at most");
        pending.begin(refused.begin().0);
        assert_eq!(pending.bytes(true, 100), 1);
    }

    #[test]
    fn body_of_a_request_is_not_held_for_another() {
        let refused = Arc::new(RefusedRequest::default());
        let limits = HeadLimits::from_limits(&Limits::default());
        let mut inbound = ProtocolTracker::Http1(RequestParser::new(limits, Arc::clone(&refused)));
        feed(
            &mut inbound,
            b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nfour",
        );
        refused.begin();
        let pending = feed(&mut inbound, b"five!GET / HTTP/1.1\r\n\r\n");
        assert_eq!(pending.bytes(true, 100), 18);
    }

    #[test]
    fn header_block_counts_as_the_largest_head() {
        let mut inbound = ProtocolTracker::Http2(http2_frames::FrameScanner::new());
        feed(&mut inbound, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        let pending = feed(&mut inbound, &[0, 0, 9, 1, 0, 0, 0, 0, 1, 1, 2, 3]);
        assert_eq!(pending.bytes(false, 100), 3);
        assert_eq!(pending.bytes(true, 100), 0);
        let pending = feed(&mut inbound, &[4, 5, 6, 7, 8, 9]);
        assert_eq!(pending.bytes(true, 100), 100);
    }
}
