//! Fuzzing: mutated queries, and what holds for every text.
//!
//! `cargo test` tries some thousand texts, the same ones each time. For longer:
//!
//! ```text
//! PORTCULLIS_FUZZ_SECONDS=600 cargo test --release -p portcullis-filter --test filter fuzz -- --nocapture
//! ```
//!
//! That starts from a number of its own, which it prints; `PORTCULLIS_FUZZ_SEED` repeats it. The texts grow
//! out of `tests/corpus`, one query to a line. A text that leads somewhere new in the crate, which shows in
//! its outcome, is kept to be mutated further. A text that breaks a promise is cut down before it is shown;
//! it belongs into the corpus with the change that mends it.

mod mutate;
mod promises;

pub(crate) use promises::check;

use mutate::{Mutator, Random};
use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::panic::catch_unwind;
use std::time::{Duration, Instant};
use std::{env, fs};

/// Texts of a run without a time.
const TEXTS: u64 = 10_000;
/// Most texts that are mutated further.
const KEPT: usize = 4_000;

fn corpus(name: &str) -> Vec<String> {
    let path = format!("{}/tests/corpus/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(str::to_owned).collect()
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|error| panic!("{variable}={text}: {error}")),
    )
}

/// What a text leads to, or which promise it breaks.
fn outcome(text: &str) -> Result<String, String> {
    catch_unwind(|| check(text)).unwrap_or_else(|_| Err("it panics".to_owned()))
}

/// Cuts pieces out of a text for as long as it breaks a promise.
fn cut_down(text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let mut length = characters.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at + length <= characters.len() {
            let mut shorter = characters.clone();
            shorter.drain(at..at + length);
            if outcome(&String::from_iter(&shorter)).is_err() {
                characters = shorter;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    characters.into_iter().collect()
}

#[test]
fn the_corpus_is_accepted_and_refused_as_its_files_say() {
    for text in corpus("accepted") {
        assert!(check(&text).unwrap().starts_with("accepted"), "{text}");
    }
    for text in corpus("refused") {
        assert!(check(&text).unwrap().starts_with("refused"), "{text}");
    }
}

#[test]
fn mutated_queries_keep_every_promise() {
    let time = number("PORTCULLIS_FUZZ_SECONDS").map(Duration::from_secs);
    let fresh = || time.map_or(23, |_| RandomState::new().hash_one(()));
    let seed = number("PORTCULLIS_FUZZ_SEED").unwrap_or_else(fresh);
    println!("PORTCULLIS_FUZZ_SEED={seed}");

    let mut texts = corpus("accepted");
    texts.extend(corpus("refused"));
    let mut mutator = Mutator::new(Random::new(seed));
    let mut places = BTreeSet::new();
    let start = Instant::now();
    let mut tried = 0;
    while time.map_or(tried < TEXTS, |time| start.elapsed() < time) {
        tried += 1;
        let text = mutator.mutate(&texts);
        let Ok(place) = outcome(&text) else {
            let text = cut_down(&text);
            panic!("{text:?}: {}", outcome(&text).unwrap_err());
        };
        if places.insert(place) && texts.len() < KEPT && text.len() < 1000 {
            texts.push(text);
        }
    }
    let places = places.len();
    println!("{tried} texts led to {places} places");
    assert!(places > 500, "only {places} places: the texts are poor");
}
