//! Frames for the writers of connections.

use super::{Channel, ChannelEvent, State};
use crate::channel_kind::Priority;
use crate::frame::Frame;
use crate::heartbeat::Heartbeats;
use crate::time::Now;
use crate::underlays::{Phase, Underlay, UnderlayId};

/// Next action of the writer of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "what is not written is lost"]
pub enum Transmit {
    /// Write this frame.
    Frame(Frame),
    /// Write pending output, close the connection and call [`Channel::detach`]. Nothing follows.
    Close,
}

impl Channel {
    /// The next action for the writer of a connection, which polls when it has room for a frame.
    pub fn poll_transmit(&mut self, underlay: UnderlayId, now: Now) -> Option<Transmit> {
        let phase = self.underlays.get(underlay)?.phase;
        if phase == Phase::Open {
            if let Some(frame) = self.next_frame(underlay, now) {
                return Some(Transmit::Frame(self.add_heartbeat_headers(frame, now)));
            }
            if self.state == State::Open {
                return None;
            }
        }
        self.change_underlays(|underlays| {
            underlays.advance_phase(underlay, Phase::CloseSignaled);
        });
        (phase != Phase::CloseSignaled).then_some(Transmit::Close)
    }

    /// The connections for which [`poll_transmit`](Self::poll_transmit) has something.
    pub fn underlays_with_output(&self) -> impl Iterator<Item = UnderlayId> {
        self.underlays
            .ids()
            .filter(|underlay| self.has_output(*underlay))
    }

    /// Whether [`poll_transmit`](Self::poll_transmit) has something for a connection.
    pub fn has_output(&self, underlay: UnderlayId) -> bool {
        let Some(underlay) = self.underlays.get(underlay) else {
            return false;
        };
        match underlay.phase {
            Phase::Open => self.state != State::Open || self.has_frame(underlay),
            Phase::Closing => true,
            Phase::CloseSignaled => false,
        }
    }

    fn has_frame(&self, underlay: &Underlay) -> bool {
        let is_waiting = |priority: &Priority| {
            let lane = underlay.lane(*priority);
            lane.is_some_and(|lane| self.outbox.queue(*priority).has_frame(lane))
        };
        let heartbeats = self.heartbeats.as_ref();
        Priority::ALL.iter().any(is_waiting) || heartbeats.is_some_and(Heartbeats::is_overdue)
    }

    fn next_frame(&mut self, underlay: UnderlayId, now: Now) -> Option<Frame> {
        for priority in Priority::ALL {
            let Some(lane) = self.underlays.get(underlay)?.lane(priority) else {
                continue;
            };
            let queue = self.outbox.queue_mut(priority);
            let Some((frame, is_request)) = queue.pop(lane, now.mono) else {
                continue;
            };
            self.notify_writable(priority);
            if is_request {
                self.requests.mark_written(frame.sequence());
            }
            return Some(frame);
        }
        self.next_heartbeat()
    }

    /// Emits an event for each flow that waits and has room now, unless the channel is closed.
    pub(super) fn notify_writable(&mut self, priority: Priority) {
        while let Some(flow) = self.outbox.queue_mut(priority).take_relieved() {
            if self.state == State::Open {
                let event = ChannelEvent::Writable { priority, flow };
                self.events.push_back(event);
            }
        }
    }

    /// A message for heartbeats alone, if one is overdue.
    fn next_heartbeat(&mut self) -> Option<Frame> {
        let heartbeats = self.heartbeats.as_ref()?;
        let message = heartbeats.is_overdue().then(Heartbeats::message)?;
        Some(Frame::new_unchecked(message, self.requests.next_sequence()))
    }

    fn add_heartbeat_headers(&mut self, frame: Frame, now: Now) -> Frame {
        match &mut self.heartbeats {
            Some(heartbeats) => heartbeats.add_headers(frame, now),
            None => frame,
        }
    }
}
