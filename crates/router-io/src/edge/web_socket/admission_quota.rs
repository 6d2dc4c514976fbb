//! What clients may send that are not admitted yet.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// More than a client needs for its request, TLS with a chain of certificates, and a hello.
pub(super) const UNADMITTED: usize = 128 * 1024;

/// A stream that fails if more bytes than its quota are read from it before the client is admitted.
///
/// It lies below the `WebSocket`, which keeps a message until it is complete.
#[derive(Debug)]
pub(super) struct AdmissionQuota<S> {
    stream: S,
    left: usize,
    admission: Admission,
}

/// Lifts the quota of a client.
#[derive(Debug, Clone, Default)]
pub(super) struct Admission(Arc<AtomicBool>);

impl Admission {
    pub(super) fn grant(&self) {
        // Nothing but the limit depends on it.
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_granted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl<S> AdmissionQuota<S> {
    pub(super) const fn new(stream: S, quota: usize, admission: Admission) -> Self {
        Self {
            stream,
            left: quota,
            admission,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for AdmissionQuota<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if self.admission.is_granted() {
            return Poll::Ready(Ok(()));
        }
        let read = buffer.filled().len().saturating_sub(before);
        let Some(left) = self.left.checked_sub(read) else {
            let reason = "the client sends more than a hello takes before it is admitted";
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, reason)));
        };
        self.left = left;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for AdmissionQuota<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn quota_counts_until_the_client_is_admitted() {
        let sent = [7; 30];
        let mut read = [0; 10];
        let admission = Admission::default();
        let mut stream = AdmissionQuota::new(&sent[..], 15, admission.clone());
        stream.read_exact(&mut read).await.unwrap();
        let error = stream.read_exact(&mut read).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        admission.grant();
        stream.read_exact(&mut read).await.unwrap();
    }
}
