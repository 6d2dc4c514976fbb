//! Reading frames.

use super::ConnectionEnd;
use super::turns::Turns;
use crate::shared::Member;
use bytes::BytesMut;
use portcullis_memory_budget::Account;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::{sleep, timeout};

/// Room for a read when little is expected: a heartbeat or a request.
const SMALL: usize = 2 * 1024;
/// Room for a read while reads fill their room.
const LARGE: usize = 64 * 1024;

/// How often whoever waits for memory of others looks whether there is some: it is rare, and nobody tells.
const MEMORY_INTERVAL: Duration = Duration::from_millis(20);

/// What a frame may take however little memory there is: one with a payload of a circuit, of which the longest
/// that are usual have 64 KiB and a little more.
const USUAL_FRAME: usize = 128 * 1024;

/// Reads and handles frames until the connection ends.
pub(super) async fn run(
    member: &Member,
    stream: impl AsyncRead + Unpin,
    input: BytesMut,
) -> ConnectionEnd {
    let mut reader = Reader {
        member,
        stream,
        input,
        memory: Account::new(&member.shared.memory),
        room: SMALL,
    };
    let mut turns = Turns::default();
    loop {
        if let Err(end) = turns.step(reader.step()).await {
            return end;
        }
    }
}

struct Reader<'a, R> {
    member: &'a Member,
    stream: R,
    input: BytesMut,
    /// What `input` takes.
    memory: Account,
    room: usize,
}

impl<R: AsyncRead + Unpin> Reader<'_, R> {
    /// Handles the frames that have arrived, and reads once.
    async fn step(&mut self) -> Result<(), ConnectionEnd> {
        let before = self.input.len();
        while let Some(frame) = self.member.shared.frames.next(&mut self.input)? {
            self.member
                .shared
                .receive(self.member.underlay, frame)
                .await;
        }
        if before > LARGE && self.input.len() < before {
            // A long frame was handled, and its memory goes with it.
            self.input = BytesMut::from(self.input.as_ref());
        }
        self.wait_for_memory().await?;
        let count = self.read().await?;
        self.room = next_room(self.room, count);
        Ok(())
    }

    /// Waits until there is memory for more of a long frame that has begun. Others may wait for the same, so none
    /// waits for ever.
    async fn wait_for_memory(&mut self) -> Result<(), ConnectionEnd> {
        let has_memory = || self.input.len() <= USUAL_FRAME || !self.memory.budget().is_scarce();
        if has_memory() {
            return Ok(());
        }
        let waiting = async {
            while !has_memory() {
                sleep(MEMORY_INTERVAL).await;
            }
        };
        let stall = self.member.shared.limits.stall;
        let no_memory = |_elapsed| ConnectionEnd::NoMemory(stall);
        timeout(stall, waiting).await.map_err(no_memory)
    }

    /// Reads once. A frame that has begun must make progress; until then there is no limit but that of
    /// heartbeats.
    async fn read(&mut self) -> Result<usize, ConnectionEnd> {
        let is_within_frame = !self.input.is_empty();
        // A long frame gets its memory as it arrives.
        self.input.reserve(self.room);
        self.memory.set(self.input.capacity());
        let reading = self.stream.read_buf(&mut self.input);
        let result = if is_within_frame {
            let stall = self.member.shared.limits.stall;
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
}

/// Doubles the room while it is filled, so that idle connections hold little memory.
fn next_room(room: usize, filled: usize) -> usize {
    if filled < room {
        SMALL
    } else {
        (room * 2).min(LARGE)
    }
}
