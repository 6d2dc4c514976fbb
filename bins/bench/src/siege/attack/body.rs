//! A body of a request that may have no end.

use bytes::Bytes;
use hyper::body::{Body, Frame};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The largest piece of it.
const PIECE: usize = 16 * 1024;

/// Spaces, which are JSON as far as they go.
pub(super) struct Spaces {
    left: usize,
    has_end: bool,
}

impl Spaces {
    /// Nothing at all.
    pub(super) fn none() -> Self {
        Self {
            left: 0,
            has_end: true,
        }
    }

    /// So many, and then neither more nor the end.
    pub(super) fn without_end(count: usize) -> Self {
        Self {
            left: count,
            has_end: false,
        }
    }
}

impl Body for Spaces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        const SPACES: Bytes = Bytes::from_static(&[b' '; PIECE]);
        let count = self.left.min(PIECE);
        self.left -= count;
        match (count, self.has_end) {
            (0, true) => Poll::Ready(None),
            // Nobody wakes it again: it ends with its stream.
            (0, false) => Poll::Pending,
            _ => Poll::Ready(Some(Ok(Frame::data(SPACES.slice(..count))))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0 && self.has_end
    }
}
