//! Byte stream of a connection that keeps its [`Activity`] up to date and closes gracefully.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::activity::Activity;

/// The decrypted stream of a connection.
///
/// Closing a socket with unread input makes the kernel send a reset, which can destroy the response
/// before the client has read it. So while the client may still be sending, shutdown closes the
/// write half first and then discards input, until the client closes or the linger time is over.
pub(crate) struct TrackedStream<S> {
    inner: S,
    activity: Arc<Activity>,
    linger: Duration,
    closing: CloseState,
}

enum CloseState {
    No,
    Lingering(Pin<Box<Sleep>>),
    Done,
}

impl<S> TrackedStream<S> {
    pub(crate) fn new(inner: S, activity: Arc<Activity>, linger: Duration) -> Self {
        Self {
            inner,
            activity,
            linger,
            closing: CloseState::No,
        }
    }

    /// The stream itself.
    pub(crate) fn into_inner(self) -> S {
        self.inner
    }

    /// Records the outcome of a write.
    fn record_write(&self, outcome: &Poll<io::Result<usize>>) {
        match outcome {
            Poll::Ready(Ok(_)) => self.activity.record_sent(),
            Poll::Ready(Err(_)) => {},
            Poll::Pending => self.activity.record_stalled(),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TrackedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TrackedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.record_write(&outcome);
        outcome
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.record_write(&outcome);
        outcome
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.inner).poll_flush(cx);
        match outcome {
            Poll::Ready(_) => self.activity.record_flushed(),
            Poll::Pending => self.activity.record_stalled(),
        }
        outcome
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            match &mut this.closing {
                CloseState::No => {
                    ready!(Pin::new(&mut this.inner).poll_shutdown(cx))?;
                    this.closing = if this.activity.may_be_sending() {
                        CloseState::Lingering(Box::pin(sleep(this.linger)))
                    } else {
                        CloseState::Done
                    };
                },
                CloseState::Lingering(time) => {
                    if time.as_mut().poll(cx).is_pending() {
                        ready!(poll_discard(&mut this.inner, cx));
                    }
                    this.closing = CloseState::Done;
                },
                CloseState::Done => return Poll::Ready(Ok(())),
            }
        }
    }
}

/// Reads and discards until the end of the input.
fn poll_discard<S: AsyncRead + Unpin>(stream: &mut S, cx: &mut Context<'_>) -> Poll<()> {
    let mut buffer = [0; 4096];
    // Bounded per call, so that a fast sender does not hold the thread.
    for _ in 0..64 {
        let mut buf = ReadBuf::new(&mut buffer);
        match ready!(Pin::new(&mut *stream).poll_read(cx, &mut buf)) {
            Ok(()) if !buf.filled().is_empty() => {},
            Ok(()) | Err(_) => return Poll::Ready(()),
        }
    }
    cx.waker().wake_by_ref();
    Poll::Pending
}
