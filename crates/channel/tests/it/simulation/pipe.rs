//! One direction of a connection.

use portcullis_channel::Moment;
use portcullis_seeded_random::Random;
use std::collections::VecDeque;
use std::time::Duration;

/// What a pipe does to bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weather {
    /// Most microseconds on the way.
    pub(crate) delay: u64,
    /// Most bytes that arrive at once.
    pub(crate) piece: u64,
    /// Bytes on the way from which on there is no room.
    pub(crate) capacity: usize,
    /// Nothing arrives until then.
    pub(crate) stalled: Moment,
    /// Nothing arrives at all, and nobody is told.
    pub(crate) is_lost: bool,
}

#[derive(Debug)]
pub(crate) struct Pipe {
    pub(crate) weather: Weather,
    pieces: VecDeque<(Moment, Vec<u8>)>,
    on_the_way: usize,
    last: Moment,
    is_ended: bool,
    is_end_seen: bool,
    /// Counts what changes for either side.
    pub(crate) moves: u64,
}

impl Weather {
    pub(crate) fn calm() -> Self {
        Self {
            delay: 2_000,
            piece: 16_384,
            capacity: 65_536,
            stalled: Moment::ZERO,
            is_lost: false,
        }
    }

    pub(crate) fn rough(random: &mut Random) -> Self {
        Self {
            delay: [100, 5_000, 300_000][random.index(3)],
            piece: [1, 7, 100, 16_384][random.index(4)],
            capacity: [64, 4_096, 65_536][random.index(3)],
            ..Self::calm()
        }
    }
}

impl Pipe {
    pub(crate) fn new(weather: Weather) -> Self {
        Self {
            weather,
            pieces: VecDeque::new(),
            on_the_way: 0,
            last: Moment::ZERO,
            is_ended: false,
            is_end_seen: false,
            moves: 0,
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        !self.is_ended && self.on_the_way < self.weather.capacity
    }

    pub(crate) fn write(&mut self, mut bytes: &[u8], now: Moment, random: &mut Random) {
        self.on_the_way += bytes.len();
        self.moves += 1;
        // Large frames in single bytes take long and show nothing new.
        let piece = self
            .weather
            .piece
            .max(u64::try_from(bytes.len()).unwrap() / 256);
        while !bytes.is_empty() && !self.weather.is_lost {
            let most = 1 + random.below(piece);
            let length = bytes.len().min(usize::try_from(most).unwrap());
            let (piece, rest) = bytes.split_at(length);
            bytes = rest;
            let delay = Duration::from_micros(random.below(self.weather.delay));
            self.last = self.last.max(now + delay);
            self.pieces.push_back((self.last, piece.to_vec()));
        }
    }

    /// What has arrived.
    pub(crate) fn read(&mut self, now: Moment) -> Vec<u8> {
        let mut read = Vec::new();
        while let Some((at, _)) = self.pieces.front()
            && (*at).max(self.weather.stalled) <= now
        {
            read.extend(self.pieces.pop_front().unwrap().1);
        }
        self.on_the_way -= read.len();
        self.moves += u64::from(!read.is_empty());
        read
    }

    /// Nothing more is written.
    pub(crate) fn end(&mut self) {
        self.is_ended = true;
    }

    /// What is on the way is lost, and both sides see the end.
    pub(crate) fn cut(&mut self) {
        self.pieces.clear();
        self.is_ended = true;
    }

    /// Whether the reader sees the end.
    pub(crate) fn is_over(&mut self) -> bool {
        let is_over = self.is_ended && self.pieces.is_empty() && !self.weather.is_lost;
        self.moves += u64::from(is_over && !self.is_end_seen);
        self.is_end_seen |= is_over;
        is_over
    }

    pub(crate) fn next_arrival(&self) -> Option<Moment> {
        let piece = self.pieces.front();
        let piece = piece.map(|(at, _)| (*at).max(self.weather.stalled));
        let is_new_end = self.is_ended && !self.is_end_seen && !self.weather.is_lost;
        piece.or_else(|| is_new_end.then_some(self.last))
    }
}
