//! Fuzzing: mutated messages, and what holds for every message.
//!
//! `cargo test` tries some thousand messages, the same ones each time. For longer:
//!
//! ```text
//! PORTCULLIS_FUZZ_SECONDS=600 cargo test --release -p portcullis-wire --test it fuzz -- --nocapture
//! ```
//!
//! That starts from a number of its own, which it prints; `PORTCULLIS_FUZZ_SEED` repeats it. The messages
//! grow out of the recorded ones, and of those that once broke a promise (`tests/corpus/found.txt`). A
//! message that breaks a promise is cut down before it is shown; it belongs there with the change that
//! mends it.

mod mutate;
mod promises;

use crate::support::{bytes, recorded};
use portcullis_channel::{ContentType, Headers, Message};
use portcullis_seeded_random::Random;
use promises::check;
use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

/// Messages of a run without a time.
const MESSAGES: u64 = 8_000;
/// Most messages that are mutated further.
const KEPT: usize = 3_000;
/// Most headers of a message.
const MOST_HEADERS: u32 = 1_024;

/// A message as bytes, which can be mutated.
#[derive(Debug, Clone)]
struct Raw {
    content_type: i32,
    headers: Vec<u8>,
    body: Vec<u8>,
}

impl Raw {
    /// The message, if its headers are headers.
    fn message(&self) -> Option<Message> {
        let headers = Headers::decode(self.headers.clone().into(), MOST_HEADERS).ok()?;
        let message = Message::new(ContentType(self.content_type)).with_headers(headers);
        Some(message.with_body(self.body.clone()))
    }

    /// A line of the corpus.
    fn line(&self) -> String {
        let [headers, body] = [&self.headers, &self.body].map(|bytes| {
            bytes.iter().fold(String::new(), |mut hex, byte| {
                write!(hex, "{byte:02x}").unwrap();
                hex
            })
        });
        format!("{} {headers} {body}", self.content_type)
    }

    fn from_line(line: &str) -> Self {
        let [content_type, headers, body] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        Self {
            content_type: content_type.parse().unwrap(),
            headers: bytes(headers),
            body: bytes(body),
        }
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|error| panic!("{variable}={text}: {error}")),
    )
}

/// The recorded messages, and those that once broke a promise.
fn messages() -> Vec<Raw> {
    let found = include_str!("../corpus/found.txt");
    let found = found.lines().filter(|line| !line.starts_with('#'));
    let frames = ["control", "data plane", "management"]
        .into_iter()
        .flat_map(recorded);
    frames
        .map(|(_, frame)| Raw {
            content_type: frame.content_type().0,
            headers: frame.headers().block().to_vec(),
            body: frame.body().to_vec(),
        })
        .chain(found.map(Raw::from_line))
        .collect()
}

/// What a message leads to, or which promise it breaks.
fn outcome(raw: &Raw) -> Result<String, String> {
    let Some(message) = raw.message() else {
        return Ok("no headers".to_owned());
    };
    catch_unwind(|| check(&message)).unwrap_or_else(|_| Err("it panics".to_owned()))
}

/// Cuts pieces out of a body for as long as it breaks a promise.
fn cut_down(raw: &Raw) -> Raw {
    let mut raw = raw.clone();
    let mut length = raw.body.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at + length <= raw.body.len() {
            let mut shorter = raw.clone();
            shorter.body.drain(at..at + length);
            if outcome(&shorter).is_err() {
                raw = shorter;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    raw
}

#[test]
fn what_was_recorded_and_found_keeps_every_promise() {
    for raw in messages() {
        assert_eq!(outcome(&raw).err(), None, "{}", raw.line());
    }
}

#[test]
fn mutated_messages_keep_every_promise() {
    let time = number("PORTCULLIS_FUZZ_SECONDS").map(Duration::from_secs);
    let fresh = || time.map_or(23, |_| RandomState::new().hash_one(()));
    let seed = number("PORTCULLIS_FUZZ_SEED").unwrap_or_else(fresh);
    println!("PORTCULLIS_FUZZ_SEED={seed}");

    let mut messages = messages();
    let mut random = Random::new(seed, "mutations");
    let mut places = BTreeSet::new();
    let start = Instant::now();
    let mut tried = 0;
    while time.map_or(tried < MESSAGES, |time| start.elapsed() < time) {
        tried += 1;
        let raw = mutate::mutate(&messages, &mut random);
        let Ok(place) = outcome(&raw) else {
            let raw = cut_down(&raw);
            panic!("{}: {}", raw.line(), outcome(&raw).unwrap_err());
        };
        if places.insert(place) && messages.len() < KEPT && raw.body.len() < 4_000 {
            messages.push(raw);
        }
    }
    let places = places.len();
    println!("{tried} messages led to {places} places");
    assert!(places > 500, "only {places} places: the messages are poor");
}
