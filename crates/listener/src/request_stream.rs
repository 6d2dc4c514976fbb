//! Byte stream whose requests are validated and rewritten before hyper reads them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::activity::Activity;
use crate::protocol_tracker::ProtocolTracker;

/// A connection as hyper reads it. It tells the [`Activity`] what has arrived.
pub(crate) struct RequestStream<S> {
    inner: S,
    activity: Arc<Activity>,
    tracker: ProtocolTracker,
    /// Bytes that hyper has not read yet, with the number of those that it has.
    out: (usize, Vec<u8>),
}

impl<S> RequestStream<S> {
    pub(crate) fn new(inner: S, activity: Arc<Activity>, tracker: ProtocolTracker) -> Self {
        Self {
            inner,
            activity,
            tracker,
            out: (0, Vec::new()),
        }
    }

    /// The stream without the validation of requests; `None` if something was read that is no part of a
    /// complete request.
    pub(crate) fn into_inner(self) -> Option<S> {
        let has_partial = self.tracker.pending().bytes(false, 1) > 0;
        (self.out.1.is_empty() && !has_partial).then_some(self.inner)
    }

    /// Copies pending output to `buf`, and reports whether there was any.
    fn read_output(&mut self, buf: &mut ReadBuf<'_>) -> bool {
        let (start, out) = &mut self.out;
        let rest = out.get(*start..).unwrap_or_default();
        let here = rest.len().min(buf.remaining());
        buf.put_slice(rest.get(..here).unwrap_or_default());
        *start += here;
        if *start == out.len() {
            // Freed: a connection may stay idle for long.
            self.out = (0, Vec::new());
        }
        here > 0
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for RequestStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.activity.is_head_refused() {
            this.tracker.refuse_late_head(&mut this.out.1);
            this.activity.record_received(this.tracker.pending());
        }
        loop {
            if this.read_output(buf) || buf.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            let before = buf.filled().len();
            ready!(Pin::new(&mut this.inner).poll_read(cx, buf))?;
            let bytes = buf.filled().get(before..).unwrap_or_default();
            if bytes.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let unchanged = this.tracker.feed(bytes, &mut this.out.1);
            this.activity.record_received(this.tracker.pending());
            buf.set_filled(before + unchanged);
            if unchanged > 0 {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for RequestStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
