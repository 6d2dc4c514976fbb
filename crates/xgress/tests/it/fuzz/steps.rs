//! Inputs as steps of a peer and of the program at an end.

use crate::support::at;
use bytes::Bytes;
use portcullis_channel::Moment;
use portcullis_wire::xgress::{
    Acknowledgement, Payload, PayloadFlags, PayloadSequence, payload_header,
};
use portcullis_xgress::{
    Endpoint, EndpointEvent, MAX_OVERHEAD, MAX_PAYLOADS, Options, Received, Segment, Side,
    WriteErrorKind,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Bytes of a step.
pub(super) const STEP: usize = 4;

/// Small enough that limits are met.
const BUFFER: u32 = 20_000;
const LARGEST: usize = 6_000;
/// Long enough that two of them meet the limit.
const LONG_HEADER: usize = 4_000_000;
static LONG: [u8; LONG_HEADER] = [0; LONG_HEADER];
/// Most that one payload weighs.
const HEAVIEST: usize = LARGEST + LONG_HEADER + 1_000;
/// A header that is passed from end to end.
const HEADER: u8 = 7;

/// Lengths of data.
const LENGTHS: [usize; 4] = [0, 1, 700, LARGEST];

struct Run {
    endpoint: Endpoint,
    now: Moment,
    data: Bytes,
    has_ended: bool,
    has_read_end: bool,
    /// What has happened, as a place.
    met: BTreeSet<String>,
}

/// Takes the steps of an input. Returns what they lead to, or which promise is broken.
pub(super) fn check(input: &[u8]) -> Result<String, String> {
    let side = match input.len() / STEP % 2 {
        0 => Side::Initiator,
        _ => Side::Terminator,
    };
    let options = Options {
        start_window: BUFFER,
        min_window: 1_000,
        max_window: BUFFER,
        receive_buffer: BUFFER,
        growth_threshold: 3,
        shrink_threshold: 3,
        duplicate_threshold: 3,
        ..Options::default()
    };
    let now = at(Moment::ZERO);
    let mut run = Run {
        endpoint: Endpoint::new(side, "c".to_owned(), Arc::new(options), now),
        now: Moment::ZERO,
        data: Bytes::from(vec![1; LARGEST]),
        has_ended: false,
        has_read_end: false,
        met: BTreeSet::new(),
    };
    for step in input.as_chunks::<STEP>().0 {
        run.step(*step)?;
        run.check()?;
    }
    run.rest()?;
    Ok(run.place())
}

impl Run {
    fn step(&mut self, [what, one, two, three]: [u8; STEP]) -> Result<(), String> {
        let now = at(self.now);
        let length = LENGTHS[usize::from(three % 4)];
        match what % 16 {
            0..5 => {
                let mut payload = self.payload(one, two, length);
                payload.headers.extend(header(three));
                self.endpoint.handle_payload(payload, now);
            },
            5..8 => {
                let acknowledgement = self.acknowledgement(one, two, three);
                self.endpoint.handle_acknowledgement(&acknowledgement, now);
            },
            8 | 9 => {
                let mut segment = Segment::from(self.data.slice(..length));
                segment.headers.extend(header(three));
                let is_writable = self.endpoint.is_writable();
                let written = self.endpoint.write(segment, now);
                if written.is_ok() != is_writable {
                    return Err("what is said to be writable is not".to_owned());
                }
                if let Err(error) = written {
                    self.meet(error.why);
                    if self.has_ended && error.why != WriteErrorKind::Closed {
                        return Err("a circuit that is over is not closed".to_owned());
                    }
                }
            },
            10 => self.read()?,
            11 | 12 => self.pass(Duration::from_millis(u64::from(one) * u64::from(two)))?,
            13 => self.transmit(usize::from(one % 8))?,
            14 => self.transmit(usize::MAX)?,
            _ => match one % 16 {
                0 => self.endpoint.finish(now),
                1 => self.endpoint.stop_reading(now),
                2 => self.endpoint.close(now),
                3 => self.endpoint.abort(),
                4 => self.endpoint.unroute(),
                _ => {},
            },
        }
        Ok(())
    }

    /// A payload near what is expected, or anywhere.
    fn payload(&self, place: u8, flags: u8, length: usize) -> Payload {
        let expected = self.endpoint.stats().next_received;
        let number = match place {
            0..160 => expected.saturating_add(u32::from(place % 8)),
            160..200 => expected.saturating_sub(u32::from(place % 8)),
            200..230 => expected.saturating_add(u32::from(place) << 9),
            _ => u32::from(place) << 23,
        };
        let number = number.min(i32::MAX.unsigned_abs());
        let mut flags = u32::from(flags);
        // Most come from the other side, and do not end anything.
        let theirs = match self.endpoint.side() {
            Side::Initiator => PayloadFlags::FROM_TERMINATOR.bits(),
            Side::Terminator => 0,
        };
        if flags & 0x80 == 0 {
            flags &= !(1 | 32 | 64);
        }
        if flags & 0x10 == 0 {
            flags = flags & !2 | theirs;
        }
        let mut payload = Payload {
            circuit_id: "c".to_owned(),
            sequence: PayloadSequence::new(number).unwrap_or_default(),
            flags: PayloadFlags::from_bits(flags & 0x7f),
            rtt_millis: Some(u16::from(place)),
            data: self.data.slice(..length).into(),
            ..Payload::default()
        };
        if length < 2 && place.is_multiple_of(2) {
            let value = Bytes::from_static(&[0, 0, 1, 0, 0])
                .slice(..4 + usize::from(place.is_multiple_of(4)));
            payload.headers.insert(payload_header::CAPABILITIES, value);
        }
        payload
    }

    fn acknowledgement(&self, first: u8, count: u8, held: u8) -> Acknowledgement {
        let stats = self.endpoint.stats();
        let span = u32::try_from(stats.outstanding_payloads).unwrap();
        let base = stats.next_sent.saturating_sub(span);
        let base = base
            .saturating_add(u32::from(first % 16))
            .saturating_sub(u32::from(first / 128));
        let sequences = (0..u32::from(count % 6)).map(|more| base.saturating_add(more * more));
        let theirs = match self.endpoint.side() {
            Side::Initiator => PayloadFlags::FROM_TERMINATOR,
            Side::Terminator => PayloadFlags::default(),
        };
        Acknowledgement {
            circuit_id: "c".to_owned(),
            flags: if first == 255 {
                PayloadFlags::from_bits(u32::from(count))
            } else {
                theirs
            },
            receive_buffer_bytes: (held < 250).then_some(u32::from(held % 4) * BUFFER / 2),
            rtt_millis: (held.is_multiple_of(2)).then_some(u16::from(first) << 8),
            sequences: sequences.filter_map(PayloadSequence::new).collect(),
            ..Acknowledgement::default()
        }
    }

    fn read(&mut self) -> Result<(), String> {
        let is_readable = self.endpoint.is_readable();
        let received = self.endpoint.read(at(self.now));
        if received.is_some() != is_readable {
            return Err("what is said to be readable is not".to_owned());
        }
        if received.is_some() && self.has_read_end {
            return Err("something is read after the end".to_owned());
        }
        self.has_read_end |= received == Some(Received::EndOfStream);
        Ok(())
    }

    fn pass(&mut self, time: Duration) -> Result<(), String> {
        let end = self.now + time;
        for _ in 0..1_000 {
            let Some((next, reason)) = self.endpoint.poll_timeout().filter(|(at, _)| *at <= end)
            else {
                self.now = end;
                return Ok(());
            };
            self.now = self.now.max(next);
            self.endpoint.handle_timeout(at(self.now));
            self.meet(reason);
            self.check()?;
        }
        Err("deadlines do not move".to_owned())
    }

    fn transmit(&mut self, most: usize) -> Result<(), String> {
        for _ in 0..most.min(MAX_PAYLOADS) {
            let has_payload = self.endpoint.has_payload();
            let payload = self.endpoint.poll_payload(at(self.now));
            if payload.is_some() != has_payload {
                return Err("what is said to be there to send is not".to_owned());
            }
            let Some(payload) = payload else {
                break;
            };
            self.meet(payload.flags);
        }
        for _ in 0..most.min(2_000) {
            if self.endpoint.poll_acknowledgement().is_none() {
                return Ok(());
            }
        }
        if most > 2_000 {
            return Err("acknowledgements have no end".to_owned());
        }
        Ok(())
    }

    /// What has to hold at any time.
    fn check(&mut self) -> Result<(), String> {
        while let Some(event) = self.endpoint.poll_event() {
            if self.has_ended {
                return Err(format!("{event:?} after the end"));
            }
            self.meet(event);
            self.has_ended |= matches!(event, EndpointEvent::Ended(_));
        }
        let stats = self.endpoint.stats();
        let (buffer, window) = (
            BUFFER as usize + LARGEST,
            u64::from(BUFFER) + LARGEST as u64,
        );
        if stats.held_bytes > 2 * buffer || stats.held_payloads > 2 * MAX_PAYLOADS {
            return Err(format!("too much is held: {stats:?}"));
        }
        if stats.outstanding_bytes > window || stats.outstanding_payloads > MAX_PAYLOADS + 4 {
            return Err(format!("too much is outstanding: {stats:?}"));
        }
        let weight = BUFFER as usize + MAX_OVERHEAD + HEAVIEST;
        if stats.held_weight > 2 * weight || stats.outstanding_weight > weight {
            return Err(format!("too much memory is taken: {stats:?}"));
        }
        if stats.held_weight.max(stats.outstanding_weight) > MAX_OVERHEAD {
            self.meet("much memory");
        }
        if self.has_ended != self.endpoint.has_ended() {
            return Err("an end is not announced".to_owned());
        }
        if self.has_ended && self.endpoint.poll_timeout().is_some() {
            return Err("a circuit that is over has deadlines".to_owned());
        }
        Ok(())
    }

    /// In the end everything comes to rest.
    fn rest(&mut self) -> Result<(), String> {
        self.endpoint.close(at(self.now));
        for _ in 0..1_000 {
            self.transmit(usize::MAX)?;
            while self.endpoint.is_readable() {
                self.read()?;
            }
            self.check()?;
            let Some((next, _)) = self.endpoint.poll_timeout() else {
                return Ok(());
            };
            let time = next.since(self.now);
            self.pass(time)?;
        }
        Err(format!(
            "it does not rest: {:?}",
            self.endpoint.poll_timeout()
        ))
    }

    fn meet(&mut self, what: impl std::fmt::Debug) {
        self.met.insert(format!("{what:?}"));
    }

    fn place(&self) -> String {
        let counters = self.endpoint.stats().counters;
        let met: Vec<&str> = self.met.iter().map(String::as_str).collect();
        let some = [
            counters.refused_payloads > 0,
            counters.reflected > 0,
            counters.unfounded_acknowledgements > 0,
            counters.duplicate_acknowledgements > 0,
        ];
        format!("{} {some:?}", met.join(" "))
    }
}

/// Some payloads have a header that is longer than all data.
fn header(choice: u8) -> Option<(u8, Bytes)> {
    (choice >= 128).then(|| (HEADER, Bytes::from_static(&LONG)))
}
