//! Messages that wait for room.

use super::Expected;
use portcullis_channel::{Message, ReplyTo};
use std::collections::VecDeque;

/// Bytes that a waiting message takes beside those on the wire.
const OVERHEAD: usize = 256;

/// A message that is to be sent.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) message: Message,
    /// Present if it is a reply.
    pub(super) reply_to: Option<ReplyTo>,
    /// What the router answers it with.
    pub(super) expected: Option<Expected>,
}

/// Messages of one priority, first come, first served.
#[derive(Debug, Default)]
pub(super) struct Line {
    messages: VecDeque<Waiting>,
    bytes: usize,
    replies: usize,
}

impl Waiting {
    pub(super) const fn new(message: Message) -> Self {
        Self {
            message,
            reply_to: None,
            expected: None,
        }
    }

    pub(super) fn in_reply_to(self, to: &ReplyTo) -> Self {
        Self {
            reply_to: Some(to.clone()),
            ..self
        }
    }

    pub(super) fn expecting(self, expected: Expected) -> Self {
        Self {
            expected: Some(expected),
            ..self
        }
    }

    fn bytes(&self) -> usize {
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

    /// How many of the messages are replies.
    pub(super) const fn replies(&self) -> usize {
        self.replies
    }

    pub(super) fn push(&mut self, waiting: Waiting) {
        self.count(&waiting);
        self.messages.push_back(waiting);
    }

    pub(super) fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.messages.pop_front()?;
        self.bytes -= waiting.bytes();
        self.replies -= usize::from(waiting.reply_to.is_some());
        if self.messages.is_empty() {
            // A burst is rare, and was perhaps long.
            self.messages = VecDeque::new();
        }
        Some(waiting)
    }

    /// Puts the first one back.
    pub(super) fn put_back(&mut self, waiting: Waiting) {
        self.count(&waiting);
        self.messages.push_front(waiting);
    }

    fn count(&mut self, waiting: &Waiting) {
        self.bytes += waiting.bytes();
        self.replies += usize::from(waiting.reply_to.is_some());
    }
}
