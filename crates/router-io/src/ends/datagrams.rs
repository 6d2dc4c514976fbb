//! Datagrams as the local side of an end.

use std::cell::RefCell;
use std::io;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use portcullis_xgress::Segment;
use tokio::io::ReadBuf;
use tokio::net::{UdpSocket, UnixDatagram};

use super::local_side::{FromLocal, LocalSide};

/// The largest datagram that there is.
const MAX_DATAGRAM: usize = 64 << 10;

thread_local! {
    /// Received into, and copied out of.
    static SCRATCH: RefCell<Box<[u8]>> = RefCell::new(vec![0; MAX_DATAGRAM].into());
}

/// Datagrams to and from one peer.
pub(crate) trait Datagrams: Send + Unpin + 'static {
    /// The next datagram; `None` if no others come.
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Bytes>>>;

    /// Sends a datagram, or loses it.
    fn poll_send(&mut self, datagram: &[u8], context: &mut Context<'_>) -> Poll<io::Result<()>>;
}

/// Datagrams, each of which is a segment. There is no half close: when either direction is over, both are.
pub(crate) struct DatagramSide<D> {
    datagrams: D,
    kind: &'static str,
    /// What is to be sent next.
    output: Option<Bytes>,
    is_finished: bool,
}

impl<D: Datagrams> DatagramSide<D> {
    /// `kind` is for traces, such as `xgress/transport_udp`.
    pub(crate) const fn new(kind: &'static str, datagrams: D) -> Self {
        Self {
            datagrams,
            kind,
            output: None,
            is_finished: false,
        }
    }
}

impl<D: Datagrams> LocalSide for DatagramSide<D> {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FromLocal>> {
        if self.is_finished {
            return Poll::Ready(Ok(FromLocal::Closed));
        }
        let received = self.datagrams.poll_receive(context);
        received.map_ok(|datagram| match datagram {
            Some(datagram) => FromLocal::Segment(Segment::from(datagram)),
            None => FromLocal::Closed,
        })
    }

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }

    fn write(&mut self, segment: Segment) {
        self.output = Some(segment.data.into_inner()).filter(|datagram| !datagram.is_empty());
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(datagram) = &self.output {
            let sent = self.datagrams.poll_send(datagram, context);
            if sent.is_ready() {
                self.output = None;
            }
            return sent;
        }
        Poll::Ready(Ok(()))
    }

    fn held(&self) -> usize {
        self.output.as_ref().map_or(0, Bytes::len)
    }

    fn poll_finish(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.is_finished = true;
        self.poll_flush(context)
    }
}

/// A socket that is connected to its peer.
impl Datagrams for UdpSocket {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Bytes>>> {
        receive(|buffer| self.poll_recv(context, buffer))
    }

    fn poll_send(&mut self, datagram: &[u8], context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let sent = Self::poll_send(self, context, datagram);
        // Datagrams may be lost, and a peer that does not listen yet may do so later.
        sent.map(|_sent_or_lost| Ok(()))
    }
}

/// The same in the file system.
impl Datagrams for UnixDatagram {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Bytes>>> {
        receive(|buffer| self.poll_recv(context, buffer))
    }

    fn poll_send(&mut self, datagram: &[u8], context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let sent = Self::poll_send(self, context, datagram);
        sent.map(|_sent_or_lost| Ok(()))
    }
}

fn receive(
    mut poll: impl FnMut(&mut ReadBuf<'_>) -> Poll<io::Result<()>>,
) -> Poll<io::Result<Option<Bytes>>> {
    SCRATCH.with_borrow_mut(|scratch| {
        loop {
            let mut buffer = ReadBuf::new(scratch);
            match ready!(poll(&mut buffer)) {
                Ok(()) => {
                    let datagram = Bytes::copy_from_slice(buffer.filled());
                    return Poll::Ready(Ok(Some(datagram)));
                },
                // An earlier datagram has found nobody.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {},
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    })
}
