//! Deadlines of a channel.

use super::{Channel, ChannelEvent, CloseReason, RequestFailure, State};
use crate::heartbeat::TimerKind;
use crate::time::{Moment, Now};

/// The reason of a deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeoutReason {
    /// A heartbeat found no message to be attached to.
    Heartbeat,
    /// The answer to a heartbeat found no message to be attached to.
    HeartbeatAnswer,
    /// The peer has answered no heartbeat for too long.
    Silence,
    /// A request has got no reply for too long.
    Request,
    /// The channel is closed, and its writers have taken too long.
    Drain,
}

impl Channel {
    /// When to call [`handle_timeout`](Self::handle_timeout), and why.
    pub fn poll_timeout(&self) -> Option<(Moment, TimeoutReason)> {
        if let State::Closing { until } = self.state {
            return until.map(|until| (until, TimeoutReason::Drain));
        }
        let heartbeat = self.heartbeats.as_ref().map(|heartbeats| {
            let (at, due) = heartbeats.next_timeout();
            let cause = match due {
                TimerKind::Send => TimeoutReason::Heartbeat,
                TimerKind::Answer => TimeoutReason::HeartbeatAnswer,
                TimerKind::Silence => TimeoutReason::Silence,
            };
            (at, cause)
        });
        let request = self
            .requests
            .next_deadline()
            .map(|at| (at, TimeoutReason::Request));
        heartbeat.into_iter().chain(request).min()
    }

    /// Handles elapsed deadlines. Early calls change nothing, late ones lose nothing.
    pub fn handle_timeout(&mut self, now: Now) {
        if let State::Closing { until: Some(until) } = self.state {
            if until <= now.mono {
                self.stop_draining();
            }
            return;
        }
        while let Some(request) = self.requests.find_expired(now.mono) {
            self.cancel(request);
            let why = RequestFailure::TimedOut;
            self.events.push_back(ChannelEvent::RequestFailed {
                request,
                reason: why,
            });
        }
        let heartbeats = self.heartbeats.as_mut();
        if heartbeats.is_some_and(|heartbeats| heartbeats.handle_timeout(now.mono)) {
            self.close(CloseReason::PeerUnresponsive, now);
        }
    }
}
