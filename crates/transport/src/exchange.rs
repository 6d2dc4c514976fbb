//! Reading and writing of hellos and answers.

use crate::connected::Stream;
use bytes::BytesMut;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, timeout, timeout_at};

/// Time for writing an answer.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Time for a peer to read a last answer and close.
const LINGER: Duration = Duration::from_secs(1);

/// Bytes that are discarded of a peer that has got a last answer.
const MAX_DISCARDED: usize = 64 * 1024;

/// The result of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Receipt {
    Bytes,
    /// Nothing follows.
    End,
}

/// Reads what there is, at most `most` bytes. A TLS stream that ends without its closing message is
/// at its end like any other: a channel has no goodbye, and its frames have lengths.
pub(crate) async fn read<S: Stream>(
    stream: &mut S,
    input: &mut BytesMut,
    most: usize,
) -> io::Result<Receipt> {
    let mut room = stream.take(u64::try_from(most).unwrap_or(u64::MAX));
    input.reserve(most);
    match room.read_buf(input).await {
        Ok(0) => Ok(Receipt::End),
        Ok(_) => Ok(Receipt::Bytes),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(Receipt::End),
        Err(error) => Err(error),
    }
}

/// Writes and flushes.
pub(crate) async fn write<S: Stream>(
    stream: &mut S,
    bytes: &[u8],
    deadline: Instant,
) -> io::Result<()> {
    let writing = async {
        stream.write_all(bytes).await?;
        stream.flush().await
    };
    timeout_at(deadline, writing)
        .await
        .unwrap_or_else(|_elapsed| Err(io::ErrorKind::TimedOut.into()))
}

/// Writes the last bytes of a connection and closes it.
///
/// Closing a socket with unread bytes resets it, which may take the answer away from the peer, so
/// some of what it still sends is read.
pub(crate) async fn write_last<S: Stream>(mut stream: S, bytes: &[u8]) {
    if write(&mut stream, bytes, Instant::now() + ANSWER_TIMEOUT)
        .await
        .is_err()
    {
        return;
    }
    let close = async {
        stream.shutdown().await?;
        let mut discarded = BytesMut::with_capacity(1024);
        let mut total = 0;
        while total < MAX_DISCARDED {
            match stream.read_buf(&mut discarded).await? {
                0 => break,
                read => total += read,
            }
            discarded.clear();
        }
        io::Result::Ok(())
    };
    let _peer_is_gone = timeout(LINGER, close).await;
}
