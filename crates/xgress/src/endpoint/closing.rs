//! How circuits end.
//!
//! Either direction ends by itself; the circuit ends when both have, or when one end gives up.
//!
//! | Direction to the other end | Because | Then |
//! |---|---|---|
//! | `Open` | `finish` | `Finishing`: the end follows the data, once the other end has said how to tell it |
//! | `Finishing` | all of it is acknowledged | `Over` |
//! | `Open`, `Finishing` | the other end stops reading | `Over`, unacknowledged data is dropped |
//! | any | the other end ends the circuit | `Over`, unacknowledged data is dropped |

use super::{Endpoint, EndpointEvent};
use crate::options::LINGER;
use crate::receive::Stream;
use crate::segment::Segment;
use portcullis_channel::{Moment, Now};
use portcullis_wire::xgress::PayloadFlags;
use std::time::Duration;

/// Why a circuit is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EndReason {
    #[error("both directions are finished")]
    Finished,
    #[error("the other end has ended the circuit")]
    PeerEnded,
    /// The other end has ended the circuit, and something that it sent before never came.
    #[error("the other end has ended the circuit, and data is missing")]
    PeerEndedEarly,
    #[error("the other end has not started the circuit in time")]
    NotStarted,
    #[error("the other end acknowledges nothing")]
    Unanswered,
    #[error("the circuit was aborted at this end")]
    Aborted,
    /// There is no way to the other end any more.
    #[error("the circuit was removed from this router")]
    Unrouted,
    /// Some 2 billion payloads.
    #[error("the numbers of payloads are used up")]
    SequencesExhausted,
}

/// How far an end has come with ending.
#[derive(Debug, Default)]
pub(super) struct Closing {
    sending: Sending,
    /// Since when both directions are finished.
    finished: Option<Moment>,
    /// Since when the other end is known to be gone.
    peer_gone: Option<Moment>,
    /// The other end knows no end of a direction, and so was told that the circuit ends.
    has_told_circuit_end: bool,
    has_ended: bool,
    /// Number of the last payload.
    farewell: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Sending {
    #[default]
    Open,
    Finishing {
        since: Moment,
        is_told: bool,
    },
    Over,
}

impl Closing {
    pub(super) fn is_open(&self) -> bool {
        self.sending == Sending::Open
    }

    pub(super) fn is_finishing(&self) -> bool {
        matches!(self.sending, Sending::Finishing { .. })
    }

    pub(super) fn is_sending_over(&self) -> bool {
        self.sending == Sending::Over
    }

    pub(super) const fn has_ended(&self) -> bool {
        self.has_ended
    }

    pub(super) const fn has_farewell(&self) -> bool {
        self.farewell.is_some()
    }

    pub(super) const fn take_farewell(&mut self) -> Option<u32> {
        self.farewell.take()
    }

    pub(super) const fn stop_sending(&mut self) {
        self.sending = Sending::Over;
    }

    /// The other end is gone: what it has sent before arrives soon, or never.
    pub(super) fn expect_rest(&mut self, now: Moment) {
        self.peer_gone.get_or_insert(now);
    }

    /// When to tell that this direction ends even though the other end has not said how.
    pub(super) fn impatience(&self, patience: Duration) -> Option<Moment> {
        match self.sending {
            Sending::Finishing {
                since,
                is_told: false,
            } => Some(since + patience),
            _ => None,
        }
    }

    /// When a circuit is over although the other end still holds data, or has not sent all.
    pub(super) fn linger(&self) -> Option<Moment> {
        let since = self.finished.or(self.peer_gone)?;
        Some(since + LINGER)
    }
}

impl Endpoint {
    /// Ends the direction to the other end, after all that was written. Half close.
    pub fn finish(&mut self, now: Now) {
        if self.closing.sending == Sending::Open {
            let (since, is_told) = (now.mono, false);
            self.closing.sending = Sending::Finishing { since, is_told };
            self.settle(now);
        }
    }

