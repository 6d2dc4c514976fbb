//! Answers on their way to the client.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use hyper::body::{Body as _, Frame, SizeHint};

use super::activity::{Activity, Running};
use super::{AnswerBody, AnswerError};

/// Most bytes handed over at a time.
const PIECE: usize = 16 * 1024;

/// Body of an answer that keeps its request counted until the last piece is handed over, and its
/// connection informed of what the client has not taken.
pub(super) struct Tracked {
    inner: AnswerBody,
    rest: Bytes,
    running: Option<Running>,
    activity: Arc<Activity>,
    answer: u64,
    /// Bytes that the connection knows of and that are in no piece yet.
    waiting: usize,
}

/// A piece of an answer, as long as the client has not taken it.
pub(super) struct Piece {
    bytes: Bytes,
    length: usize,
    activity: Arc<Activity>,
    answer: u64,
}

impl Tracked {
    /// Wraps the body of the answer to a request that counts as `running`.
    pub(super) fn new(inner: AnswerBody, running: Running) -> Self {
        let activity = Arc::clone(running.activity());
        // Of a body that is written while it is sent, there is nothing yet.
        let waiting = inner.size_hint().exact().unwrap_or(0);
        let waiting = usize::try_from(waiting).unwrap_or(usize::MAX);
        let answer = activity.begin_answer(waiting);
        Self {
            inner,
            rest: Bytes::new(),
            running: Some(running),
            activity,
            answer,
            waiting,
        }
    }

    /// Takes the next bytes of the answer.
    fn take_in(&mut self, data: Bytes) {
        if data.len() > self.waiting {
            let more = data.len() - self.waiting;
            self.activity.add_to_answer(self.answer, more);
            self.waiting += more;
        }
        self.rest = data;
    }

    /// Cuts the next piece off what is left of a frame.
    fn piece(&mut self) -> Frame<Piece> {
        let length = self.rest.len().min(PIECE);
        self.waiting -= length;
        Frame::data(Piece {
            bytes: self.rest.split_to(length),
            length,
            activity: Arc::clone(&self.activity),
            answer: self.answer,
        })
    }
}

impl hyper::body::Body for Tracked {
    type Data = Piece;
    type Error = AnswerError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Piece>, AnswerError>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.inner).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.take_in(data),
                    Err(frame) => {
                        let trailers = frame.into_trailers().unwrap_or_default();
                        return Poll::Ready(Some(Ok(Frame::trailers(trailers))));
                    },
                },
                end_or_fault => {
                    self.running = None;
                    let fault = end_or_fault.and_then(Result::err);
                    return Poll::Ready(fault.map(Err));
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

impl Drop for Tracked {
    fn drop(&mut self) {
        self.activity.end_answer(self.answer, self.waiting);
    }
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if self.bytes.is_empty() {
            self.activity.take_from_answer(self.answer, self.length);
        } else {
            self.activity.discard_from_answer(self.answer, self.length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listen::inbound::Pending;
    use crate::listen::whole;
    use http_body_util::BodyExt as _;

    #[tokio::test]
    async fn long_answer_goes_in_pieces_and_counts_until_the_last() {
        let activity = Activity::for_test(Pending::HTTP2);
        let running = activity.begin_for_test();
        let length = 2 * PIECE + 5;
        let mut body = Tracked::new(whole(vec![7; length]), running);
        let mut pieces = Vec::new();
        for (piece, left) in [(PIECE, PIECE + 5), (PIECE, 5), (5, 0)] {
            assert!(!body.is_end_stream());
            let frame = body.frame().await.unwrap().unwrap().into_data().ok();
            let frame = frame.unwrap();
            assert_eq!(frame.remaining(), piece);
            assert_eq!(body.size_hint().exact(), Some(left as u64));
            assert!(activity.is_running());
            pieces.push(frame);
        }
        assert!(body.is_end_stream());
        assert!(body.frame().await.is_none());
        assert!(!activity.is_running());
        assert_eq!(activity.unread_bytes(), length, "nothing was taken");
        drop(body);
        for mut piece in pieces {
            piece.advance(piece.remaining());
        }
        assert_eq!(activity.unread_bytes(), 0);
    }

    #[tokio::test]
    async fn answer_that_is_given_up_is_not_waited_for() {
        let activity = Activity::for_test(Pending::HTTP2);
        let mut body = Tracked::new(whole(vec![7; 2 * PIECE]), activity.begin_for_test());
        let piece = body.frame().await.unwrap().unwrap();
        drop(body);
        assert_eq!(activity.unread_bytes(), PIECE);
        drop(piece);
        assert_eq!(activity.unread_bytes(), 0);
    }
}
