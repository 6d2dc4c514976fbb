//! Reading and writing beside each other.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use portcullis_channel::group::{ChannelGrant, GroupId};
use portcullis_channel::{
    ChannelKind, ChannelOptions, ChannelSide, ContentType, Frame, FrameLimits, Message, Priority,
    Sequence, UnixNanos,
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::yield_now;

use crate::clock::Clock;
use crate::connected::Connected;
use crate::transport::{Transport, TransportLimits};

/// Reads that may come before something that waits is written: the test has its turn only after many of others.
const PATIENCE: usize = 10_000;

/// A peer that always has more to say, and takes whatever it is sent.
struct Busy {
    /// Read over and over again.
    frames: Bytes,
    at: usize,
    reads: usize,
    written: Arc<AtomicUsize>,
}

impl AsyncRead for Busy {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        self.reads += 1;
        assert!(
            self.reads < PATIENCE,
            "nothing is written while there is more to read"
        );
        let length = (self.frames.len() - self.at).min(buffer.remaining());
        buffer.put_slice(&self.frames[self.at..self.at + length]);
        self.at = (self.at + length) % self.frames.len();
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Busy {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        self.reads = 0;
        self.written.fetch_add(bytes.len(), Ordering::Relaxed);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

fn note() -> Message {
    Message::new(ContentType(1004)).with_body("note")
}

/// Acknowledgements would wait until the peer pauses, and it would pause for want of them.
#[tokio::test]
async fn peer_that_always_has_more_does_not_keep_a_channel_from_writing() {
    let limits = TransportLimits {
        inbox_bytes: u32::MAX,
        ..TransportLimits::default()
    };
    let transport = Transport::new(Clock::start(UnixNanos(1_700_000_000_000_000_000)), limits);
    let written = Arc::new(AtomicUsize::new(0));
    let frame = Frame::new(note(), Sequence(1), &FrameLimits::default()).unwrap();
    let connected = Connected {
        stream: Busy {
            frames: frame.to_bytes(),
            at: 0,
            reads: 0,
            written: Arc::clone(&written),
        },
        input: BytesMut::new(),
        underlay_type: None,
    };
    let grant = ChannelGrant::ungrouped(GroupId::new("busy").unwrap());
    let options = ChannelOptions::new(ChannelKind::Control, ChannelSide::Listener);
    let (handle, mut inbox) = transport.open(grant, options, connected);
    for _ in 0..50 {
        let before = written.load(Ordering::Relaxed);
        handle.send(Priority::Default, note()).unwrap();
        while written.load(Ordering::Relaxed) == before {
            assert_eq!(handle.close_reason(), None);
            yield_now().await;
        }
        // It goes on reading, too.
        inbox.next().await.unwrap();
    }
}
