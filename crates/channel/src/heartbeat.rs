//! Heartbeats: liveness and latency of the peer.
//!
//! Both sides send them. A heartbeat is a header on the next message to be sent, on any connection;
//! only if nothing is sent for a while, it gets a message of its own. The same holds for answers.
//! There is one state per channel, not per connection.

use crate::frame::{ContentType, Frame, Message};
use crate::headers::{Headers, key};
use crate::time::{Moment, Now, UnixNanos};
use std::collections::VecDeque;
use std::time::Duration;

/// Maximum number of unanswered heartbeats that are kept. The oldest is dropped first, and its
/// answer is then ignored.
const MAX_UNANSWERED: usize = 64;

/// Maximum number of heartbeats sent in `close_after`: fewer than are kept, so that an answer in time
/// always counts.
const MAX_SENT: u32 = 60;

/// Minimum interval: shorter ones would keep a program busy with nothing else.
const MIN_INTERVAL: Duration = Duration::from_millis(1);

/// Timing of heartbeats. Intervals below a millisecond count as one, and `send_interval` is at
/// least a sixtieth of `close_after`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeartbeatOptions {
    /// Interval after which the next heartbeat is attached to any message.
    pub send_interval: Duration,
    /// How long a due heartbeat waits for a message.
    pub check_interval: Duration,
    /// How long an answer waits for a message.
    pub answer_within: Duration,
    /// The channel is closed after this time without an answer.
    pub close_after: Duration,
    /// How long after its first connection a channel is treated as if it had just got an answer.
    /// Peers that never answer are closed after `grace` and `close_after`.
    pub grace: Duration,
}

/// Heartbeat status of a channel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Liveness {
    /// Time from the last answered heartbeat to its answer.
    pub latency: Option<Duration>,
    /// Age of the oldest unanswered heartbeat; zero if there is none.
    pub unanswered_for: Duration,
}

/// Heartbeat headers of a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Heartbeat {
    /// A heartbeat to answer.
    pub(crate) request: Option<UnixNanos>,
    /// The answer to one of ours.
    pub(crate) response: Option<UnixNanos>,
    /// Whether there are such headers at all, valid or not.
    pub(crate) is_present: bool,
}

/// Kind of the next timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimerKind {
    Send,
    Answer,
    Silence,
}

#[derive(Debug)]
pub(crate) struct Heartbeats {
    options: HeartbeatOptions,
    /// When the next heartbeat may be attached to a message.
    next_at: Moment,
    /// Heartbeats sent since the last answer.
    sent: VecDeque<(UnixNanos, Moment)>,
    /// Time of the last answer, or the end of the grace period.
    last_answer_at: Moment,
    /// The peer's last heartbeat, and when its answer gets a message of its own.
    pending_answer: Option<(UnixNanos, Moment)>,
    latency: Option<Duration>,
    /// Something must be sent in a message of its own.
    is_overdue: bool,
}

impl Heartbeat {
    /// Reads the headers of a frame. A value that is not eight bytes long is ignored.
    pub(crate) fn from_headers(headers: &Headers) -> Self {
        let mut heartbeat = Self::default();
        for (key, value) in headers.iter() {
            let number = || {
                let bytes = value.try_into().ok()?;
                Some(UnixNanos(u64::from_le_bytes(bytes)))
            };
            match key {
                key::HEARTBEAT => heartbeat.request = number(),
                key::HEARTBEAT_RESPONSE => heartbeat.response = number(),
                _ => continue,
            }
            heartbeat.is_present = true;
        }
        heartbeat
    }
}

impl Heartbeats {
    /// Starts with the first connection of a channel, or the first after all were lost.
    pub(crate) fn start(options: HeartbeatOptions, now: Moment) -> Self {
        Self {
            options: HeartbeatOptions {
                send_interval: (options.send_interval)
                    .max(MIN_INTERVAL)
                    .max(options.close_after / MAX_SENT),
                ..options
            },
            next_at: now,
            sent: VecDeque::new(),
            last_answer_at: now + options.grace,
            pending_answer: None,
            latency: None,
            is_overdue: false,
        }
    }

    /// Handles the heartbeat headers of a frame.
    pub(crate) fn handle(&mut self, heartbeat: Heartbeat, now: Moment) {
        if let Some(value) = heartbeat.request {
            // A newer one replaces an unanswered one, but keeps its deadline.
            let until = self
                .pending_answer
                .map_or(now + self.options.answer_within, |(_, until)| until);
            self.pending_answer = Some((value, until));
        }
        if let Some(value) = heartbeat.response {
            self.handle_answer(value, now);
        }
    }

    /// An answer counts if it is for a heartbeat of ours, and also answers all earlier ones.
    fn handle_answer(&mut self, value: UnixNanos, now: Moment) {
        let Some(place) = self.sent.iter().rposition(|(sent, _)| *sent == value) else {
            return;
        };
        if let Some((_, sent)) = self.sent.drain(..=place).next_back() {
            self.latency = Some(now.since(sent));
            self.last_answer_at = self.last_answer_at.max(now);
        }
    }

    /// Adds due headers to a frame that is about to be written.
    pub(crate) fn add_headers(&mut self, frame: Frame, now: Now) -> Frame {
        self.is_overdue = false;
        let is_due = self.next_at <= now.mono;
        if !is_due && self.pending_answer.is_none() {
            return frame;
        }
        let mut headers = Headers::builder().append(frame.headers());
        if is_due {
            headers = headers.u64(key::HEARTBEAT, now.wall.0);
            self.record_sent(now);
        }
        if let Some((value, _)) = self.pending_answer.take() {
            headers = headers.u64(key::HEARTBEAT_RESPONSE, value.0);
        }
        frame.with_headers(headers.build())
    }

    fn record_sent(&mut self, now: Now) {
        self.next_at = now.mono + self.options.send_interval;
        if self.sent.len() == MAX_UNANSWERED {
            self.sent.pop_front();
        }
        self.sent.push_back((now.wall, now.mono));
    }

    /// Whether a message for the heartbeats alone must be sent.
    pub(crate) const fn is_overdue(&self) -> bool {
        self.is_overdue
    }

    /// The message for the heartbeats alone.
    pub(crate) const fn message() -> Message {
        Message::new(ContentType::HEARTBEAT)
    }

    /// The next timeout, unless a message comes first.
    pub(crate) fn next_timeout(&self) -> (Moment, TimerKind) {
        let silence = (self.silence_deadline(), TimerKind::Silence);
        if self.is_overdue {
            return silence;
        }
        let send = (self.next_at + self.options.check_interval, TimerKind::Send);
        let answer = self
            .pending_answer
            .map(|(_, until)| (until, TimerKind::Answer));
        let first = [send, silence].into_iter().chain(answer);
        first.min_by_key(|(at, _)| *at).unwrap_or(silence)
    }

    /// Updates what is overdue; returns whether the peer has been silent for too long.
    pub(crate) fn handle_timeout(&mut self, now: Moment) -> bool {
        let is_send_due = self.next_at + self.options.check_interval <= now;
        let is_answer_due = self.pending_answer.is_some_and(|(_, until)| until <= now);
        self.is_overdue |= is_send_due || is_answer_due;
        self.silence_deadline() <= now
    }

    pub(crate) fn liveness(&self, now: Moment) -> Liveness {
        let oldest = self.sent.front().map(|(_, sent)| now.since(*sent));
        Liveness {
            latency: self.latency,
            unanswered_for: oldest.unwrap_or_default(),
        }
    }

    fn silence_deadline(&self) -> Moment {
        self.last_answer_at + self.options.close_after
    }
}
