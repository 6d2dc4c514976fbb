//! Byte stream whose requests are judged and rewritten before the HTTP library reads them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::activity::Activity;
use super::inbound::Inbound;

/// A connection seen by the HTTP library. It tells the [`Activity`] what has arrived.
pub(super) struct RequestStream<S> {
    inner: S,
    activity: Arc<Activity>,
    inbound: Inbound,
    /// What the library has not fetched yet, from the number in front on.
    out: (usize, Vec<u8>),
}

impl<S> RequestStream<S> {
    /// Puts `inbound` between `inner` and the library.
    pub(super) fn new(inner: S, activity: Arc<Activity>, inbound: Inbound) -> Self {
        Self {
            inner,
            activity,
            inbound,
            out: (0, Vec::new()),
        }
    }

    /// Hands over what is at hand, and reports whether that is anything.
    fn fetch(&mut self, buf: &mut ReadBuf<'_>) -> bool {
        let (start, out) = &mut self.out;
        let rest = out.get(*start..).unwrap_or_default();
        let here = rest.len().min(buf.remaining());
        buf.put_slice(rest.get(..here).unwrap_or_default());
        *start += here;
        if *start == out.len() {
            // Given back: a connection may rest for long.
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
            this.inbound.refuse_late_head(&mut this.out.1);
            this.activity.received(this.inbound.pending());
        }
        loop {
            if this.fetch(buf) || buf.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            let before = buf.filled().len();
            ready!(Pin::new(&mut this.inner).poll_read(cx, buf))?;
            let fresh = buf.filled().get(before..).unwrap_or_default();
            if fresh.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let as_is = this.inbound.take(fresh, &mut this.out.1);
            this.activity.received(this.inbound.pending());
            buf.set_filled(before + as_is);
            if as_is > 0 {
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
