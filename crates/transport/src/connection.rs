//! The task of a connection: it reads and writes at the same time.

mod read;
mod write;

use crate::connected::{Connected, Stream};
use crate::shared::Member;
use portcullis_channel::FrameError;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

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
    // Reading first: what has arrived may answer a heartbeat.
    let end = tokio::select! {
        biased;
        () = member.shared.abort.cancelled() => ConnectionEnd::Aborted,
        end = read::run(&member, from_peer, input) => end,
        end = write::run(&member, to_peer, &output) => end,
    };
    tracing::debug!(
        channel = ?member.shared.get(|channel, _| channel.id().clone()),
        why = %end,
        "connection of a channel ended"
    );
}
