//! What sees the messages of control channels.

use crate::frame_counts::FrameCounts;
use crate::traces::Traces;
use crate::traffic::ChannelTraffic;
use portcullis_channel::Frame;
use portcullis_channel::group::GroupId;
use portcullis_transport::{Direction, Observer};
use std::sync::Arc;

/// Counts all messages, and shows those of channels that are traced.
#[derive(Debug)]
pub(crate) struct ChannelWatch {
    pub(crate) frames: Arc<FrameCounts>,
    pub(crate) traffic: Arc<ChannelTraffic>,
    pub(crate) traces: Arc<Traces>,
}

impl Observer for ChannelWatch {
    fn observe(&self, channel: &GroupId, direction: Direction, frame: &Frame) {
        self.frames.count(direction);
        self.traffic.observe(channel, direction, frame);
        if self.traces.is_watching() {
            self.traces.observe(channel, direction, frame);
        }
    }
}
