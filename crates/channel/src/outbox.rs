//! Bounded send queues, one for each priority.

use crate::channel_kind::Priority;
use crate::frame::{Frame, Sequence};
use std::collections::VecDeque;

/// Limits of a send queue. A full queue rejects messages; nothing blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLimits {
    /// Maximum number of frames.
    pub frames: usize,
    /// Maximum number of bytes on the wire. An empty queue accepts one frame of any size.
    pub bytes: usize,
}

/// A queued frame.
#[derive(Debug)]
struct Queued {
    frame: Frame,
    is_request: bool,
}

#[derive(Debug)]
pub(crate) struct Queue {
    limits: QueueLimits,
    frames: VecDeque<Queued>,
    bytes: usize,
    /// Whether a message was rejected since the queue was last reported as writable.
    has_rejected: bool,
}

#[derive(Debug)]
pub(crate) struct Outbox {
    high: Queue,
    default: Queue,
}

impl Outbox {
    pub(crate) const fn new(high: QueueLimits, default: QueueLimits) -> Self {
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

    /// Removes a frame that has not been sent.
    pub(crate) fn remove(&mut self, sequence: Sequence) {
        self.high.remove(sequence);
        self.default.remove(sequence);
    }

    pub(crate) fn clear(&mut self) {
        for priority in Priority::ALL {
            let queue = self.queue_mut(priority);
            queue.frames = VecDeque::new();
            queue.bytes = 0;
        }
    }
}

impl Queue {
    const fn new(limits: QueueLimits) -> Self {
        Self {
            limits,
            frames: VecDeque::new(),
            bytes: 0,
            has_rejected: false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether a frame of this size is accepted. A rejection is recorded.
    pub(crate) fn has_room(&mut self, bytes: usize) -> bool {
        let fits = self.frames.len() < self.limits.frames
            && self.bytes.saturating_add(bytes) <= self.limits.bytes;
        let has_room = self.frames.is_empty() || fits;
        self.has_rejected |= !has_room;
        has_room
    }

    /// Whether a frame was rejected, and [`take_writable`](Self::take_writable) is still to come.
    pub(crate) const fn has_rejected(&self) -> bool {
        self.has_rejected
    }

    pub(crate) fn push(&mut self, frame: Frame, is_request: bool) {
        self.bytes = self.bytes.saturating_add(frame.wire_len());
        self.frames.push_back(Queued { frame, is_request });
    }

    /// The next frame, and whether it is a request.
    pub(crate) fn pop(&mut self) -> Option<(Frame, bool)> {
        let queued = self.frames.pop_front()?;
        self.bytes = self.bytes.saturating_sub(queued.frame.wire_len());
        Some((queued.frame, queued.is_request))
    }

    /// Whether there is room again after a rejection; returned once. Half of the queue must be
    /// empty, or each frame that leaves would wake the sender.
    pub(crate) fn take_writable(&mut self) -> bool {
        let is_relieved = self.has_rejected
            && self.frames.len() <= self.limits.frames / 2
            && self.bytes <= self.limits.bytes / 2;
        self.has_rejected &= !is_relieved;
        is_relieved
    }

    fn remove(&mut self, sequence: Sequence) {
        let place = |queued: &Queued| queued.frame.sequence() == sequence;
        if let Some(queued) = self
            .frames
            .iter()
            .position(place)
            .and_then(|place| self.frames.remove(place))
        {
            self.bytes = self.bytes.saturating_sub(queued.frame.wire_len());
        }
    }
}
