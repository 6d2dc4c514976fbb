//! Messages that wait for room.

use super::Expected;
use portcullis_channel::{Flow, Message, Priority};
use portcullis_transport::Written;
use std::collections::VecDeque;
use tokio::sync::oneshot;

/// Bytes that a waiting message takes beside those on the wire.
const OVERHEAD: usize = 256;

/// Replies do not share the place of what the router is told unasked: the channel lets both take turns.
const REPLIES: Flow = Flow(1);

/// A message that is to be sent.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) message: Message,
    pub(super) sequel: Sequel,
}

/// What follows when a message is sent.
#[derive(Debug)]
pub(super) enum Sequel {
    Nothing,
    /// The router answers it.
    Answer(Expected),
    /// Somebody waits until it is written.
    Written(oneshot::Sender<Written>),
}

/// Messages that are sent in their order, first come, first served.
#[derive(Debug, Default)]
pub(super) struct Line {
    messages: VecDeque<Waiting>,
    bytes: usize,
}

/// Which line a message waits in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineId {
    /// What the router is told unasked.
    Told(Priority),
    Replies(Priority),
}

/// One of something for each line.
#[derive(Debug, Default)]
pub(super) struct EachLine<T> {
    high: T,
    default: T,
    high_replies: T,
    default_replies: T,
}

impl Waiting {
    /// Memory that the message takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.message.wire_len() + OVERHEAD
    }
}

impl Line {
    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Memory that the messages take, about.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn push(&mut self, waiting: Waiting) {
        self.bytes += waiting.bytes();
        self.messages.push_back(waiting);
    }

    pub(super) fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.messages.pop_front()?;
        self.bytes -= waiting.bytes();
        if self.messages.is_empty() {
            // A burst is rare, and was perhaps long.
            self.messages = VecDeque::new();
        }
        Some(waiting)
    }

    /// Puts the first one back.
    pub(super) fn put_back(&mut self, waiting: Waiting) {
        self.bytes += waiting.bytes();
        self.messages.push_front(waiting);
    }
}

impl LineId {
    pub(super) const fn priority(self) -> Priority {
        match self {
            Self::Told(priority) | Self::Replies(priority) => priority,
        }
    }

    pub(super) const fn flow(self) -> Flow {
        match self {
            Self::Told(_) => Flow::COMMON,
            Self::Replies(_) => REPLIES,
        }
    }
}

impl<T> EachLine<T> {
    pub(super) const fn get(&self, id: LineId) -> &T {
        match id {
            LineId::Told(Priority::High) => &self.high,
            LineId::Told(Priority::Default) => &self.default,
            LineId::Replies(Priority::High) => &self.high_replies,
            LineId::Replies(Priority::Default) => &self.default_replies,
        }
    }

    pub(super) const fn get_mut(&mut self, id: LineId) -> &mut T {
        match id {
            LineId::Told(Priority::High) => &mut self.high,
            LineId::Told(Priority::Default) => &mut self.default,
            LineId::Replies(Priority::High) => &mut self.high_replies,
            LineId::Replies(Priority::Default) => &mut self.default_replies,
        }
    }
}

impl EachLine<Line> {
    /// Memory that all messages take, about.
    pub(super) const fn bytes(&self) -> usize {
        self.high.bytes() + self.default.bytes() + self.reply_bytes()
    }

    /// Memory that replies take, about.
    pub(super) const fn reply_bytes(&self) -> usize {
        self.high_replies.bytes() + self.default_replies.bytes()
    }
}
