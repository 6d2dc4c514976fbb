//! Whoever looks at the messages of channels.

use portcullis_channel::Frame;
use portcullis_channel::group::GroupId;
use std::fmt;

/// Sees the messages of channels, for traces.
pub trait Observer: fmt::Debug + Send + Sync {
    /// Whether it wants to see anything at the moment. Asked for each message, so it has to be cheap.
    fn is_watching(&self) -> bool {
        true
    }

    /// A message of a channel is about to be written, or has been read. What the channel keeps to itself,
    /// such as heartbeats, is among them. It must not wait: nothing else passes meanwhile.
    fn observe(&self, channel: &GroupId, direction: Direction, frame: &Frame);
}

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Sent,
    Received,
}
