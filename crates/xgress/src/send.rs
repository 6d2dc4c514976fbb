//! Payloads that are not acknowledged.

use crate::segment::Segment;
use portcullis_channel::Moment;
use portcullis_wire::xgress::{PayloadFlags, PayloadSequence};
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

/// Payloads that are sent again where nothing is acknowledged at all.
const PROBES: usize = 2;
/// Payloads that may travel whatever the window is.
const FEW: usize = 4;
/// RTT headers have whole milliseconds, so a payload may be as much older or younger.
const ECHO_PRECISION: Duration = Duration::from_millis(1);
/// Slots that an empty buffer keeps.
const KEPT_SLOTS: usize = 16;

/// Payloads from the first one that is not acknowledged on.
///
/// A payload counts as lost when it has not been acknowledged in time and one that was sent after it
/// has. So acknowledgements that are merely late do not make everything be sent again: without any, only
/// the oldest payloads are, less and less often.
#[derive(Debug)]
pub(crate) struct SendBuffer {
    /// Number of the first slot.
    first: u32,
    /// Empty where a payload was acknowledged.
    slots: VecDeque<Option<Outstanding>>,
    /// Number of the first payload that was never sent.
    unsent: u32,
    bytes: u64,
    weight: usize,
    unsent_bytes: usize,
    /// Bytes that were sent, and neither acknowledged nor lost.
    travelling_bytes: u64,
    travelling: usize,
    /// In the order in which they were made; those of acknowledged or lost payloads count no more. The
    /// first one counts.
    transmissions: VecDeque<Transmission>,
    made: u64,
    /// The latest transmission that was acknowledged.
    newest_acknowledged: u64,
    /// When something was last sent, or was to be sent without an acknowledgement.
    quiet_since: Moment,
    /// Lost payloads to be sent whether they fit into the window or not.
    probes: usize,
    /// Numbers of payloads to send again: first those for which the other end has room in any case.
    lost: BTreeSet<u32>,
}

#[derive(Debug)]
struct Outstanding {
    content: Content,
    last: Option<LastSent>,
}

/// A payload but for its number.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    pub(crate) flags: PayloadFlags,
    pub(crate) segment: Segment,
}

#[derive(Debug, Clone, Copy)]
struct LastSent {
    transmission: u64,
    at: Moment,
    /// The first time that it was sent.
    first: FirstSent,
    is_again: bool,
}

#[derive(Debug, Clone, Copy)]
struct FirstSent {
    transmission: u64,
    at: Moment,
}

#[derive(Debug, Clone, Copy)]
struct Transmission {
    number: u64,
    sequence: u32,
    at: Moment,
}

/// What an acknowledgement was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Acknowledged {
    /// A payload of so many bytes, and the round trip if it is certain.
    Now {
        bytes: u64,
        transmission: u64,
        round_trip: Option<Duration>,
    },
    /// A payload that was acknowledged before.
    Before,
    /// Nothing that was sent.
    Nothing,
}

/// A payload to be sent.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) sequence: u32,
    pub(crate) content: Content,
    pub(crate) is_again: bool,
}

/// The next time at which a payload may have to be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suspicion {
    /// One that was sent later was acknowledged.
    Overtaken { sent: Moment },
    /// Nothing that was sent later was acknowledged.
    Silence { since: Moment },
}

impl SendBuffer {
    /// The last numbers are for ends.
    const LAST_DATA: u32 = i32::MAX.unsigned_abs() - 8;

    pub(crate) const fn new() -> Self {
        Self::starting_at(0)
    }

