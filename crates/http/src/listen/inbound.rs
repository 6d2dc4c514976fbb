//! What is still unfinished of what a client sent.

use std::mem;

use super::{frames, framing};

/// Bytes from the client, followed as far as their protocol has to be understood. None is kept.
pub(super) enum Inbound {
    /// Of HTTP/1: the next head, and how many bytes the library may still hold that belong to no
    /// complete head.
    Http1 {
        head: framing::Scanner,
        unused: usize,
    },
    /// Of HTTP/2.
    Http2(frames::Scanner),
}

impl Inbound {
    /// Follows HTTP/1.
    pub(super) fn http1() -> Self {
        Self::Http1 {
            head: framing::Scanner::default(),
            unused: 0,
        }
    }

    /// Follows HTTP/2.
    pub(super) fn http2() -> Self {
        Self::Http2(frames::Scanner::new())
    }

    /// Reports whether this is HTTP/2.
    pub(super) fn is_http2(&self) -> bool {
        matches!(self, Self::Http2(_))
    }

    /// Takes in the bytes of one read, which may belong to the body of a running request.
    pub(super) fn feed(&mut self, bytes: &[u8], is_running: bool) {
        match self {
            // The library reads on when it has used what it had, so no more than this is left over.
            Self::Http1 { unused, .. } if is_running => *unused = bytes.len(),
            Self::Http1 { head, unused } => {
                head.feed(bytes);
                *unused += bytes.len();
            },
            Self::Http2(frames) => frames.feed(bytes),
        }
    }

    /// Begins a request, and returns what was seen of its head.
    pub(super) fn begin(&mut self) -> Option<framing::Scanner> {
        match self {
            Self::Http1 { head, unused } => {
                let head = mem::take(head);
                *unused = head.beyond().unwrap_or(*unused);
                Some(head)
            },
            Self::Http2(_) => None,
        }
    }

    /// Forgets what was seen of the next head.
    pub(super) fn forget(&mut self) {
        if let Self::Http1 { head, .. } = self {
            *head = framing::Scanner::default();
        }
    }

    /// Reports whether a head has begun and is not complete, going by the last bytes.
    pub(super) fn in_head(&self, is_running: bool) -> bool {
        match self {
            Self::Http1 { .. } => !is_running,
            Self::Http2(frames) => frames.in_block(),
        }
    }

    /// Returns the most bytes that are held for requests that have not begun, `largest` being the
    /// most that a head can take.
    pub(super) fn held(&self, is_running: bool, largest: usize) -> usize {
        match self {
            Self::Http2(frames) if frames.in_block() => largest,
            _ if is_running => 0,
            Self::Http1 { unused, .. } => *unused,
            Self::Http2(frames) => frames.held(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_request_is_held_after_it() {
        let mut inbound = Inbound::http1();
        inbound.feed(b"GET / HTTP/1.1\r\n\r\nGET /and", false);
        assert_eq!(inbound.held(false, 100), 26);
        inbound.begin();
        assert_eq!(inbound.held(true, 100), 0);
        assert_eq!(inbound.held(false, 100), 8);
        inbound.feed(b"-so-on", false);
        assert_eq!(inbound.held(false, 100), 14);
        inbound.begin();
        inbound.feed(b"four", true);
        assert_eq!(inbound.held(false, 100), 4);
    }

    #[test]
    fn header_block_counts_as_the_largest_head() {
        let mut inbound = Inbound::http2();
        inbound.feed(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", false);
        inbound.feed(&[0, 0, 9, 1, 0, 0, 0, 0, 1, 1, 2, 3], false);
        assert_eq!(inbound.held(false, 100), 3);
        assert_eq!(inbound.held(true, 100), 0);
        inbound.feed(&[4, 5, 6, 7, 8, 9], false);
        assert_eq!(inbound.held(true, 100), 100);
    }
}
