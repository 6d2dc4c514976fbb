//! Payloads that have arrived and not been read.

use crate::options::{MAX_AHEAD, MAX_OVERHEAD, MAX_PAYLOADS};
use crate::segment::{Received, Segment};
use portcullis_wire::xgress::{Payload, PayloadFlags};
use std::collections::{BTreeMap, VecDeque};
use std::ops::{Add, AddAssign, SubAssign};

/// Readable payloads that an empty buffer keeps room for.
const KEPT: usize = 16;

/// Puts payloads in order.
///
/// The payload that is next in order is taken while there is room for it alone, so that what waits for
/// it can never keep it out.
#[derive(Debug)]
pub(crate) struct ReceiveBuffer {
    /// Number of the payload that is next in order.
    next: u32,
    highest: Option<u32>,
    readable: VecDeque<Received>,
    readable_size: Size,
    waiting: BTreeMap<u32, Waiting>,
    waiting_size: Size,
    /// Of data.
    limit: usize,
    /// Of data, and of all that it takes.
    allowance: usize,
    /// Whether everything is taken and thrown away.
    is_discarding: bool,
    stream: Stream,
}

/// How far the other end has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stream {
    Open,
    /// It sends no more data.
    Ended,
    /// It is gone.
    CircuitEnded,
}

#[derive(Debug)]
struct Waiting {
    segment: Segment,
    /// What follows when it is next in order.
    end: Stream,
}

/// What becomes of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// It is to be acknowledged.
    Taken,
    /// It has arrived before, and is to be acknowledged once more.
    Duplicate,
    /// There is no room; the other end sends it again.
    Refused,
}

impl ReceiveBuffer {
    pub(crate) fn new(limit: u32) -> Self {
        Self {
            next: 0,
            highest: None,
            readable: VecDeque::new(),
            readable_size: Size::default(),
            waiting: BTreeMap::new(),
            waiting_size: Size::default(),
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            allowance: usize::MAX,
            is_discarding: false,
            stream: Stream::Open,
        }
    }

    pub(crate) const fn set_allowance(&mut self, bytes: usize) {
        self.allowance = bytes;
    }

    /// Data that has not been read.
    pub(crate) const fn bytes(&self) -> usize {
        self.readable_size.bytes + self.waiting_size.bytes
    }

    /// Memory that it takes.
    pub(crate) const fn weight(&self) -> usize {
        self.readable_size.weight + self.waiting_size.weight
    }

    pub(crate) fn payloads(&self) -> usize {
        self.readable.len() + self.waiting.len()
    }

    pub(crate) const fn next_sequence(&self) -> u32 {
        self.next
    }

    pub(crate) const fn highest_sequence(&self) -> Option<u32> {
        self.highest
    }

    pub(crate) const fn stream(&self) -> Stream {
        self.stream
    }

    pub(crate) fn is_readable(&self) -> bool {
        !self.readable.is_empty()
    }

    /// Whether the end of the stream was read, or nobody wants to read.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_discarding || (self.stream != Stream::Open && self.readable.is_empty())
    }

    pub(crate) fn handle(&mut self, payload: Payload) -> Arrival {
        let sequence = payload.sequence.number();
        if sequence < self.next || self.waiting.contains_key(&sequence) {
            return Arrival::Duplicate;
        }
        let arrived = self.unpack(payload);
        if !self.has_room_for(sequence, &arrived.segment) {
            return Arrival::Refused;
        }
        self.highest = self.highest.max(Some(sequence));
        if sequence != self.next {
            self.waiting_size += Size::of(&arrived.segment);
            self.waiting.insert(sequence, arrived);
            return Arrival::Taken;
        }
        self.make_readable(arrived);
        while let Some(waiting) = self.waiting.remove(&self.next) {
            self.waiting_size -= Size::of(&waiting.segment);
            self.make_readable(waiting);
        }
        Arrival::Taken
    }

    fn has_room_for(&self, sequence: u32, segment: &Segment) -> bool {
        if sequence == self.next {
            let is_taken = self.has_room_beside(self.readable_size, segment);
            return is_taken && self.readable.len() < MAX_PAYLOADS;
        }
        sequence - self.next <= MAX_AHEAD
            && self.has_room_beside(self.readable_size + self.waiting_size, segment)
            && self.payloads() < MAX_PAYLOADS
    }

    /// What has no data takes no room for data; what has no headers either, such as the end of a stream, needs
    /// a place only.
    fn has_room_beside(&self, taken: Size, segment: &Segment) -> bool {
        let limit = self.limit.min(self.allowance);
        let has_room_for_data = segment.len() == 0 || taken.bytes <= limit;
        let max_weight = self.limit.saturating_add(MAX_OVERHEAD).min(self.allowance);
        let is_light = *segment == Segment::default() || taken.weight <= max_weight;
        has_room_for_data && is_light
    }

    fn unpack(&self, payload: Payload) -> Waiting {
        let end = if payload.flags.contains(PayloadFlags::CIRCUIT_END) {
            Stream::CircuitEnded
        } else if payload.flags.contains(PayloadFlags::END_OF_STREAM) {
            Stream::Ended
        } else {
            Stream::Open
        };
        let segment = if self.is_discarding || is_for_the_end_alone(&payload) {
            Segment::default()
        } else {
            Segment {
                headers: payload.headers,
                data: payload.data,
            }
        };
        Waiting { segment, end }
    }

    fn make_readable(&mut self, arrived: Waiting) {
        self.next += 1;
        let Waiting { segment, end } = arrived;
        let is_wanted = !self.is_discarding && self.stream == Stream::Open;
        if is_wanted && segment != Segment::default() {
            self.readable_size += Size::of(&segment);
            self.readable.push_back(Received::Segment(segment));
        }
        if is_wanted && end != Stream::Open {
            self.readable.push_back(Received::EndOfStream);
        }
        self.stream = self.stream.max(end);
    }

    pub(crate) fn read(&mut self) -> Option<Received> {
        let received = self.readable.pop_front()?;
        if let Received::Segment(segment) = &received {
            self.readable_size -= Size::of(segment);
        }
        if self.readable.is_empty() && self.readable.capacity() > KEPT {
            self.readable = VecDeque::new();
        }
        Some(received)
    }

    /// Throws everything away, now and from now on.
    pub(crate) fn discard(&mut self) {
        self.is_discarding = true;
        self.readable = VecDeque::new();
        self.readable_size = Size::default();
        self.waiting_size = Size::default();
        for waiting in self.waiting.values_mut() {
            waiting.segment = Segment::default();
        }
    }
}

/// How much segments are: data, as the other end counts it, and memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Size {
    bytes: usize,
    weight: usize,
}

impl Size {
    /// What holds nothing for those who read has no weight: the number of payloads is bounded.
    fn of(segment: &Segment) -> Self {
        if *segment == Segment::default() {
            return Self::default();
        }
        Self {
            bytes: segment.len(),
            weight: segment.weight(),
        }
    }
}

impl Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            weight: self.weight + other.weight,
        }
    }
}

impl AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Size {
    fn sub_assign(&mut self, other: Self) {
        self.bytes -= other.bytes;
        self.weight -= other.weight;
    }
}

/// Whether there is nothing in a payload for those who read: it starts or ends something, or tells
/// capabilities.
fn is_for_the_end_alone(payload: &Payload) -> bool {
    use portcullis_wire::xgress::payload_header::{CAPABILITIES, UUID};
    let is_own = |key: &u8| [CAPABILITIES, UUID].contains(key);
    payload.data.expose().is_empty() && payload.headers.keys().all(is_own)
}
