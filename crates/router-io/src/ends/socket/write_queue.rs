//! What is to be written to a stream.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use tokio::io::AsyncWrite;

/// From so many bytes on, no more is taken.
const MAX_BYTES: usize = 64 << 10;
/// From so many parts on, whatever their sizes.
const MAX_PARTS: usize = 64;
/// What is written at once.
const MAX_SLICES: usize = 16;

/// Bytes for a stream, and its end.
#[derive(Debug, Default)]
pub(super) struct WriteQueue {
    parts: VecDeque<Bytes>,
    bytes: usize,
    /// Something that the stream has taken may still wait in it.
    is_unflushed: bool,
    end: End,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum End {
    #[default]
    Open,
    /// The stream is to be shut down after what waits.
    Finishing,
    Finished,
}

impl WriteQueue {
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn has_room(&self) -> bool {
        self.bytes < MAX_BYTES && self.parts.len() < MAX_PARTS
    }

    /// Takes a part, unless the end was told.
    pub(super) fn push(&mut self, part: Bytes) {
        if self.end == End::Open && !part.is_empty() {
            self.bytes += part.len();
            self.parts.push_back(part);
        }
    }

    /// Nothing follows.
    pub(super) fn finish(&mut self) {
        if self.end == End::Open {
            self.end = End::Finishing;
        }
    }

    /// Ready when there is room.
    pub(super) fn poll_write<T: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut T,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while !self.has_room() {
            ready!(self.poll_write_some(stream, context))?;
        }
        Poll::Ready(Ok(()))
    }

    /// Ready when nothing waits any more, and the end was told if nothing follows.
    pub(super) fn poll_flush<T: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut T,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while !self.parts.is_empty() {
            ready!(self.poll_write_some(stream, context))?;
        }
        self.parts.shrink_to(MAX_SLICES);
        if self.is_unflushed {
            ready!(Pin::new(&mut *stream).poll_flush(context))?;
            self.is_unflushed = false;
        }
        if self.end == End::Finishing {
            ready!(Pin::new(stream).poll_shutdown(context))?;
            self.end = End::Finished;
        }
        Poll::Ready(Ok(()))
    }

    fn poll_write_some<T: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut T,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let mut slices = [IoSlice::new(&[]); MAX_SLICES];
        let parts = self.parts.iter();
        let slices_used = slices.iter_mut().zip(parts).map(|(slice, part)| {
            *slice = IoSlice::new(part);
        });
        let used = slices_used.count();
        let slices = slices.get(..used).unwrap_or_default();
        let written = ready!(Pin::new(stream).poll_write_vectored(context, slices))?;
        if written == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        self.is_unflushed = true;
        self.advance(written);
        Poll::Ready(Ok(()))
    }

    fn advance(&mut self, mut written: usize) {
        self.bytes -= written;
        while let Some(first) = self.parts.front_mut() {
            let taken = written.min(first.len());
            first.advance(taken);
            written -= taken;
            if !first.is_empty() {
                return;
            }
            self.parts.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::{AsyncReadExt as _, duplex};

    use super::*;

    fn drive<T: AsyncWrite + Unpin>(queue: &mut WriteQueue, stream: &mut T) -> Poll<()> {
        let mut context = Context::from_waker(std::task::Waker::noop());
        let result = queue.poll_flush(stream, &mut context);
        result.map(|result| result.unwrap())
    }

    #[tokio::test]
    async fn parts_are_written_in_order_and_then_the_end() {
        let (mut ours, mut theirs) = duplex(10);
        let mut queue = WriteQueue::default();
        for number in 0..40 {
            queue.push(vec![number; usize::from(number)].into());
        }
        queue.finish();
        queue.push("too late".into());
        assert!(drive(&mut queue, &mut ours).is_pending());
        let mut received = Vec::new();
        let writing = poll_fn(|context| queue.poll_flush(&mut ours, context));
        let (written, read) = tokio::join!(writing, theirs.read_to_end(&mut received));
        written.unwrap();
        assert_eq!(read.unwrap(), received.len());
        let expected = (0..40_u8).flat_map(|number| vec![number; usize::from(number)]);
        assert_eq!(received, expected.collect::<Vec<_>>());
        assert!(drive(&mut queue, &mut ours).is_ready(), "once is enough");
    }

    #[test]
    fn many_small_parts_take_no_more_room_than_a_few_large_ones() {
        for part in [1, MAX_BYTES / 2] {
            let mut queue = WriteQueue::default();
            while queue.has_room() {
                queue.push(vec![0; part].into());
            }
            assert!(queue.bytes <= MAX_BYTES && queue.parts.len() <= MAX_PARTS);
        }
    }
}
