//! What sees the messages of control channels.

use crate::traces::Traces;
use crate::traffic::ChannelTraffic;
use portcullis_channel::Frame;
use portcullis_channel::group::GroupId;
use portcullis_transport::{Direction, Observer};
use std::sync::Arc;

/// Counts all messages, and shows those of channels that are traced.
#[derive(Debug)]
pub(crate) struct ChannelWatch {
    pub(crate) traffic: Arc<ChannelTraffic>,
    pub(crate) traces: Arc<Traces>,
}

impl Observer for ChannelWatch {
    fn observe(&self, channel: &GroupId, direction: Direction, frame: &Frame) {
        self.traffic.observe(channel, direction, frame);
        if self.traces.is_watching() {
            self.traces.observe(channel, direction, frame);
        }
    }
}
