//! A stream as the local side of an end: TCP, TLS, a socket of the file system.

mod read_buffer;
mod write_queue;

use std::io;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use portcullis_wire::edge::DataFlags;
use portcullis_wire::xgress::payload_header;
use portcullis_xgress::Segment;
use tokio::io::{AsyncRead, AsyncWrite};

use self::write_queue::WriteQueue;
use super::local_side::{FromLocal, LocalSide};

/// A stream. Its segments have no headers, but for the one that tells an SDK of its end.
///
/// It holds at most 64 KiB and one segment that are to be written, and nothing while it is idle.
pub(crate) struct SocketSide<T> {
    stream: T,
    kind: &'static str,
    output: WriteQueue,
    input: Input,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Open,
    /// An SDK whose end is at another router may know only this.
    EndToTell,
    Told,
}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> SocketSide<T> {
    /// `kind` is for traces, such as `xgress/transport`.
    pub(crate) fn new(kind: &'static str, stream: T) -> Self {
        Self {
            stream,
            kind,
            output: WriteQueue::default(),
            input: Input::Open,
        }
    }
}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> LocalSide for SocketSide<T> {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FromLocal>> {
        if self.input == Input::Open {
            let data = ready!(read_buffer::poll_read(&mut self.stream, context))?;
            if !data.is_empty() {
                return Poll::Ready(Ok(FromLocal::Segment(Segment::from(data))));
            }
            self.input = Input::EndToTell;
        }
        Poll::Ready(Ok(match self.input {
            Input::EndToTell => {
                self.input = Input::Told;
                FromLocal::Segment(end_of_data())
            },
            Input::Open | Input::Told => FromLocal::EndOfStream,
        }))
    }

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.output.has_room() {
            return Poll::Ready(Ok(()));
        }
        self.output.poll_write(&mut self.stream, context)
    }

    fn write(&mut self, segment: Segment) {
        let flags = segment.data_flags().unwrap_or_default();
        self.output.push(segment.data.into_inner());
        if flags.contains(DataFlags::FIN) {
            self.output.finish();
        }
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.output.poll_flush(&mut self.stream, context)
    }

    fn held(&self) -> usize {
        self.output.bytes()
    }

    fn poll_finish(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.output.finish();
        self.output.poll_flush(&mut self.stream, context)
    }
}

/// What an SDK understands as the end of data, which it is told by its router.
fn end_of_data() -> Segment {
    let flags = Bytes::copy_from_slice(&DataFlags::FIN.bits().to_le_bytes());
    Segment {
        headers: [(payload_header::DATA_FLAGS, flags)].into(),
        ..Segment::default()
    }
}
