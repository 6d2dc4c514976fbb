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
