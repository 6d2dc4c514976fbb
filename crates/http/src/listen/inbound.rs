//! Bytes from a client on their way to the HTTP library, and what they leave unfinished.

use super::frames;
use super::request_parser::RequestParser;

/// Follows the bytes of a connection as far as their protocol has to be understood.
pub(super) enum Inbound {
    /// Of HTTP/1.
    Http1(RequestParser),
    /// Of HTTP/2; the library reads them as they are.
    Http2(frames::Scanner),
}

/// What a connection holds of requests that have not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pending {
    /// Of HTTP/1.
    Http1 {
        /// Whether a head is not complete. Empty lines before one do not begin it: some clients send
        /// them behind a body, and then rest.
        in_head: bool,
        /// Bytes of it, and of such lines.
        partial: usize,
        /// Bytes that the library was given beyond the request that had begun last.
        ahead: usize,
        /// Number of the last request among those.
        last: u64,
    },
    /// Of HTTP/2.
    Http2 {
        /// Whether a header block is not complete. What it takes in memory has little to do with its
        /// length, for it is compressed.
        in_block: bool,
        /// Bytes of a frame that is not complete.
        partial: usize,
    },
}

impl Inbound {
    /// Takes in the bytes of one read. Returns how many at their beginning go to the library as they
    /// are; what goes there behind them is added to `out`.
    pub(super) fn take(&mut self, fresh: &[u8], out: &mut Vec<u8>) -> usize {
        match self {
            Self::Http1(parser) => parser.take(fresh, out),
            Self::Http2(frames) => {
                frames.feed(fresh);
                fresh.len()
            },
        }
    }

    /// Refuses a head that is not complete, since its time is over.
    pub(super) fn refuse_late_head(&mut self, out: &mut Vec<u8>) {
        if let Self::Http1(parser) = self {
            parser.refuse_late_head(out);
        }
    }

    /// What is held of requests that have not begun.
    pub(super) fn pending(&self) -> Pending {
        match self {
            Self::Http1(parser) => parser.pending(),
            Self::Http2(frames) => Pending::Http2 {
                in_block: frames.in_block(),
                partial: frames.held(),
            },
        }
    }
}

impl Pending {
    /// That of a fresh connection of HTTP/1.
    pub(super) const HTTP1: Self = Self::Http1 {
        in_head: false,
        partial: 0,
        ahead: 0,
        last: 0,
    };

    /// That of a fresh connection of HTTP/2.
    pub(super) const HTTP2: Self = Self::Http2 {
        in_block: false,
        partial: 0,
    };

    /// Reports whether this is HTTP/2.
    pub(super) fn is_http2(self) -> bool {
        matches!(self, Self::Http2 { .. })
    }

    /// Reports whether a head has begun and is not complete.
    pub(super) fn in_head(self) -> bool {
        match self {
            Self::Http1 { in_head, .. } => in_head,
            Self::Http2 { in_block, .. } => in_block,
        }
    }

    /// Notes that request number `number` has begun.
    pub(super) fn begin(&mut self, number: u64) {
        if let Self::Http1 { ahead, last, .. } = self
            && *last <= number
        {
            *ahead = 0;
        }
    }

    /// Returns the most bytes that are held, `largest` being the most that a head can take.
    pub(super) fn bytes(self, is_running: bool, largest: usize) -> usize {
        match self {
            // What is complete begins at once, unless something runs before it.
            Self::Http1 { partial, ahead, .. } => partial + if is_running { ahead } else { 0 },
            Self::Http2 { in_block: true, .. } => largest,
            // The frame may be of a body.
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
    use crate::listen::Limits;
    use crate::listen::refusal::RefusedRequest;
    use crate::listen::request_head::HeadLimits;
    use std::sync::Arc;

    fn feed(inbound: &mut Inbound, bytes: &[u8]) -> Pending {
        inbound.take(bytes, &mut Vec::new());
        inbound.pending()
    }

    #[test]
    fn requests_that_are_sent_ahead_count_until_they_begin() {
        let refused = Arc::new(RefusedRequest::default());
        let limits = HeadLimits::of(&Limits::default());
        let parser = RequestParser::new(limits, Arc::clone(&refused));
        let mut inbound = Inbound::Http1(parser);
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
        let limits = HeadLimits::of(&Limits::default());
        let mut inbound = Inbound::Http1(RequestParser::new(limits, Arc::clone(&refused)));
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
        let mut inbound = Inbound::Http2(frames::Scanner::new());
        feed(&mut inbound, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        let pending = feed(&mut inbound, &[0, 0, 9, 1, 0, 0, 0, 0, 1, 1, 2, 3]);
        assert_eq!(pending.bytes(false, 100), 3);
        assert_eq!(pending.bytes(true, 100), 0);
        let pending = feed(&mut inbound, &[4, 5, 6, 7, 8, 9]);
        assert_eq!(pending.bytes(true, 100), 100);
    }
}
