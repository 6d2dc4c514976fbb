//! The format of pprof: `profile.proto` of github.com/google/pprof, compressed by gzip.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::time::{Duration, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;
use pprof::{Report, Symbol};

/// No function of the sampler is deeper.
const SAMPLER_DEPTH: usize = 6;

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
}

/// Encodes samples of the processor's time.
pub(super) fn encode(report: &Report) -> io::Result<Vec<u8>> {
    let mut texts = Texts::new();
    let mut profile = Message::default();
    let period = 1_000_000_000 / u64::try_from(report.timing.frequency).unwrap_or(1).max(1);
    let samples = (texts.number("samples"), texts.number("count"));
    let time = (texts.number("cpu"), texts.number("nanoseconds"));
    for (kind, unit) in [samples, time] {
        profile.bytes(profile::SAMPLE_TYPE, &Message::pair(kind, unit).0);
    }
    // A location is a function with a line; both have the number of the location.
    let mut locations: HashMap<(String, String, u32), u64> = HashMap::new();
    for (stack, count) in &report.data {
        let mut ids = Message::default();
        let symbols: Vec<_> = stack.frames.iter().flatten().collect();
        let interrupted = count_sampler(&symbols);
        for symbol in symbols.into_iter().skip(interrupted) {
            let key = (
                symbol.name(),
                symbol.filename().into_owned(),
                symbol.lineno(),
            );
            let next = to_u64(locations.len()) + 1;
            ids.varint(*locations.entry(key).or_insert(next));
        }
        let count = u64::try_from(*count).unwrap_or(0);
        let mut values = Message::default();
        values.varint(count);
        values.varint(count.saturating_mul(period));
        let mut sample = Message::default();
        sample.bytes(1, &ids.0);
        sample.bytes(2, &values.0);
        profile.bytes(profile::SAMPLE, &sample.0);
    }
    for ((name, file, line), id) in &locations {
        let mut location = Message::default();
        location.number(1, *id);
        location.bytes(4, &Message::pair(*id, u64::from(*line)).0);
        profile.bytes(profile::LOCATION, &location.0);
        // A name as the linker knows it would have pprof take `name` for one of C++, and shorten it.
        let mut function = Message::pair(*id, texts.number(name));
        function.number(4, texts.number(file));
        profile.bytes(profile::FUNCTION, &function.0);
    }
    let start = report.timing.start_time.duration_since(UNIX_EPOCH);
    profile.number(profile::TIME_NANOS, nanoseconds(start.unwrap_or_default()));
    profile.number(profile::DURATION_NANOS, nanoseconds(report.timing.duration));
    profile.bytes(profile::PERIOD_TYPE, &Message::pair(time.0, time.1).0);
    profile.number(profile::PERIOD, period);
    for text in &texts.all {
        profile.bytes(profile::STRING, text.as_bytes());
    }
    let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
    compressed.write_all(&profile.0)?;
    compressed.finish()
}

/// How many of the first functions are those of the sampler itself.
fn count_sampler(symbols: &[&Symbol]) -> usize {
    let mut first = symbols.iter().take(SAMPLER_DEPTH);
    let last = first.rposition(|symbol| symbol.name().ends_with("::trace"));
    last.map_or(0, |at| at + 1)
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn to_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
