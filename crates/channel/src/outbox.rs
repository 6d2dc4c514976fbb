//! Bounded send queues, one for each priority.

mod delay;
mod lane;
mod queue;

use crate::channel_kind::Priority;
use crate::frame::Sequence;

pub(crate) use lane::Lane;
pub(crate) use queue::Queue;

/// Limits of a send queue. A full queue rejects messages; nothing blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLimits {
    /// Maximum number of frames.
    pub frames: usize,
    /// Maximum number of bytes on the wire. An empty queue accepts one frame of any size.
    pub bytes: usize,
}

/// Messages that keep their order among themselves, such as those of one circuit. Flows share a queue
/// equally, whatever each of them would like to send: they take turns, and one that sends more than others
/// finds its part of the queue full while others find theirs empty. A flow keeps to one of the connections that
/// carry its priority, as long as these stay the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flow(pub u64);

impl Flow {
    /// Messages that belong to no other flow.
    pub const COMMON: Self = Self(0);
}

#[derive(Debug)]
pub(crate) struct Outbox {
    high: Queue,
    default: Queue,
}

impl Outbox {
    pub(crate) fn new(high: QueueLimits, default: QueueLimits) -> Self {
        Self {
            high: Queue::new(high),
            default: Queue::new(default),
        }
    }

    pub(crate) const fn queue(&self, priority: Priority) -> &Queue {
        match priority {
            Priority::High => &self.high,
            Priority::Default => &self.default,
        }
    }

    pub(crate) const fn queue_mut(&mut self, priority: Priority) -> &mut Queue {
        match priority {
            Priority::High => &mut self.high,
            Priority::Default => &mut self.default,
        }
    }

    /// Removes a request that has not been sent.
    pub(crate) fn remove(&mut self, sequence: Sequence) {
        self.high.remove(sequence);
        self.default.remove(sequence);
    }

    pub(crate) fn clear(&mut self) {
        self.high.clear();
        self.default.clear();
    }
}
