//! Answers on their way to the client.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

use super::activity::Running;
use super::{AnswerBody, AnswerError};

/// Most bytes handed over at a time. What the library holds of an answer whose request no longer
/// counts is not much more.
const PIECE: usize = 16 * 1024;

/// Body of an answer that keeps its request counted until the last piece is handed over.
pub(super) struct Tracked {
    inner: AnswerBody,
    rest: Bytes,
    running: Option<Running>,
}

impl Tracked {
    /// Wraps the body of the answer to a request that counts as `running`.
    pub(super) fn new(inner: AnswerBody, running: Running) -> Self {
        Self {
            inner,
            rest: Bytes::new(),
            running: Some(running),
        }
    }

    /// Cuts the next piece off what is left of a frame.
    fn piece(&mut self) -> Frame<Bytes> {
        let length = self.rest.len().min(PIECE);
        Frame::data(self.rest.split_to(length))
    }
}

impl hyper::body::Body for Tracked {
    type Data = Bytes;
    type Error = AnswerError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, AnswerError>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.inner).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end_or_fault => {
                    self.running = None;
                    return Poll::Ready(end_or_fault);
                },
            }
        }
        Poll::Ready(Some(Ok(self.piece())))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (inner, rest) = (self.inner.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + rest);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listen::activity::Activity;
    use crate::listen::head_room::HeadRoom;
    use crate::listen::inbound::Inbound;
    use crate::listen::{Limits, whole};
    use http_body_util::BodyExt as _;
    use hyper::body::Body as _;
    use std::sync::Arc;

    #[tokio::test]
    async fn long_answer_goes_in_pieces_and_counts_until_the_last() {
        let activity = Activity::new(
            Arc::new(Limits::default()),
            Inbound::http2(),
            HeadRoom::new(0).share(),
        );
        let (running, _head) = activity.begin();
        let length = 2 * PIECE + 5;
        let mut body = Tracked::new(whole(vec![7; length]), running);
        for (piece, left) in [(PIECE, PIECE + 5), (PIECE, 5), (5, 0)] {
            assert!(!body.is_end_stream());
            let frame = body.frame().await.unwrap().unwrap();
            assert_eq!(frame.into_data().unwrap().len(), piece);
            assert_eq!(body.size_hint().exact(), Some(left as u64));
            assert!(activity.is_running());
        }
        assert!(body.is_end_stream());
        assert!(body.frame().await.is_none());
        assert!(!activity.is_running());
    }
}
