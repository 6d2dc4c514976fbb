//! Futures of what was queued.

use crate::shared::{Answer, Shared};
use portcullis_channel::{Frame, RequestFailure, RequestId};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::sync::oneshot;

/// The reply to a request.
#[derive(Debug)]
#[must_use = "a request whose reply is dropped is cancelled"]
pub struct PendingReply {
    shared: Arc<Shared>,
    request: RequestId,
    answer: oneshot::Receiver<Answer>,
}

/// Completes when a message was written, or never will be because its connection or its channel
/// has ended.
#[derive(Debug)]
#[must_use = "use `send` for messages that nobody tracks"]
pub struct Written(oneshot::Receiver<()>);

impl PendingReply {
    pub(crate) const fn new(
        shared: Arc<Shared>,
        request: RequestId,
        answer: oneshot::Receiver<Answer>,
    ) -> Self {
        Self {
            shared,
            request,
            answer,
        }
    }
}

impl Future for PendingReply {
    type Output = Result<Frame, RequestFailure>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = ready!(Pin::new(&mut self.answer).poll(cx));
        Poll::Ready(answer.unwrap_or(Err(RequestFailure::Closed)))
    }
}

impl Drop for PendingReply {
    fn drop(&mut self) {
        self.shared.cancel(self.request);
    }
}

impl Written {
    pub(crate) const fn new(written: oneshot::Receiver<()>) -> Self {
        Self(written)
    }
}

impl Future for Written {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(cx).map(drop)
    }
}
