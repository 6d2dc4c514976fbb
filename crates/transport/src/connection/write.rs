//! Writing frames.

use super::ConnectionEnd;
use super::turns::Turns;
use crate::shared::Member;
use bytes::BytesMut;
use portcullis_channel::Frame;
use std::io;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Notify;
use tokio::time::timeout;

/// Bytes that are taken from a channel at a time. A heartbeat or an urgent message waits behind
/// them.
const BATCH_BYTES: usize = 64 * 1024;

/// Bodies from this length on are written as they are; shorter ones are copied into one buffer.
const LONG_BODY: usize = 16 * 1024;

/// Writes what the channel has, until the connection is closed.
pub(super) async fn run(
    member: &Member,
    mut stream: impl AsyncWrite + Unpin,
    output: &Notify,
) -> ConnectionEnd {
    let mut turns = Turns::default();
    loop {
        if let Err(end) = turns.step(step(member, &mut stream, output)).await {
            return end;
        }
    }
}

/// Writes what there is, or waits until there is something.
async fn step(
    member: &Member,
    stream: &mut (impl AsyncWrite + Unpin),
    output: &Notify,
) -> Result<(), ConnectionEnd> {
    let batch = member.shared.take_batch(member.underlay, BATCH_BYTES);
    if batch.frames.is_empty() && !batch.is_last {
        output.notified().await;
        return Ok(());
    }
    write(member, stream, &batch.frames).await?;
    if batch.is_last {
        drop(batch);
        return Err(close(member, stream).await);
    }
    Ok(())
}

async fn write(
    member: &Member,
    stream: &mut (impl AsyncWrite + Unpin),
    frames: &[Frame],
) -> Result<(), ConnectionEnd> {
    let mut buffer = BytesMut::new();
    for frame in frames {
        if frame.body().len() < LONG_BODY {
            frame.encode(&mut buffer);
            continue;
        }
        buffer.extend_from_slice(&frame.prefix());
        buffer.extend_from_slice(frame.headers().block());
        write_all(member, stream, &buffer).await?;
        buffer.clear();
        write_all(member, stream, frame.body()).await?;
    }
    write_all(member, stream, &buffer).await?;
    within_stall(member, stream.flush()).await
}

/// Writes bytes; each piece that the connection takes has its own time limit.
async fn write_all(
    member: &Member,
    stream: &mut (impl AsyncWrite + Unpin),
    mut bytes: &[u8],
) -> Result<(), ConnectionEnd> {
    while !bytes.is_empty() {
        let written = within_stall(member, stream.write(bytes)).await?;
        if written == 0 {
            return Err(io::Error::from(io::ErrorKind::WriteZero).into());
        }
        bytes = bytes.get(written..).unwrap_or_default();
    }
    Ok(())
}

/// Closes the connection for writing, and leaves it to the reader to see the peer close it: a socket
/// that is closed with unread bytes is reset, which may take away what was written last. The
/// channel aborts whoever takes too long.
async fn close(member: &Member, stream: &mut (impl AsyncWrite + Unpin)) -> ConnectionEnd {
    if let Err(end) = within_stall(member, stream.shutdown()).await {
        return end;
    }
    std::future::pending().await
}

async fn within_stall<T>(
    member: &Member,
    work: impl Future<Output = io::Result<T>>,
) -> Result<T, ConnectionEnd> {
    let stall = member.shared.limits.stall;
    match timeout(stall, work).await {
        Ok(result) => Ok(result?),
        Err(_elapsed) => Err(ConnectionEnd::Stalled("writing", stall)),
    }
}