    /// Takes nothing more from the other end, which is told. What it sends is thrown away.
    pub fn stop_reading(&mut self, now: Now) {
        if self.receive.is_finished() || self.closing.has_ended() {
            return;
        }
        self.receive.discard();
        if self.receive.stream() == Stream::Open {
            self.push(PayloadFlags::WRITE_FAILED, Segment::default(), now);
        }
        self.settle(now);
    }

    /// Ends both directions: what was written is still delivered, nothing more is read.
    pub fn close(&mut self, now: Now) {
        self.finish(now);
        self.stop_reading(now);
    }

    /// Ends the circuit at once, whatever is on its way.
    pub fn abort(&mut self) {
        self.end(EndReason::Aborted);
    }

    /// The circuit is gone: nothing that is sent would arrive.
    pub fn unroute(&mut self) {
        self.end(EndReason::Unrouted);
    }

    /// Whether the circuit is over.
    pub const fn has_ended(&self) -> bool {
        self.closing.has_ended()
    }

    pub(super) fn end(&mut self, why: EndReason) {
        if self.closing.has_ended {
            return;
        }
        let tells = !matches!(
            why,
            EndReason::PeerEnded | EndReason::PeerEndedEarly | EndReason::Unrouted
        );
        self.closing = Closing {
            sending: Sending::Over,
            has_ended: true,
            farewell: Some(self.send.next_sequence()).filter(|_| tells && self.is_started),
            ..Closing::default()
        };
        self.send.discard();
        self.receive.discard();
        self.has_refused = false;
        self.events.push_back(EndpointEvent::Ended(why));
    }

    /// Takes the steps towards the end that are possible now.
    pub(super) fn advance_closing(&mut self, now: Now) {
        if self.closing.has_ended {
            return;
        }
        if self.receive.stream() == Stream::CircuitEnded {
            // Nobody is there to acknowledge anything.
            self.send.discard();
            self.closing.sending = Sending::Over;
            self.closing.peer_gone = None;
        }
        self.tell_end(now);
        let is_told = matches!(
            self.closing.sending,
            Sending::Finishing { is_told: true, .. }
        );
        if is_told && self.send.is_empty() {
            self.closing.sending = Sending::Over;
            if self.closing.has_told_circuit_end {
                self.closing.expect_rest(now.mono);
            }
        }
        let is_over = self.closing.is_sending_over() && self.send.is_empty();
        if is_over && self.receive.is_finished() {
            let since = *self.closing.finished.get_or_insert(now.mono);
            let has_waited = since + LINGER <= now.mono;
            if self.receive.stream() == Stream::CircuitEnded {
                self.end(EndReason::PeerEnded);
            } else if self.peer_held == 0 || has_waited {
                self.end(EndReason::Finished);
            }
        }
    }

    /// Lets the end of the stream follow the data, in the way that the other end understands.
    fn tell_end(&mut self, now: Now) {
        let Sending::Finishing {
            since,
            is_told: false,
        } = self.closing.sending
        else {
            return;
        };
        let flags = match self.peer {
            Some(peer) if peer.end_of_stream => PayloadFlags::END_OF_STREAM,
            None if now.mono < since + self.options.max_close_wait => return,
            _ => PayloadFlags::CIRCUIT_END,
        };
        let is_told = true;
        self.closing.sending = Sending::Finishing { since, is_told };
        self.closing.has_told_circuit_end = flags == PayloadFlags::CIRCUIT_END;
        self.push(flags, Segment::default(), now);
    }

    /// Gives up waiting for what the other end has not sent, or not read.
    pub(super) fn stop_lingering(&mut self, now: Now) {
        if self.closing.linger().is_none_or(|at| at > now.mono) {
            return;
        }
        if self.closing.finished.is_some() {
            self.advance_closing(now);
        } else if self.receive.is_readable() {
            // What has arrived is still read, however long that takes.
            self.closing.peer_gone = Some(now.mono);
        } else if self.closing.has_told_circuit_end {
            self.end(EndReason::Finished);
        } else {
            self.end(EndReason::PeerEndedEarly);
        }
    }
}
