//! Fuzzing: peers that send whatever they like, and what holds whatever they send.
//!
//! `cargo test` tries some thousand inputs, the same ones each time. For longer:
//!
//! ```text
//! PORTCULLIS_FUZZ_SECONDS=600 cargo test --release -p portcullis-xgress --test it fuzz -- --nocapture
//! ```
//!
//! That starts from a number of its own, which it prints; `PORTCULLIS_FUZZ_SEED` repeats it. An input is a
//! list of steps, four bytes each. One that breaks a promise is cut down before it is shown; it belongs
//! into `tests/corpus/found.txt`, with the change that mends it.

mod steps;

use portcullis_seeded_random::Random;
use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::panic::catch_unwind;
use std::time::{Duration, Instant};
use steps::{STEP, check};

/// Inputs of a run without a time.
const INPUTS: u64 = 3_000;
/// Most inputs that are mutated further.
const KEPT: usize = 2_000;
/// Most steps of an input.
const STEPS: usize = 400;

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|error| panic!("{variable}={text}: {error}")),
    )
}

/// Inputs that once broke a promise.
fn found() -> Vec<Vec<u8>> {
    let text = include_str!("../corpus/found.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    lines
        .map(|line| line.as_bytes().chunks(2).map(byte).collect())
        .collect()
}

/// What an input leads to, or which promise it breaks.
fn outcome(input: &[u8]) -> Result<String, String> {
    catch_unwind(|| check(input)).unwrap_or_else(|_| Err("it panics".to_owned()))
}

fn random_steps(random: &mut Random, most: usize) -> Vec<u8> {
    let count = STEP * (1 + random.index(most));
    let bytes = std::iter::repeat_with(|| random.next().to_le_bytes()[0]);
    bytes.take(count).collect()
}

/// An input with a few changes.
fn mutate(inputs: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    if inputs.is_empty() || random.one_in(20) {
        return random_steps(random, STEPS);
    }
    let mut input = inputs[random.index(inputs.len())].clone();
    for _ in 0..=random.index(4) {
        let at = random.index(input.len());
        match random.below(4) {
            0 => input[at] ^= 1 << random.below(8),
            1 => {
                let new = random_steps(random, 6);
                let at = at / STEP * STEP;
                input.splice(at..at, new);
            },
            2 => {
                let other = &inputs[random.index(inputs.len())];
                input.extend_from_slice(other);
            },
            _ => input.truncate(STEP.max(at / STEP * STEP)),
        }
    }
    input.truncate(STEPS * STEP);
    input
}

/// Takes steps out of an input for as long as it breaks a promise.
fn cut_down(input: &[u8]) -> Vec<u8> {
    let mut steps: Vec<&[u8]> = input.chunks_exact(STEP).collect();
    let mut length = steps.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at + length <= steps.len() {
            let mut fewer = steps.clone();
            fewer.drain(at..at + length);
            if outcome(&fewer.concat()).is_err() {
                steps = fewer;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    steps.concat()
}

fn hex(input: &[u8]) -> String {
    input.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

#[test]
fn what_was_found_keeps_every_promise() {
    for input in found() {
        assert_eq!(outcome(&input).err(), None, "{}", hex(&input));
    }
}

#[test]
fn peers_that_send_what_they_like_break_no_promise() {
    let time = number("PORTCULLIS_FUZZ_SECONDS").map(Duration::from_secs);
    let fresh = || time.map_or(23, |_| RandomState::new().hash_one(()));
    let seed = number("PORTCULLIS_FUZZ_SEED").unwrap_or_else(fresh);
    println!("PORTCULLIS_FUZZ_SEED={seed}");

    let mut inputs = found();
    let mut random = Random::new(seed, "mutations");
    let mut places = BTreeSet::new();
    let start = Instant::now();
    let mut tried = 0;
    while time.map_or(tried < INPUTS, |time| start.elapsed() < time) {
        tried += 1;
        let input = mutate(&inputs, &mut random);
        let Ok(place) = outcome(&input) else {
            let input = cut_down(&input);
            panic!("{}: {}", hex(&input), outcome(&input).unwrap_err());
        };
        if places.insert(place) && inputs.len() < KEPT {
            inputs.push(input);
        }
    }
    let places = places.len();
    println!("{tried} inputs led to {places} places");
    assert!(places > 100, "only {places} places: the inputs are poor");
}
