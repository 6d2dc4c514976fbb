//! Fuzzing: mutated streams of frames, and what holds for every stream.
//!
//! `cargo test` tries some thousand streams, the same ones each time. For longer:
//!
//! ```text
//! PORTCULLIS_FUZZ_SECONDS=600 cargo test --release -p portcullis-channel --test it fuzz -- --nocapture
//! ```
//!
//! That starts from a number of its own, which it prints; `PORTCULLIS_FUZZ_SEED` repeats it. The streams
//! grow out of the recorded frames of `tests/corpus`, and of those that once broke a promise
//! (`tests/corpus/found.txt`). A stream that breaks a promise is cut down before it is shown; it belongs
//! there with the change that mends it.

mod mutate;
mod promises;

use crate::support::{bytes, corpus};
use portcullis_seeded_random::Random;
use promises::check;
use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

/// Streams of a run without a time.
const STREAMS: u64 = 5_000;
/// Most streams that are mutated further.
const KEPT: usize = 2_000;

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|error| panic!("{variable}={text}: {error}")),
    )
}

/// The recorded frames, and the streams that once broke a promise.
fn streams() -> Vec<Vec<u8>> {
    let found = include_str!("../corpus/found.txt");
    let found = found.lines().filter(|line| !line.starts_with('#'));
    corpus()
        .into_iter()
        .map(|(_, recorded)| recorded)
        .chain(found.map(bytes))
        .collect()
}

/// What a stream leads to, or which promise it breaks.
fn outcome(stream: &[u8]) -> Result<String, String> {
    catch_unwind(|| check(stream)).unwrap_or_else(|_| Err("it panics".to_owned()))
}

/// Cuts pieces out of a stream for as long as it breaks a promise.
fn cut_down(stream: &[u8]) -> Vec<u8> {
    let mut stream = stream.to_vec();
    let mut length = stream.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at + length <= stream.len() {
            let mut shorter = stream.clone();
            shorter.drain(at..at + length);
            if outcome(&shorter).is_err() {
                stream = shorter;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    stream
}

fn hex(stream: &[u8]) -> String {
    stream.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

#[test]
fn what_was_recorded_and_found_keeps_every_promise() {
    for stream in streams() {
        assert!(outcome(&stream).is_ok(), "{}", hex(&stream));
    }
}

#[test]
fn mutated_streams_keep_every_promise() {
    let time = number("PORTCULLIS_FUZZ_SECONDS").map(Duration::from_secs);
    let fresh = || time.map_or(23, |_| RandomState::new().hash_one(()));
    let seed = number("PORTCULLIS_FUZZ_SEED").unwrap_or_else(fresh);
    println!("PORTCULLIS_FUZZ_SEED={seed}");

    let mut streams = streams();
    let mut random = Random::new(seed, "mutations");
    let mut places = BTreeSet::new();
    let start = Instant::now();
    let mut tried = 0;
    while time.map_or(tried < STREAMS, |time| start.elapsed() < time) {
        tried += 1;
        let stream = mutate::mutate(&streams, &mut random);
        let Ok(place) = outcome(&stream) else {
            let stream = cut_down(&stream);
            panic!("{}: {}", hex(&stream), outcome(&stream).unwrap_err());
        };
        if places.insert(place) && streams.len() < KEPT && stream.len() < 4_000 {
            streams.push(stream);
        }
    }
    let places = places.len();
    println!("{tried} streams led to {places} places");
    assert!(places > 200, "only {places} places: the streams are poor");
}
