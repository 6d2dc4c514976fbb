//! Reading from sockets without a buffer for each of them.

use std::cell::Cell;
use std::io;
use std::pin::pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// What is read at most at once.
const CAPACITY: usize = 32 << 10;

thread_local! {
    /// The buffer that the next read of this thread uses: a socket that has nothing to say needs none.
    static SPARE: Cell<BytesMut> = Cell::new(BytesMut::new());
}

/// Reads what there is; nothing at the end of the stream. Large reads are handed on in the buffer that they
/// were read into, small ones are copied out of it, so that none keeps more than twice its size alive.
pub(super) fn poll_read<T: AsyncRead + Unpin>(
    stream: &mut T,
    context: &mut Context<'_>,
) -> Poll<io::Result<Bytes>> {
    let mut buffer = SPARE.take();
    if buffer.capacity() < CAPACITY {
        buffer = BytesMut::with_capacity(CAPACITY);
    }
    let read = pin!(stream.read_buf(&mut buffer)).poll(context);
    let data = if buffer.len() > CAPACITY / 2 {
        buffer.split().freeze()
    } else {
        let copy = Bytes::copy_from_slice(&buffer);
        buffer.clear();
        copy
    };
    SPARE.set(buffer);
    read.map_ok(|_length| data)
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    async fn read(mut content: &[u8]) -> Vec<Bytes> {
        let mut parts = Vec::new();
        loop {
            let part = poll_fn(|context| poll_read(&mut content, context));
            let part = part.await.unwrap();
            if part.is_empty() {
                return parts;
            }
            parts.push(part);
        }
    }

    #[tokio::test]
    async fn streams_are_read_in_large_parts_that_stand_alone() {
        let content: Vec<u8> = (0..100_000_u32)
            .map(|number| number.to_le_bytes()[1])
            .collect();
        let parts = read(&content).await;
        let lengths: Vec<_> = parts.iter().map(Bytes::len).collect();
        assert_eq!(
            lengths,
            [CAPACITY, CAPACITY, CAPACITY, 100_000 - 3 * CAPACITY]
        );
        // Nothing that follows is read over what is still held.
        assert_eq!(read(&vec![0xff; 40_000]).await.len(), 2);
        assert_eq!(parts.concat(), content);
    }
}
