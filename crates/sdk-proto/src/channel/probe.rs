//! Whether the router is there, and how far away it is.
//!
//! Routers send nothing by themselves; probes are what keeps a silent channel from being taken for a good
//! one.

use super::EdgeChannel;
use super::transmit::Outgoing;
use crate::event::ChannelEnd;
use crate::timers::Timer;
use portcullis_channel::headers::key;
use portcullis_channel::{ContentType, Frame, Headers, Message, Moment, Now, Priority};
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Probes {
    waiting: Option<Probe>,
    /// When the last probe was sent, or the channel was opened.
    last: Moment,
    last_heard: Moment,
    latency: Option<Duration>,
}

#[derive(Debug)]
struct Probe {
    /// What comes back.
    stamp: u64,
    sent: Moment,
}

impl Probes {
    pub(super) const fn new(now: Moment) -> Self {
        Self {
            waiting: None,
            last: now,
            last_heard: now,
            latency: None,
        }
    }

    pub(super) const fn latency(&self) -> Option<Duration> {
        self.latency
    }
}

impl EdgeChannel {
    pub(super) fn note_heard(&mut self, now: Now) {
        self.probes.last_heard = now.mono;
    }

    pub(super) fn schedule_probe(&mut self) {
        let at = match &self.probes.waiting {
            Some(probe) => probe.sent + self.options.probe_timeout,
            None => self.probes.last + self.options.probe_interval,
        };
        self.timers.set(Timer::Probe, Some(at));
    }

    pub(super) fn probe_answered(&mut self, frame: &Frame, now: Now) {
        let stamp = frame.headers().u64(key::REFLECTED);
        match self.probes.waiting.take() {
            Some(probe) if stamp == Some(probe.stamp) => {
                self.probes.latency = Some(now.mono.since(probe.sent));
            },
            // The answer to an earlier one, that came too late.
            other => {
                self.probes.waiting = other;
                self.counters.unfounded += 1;
            },
        }
        self.schedule_probe();
    }

    pub(super) fn probe_timed_out(&mut self, now: Now) {
        match self.probes.waiting.take() {
            None => self.send_probe(now),
            // Something has come, or may wait to be read.
            Some(probe) if self.probes.last_heard > probe.sent || !self.wants_input() => {},
            Some(_) => return self.end_channel(ChannelEnd::Unresponsive, now),
        }
        self.schedule_probe();
    }

    /// Asks the router for a sign of life now, unless that was done already. Without any, the channel ends after
    /// the time for a probe.
    pub fn probe(&mut self, now: Now) {
        if self.end().is_none() && self.probes.waiting.is_none() {
            self.send_probe(now);
            self.schedule_probe();
        }
    }

    /// When anything has arrived last.
    pub const fn last_heard(&self) -> Moment {
        self.probes.last_heard
    }

    fn send_probe(&mut self, now: Now) {
        let stamp = now.wall.0;
        self.probes.last = now.mono;
        self.probes.waiting = Some(Probe {
            stamp,
            sent: now.mono,
        });
        let headers = Headers::builder().u64(key::REFLECTED, stamp).build();
        self.outbox.push_back(Outgoing {
            message: Message::new(ContentType::LATENCY).with_headers(headers),
            priority: Priority::High,
            reply_to: None,
            connection: None,
        });
    }
}
