//! The format of pprof: `profile.proto` of github.com/google/pprof, compressed by gzip.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;

/// Numbers of the fields of a profile.
mod profile {
    pub(super) const SAMPLE_TYPE: u64 = 1;
    pub(super) const SAMPLE: u64 = 2;
    pub(super) const LOCATION: u64 = 4;
    pub(super) const FUNCTION: u64 = 5;
    pub(super) const STRING: u64 = 6;
    pub(super) const TIME_NANOS: u64 = 9;
    pub(super) const DURATION_NANOS: u64 = 10;
    pub(super) const PERIOD_TYPE: u64 = 11;
    pub(super) const PERIOD: u64 = 12;
}

/// A message of protobuf.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.0.push(value.to_le_bytes()[0]);
    }

    fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    fn bytes(&mut self, field: u64, value: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(to_u64(value.len()));
        self.0.extend_from_slice(value);
    }

    /// A message of two fields.
    fn pair(first: u64, second: u64) -> Self {
        let mut message = Self::default();
        message.number(1, first);
        message.number(2, second);
        message
    }
}

/// Texts by their numbers; 0 is the empty one.
struct Texts {
    numbers: HashMap<String, u64>,
    all: Vec<String>,
}

impl Texts {
    fn new() -> Self {
        Self {
            numbers: HashMap::from([(String::new(), 0)]),
            all: vec![String::new()],
        }
    }

    fn number(&mut self, text: &str) -> u64 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = to_u64(self.all.len());
        self.numbers.insert(text.to_owned(), number);
        self.all.push(text.to_owned());
        number
    }

    /// A measure as a message.
    fn pair(&mut self, (kind, unit): Measure) -> Message {
        Message::pair(self.number(kind), self.number(unit))
    }
}

/// Where a stack is: a function and a line of its source, as far as the program knows them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    pub(super) function: String,
    pub(super) file: String,
    pub(super) line: u32,
}

/// What is counted, and in which unit.
pub(super) type Measure = (&'static str, &'static str);

/// A stack with what was counted for it.
#[derive(Debug)]
pub(super) struct Sample {
    /// The function that was called last comes first.
    pub(super) stack: Vec<Frame>,
    pub(super) values: [u64; 2],
}

#[derive(Debug)]
pub(super) struct Profile {
    /// What the values of samples are. Samples are taken at a period of the second one.
    pub(super) measures: [Measure; 2],
    /// About how much of the second measure one sample stands for.
    pub(super) period: u64,
    pub(super) samples: Vec<Sample>,
    /// When it was taken, or begun.
    pub(super) time: SystemTime,
    /// For how long it was taken; none if it shows a moment.
    pub(super) duration: Option<Duration>,
}

/// Encodes a profile.
pub(super) fn encode(profile: &Profile) -> io::Result<Vec<u8>> {
    let mut texts = Texts::new();
    let mut message = Message::default();
    let [_, period_type] = profile.measures;
    for measure in profile.measures {
        message.bytes(profile::SAMPLE_TYPE, &texts.pair(measure).0);
    }
    // A location is a function with a line; both have the number of the location.
    let mut locations: HashMap<&Frame, u64> = HashMap::new();
    for Sample { stack, values } in &profile.samples {
        let [mut ids, mut counts] = <[Message; 2]>::default();
        for frame in stack {
            let next = to_u64(locations.len()) + 1;
            ids.varint(*locations.entry(frame).or_insert(next));
        }
        for value in values {
            counts.varint(*value);
        }
        let mut sample = Message::default();
        sample.bytes(1, &ids.0);
        sample.bytes(2, &counts.0);
        message.bytes(profile::SAMPLE, &sample.0);
    }
    for (frame, id) in locations {
        let mut location = Message::default();
        location.number(1, id);
        location.bytes(4, &Message::pair(id, u64::from(frame.line)).0);
        message.bytes(profile::LOCATION, &location.0);
        // A name as the linker knows it would have pprof take `function` for one of C++, and shorten it.
        let mut function = Message::pair(id, texts.number(&frame.function));
        function.number(4, texts.number(&frame.file));
        message.bytes(profile::FUNCTION, &function.0);
    }
    let time = profile.time.duration_since(UNIX_EPOCH);
    message.number(profile::TIME_NANOS, nanoseconds(time.unwrap_or_default()));
    if let Some(duration) = profile.duration {
        message.number(profile::DURATION_NANOS, nanoseconds(duration));
    }
    message.bytes(profile::PERIOD_TYPE, &texts.pair(period_type).0);
    message.number(profile::PERIOD, profile.period);
    for text in &texts.all {
        message.bytes(profile::STRING, text.as_bytes());
    }
    let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
    compressed.write_all(&message.0)?;
    compressed.finish()
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn to_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
