//! Datagrams from and to one source.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::net::UdpSocket;
use tokio::time::{Instant, Sleep, sleep_until};

use super::Sources;
use crate::datagram_queue::DatagramQueue;
use crate::ends::Datagrams;

/// After so long without datagrams in either direction, a source is taken to be gone.
const IDLE: Duration = Duration::from_mins(1);

/// A source that the listener knows, as long as this exists.
pub(super) struct Registration {
    sources: Arc<Sources>,
    source: SocketAddr,
    queue: Arc<DatagramQueue>,
}

impl Registration {
    pub(super) const fn new(
        sources: Arc<Sources>,
        source: SocketAddr,
        queue: Arc<DatagramQueue>,
    ) -> Self {
        Self {
            sources,
            source,
            queue,
        }
    }

    pub(super) const fn source(&self) -> SocketAddr {
        self.source
    }

    pub(super) fn queue(&self) -> &DatagramQueue {
        &self.queue
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.sources.lock().remove(&self.source);
    }
}

/// A source, as the local side of its circuit.
pub(super) struct Source {
    socket: Arc<UdpSocket>,
    /// While the socket takes nothing. It wakes everybody, unlike the socket's `poll_send_to`.
    writable: Option<BoxFuture<'static, ()>>,
    registration: Registration,
    last_activity: Instant,
    /// May fire too early: it is not set with each datagram.
    idle: Pin<Box<Sleep>>,
}

impl Source {
    pub(super) fn new(socket: Arc<UdpSocket>, registration: Registration) -> Self {
        let now = Instant::now();
        Self {
            socket,
            writable: None,
            registration,
            last_activity: now,
            idle: Box::pin(sleep_until(now + IDLE)),
        }
    }

    /// Ready when the source is taken to be gone.
    fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.idle.as_mut().poll(context));
            let end = self.last_activity + IDLE;
            if end <= Instant::now() {
                return Poll::Ready(());
            }
            self.idle.as_mut().reset(end);
        }
    }
}

impl Datagrams for Source {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Bytes>>> {
        if let Poll::Ready(Some(datagram)) = self.registration.queue().poll_pop(context) {
            self.last_activity = Instant::now();
            return Poll::Ready(Ok(Some(datagram)));
        }
        ready!(self.poll_idle(context));
        Poll::Ready(Ok(None))
    }

    fn poll_send(&mut self, datagram: &[u8], context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            if let Some(writable) = &mut self.writable {
                ready!(writable.as_mut().poll(context));
                self.writable = None;
            }
            let sent = self
                .socket
                .try_send_to(datagram, self.registration.source());
            if !sent.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock) {
                // Sent, or lost.
                self.last_activity = Instant::now();
                return Poll::Ready(Ok(()));
            }
            let socket = Arc::clone(&self.socket);
            let writable = async move { socket.writable().await };
            self.writable = Some(writable.map(|_anyway| ()).boxed());
        }
    }
}
