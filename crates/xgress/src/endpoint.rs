//! One end of a circuit.

mod closing;
mod handle;
mod inspect;
mod timeout;
mod transmit;

pub use closing::EndReason;
pub use timeout::TimeoutReason;

use crate::acks::OwedAcks;
use crate::options::{MAX_OVERHEAD, MAX_PAYLOADS, MAX_UNSENT_BYTES, Options};
use crate::receive::ReceiveBuffer;
use crate::round_trip::RoundTrip;
use crate::segment::{Received, Segment};
use crate::send::{Content, SendBuffer};
use crate::stats::Counters;
use crate::window::Window;
use closing::Closing;
use portcullis_channel::{Moment, Now};
use portcullis_wire::xgress::{Payload, PayloadFlags, payload_header};
use std::collections::VecDeque;
use std::sync::Arc;

/// Which end of a circuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Where the circuit was dialed.
    Initiator,
    /// Where it is answered. It is silent until it hears of the other end.
    Terminator,
}

impl Side {
    /// The side that sends payloads and acknowledgements with these flags.
    pub const fn of(flags: PayloadFlags) -> Self {
        if flags.contains(PayloadFlags::FROM_TERMINATOR) {
            Self::Terminator
        } else {
            Self::Initiator
        }
    }

    /// The flags of everything that this side sends.
    const fn flags(self) -> PayloadFlags {
        match self {
            Self::Initiator => PayloadFlags::from_bits(0),
            Self::Terminator => PayloadFlags::FROM_TERMINATOR,
        }
    }
}

/// An event at an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointEvent {
    /// A segment was refused, and would be taken now.
    Writable,
    /// Nothing can be written any more: nobody reads it.
    PeerStopped,
    /// The circuit is over. What [`Endpoint::poll_payload`] and [`Endpoint::poll_acknowledgement`]
    /// still have should be sent; after that there is nothing.
    Ended(EndReason),
}

/// A segment was not taken, and is given back.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("segment not taken: {why}")]
pub struct WriteError {
    pub segment: Segment,
    #[source]
    pub why: WriteErrorKind,
}

/// Why a segment was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WriteErrorKind {
    /// [`EndpointEvent::Writable`] says when it would be.
    #[error("too much is on its way")]
    Blocked,
    /// This direction was finished.
    #[error("the stream has been finished")]
    Finished,
    /// The other end does not read any more, or the circuit is over.
    #[error("nobody reads it any more")]
    Closed,
}

/// One end of a circuit.
///
/// *Handlers* (`handle_…`) say what has happened outside, *commands* ([`write`](Self::write),
/// [`finish`](Self::finish), [`stop_reading`](Self::stop_reading), …) act for whoever owns the end,
/// *polls* (`poll_…`, [`read`](Self::read)) return what is to be done, getters change nothing.
///
/// After each handler or command:
///
/// 1. [`read`](Self::read) as long as there is something and whoever takes it has room;
/// 2. take [`poll_event`](Self::poll_event) until there is none;
/// 3. take [`poll_acknowledgement`](Self::poll_acknowledgement) and
///    [`poll_payload`](Self::poll_payload) until there is none, or as long as the next hop has room;
/// 4. ask [`poll_timeout`](Self::poll_timeout) when to call [`handle_timeout`](Self::handle_timeout).
///
/// Instants must not go backwards.
#[derive(Debug)]
pub struct Endpoint {
    side: Side,
    circuit_id: String,
    options: Arc<Options>,
    send: SendBuffer,
    window: Window,
    round_trip: RoundTrip,
    receive: ReceiveBuffer,
    acks: OwedAcks,
    closing: Closing,
    /// Whether the other end is known to be there.
    is_started: bool,
    /// What the other end can do; `None` while it has not said.
    peer: Option<Capabilities>,
    /// Bytes that the other end holds.
    peer_held: u32,
    /// The transmission whose acknowledgement said so: acknowledgements overtake each other.
    peer_held_as_of: u64,
    /// Probes since the last acknowledgement.
    probes: u32,
    /// When something was last acknowledged, or the first payload of those outstanding was written.
    last_progress: Moment,
    last_received: Moment,
    last_retransmission: Option<Moment>,
    created: Moment,
    has_refused: bool,
    /// What its buffers may weigh, each.
    allowance: usize,
    counters: Counters,
    events: VecDeque<EndpointEvent>,
}

/// What the other end can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Capabilities {
    end_of_stream: bool,
}

impl Endpoint {
    /// An end that has neither sent nor received anything. The initiating one begins at once.
    pub fn new(side: Side, circuit_id: String, options: Arc<Options>, now: Now) -> Self {
        let mut endpoint = Self {
            side,
            circuit_id,
            send: SendBuffer::new(),
            window: Window::new(&options),
            round_trip: RoundTrip::new(&options),
            receive: ReceiveBuffer::new(options.receive_buffer),
            acks: OwedAcks::default(),
            closing: Closing::default(),
            is_started: side == Side::Initiator,
            peer: None,
            peer_held: 0,
            peer_held_as_of: 0,
            probes: 0,
            last_progress: now.mono,
            last_received: now.mono,
            last_retransmission: None,
            created: now.mono,
            has_refused: false,
            allowance: usize::MAX,
            counters: Counters::default(),
            events: VecDeque::new(),
            options,
        };
        let flags = match side {
            Side::Initiator => PayloadFlags::CIRCUIT_START,
            Side::Terminator => PayloadFlags::default(),
        };
        endpoint.tell_capabilities(flags, now);
        endpoint
    }

