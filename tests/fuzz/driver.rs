//! The loop around a parser.

use crate::mutate::{Random, mutate};
use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

/// Inputs of a run without a time.
const INPUTS: u64 = 2_000;
/// Most inputs that are mutated further, and the longest: what is long is slow, and finds no more.
const KEPT: usize = 2_000;
const LONGEST: usize = 4 * 1024;
/// The longest that one input may take, in a test build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(2);

/// Gives mutations of `seeds` to `check`, which answers what an input leads to, or which promise it
/// breaks. An input that leads somewhere new is mutated further.
pub(crate) fn fuzz(
    name: &str,
    mut inputs: Vec<Vec<u8>>,
    check: impl Fn(&[u8]) -> Result<String, String>,
) {
    let time = number("PORTCULLIS_FUZZ_SECONDS").map(Duration::from_secs);
    let fresh = || time.map_or(23, |_| RandomState::new().hash_one(name));
    let seed = number("PORTCULLIS_FUZZ_SEED").unwrap_or_else(fresh);
    let mut random = Random::new(seed);
    let mut places = BTreeSet::new();
    let outcome = |input: &[u8]| {
        let begin = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| check(input)));
        let outcome = outcome.unwrap_or_else(|_| Err("it panics".to_owned()))?;
        if begin.elapsed() > PATIENCE {
            return Err(format!("it takes {:?}", begin.elapsed()));
        }
        Ok(outcome)
    };
    let fail = |input: &[u8], broken: &str| {
        panic!(
            "{name}, PORTCULLIS_FUZZ_SEED={seed}: {broken}: b\"{}\"",
            input.escape_ascii()
        )
    };
    for input in &inputs {
        places.insert(outcome(input).unwrap_or_else(|broken| fail(input, &broken)));
    }
    let start = Instant::now();
    let mut tried = 0;
    while time.map_or(tried < INPUTS, |time| start.elapsed() < time) {
        tried += 1;
        let (one, other) = (random.below(inputs.len()), random.below(inputs.len()));
        let input = mutate(&inputs[one], &inputs[other], &mut random);
        let place = outcome(&input).unwrap_or_else(|broken| fail(&input, &broken));
        if places.insert(place) && inputs.len() < KEPT && input.len() < LONGEST {
            inputs.push(input);
        }
    }
    println!("{name}: {tried} inputs led to {} places", places.len());
    assert!(places.len() > 1, "{name}: all inputs led to the same place");
}

/// The files of one corpus.
pub(crate) fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(name);
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    // The same order everywhere.
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// The text that strangers' bytes are, as far as they are one.
pub(crate) fn text(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

/// Where something leads, in words without numbers: those would make each input a place of its own.
pub(crate) fn place(outcome: &dyn std::fmt::Debug) -> String {
    let words = format!("{outcome:?}");
    words
        .chars()
        .filter(|character| !character.is_ascii_digit())
        .take(80)
        .collect()
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    let parsed = text.parse();
    Some(parsed.unwrap_or_else(|error| panic!("{variable}={text}: {error}")))
}
