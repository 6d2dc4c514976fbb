//! Reading frames.

use super::ConnectionEnd;
use crate::shared::Member;
use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::timeout;

/// Room for a read when little is expected: a heartbeat or a request.
const SMALL: usize = 2 * 1024;
/// Room for a read while reads fill their room.
const LARGE: usize = 64 * 1024;

/// Reads and handles frames until the connection ends.
pub(super) async fn run(
    member: &Member,
    mut stream: impl AsyncRead + Unpin,
    mut input: BytesMut,
) -> ConnectionEnd {
    let mut room = SMALL;
    loop {
        if let Err(end) = handle_frames(member, &mut input).await {
            return end;
        }
        match read(member, &mut stream, &mut input, room).await {
            Ok(count) => room = next_room(room, count),
            Err(end) => return end,
        }
    }
}

async fn handle_frames(member: &Member, input: &mut BytesMut) -> Result<(), ConnectionEnd> {
    while let Some(frame) = member.shared.frames.next(input)? {
        member.shared.receive(member.underlay, frame).await;
    }
    Ok(())
}

/// Reads once. A frame that has begun must make progress; until then there is no limit but that of
/// heartbeats.
async fn read(
    member: &Member,
    stream: &mut (impl AsyncRead + Unpin),
    input: &mut BytesMut,
    room: usize,
) -> Result<usize, ConnectionEnd> {
    let is_within_frame = !input.is_empty();
    // A long frame gets its memory as it arrives.
    input.reserve(room);
    let reading = stream.read_buf(input);
    let result = if is_within_frame {
        let stall = member.shared.limits.stall;
        let stalled = |_elapsed| ConnectionEnd::Stalled("reading", stall);
        timeout(stall, reading).await.map_err(stalled)?
    } else {
        reading.await
    };
    match result {
        Ok(0) if is_within_frame => Err(ConnectionEnd::HalfFrame),
        Ok(0) => Err(ConnectionEnd::EndOfStream),
        Ok(count) => Ok(count),
        Err(error) => Err(error.into()),
    }
}

/// Doubles the room while it is filled, so that idle connections hold little memory.
fn next_room(room: usize, filled: usize) -> usize {
    if filled < room {
        SMALL
    } else {
        (room * 2).min(LARGE)
    }
}
