//! The task of a connection: it reads and writes at the same time.

mod read;
#[cfg(test)]
mod tests;
mod turns;
mod write;

use crate::connected::{Connected, Stream};
use crate::shared::Member;
use portcullis_channel::FrameError;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::unconstrained;

/// The reason why a connection has ended.
#[derive(Debug, thiserror::Error)]
enum ConnectionEnd {
    #[error("closed by the other side")]
    EndOfStream,
    #[error("closed by the other side within a frame")]
    HalfFrame,
    #[error("the other side sends what is no frame: {0}")]
    Frame(#[from] FrameError),
    #[error("no progress of {0} for {1:?}")]
    Stalled(&'static str, Duration),
    #[error("no memory for a frame of the other side for {0:?}")]
    NoMemory(Duration),
    #[error("aborted")]
    Aborted,
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Runs a connection to its end. `output` announces frames to be written.
pub(crate) async fn run<S: Stream>(member: Member, connected: Connected<S>, output: Arc<Notify>) {
    let Connected { stream, input, .. } = connected;
    let (from_peer, to_peer) = tokio::io::split(stream);
    // Each has its turns, so none is bound by the budget of the task: whoever comes first would use it up while a
    // busy peer keeps it going, and the other one would stand still.
    let reading = unconstrained(read::run(&member, from_peer, input));
    let writing = unconstrained(write::run(&member, to_peer, &output));
    // Reading first: what has arrived may answer a heartbeat.
    let end = tokio::select! {
        biased;
        () = member.shared.abort.cancelled() => ConnectionEnd::Aborted,
        end = reading => end,
        end = writing => end,
    };
    tracing::debug!(
        channel = ?member.shared.get(|channel, _| channel.id().clone()),
        why = %end,
        "connection of a channel ended"
    );
}
