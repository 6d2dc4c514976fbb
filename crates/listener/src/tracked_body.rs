//! Response bodies whose transfer to the client is tracked.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use hyper::body::{Body as _, Frame, SizeHint};

use crate::activity::{Activity, RunningRequest};
use crate::{ResponseBody, ResponseBodyError};

/// Most bytes handed over at a time.
const CHUNK_BYTES: usize = 16 * 1024;

/// Response body that keeps its request counted as running until the last chunk is handed over, and
/// reports to its connection what the client has not read.
pub(crate) struct TrackedBody {
    inner: ResponseBody,
    buffered: Bytes,
    running: Option<RunningRequest>,
    activity: Arc<Activity>,
    response: u64,
    /// Bytes that are recorded with the connection and in no chunk yet.
    unsent: usize,
}

/// A chunk of a response, until the client has read it.
pub(crate) struct TrackedChunk {
    bytes: Bytes,
    length: usize,
    activity: Arc<Activity>,
    response: u64,
}

impl TrackedBody {
    /// Wraps the body of the response to a running request.
    pub(crate) fn new(inner: ResponseBody, running: RunningRequest) -> Self {
        let activity = Arc::clone(running.activity());
        // Of a streamed body, nothing is available yet.
        let unsent = inner.size_hint().exact().unwrap_or(0);
        let unsent = usize::try_from(unsent).unwrap_or(usize::MAX);
        let response = activity.begin_response(unsent);
        Self {
            inner,
            buffered: Bytes::new(),
            running: Some(running),
            activity,
            response,
            unsent,
        }
    }

    /// Buffers the next bytes of the response.
    fn buffer(&mut self, data: Bytes) {
        if data.len() > self.unsent {
            let more = data.len() - self.unsent;
            self.activity.add_to_response(self.response, more);
            self.unsent += more;
        }
        self.buffered = data;
    }

    /// Splits the next chunk off the buffered bytes.
    fn next_chunk(&mut self) -> Frame<TrackedChunk> {
        let length = self.buffered.len().min(CHUNK_BYTES);
        self.unsent -= length;
        Frame::data(TrackedChunk {
            bytes: self.buffered.split_to(length),
            length,
            activity: Arc::clone(&self.activity),
            response: self.response,
        })
    }
}

impl hyper::body::Body for TrackedBody {
    type Data = TrackedChunk;
    type Error = ResponseBodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<TrackedChunk>, ResponseBodyError>>> {
        if self.buffered.is_empty() {
            match ready!(Pin::new(&mut self.inner).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.buffer(data),
                    Err(frame) => {
                        let trailers = frame.into_trailers().unwrap_or_default();
                        return Poll::Ready(Some(Ok(Frame::trailers(trailers))));
                    },
                },
                end_or_error => {
                    self.running = None;
                    let error = end_or_error.and_then(Result::err);
                    return Poll::Ready(error.map(Err));
                },
            }
        }
        Poll::Ready(Some(Ok(self.next_chunk())))
    }

    fn is_end_stream(&self) -> bool {
        self.buffered.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (inner, rest) = (self.inner.size_hint(), self.buffered.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + rest);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

impl Drop for TrackedBody {
    fn drop(&mut self) {
        self.activity.end_response(self.response, self.unsent);
    }
}

impl Buf for TrackedChunk {
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

impl Drop for TrackedChunk {
    fn drop(&mut self) {
        if self.bytes.is_empty() {
            self.activity.take_from_response(self.response, self.length);
        } else {
            self.activity
                .discard_from_response(self.response, self.length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::full_body;
    use crate::protocol_tracker::PendingInput;
    use http_body_util::BodyExt as _;

    #[tokio::test]
    async fn long_answer_goes_in_pieces_and_counts_until_the_last() {
        let activity = Activity::for_test(PendingInput::HTTP2);
        let running = activity.begin_for_test();
        let length = 2 * CHUNK_BYTES + 5;
        let mut body = TrackedBody::new(full_body(vec![7; length]), running);
        let mut pieces = Vec::new();
        for (piece, left) in [(CHUNK_BYTES, CHUNK_BYTES + 5), (CHUNK_BYTES, 5), (5, 0)] {
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
        let activity = Activity::for_test(PendingInput::HTTP2);
        let mut body = TrackedBody::new(
            full_body(vec![7; 2 * CHUNK_BYTES]),
            activity.begin_for_test(),
        );
        let piece = body.frame().await.unwrap().unwrap();
        drop(body);
        assert_eq!(activity.unread_bytes(), CHUNK_BYTES);
        drop(piece);
        assert_eq!(activity.unread_bytes(), 0);
    }
}
