//! The format of pprof, as far as the test reads it: <https://github.com/google/pprof/blob/main/proto/profile.proto>.

use flate2::read::GzDecoder;
use prost::Message;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

#[derive(Message)]
pub(super) struct Profile {
    #[prost(message, repeated, tag = "1")]
    sample_types: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    locations: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    functions: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    strings: Vec<String>,
    #[prost(int64, tag = "12")]
    pub(super) period: i64,
}

#[derive(Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    kind: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Message)]
struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    locations: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    values: Vec<i64>,
}

#[derive(Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    lines: Vec<Line>,
}

#[derive(Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function: u64,
}

#[derive(Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
}

impl Profile {
    pub(super) fn read(path: &Path) -> Self {
        let mut bytes = Vec::new();
        let file = File::open(path).unwrap();
        GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
        Self::decode(&*bytes).unwrap()
    }

    /// What is measured, with its unit.
    pub(super) fn measures(&self) -> Vec<[&str; 2]> {
        let types = self.sample_types.iter();
        let named = types.map(|measure| [measure.kind, measure.unit].map(|it| self.string(it)));
        named.collect()
    }

    /// The values of all samples, in the order of the measures.
    pub(super) fn values(&self) -> impl Iterator<Item = &[i64]> {
        self.samples.iter().map(|sample| &*sample.values)
    }

    /// The names of all functions that stacks lead through.
    pub(super) fn functions(&self) -> BTreeSet<&str> {
        let names: BTreeMap<_, _> = self
            .functions
            .iter()
            .map(|function| (function.id, self.string(function.name)))
            .collect();
        let locations: BTreeMap<_, _> = self
            .locations
            .iter()
            .map(|location| (location.id, &location.lines))
            .collect();
        let stacks = self.samples.iter().flat_map(|sample| &sample.locations);
        let lines = stacks.flat_map(|location| locations[location]);
        lines.map(|line| names[&line.function]).collect()
    }

    fn string(&self, index: i64) -> &str {
        &self.strings[usize::try_from(index).unwrap()]
    }
}
