//! Heartbeats: whether the other side is still there, and how far away it is.
//!
//! Both sides send them. A heartbeat is a header on whatever is sent next, on any connection; only if
//! nothing is sent for a while does it get a message of its own. The same holds for answers. There is one
//! state for the channel, not one for each connection.

use crate::frame::{ContentType, Frame, Message};
use crate::headers::{Headers, key};
use crate::time::{Moment, Now, UnixNanos};
use std::collections::VecDeque;
use std::time::Duration;

/// Heartbeats that are remembered until they are answered. The oldest is forgotten first, and an answer to
/// it then means nothing.
const REMEMBERED: usize = 64;

/// Most of them that are sent in `close_after`: fewer than are remembered, so that an answer counts as
/// long as it comes in time.
const MOST_SENT: u32 = 60;

/// The least that intervals may be: shorter ones would keep a program busy with nothing else.
const LEAST: Duration = Duration::from_millis(1);

/// How often heartbeats are sent, and what it means if they are not answered. Intervals below a
/// millisecond count as one, and `send_interval` is no less than a sixtieth of `close_after`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeartbeatOptions {
    /// From one heartbeat to the next: from then on it goes with whatever is sent.
    pub send_interval: Duration,
    /// How long a heartbeat that is due waits for a message to go with.
    pub check_interval: Duration,
    /// How long an answer waits for a message to go with.
    pub answer_within: Duration,
    /// Without an answer for so long, the channel is closed.
    pub close_after: Duration,
    /// How long after its first connection a channel is treated as if it had just got an answer. Peers
    /// that never answer are closed after `grace` and `close_after`.
    pub grace: Duration,
}

/// What heartbeats have shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Liveness {
    /// From the last heartbeat that was answered to its answer.
    pub latency: Option<Duration>,
    /// For how long the oldest heartbeat that nothing has answered has waited; zero if none does.
    pub unanswered_for: Duration,
}

/// What the headers of a frame say to the channel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Heartbeat {
    /// A heartbeat to answer.
    pub(crate) request: Option<UnixNanos>,
    /// One of ours.
    pub(crate) response: Option<UnixNanos>,
    /// Whether there are such headers at all, be they as they should or not.
    pub(crate) is_present: bool,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    Send,
    Answer,
    Silence,
}

#[derive(Debug)]
pub(crate) struct Heartbeats {
    options: HeartbeatOptions,
    /// When the next one may go with a message.
    next: Moment,
    /// Those that were sent since the last answer.
    sent: VecDeque<(UnixNanos, Moment)>,
    /// When the last answer came, or as if it came.
    answered: Moment,
    /// The other side's last one, and when its answer gets a message of its own.
    owed: Option<(UnixNanos, Moment)>,
    latency: Option<Duration>,
    /// Something is to be sent in a message of its own.
    is_overdue: bool,
}

impl Heartbeat {
    /// Reads the headers of a frame. A value that is not of eight bytes is none.
    pub(crate) fn of(headers: &Headers) -> Self {
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
    /// Begins with the first connection of a channel, or the first after none was left.
    pub(crate) fn start(options: HeartbeatOptions, now: Moment) -> Self {
        Self {
            options: HeartbeatOptions {
                send_interval: (options.send_interval)
                    .max(LEAST)
                    .max(options.close_after / MOST_SENT),
                ..options
            },
            next: now,
            sent: VecDeque::new(),
            answered: now + options.grace,
            owed: None,
            latency: None,
            is_overdue: false,
        }
    }

    /// Takes in what a frame said.
    pub(crate) fn handle(&mut self, heartbeat: Heartbeat, now: Moment) {
        if let Some(value) = heartbeat.request {
            // A newer one takes the place of one that is not answered yet, but not its time.
            let until = self
                .owed
                .map_or(now + self.options.answer_within, |(_, until)| until);
            self.owed = Some((value, until));
        }
        if let Some(value) = heartbeat.response {
            self.answer(value, now);
        }
    }

    /// An answer counts if it is one to a heartbeat of ours, which also answers all before it.
    fn answer(&mut self, value: UnixNanos, now: Moment) {
        let Some(place) = self.sent.iter().rposition(|(sent, _)| *sent == value) else {
            return;
        };
        if let Some((_, sent)) = self.sent.drain(..=place).next_back() {
            self.latency = Some(now.since(sent));
            self.answered = self.answered.max(now);
        }
    }

    /// Adds what is due to a frame that is about to be written.
    pub(crate) fn decorate(&mut self, frame: Frame, now: Now) -> Frame {
        self.is_overdue = false;
        let is_due = self.next <= now.mono;
        if !is_due && self.owed.is_none() {
            return frame;
        }
        let mut headers = Headers::builder().append(frame.headers());
        if is_due {
            headers = headers.u64(key::HEARTBEAT, now.wall.0);
            self.remember(now);
        }
        if let Some((value, _)) = self.owed.take() {
            headers = headers.u64(key::HEARTBEAT_RESPONSE, value.0);
        }
        frame.with_headers(headers.build())
    }

    fn remember(&mut self, now: Now) {
        self.next = now.mono + self.options.send_interval;
        if self.sent.len() == REMEMBERED {
            self.sent.pop_front();
        }
        self.sent.push_back((now.wall, now.mono));
    }

    /// Whether a message has to be sent for the heartbeats alone.
    pub(crate) const fn is_overdue(&self) -> bool {
        self.is_overdue
    }

    /// That message.
    pub(crate) const fn message() -> Message {
        Message::new(ContentType::HEARTBEAT)
    }

    /// When something has to be done, unless a message comes before.
    pub(crate) fn timeout(&self) -> (Moment, Due) {
        let silence = (self.silence(), Due::Silence);
        if self.is_overdue {
            return silence;
        }
        let send = (self.next + self.options.check_interval, Due::Send);
        let answer = self.owed.map(|(_, until)| (until, Due::Answer));
        let first = [send, silence].into_iter().chain(answer);
        first.min_by_key(|(at, _)| *at).unwrap_or(silence)
    }

    /// Notes what is overdue; tells whether the other side has been silent for too long.
    pub(crate) fn handle_timeout(&mut self, now: Moment) -> bool {
        let is_send_due = self.next + self.options.check_interval <= now;
        let is_answer_due = self.owed.is_some_and(|(_, until)| until <= now);
        self.is_overdue |= is_send_due || is_answer_due;
        self.silence() <= now
    }

    pub(crate) fn liveness(&self, now: Moment) -> Liveness {
        let oldest = self.sent.front().map(|(_, sent)| now.since(*sent));
        Liveness {
            latency: self.latency,
            unanswered_for: oldest.unwrap_or_default(),
        }
    }

    fn silence(&self) -> Moment {
        self.answered + self.options.close_after
    }
}
