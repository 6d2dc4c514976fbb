//! What comes from the other end.

use super::transmit::low_millis;
use super::{Capabilities, EndReason, Endpoint, EndpointEvent, Side};
use crate::receive::{Arrival, Stream};
use crate::send::Acknowledged;
use crate::window::Progress;
use portcullis_channel::Now;
use portcullis_wire::xgress::{Acknowledgement, Payload, PayloadFlags, payload_header};
use std::time::Duration;

/// Unanswered probes that count after an acknowledgement from which nothing can be learned of the round
/// trip: it may be longer than it was.
const PATIENT_PROBES: u32 = 4;

impl Endpoint {
    /// A payload of this circuit has arrived.
    pub fn handle_payload(&mut self, payload: Payload, now: Now) {
        if self.closing.has_ended() {
            return;
        }
        if self.side == Side::of(payload.flags) {
            self.counters.reflected += 1;
            return;
        }
        self.last_received = now.mono;
        self.counters.received_payloads += 1;
        let (flags, sequence, rtt) = (payload.flags, payload.sequence, payload.rtt_millis);
        // Even if there is no room for the payload: it may be long until there is.
        self.peer = self.peer.or_else(|| capabilities(&payload));
        let arrival = if self.acks.is_full() {
            Arrival::Refused
        } else {
            self.receive.handle(payload)
        };
        match arrival {
            Arrival::Taken => {},
            Arrival::Duplicate => self.counters.duplicate_payloads += 1,
            Arrival::Refused => {
                self.counters.refused_payloads += 1;
                self.acks.note_refused();
                return;
            },
        }
        self.acks.add(sequence, rtt);
        if flags.contains(PayloadFlags::CIRCUIT_START) {
            self.start();
        }
        if flags.contains(PayloadFlags::WRITE_FAILED) {
            self.handle_stop();
        }
        if flags.contains(PayloadFlags::CIRCUIT_END) {
            self.handle_circuit_end(now);
        }
        self.settle(now);
    }

    /// The other end has acknowledged payloads, or says how much it holds.
    pub fn handle_acknowledgement(&mut self, acknowledgement: &Acknowledgement, now: Now) {
        if self.closing.has_ended() {
            return;
        }
        if self.side == Side::of(acknowledgement.flags) {
            self.counters.reflected += 1;
            return;
        }
        self.last_received = now.mono;
        self.probes = self.probes.min(PATIENT_PROBES);
        let sequences = &acknowledgement.sequences;
        // It belongs to the first of the payloads.
        let mut echo = echo(acknowledgement.rtt_millis, now);
        let mut usual = self.round_trip.average();
        let newest = sequences
            .iter()
            .filter_map(|sequence| {
                self.acknowledge(sequence.number(), echo.take(), &mut usual, now)
            })
            .max();
        if sequences.is_empty() || newest >= Some(self.peer_held_as_of) {
            let held = acknowledgement.receive_buffer_bytes.unwrap_or(u32::MAX);
            // It stood still, perhaps for long, and does not from now on. Who has closed does not wait for that.
            if self.peer_held > 0 && held == 0 && !self.has_closed() {
                self.last_progress = now.mono;
            }
            self.peer_held = held;
            self.peer_held_as_of = newest.unwrap_or(self.peer_held_as_of);
        }
        self.detect_losses(now);
        self.settle(now);
    }

    /// Returns the number of the transmission, if it was not acknowledged before. `usual` is how old the
    /// payloads of this acknowledgement are: they have arrived together.
    fn acknowledge(
        &mut self,
        sequence: u32,
        echo: Option<Duration>,
        usual: &mut Option<Duration>,
        now: Now,
    ) -> Option<u64> {
        match self.send.acknowledge(sequence, echo, *usual, now.mono) {
            Acknowledged::Now {
                bytes,
                transmission,
                round_trip,
            } => {
                self.counters.acknowledgements += 1;
                self.last_progress = now.mono;
                if let Some(sample) = round_trip {
                    *usual = round_trip;
                    self.probes = 0;
                    self.round_trip.measure(sample, &self.options, now.mono);
                }
                let progress = Progress {
                    bytes,
                    transmission,
                    latest: self.send.latest_transmission(),
                    is_limited: self.send.bytes().saturating_add(bytes) >= self.window.bytes() / 2,
                    is_delayed: self.round_trip.is_delayed(),
                };
                if self.window.acknowledge(progress, &self.options) {
                    self.round_trip.give_less_time(&self.options);
                }
                Some(transmission)
            },
            Acknowledged::Before => {
                self.counters.duplicate_acknowledgements += 1;
                if self.window.duplicate(&self.options) {
                    self.round_trip.give_more_time();
                }
                None
            },
            Acknowledged::Nothing => {
                self.counters.unfounded_acknowledgements += 1;
                None
            },
        }
    }

    /// The other end is there. If it has not said what it can do, it can do nothing.
    fn start(&mut self) {
        self.is_started = true;
        self.peer.get_or_insert(Capabilities {
            end_of_stream: false,
        });
    }

    /// The other end is gone, which concerns this direction at once if nobody reads the other one.
    fn handle_circuit_end(&mut self, now: Now) {
        if self.receive.is_finished() {
            self.end(EndReason::PeerEnded);
        } else {
            self.closing.expect_rest(now.mono);
        }
    }

    /// The other end does not read any more.
    fn handle_stop(&mut self) {
        if self.closing.is_sending_over() || self.receive.stream() == Stream::CircuitEnded {
            return;
        }
        self.send.discard();
        self.closing.stop_sending();
        self.events.push_back(EndpointEvent::PeerStopped);
    }
}

/// How old a payload is by its RTT header.
fn echo(rtt_millis: Option<u16>, now: Now) -> Option<Duration> {
    let sent = rtt_millis.filter(|sent| *sent > 0)?;
    let elapsed = low_millis(now.wall).wrapping_sub(sent);
    Some(Duration::from_millis(u64::from(elapsed)))
}

fn capabilities(payload: &Payload) -> Option<Capabilities> {
    let header = payload.headers.get(&payload_header::CAPABILITIES)?;
    let bits: [u8; 4] = header.as_ref().try_into().ok()?;
    let bits = u32::from_be_bytes(bits);
    Some(Capabilities {
        end_of_stream: bits & Payload::CAPABILITY_END_OF_STREAM != 0,
    })
}
