//! Deadlines: when something has to be done although nothing happens.

use super::{Channel, ChannelEvent, CloseReason, RequestFailure, State};
use crate::heartbeat::Due;
use crate::time::{Moment, Now};

/// Why there is a deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A heartbeat has found no message to go with.
    Heartbeat,
    /// The answer to a heartbeat has found no message to go with.
    HeartbeatAnswer,
    /// The other side has answered no heartbeat for too long.
    Silence,
    /// A request has got no reply for too long.
    Request,
    /// The channel is closed, and its writers have taken too long.
    Drain,
}

impl Channel {
    /// When to call [`handle_timeout`](Self::handle_timeout), and why.
    pub fn poll_timeout(&self) -> Option<(Moment, Cause)> {
        if let State::Closing { until } = self.state {
            return until.map(|until| (until, Cause::Drain));
        }
        let heartbeat = self.heartbeats.as_ref().map(|heartbeats| {
            let (at, due) = heartbeats.timeout();
            let cause = match due {
                Due::Send => Cause::Heartbeat,
                Due::Answer => Cause::HeartbeatAnswer,
                Due::Silence => Cause::Silence,
            };
            (at, cause)
        });
        let request = self.requests.timeout().map(|at| (at, Cause::Request));
        heartbeat.into_iter().chain(request).min()
    }

    /// A deadline may have passed. Too early a call changes nothing, too late a one loses nothing.
    pub fn handle_timeout(&mut self, now: Now) {
        if let State::Closing { until: Some(until) } = self.state {
            if until <= now.mono {
                self.stop_draining();
            }
            return;
        }
        while let Some(request) = self.requests.expired(now.mono) {
            self.cancel(request);
            let why = RequestFailure::TimedOut;
            self.events
                .push_back(ChannelEvent::RequestFailed { request, why });
        }
        let heartbeats = self.heartbeats.as_mut();
        if heartbeats.is_some_and(|heartbeats| heartbeats.handle_timeout(now.mono)) {
            self.close(CloseReason::PeerUnresponsive, now);
        }
    }
}
