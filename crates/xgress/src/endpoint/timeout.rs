//! Deadlines of an end.

use super::{EndReason, Endpoint};
use crate::options::UNANSWERED;
use crate::send::Suspicion;
use portcullis_channel::{Moment, Now};
use std::time::Duration;

/// The reason of a deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeoutReason {
    /// A payload that was overtaken by others is lost if it is not acknowledged by now.
    Loss,
    /// Nothing is acknowledged.
    Probe,
    /// The other end has not said whether it understands that one direction ends.
    Impatience,
    /// The circuit is over but for what may still be on its way, or not read.
    Linger,
    /// The initiating end has not shown itself.
    Start,
    /// Nothing has been acknowledged for too long.
    Unanswered,
}

impl Endpoint {
    /// When to call [`handle_timeout`](Self::handle_timeout), and why.
    pub fn poll_timeout(&self) -> Option<(Moment, TimeoutReason)> {
        if self.closing.has_ended() {
            return None;
        }
        if !self.is_started {
            let at = self.created + self.options.start_timeout;
            return Some((at, TimeoutReason::Start));
        }
        let with = |reason| move |at: Moment| (at, reason);
        let impatience = self.closing.impatience(self.options.max_close_wait);
        let linger = self.closing.linger();
        let unanswered = self.unanswered();
        self.next_suspicion()
            .into_iter()
            .chain(impatience.map(with(TimeoutReason::Impatience)))
            .chain(linger.map(with(TimeoutReason::Linger)))
            .chain(unanswered.map(with(TimeoutReason::Unanswered)))
            .min()
    }

    /// Handles deadlines that have passed. Early calls change nothing, late ones lose nothing.
    pub fn handle_timeout(&mut self, now: Now) {
        if self.closing.has_ended() {
            return;
        }
        if !self.is_started {
            if self.created + self.options.start_timeout <= now.mono {
                self.end(EndReason::NotStarted);
            }
            return;
        }
        if self.unanswered().is_some_and(|at| at <= now.mono) {
            self.end(EndReason::Unanswered);
            return;
        }
        match self.next_suspicion() {
            Some((at, TimeoutReason::Probe)) if at <= now.mono => {
                self.probes = self.probes.saturating_add(1);
                self.send.probe(now.mono);
            },
            _ => self.detect_losses(now),
        }
        self.stop_lingering(now);
        self.settle(now);
    }

    pub(super) fn detect_losses(&mut self, now: Now) {
        let timeout = self.round_trip.ack_timeout(&self.options);
        let losses = self.send.detect_losses(timeout, now.mono);
        self.window.lose(losses);
    }

    /// When payloads may have to be sent again.
    fn next_suspicion(&self) -> Option<(Moment, TimeoutReason)> {
        let timeout = self.round_trip.ack_timeout(&self.options);
        Some(match self.send.suspicion()? {
            Suspicion::Overtaken { sent } => (sent + timeout, TimeoutReason::Loss),
            Suspicion::Silence { since } => (since + self.back_off(timeout), TimeoutReason::Probe),
        })
    }

    /// Twice as long with every second probe that was not answered.
    fn back_off(&self, timeout: Duration) -> Duration {
        let factor = 1_u32.checked_shl(self.probes / 2).unwrap_or(u32::MAX);
        let max = self.options.max_ack_timeout;
        // An end that is full may take its time; otherwise the path is at fault.
        let max = if self.is_blocked_by_peer() {
            max
        } else {
            max / 4
        };
        timeout.saturating_mul(factor).min(max.max(timeout))
    }

    /// Whether nothing more is written or read here.
    pub(super) fn has_closed(&self) -> bool {
        self.receive.is_finished() && !self.closing.is_open()
    }

    /// When to stop waiting for acknowledgements. An end that holds data which nobody reads may refuse
    /// payloads for as long as it likes, unless this end has closed.
    fn unanswered(&self) -> Option<Moment> {
        if self.send.is_empty() {
            return None;
        }
        let patience = if self.has_closed() {
            self.options.max_close_wait
        } else if self.peer_held == 0 {
            UNANSWERED
        } else {
            return None;
        };
        Some(self.last_progress + patience)
    }
}