    /// Lets neither what is unacknowledged nor what is unread weigh more than that from now on: memory that
    /// ends share has become scarce, or has become free. What is there stays, and an end that has nothing still
    /// takes one segment of any size.
    pub fn set_allowance(&mut self, bytes: usize, now: Now) {
        self.allowance = bytes;
        self.receive.set_allowance(bytes);
        self.settle(now);
    }

    /// Bytes of memory that this end takes beside the end itself, by [`weight`](crate::weight).
    pub const fn weight(&self) -> usize {
        self.send.weight() + self.receive.weight()
    }

    pub const fn side(&self) -> Side {
        self.side
    }

    pub fn circuit_id(&self) -> &str {
        &self.circuit_id
    }

    /// Takes a segment for the other end, whole.
    ///
    /// A segment of any size is taken while nothing else is on its way; it has to fit into a frame of
    /// the channels that it passes.
    pub fn write(&mut self, segment: Segment, now: Now) -> Result<(), WriteError> {
        let why = if self.closing.is_sending_over() {
            WriteErrorKind::Closed
        } else if self.closing.is_finishing() {
            WriteErrorKind::Finished
        } else if self.send.is_exhausted() {
            self.end(EndReason::SequencesExhausted);
            WriteErrorKind::Closed
        } else if self.is_blocked() {
            self.has_refused = true;
            WriteErrorKind::Blocked
        } else {
            self.push(PayloadFlags::default(), segment, now);
            return Ok(());
        };
        Err(WriteError { segment, why })
    }

    /// Whether [`write`](Self::write) would take a segment.
    pub fn is_writable(&self) -> bool {
        !self.closing.is_finishing() && !self.closing.is_sending_over() && !self.is_blocked()
    }

    /// The next segment from the other end, or that there will be none.
    pub fn read(&mut self, now: Now) -> Option<Received> {
        let received = self.receive.read()?;
        self.acks.note_read(self.held());
        if received == Received::EndOfStream {
            self.acks.note_end();
        }
        self.settle(now);
        Some(received)
    }

    /// Whether [`read`](Self::read) has something.
    pub fn is_readable(&self) -> bool {
        self.receive.is_readable()
    }

    pub fn poll_event(&mut self) -> Option<EndpointEvent> {
        self.events.pop_front()
    }

    /// When something last came from the other end.
    pub const fn last_received(&self) -> Moment {
        self.last_received
    }

    fn push(&mut self, flags: PayloadFlags, segment: Segment, now: Now) {
        if self.send.is_empty() {
            self.last_progress = now.mono;
        }
        let flags = flags | self.side.flags();
        self.send.push(Content { flags, segment });
    }

    fn tell_capabilities(&mut self, flags: PayloadFlags, now: Now) {
        let capabilities = Payload::CAPABILITY_END_OF_STREAM.to_be_bytes().to_vec();
        let headers = [(payload_header::CAPABILITIES, capabilities.into())].into();
        let segment = Segment {
            headers,
            ..Segment::default()
        };
        self.push(flags, segment, now);
    }

    fn is_blocked(&self) -> bool {
        let is_waiting = self.send.unsent_bytes() >= MAX_UNSENT_BYTES;
        let is_full = self.is_blocked_by_window()
            || self.is_blocked_by_peer()
            || self.send.weight() >= self.allowance;
        is_waiting
            || self.send.span() >= MAX_PAYLOADS
            || self.send.weight() >= self.max_weight()
            // One is let through, to learn whether there is room again.
            || (is_full && !self.send.is_empty())
    }

    fn max_weight(&self) -> usize {
        let max_window = usize::try_from(self.options.max_window).unwrap_or(usize::MAX);
        max_window.saturating_add(MAX_OVERHEAD)
    }

    fn is_blocked_by_window(&self) -> bool {
        self.send.bytes() >= self.window.bytes()
    }

    /// What is on its way has to fit beside what the other end holds already.
    fn is_blocked_by_peer(&self) -> bool {
        let max = u64::from(self.options.max_window);
        // It may hold a little more by now than it has said.
        let room = (max - max / 8).saturating_sub(u64::from(self.peer_held));
        self.send.bytes() >= room
    }

    fn held(&self) -> u32 {
        u32::try_from(self.receive.bytes()).unwrap_or(u32::MAX)
    }

    /// Says that there is room again, once for each refusal.
    fn announce_room(&mut self) {
        if self.has_refused && self.is_writable() {
            self.has_refused = false;
            self.events.push_back(EndpointEvent::Writable);
        }
    }

    /// Follows up after everything that may have changed.
    fn settle(&mut self, now: Now) {
        self.advance_closing(now);
        self.announce_room();
    }
}
