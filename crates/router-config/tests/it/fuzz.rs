//! Fuzzing: mutated files, and what holds for every one of them.
//!
//! `cargo test` tries some hundred files, the same ones each time. For longer:
//!
//! ```text
//! PORTCULLIS_FUZZ_SECONDS=30 cargo test --release -p portcullis-router-config --test it fuzz
//! ```
//!
//! The files grow out of `tests/corpus`. A file that breaks a promise is shown with its number; it belongs
//! into the corpus with the change that mends it.

use std::panic::catch_unwind;
use std::time::{Duration, Instant};
use std::{env, fs};

use crate::hostile::read;

/// Files of a run without a time.
const FILES: u64 = 400;

const PIECES: [&str; 24] = [
    "",
    "~",
    ": ",
    "- ",
    "\n",
    "  ",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "$",
    "${A}",
    "&a ",
    "*a",
    "<<: *files\n",
    "!!int ",
    "-1",
    "9223372036854775808",
    "0s",
    "1e9",
    "tls:",
    "\u{85}",
];

/// A generator of numbers that is the same everywhere (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }
}

fn corpus() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect()
}

/// Changes a few places: a piece in, a stretch out, a line twice, two lines swapped.
fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(6) {
        let at = random.below(characters.len() + 1);
        match random.below(4) {
            0 => {
                let piece = PIECES[random.below(PIECES.len())];
                characters.splice(at..at, piece.chars());
            },
            1 => {
                let end = (at + random.below(12)).min(characters.len());
                characters.drain(at..end);
            },
            2 => {
                let lines: Vec<&str> = other.lines().collect();
                let line = format!("\n{}\n", lines[random.below(lines.len())]);
                characters.splice(at..at, line.chars());
            },
            _ => {
                let mut lines: Vec<String> = String::from_iter(&characters)
                    .lines()
                    .map(str::to_owned)
                    .collect();
                let (left, right) = (random.below(lines.len()), random.below(lines.len()));
                if left < lines.len() && right < lines.len() {
                    lines.swap(left, right);
                }
                characters = lines.join("\n").chars().collect();
            },
        }
    }
    characters.into_iter().collect()
}

#[test]
fn no_mutated_file_breaks_a_promise() {
    let seconds = env::var("PORTCULLIS_FUZZ_SECONDS")
        .ok()
        .map(|text| text.parse().unwrap());
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let corpus = corpus();
    let mut random = Random(0x5EED_0123_4567_89AB);
    let mut number = 0;
    while end.map_or(number < FILES, |end| Instant::now() < end) {
        let text = &corpus[random.below(corpus.len())];
        let other = &corpus[random.below(corpus.len())];
        let file = mutate(text, other, &mut random);
        let start = Instant::now();
        let outcome = catch_unwind(|| read(file.as_bytes()));
        assert!(outcome.is_ok(), "file {number} breaks a promise:\n{file}");
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "file {number} takes too long:\n{file}"
        );
        number += 1;
    }
    println!("{number} files");
}
