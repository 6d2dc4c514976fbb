//! Programs at the ends of a circuit.

use bytes::Bytes;
use portcullis_channel::Moment;
use portcullis_seeded_random::Random;
use portcullis_xgress::Segment;
use std::time::Duration;

/// Some tens of such headers meet the limit.
const LONG_HEADER: usize = 150_000;

/// How a program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Half close, after all that it writes.
    Finish,
    /// It takes nothing any more, somewhere on the way.
    Close,
    Abort,
    /// It goes on until the other one ends.
    Stay,
}

/// What a program does.
pub(crate) struct Program {
    pub(crate) ending: Ending,
    /// Segments that are still to be written.
    pub(crate) left: usize,
    largest: u64,
    has_long_headers: bool,
    random: Random,
    /// Until when it does not read.
    pub(crate) pauses_until: Moment,
    data: Bytes,
}

impl Program {
    pub(crate) fn new(seed: u64, name: &str, is_polite: bool) -> Self {
        let mut random = Random::new(seed, name);
        let ending = match random.below(10) {
            _ if is_polite => Ending::Finish,
            0..4 => Ending::Finish,
            4..7 => Ending::Close,
            7 => Ending::Abort,
            _ => Ending::Stay,
        };
        let largest = [1, 100, 3_000, 20_000, 100_000][random.index(5)];
        let left = [0, 1, 30, 200][random.index(4)];
        let mut byte = 0_u8;
        let data = std::iter::repeat_with(|| {
            byte = byte.wrapping_mul(31).wrapping_add(7);
            byte
        });
        Self {
            ending,
            left: random.index(left + 1),
            largest,
            has_long_headers: Random::new(seed, &format!("{name}, headers")).one_in(4),
            random,
            pauses_until: Moment::ZERO,
            data: data.take(200_000).collect(),
        }
    }

    pub(crate) const fn largest(&self) -> u64 {
        self.largest
    }

    /// Most that a segment weighs.
    pub(crate) const fn heaviest(&self) -> u64 {
        self.largest + LONG_HEADER as u64 + 1_000
    }

    /// The next segment, unlike those before it.
    pub(crate) fn segment(&mut self) -> Segment {
        let length = self.random.below(self.largest + 1);
        let length = usize::try_from(length).unwrap();
        let from = self.random.index(self.data.len() - length);
        let mut segment = Segment::from(self.data.slice(from..from + length));
        if length == 0 || self.random.one_in(10) {
            let mark = self.random.next().to_le_bytes();
            let header = (0x10, Bytes::copy_from_slice(&mark[..4]));
            segment.headers = [header].into();
        }
        if self.has_long_headers {
            segment.headers.insert(7, self.data.slice(..LONG_HEADER));
        }
        segment
    }

    /// Whether it reads now. Sometimes it pauses, never for as long as a circuit that is over waits.
    pub(crate) fn reads(&mut self, now: Moment) -> bool {
        if self.pauses_until <= now && self.random.one_in(20) {
            let pause = Duration::from_millis(self.random.below(4_000));
            self.pauses_until = now + pause;
        }
        self.pauses_until <= now
    }

    pub(crate) fn chance(&mut self, one_in: u64) -> bool {
        self.random.one_in(one_in)
    }
}