    const fn starting_at(first: u32) -> Self {
        Self {
            first,
            slots: VecDeque::new(),
            unsent: first,
            bytes: 0,
            weight: 0,
            unsent_bytes: 0,
            travelling_bytes: 0,
            travelling: 0,
            transmissions: VecDeque::new(),
            made: 0,
            newest_acknowledged: 0,
            quiet_since: Moment::ZERO,
            probes: 0,
            lost: BTreeSet::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// How many numbers are in use, from the first that is not acknowledged to the last.
    pub(crate) fn span(&self) -> usize {
        self.slots.len()
    }

    /// Unacknowledged bytes, whether they were sent or not.
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Memory that unacknowledged payloads take.
    pub(crate) const fn weight(&self) -> usize {
        self.weight
    }

    pub(crate) const fn unsent_bytes(&self) -> usize {
        self.unsent_bytes
    }

    /// Number of the next payload.
    pub(crate) fn next_sequence(&self) -> u32 {
        let span = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        self.first.saturating_add(span)
    }

    /// Whether the numbers are used up. OpenZiti takes those that begin anew for duplicates.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.next_sequence() > Self::LAST_DATA
    }

    /// Number of the latest transmission.
    pub(crate) const fn latest_transmission(&self) -> u64 {
        self.made
    }

    /// Whether a payload waits to be sent, for the first time or again, and fits into the window.
    pub(crate) fn has_output(&self, window: u64) -> bool {
        let is_waiting = !self.lost.is_empty() || self.unsent < self.next_sequence();
        is_waiting && self.has_room(window)
    }

    /// A few payloads may travel whatever their size: only what others overtake is known to be lost.
    const fn has_room(&self, window: u64) -> bool {
        self.travelling < FEW || self.travelling_bytes < window || self.probes > 0
    }

    pub(crate) fn push(&mut self, content: Content) {
        let bytes = content.segment.len();
        self.bytes = self.bytes.saturating_add(bytes as u64);
        self.weight = self.weight.saturating_add(content.segment.weight());
        self.unsent_bytes = self.unsent_bytes.saturating_add(bytes);
        self.slots.push_back(Some(Outstanding {
            content,
            last: None,
        }));
    }

    /// The next payload to be sent, if it fits into the window: one that was lost, or a new one.
    pub(crate) fn poll(&mut self, window: u64, now: Moment) -> Option<Outgoing> {
        if !self.has_room(window) {
            return None;
        }
        self.probes = self.probes.saturating_sub(1);
        if let Some(sequence) = self.lost.pop_first() {
            return self.transmit(sequence, now);
        }
        let sequence = self.unsent;
        let outgoing = self.transmit(sequence, now)?;
        self.unsent = sequence.saturating_add(1);
        let bytes = outgoing.content.segment.len();
        self.unsent_bytes = self.unsent_bytes.saturating_sub(bytes);
        Some(outgoing)
    }

    fn transmit(&mut self, sequence: u32, now: Moment) -> Option<Outgoing> {
        let made = self.made + 1;
        let outstanding = self.get_mut(sequence)?;
        let before = outstanding.last;
        let is_again = before.is_some();
        let first = FirstSent {
            transmission: made,
            at: now,
        };
        outstanding.last = Some(LastSent {
            transmission: made,
            at: now,
            first: before.map_or(first, |before| before.first),
            is_again,
        });
        let content = outstanding.content.clone();
        self.travelling_bytes += content.segment.len() as u64;
        self.travelling += 1;
        self.made = made;
        self.quiet_since = now;
        self.compact();
        self.transmissions.push_back(Transmission {
            number: made,
            sequence,
            at: now,
        });
        Some(Outgoing {
            sequence,
            content,
            is_again,
        })
    }

    /// A payload has been acknowledged; `echo` is how old it was by its RTT header, if that is known, and
    /// `usual` how old those are that are acknowledged now.
    pub(crate) fn acknowledge(
        &mut self,
        sequence: u32,
        echo: Option<Duration>,
        usual: Option<Duration>,
        now: Moment,
    ) -> Acknowledged {
        if sequence >= self.unsent {
            return Acknowledged::Nothing;
        }
        let slot = self
            .index(sequence)
            .and_then(|index| self.slots.get_mut(index));
        let Some(outstanding) = slot.and_then(Option::take) else {
            return Acknowledged::Before;
        };
        let bytes = outstanding.content.segment.len() as u64;
        self.bytes = self.bytes.saturating_sub(bytes);
        let weight = outstanding.content.segment.weight();
        self.weight = self.weight.saturating_sub(weight);
        if !self.lost.remove(&sequence) {
            self.travelling_bytes = self.travelling_bytes.saturating_sub(bytes);
            self.travelling -= 1;
        }
        let (mut transmission, mut round_trip) = (0, None);
        if let Some(last) = outstanding.last {
            transmission = last.transmission;
            round_trip = last.round_trip(echo, now);
            let arrived = last.arrived(round_trip.or(usual), now);
            self.newest_acknowledged = self.newest_acknowledged.max(arrived);
        }
        self.forget_acknowledged();
        Acknowledged::Now {
            bytes,
            transmission,
            round_trip,
        }
    }

    /// When the oldest transmission becomes suspicious.
    pub(crate) fn suspicion(&self) -> Option<Suspicion> {
        let oldest = self.transmissions.front()?;
        Some(if oldest.number < self.newest_acknowledged {
            Suspicion::Overtaken { sent: oldest.at }
        } else {
            Suspicion::Silence {
                since: self.quiet_since,
            }
        })
    }

    /// Lets payloads be sent again that were overtaken and are older than `timeout`. Returns how many.
    pub(crate) fn detect_losses(&mut self, timeout: Duration, now: Moment) -> u32 {
        let mut losses = 0;
        while let Some(Suspicion::Overtaken { sent }) = self.suspicion() {
            if sent + timeout > now {
                break;
            }
            self.lose_oldest();
            losses += 1;
        }
        losses
    }

    /// Lets two payloads be sent again, whatever the window is: the first one, for which the other end
    /// always has room, and the one that was sent longest ago.
    pub(crate) fn probe(&mut self, now: Moment) {
        self.quiet_since = now;
        self.lose(self.first);
        self.lose_oldest();
        self.probes = PROBES;
    }

    fn lose_oldest(&mut self) {
        if let Some(oldest) = self.transmissions.front() {
            self.lose(oldest.sequence);
        }
    }

    fn lose(&mut self, sequence: u32) {
        let sent = self
            .get(sequence)
            .filter(|outstanding| outstanding.last.is_some());
        let Some(outstanding) = sent else {
            return;
        };
        let bytes = outstanding.content.segment.len() as u64;
        if self.lost.insert(sequence) {
            self.travelling_bytes = self.travelling_bytes.saturating_sub(bytes);
            self.travelling -= 1;
            self.drop_stale();
        }
    }

    /// Forgets everything that is not acknowledged.
    pub(crate) fn discard(&mut self) {
        let next = self.next_sequence();
        *self = Self {
            made: self.made,
            ..Self::starting_at(next)
        };
    }

    fn forget_acknowledged(&mut self) {
        while let Some(None) = self.slots.front() {
            self.slots.pop_front();
            self.first = self.first.saturating_add(1);
        }
        self.drop_stale();
        if self.slots.is_empty() && self.slots.capacity() > KEPT_SLOTS {
            self.slots = VecDeque::new();
            self.transmissions = VecDeque::new();
        }
    }

    fn drop_stale(&mut self) {
        while let Some(transmission) = self.transmissions.front()
            && !self.is_current(transmission)
        {
            self.transmissions.pop_front();
        }
    }

    /// Keeps the list of transmissions in proportion while an old one still counts.
    fn compact(&mut self) {
        if self.transmissions.len() > 2 * self.slots.len() + KEPT_SLOTS {
            let mut transmissions = std::mem::take(&mut self.transmissions);
            transmissions.retain(|transmission| self.is_current(transmission));
            self.transmissions = transmissions;
        }
    }

    fn is_current(&self, transmission: &Transmission) -> bool {
        let outstanding = self.get(transmission.sequence);
        outstanding.is_some_and(|outstanding| {
            let last = outstanding.last.map(|last| last.transmission);
            last == Some(transmission.number) && !self.lost.contains(&transmission.sequence)
        })
    }

    fn index(&self, sequence: u32) -> Option<usize> {
        usize::try_from(sequence.checked_sub(self.first)?).ok()
    }

    fn get(&self, sequence: u32) -> Option<&Outstanding> {
        self.slots.get(self.index(sequence)?)?.as_ref()
    }

    fn get_mut(&mut self, sequence: u32) -> Option<&mut Outstanding> {
        let index = self.index(sequence)?;
        self.slots.get_mut(index)?.as_mut()
    }
}

impl LastSent {
    /// How long a payload has travelled that is acknowledged now. Of one that was sent twice, only its
    /// RTT header can tell, unless a router on the way has put another time there.
    fn round_trip(&self, echo: Option<Duration>, now: Moment) -> Option<Duration> {
        let shortest = now.since(self.at);
        if !self.is_again {
            return Some(shortest);
        }
        let longest = now.since(self.first.at).saturating_add(ECHO_PRECISION);
        echo.filter(|echo| *echo <= longest && echo.saturating_add(ECHO_PRECISION) >= shortest)
    }
}

impl LastSent {
    /// The transmission that has arrived, of a payload that is acknowledged now. What was sent again is often
    /// acknowledged for the first time that it was sent: if a path gets slower, because of a queue that fills,
    /// say. To take that for the second one would mean that all between them was lost.
    fn arrived(&self, usual: Option<Duration>, now: Moment) -> u64 {
        let (last, first) = (now.since(self.at), now.since(self.first.at));
        let is_last = !self.is_again
            || usual.is_some_and(|usual| {
                let is_nearer = last.abs_diff(usual) <= first.abs_diff(usual);
                is_nearer && last <= usual.saturating_mul(2)
            });
        if is_last {
            self.transmission
        } else {
            self.first.transmission
        }
    }
}

/// The number of a payload on the wire.
pub(crate) fn on_the_wire(sequence: u32) -> PayloadSequence {
    // No number is above those of 31 bits: `SendBuffer::is_exhausted` is asked before.
    PayloadSequence::new(sequence).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Moment {
        Moment::from_micros(millis * 1_000)
    }

    fn content(data: &'static str) -> Content {
        Content {
            flags: PayloadFlags::default(),
            segment: Segment::from(data),
        }
    }

    fn filled(count: usize) -> SendBuffer {
        let mut buffer = SendBuffer::new();
        for _ in 0..count {
            buffer.push(content("x"));
        }
        buffer
    }

    fn sent(buffer: &mut SendBuffer, now: Moment) -> Vec<u32> {
        std::iter::from_fn(|| buffer.poll(u64::MAX, now).map(|outgoing| outgoing.sequence))
            .collect()
    }

    fn now(transmission: u64, round_trip: Option<Duration>) -> Acknowledged {
        Acknowledged::Now {
            bytes: 1,
            transmission,
            round_trip,
        }
    }

    const TIMEOUT: Duration = Duration::from_millis(20);

    #[test]
    fn only_what_was_overtaken_is_lost() {
        let mut buffer = filled(4);
        assert_eq!(sent(&mut buffer, at(0)), [0, 1, 2, 3]);
        buffer.detect_losses(TIMEOUT, at(1_000));
        assert!(
            !buffer.has_output(u64::MAX),
            "nothing is known of any of them"
        );

        let acknowledged = buffer.acknowledge(2, None, None, at(10));
        let round_trip = Some(Duration::from_millis(10));
        assert_eq!(acknowledged, now(3, round_trip));
        buffer.detect_losses(TIMEOUT, at(19));
        assert!(!buffer.has_output(u64::MAX), "they may only be late");
        buffer.detect_losses(TIMEOUT, at(20));
        assert_eq!(sent(&mut buffer, at(20)), [0, 1]);
        let overtaken = Suspicion::Silence { since: at(20) };
        assert_eq!(buffer.suspicion(), Some(overtaken));
    }

    #[test]
    fn a_probe_sends_the_first_and_the_oldest_again() {
        let mut buffer = filled(4);
        sent(&mut buffer, at(0));
        buffer.acknowledge(0, None, None, at(1));
        buffer.probe(at(200));
        assert_eq!(sent(&mut buffer, at(200)), [1, 2]);
        buffer.probe(at(400));
        assert_eq!(sent(&mut buffer, at(400)), [1, 3]);
        buffer.probe(at(800));
        assert_eq!(sent(&mut buffer, at(800)), [1, 2]);
    }

    #[test]
    fn what_is_acknowledged_before_it_is_sent_again_is_not_sent_again() {
        let mut buffer = filled(3);
        sent(&mut buffer, at(0));
        buffer.acknowledge(2, None, None, at(1));
        buffer.detect_losses(TIMEOUT, at(30));
        assert!(buffer.has_output(u64::MAX));
        buffer.acknowledge(0, None, None, at(31));
        buffer.acknowledge(1, None, None, at(31));
        assert!(!buffer.has_output(u64::MAX));
        assert_eq!(sent(&mut buffer, at(31)), []);
        assert!(buffer.is_empty());
        assert_eq!(buffer.suspicion(), None);
    }

    #[test]
    fn a_quick_acknowledgement_of_what_was_sent_twice_proves_nothing() {
        let mut buffer = filled(3);
        sent(&mut buffer, at(0));
        buffer.probe(at(100));
        sent(&mut buffer, at(100));
        let average = Some(Duration::from_millis(100));
        let acknowledged = buffer.acknowledge(0, None, average, at(101));
        let round_trip = None;
        assert_eq!(acknowledged, now(4, round_trip));
        assert!(matches!(
            buffer.suspicion(),
            Some(Suspicion::Silence { .. })
        ));
        buffer.acknowledge(1, None, average, at(150));
        assert!(matches!(
            buffer.suspicion(),
            Some(Suspicion::Overtaken { .. })
        ));
    }

    #[test]
    fn acknowledgements_of_nothing_change_nothing() {
        let mut buffer = filled(2);
        assert_eq!(
            buffer.acknowledge(0, None, None, at(0)),
            Acknowledged::Nothing
        );
        assert_eq!(buffer.poll(u64::MAX, at(0)).unwrap().sequence, 0);
        assert_eq!(
            buffer.acknowledge(1, None, None, at(0)),
            Acknowledged::Nothing
        );
        assert_eq!(
            buffer.acknowledge(9, None, None, at(0)),
            Acknowledged::Nothing
        );
        assert_eq!((buffer.bytes(), buffer.unsent_bytes()), (2, 1));
        buffer.acknowledge(0, None, None, at(0));
        assert_eq!(
            buffer.acknowledge(0, None, None, at(0)),
            Acknowledged::Before
        );
        assert_eq!(buffer.bytes(), 1);
    }

    #[test]
    fn a_payload_that_stays_away_does_not_let_the_list_of_transmissions_grow() {
        let mut buffer = filled(1);
        sent(&mut buffer, at(0));
        for number in 1..10_000 {
            buffer.push(content("x"));
            sent(&mut buffer, at(0));
            buffer.acknowledge(number, None, None, at(0));
            buffer.slots.truncate(1);
            buffer.first = number;
            buffer.unsent = number + 1;
            let length = buffer.transmissions.len();
            assert!(length <= 2 * KEPT_SLOTS, "{length} transmissions");
        }
    }

    #[test]
    fn numbers_end_before_they_would_begin_anew() {
        let mut buffer = SendBuffer::starting_at(SendBuffer::LAST_DATA - 1);
        assert!(!buffer.is_exhausted());
        buffer.push(content("x"));
        assert!(!buffer.is_exhausted());
        buffer.push(content("y"));
        assert!(buffer.is_exhausted());
        for _ in 0..8 {
            buffer.push(content(""));
        }
        let last = sent(&mut buffer, at(0)).pop().unwrap();
        assert_eq!(on_the_wire(last).next(), None);
    }

    #[test]
    fn an_empty_buffer_keeps_little_memory() {
        let mut buffer = filled(1_000);
        sent(&mut buffer, at(0));
        for sequence in 0..1_000 {
            buffer.acknowledge(sequence, None, None, at(1));
        }
        assert!(buffer.slots.capacity() <= KEPT_SLOTS);
        assert!(buffer.transmissions.capacity() <= KEPT_SLOTS);
        assert_eq!(buffer.next_sequence(), 1_000);
    }
}
