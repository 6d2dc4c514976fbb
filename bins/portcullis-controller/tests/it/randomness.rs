//! Property S-15: what is drawn from the operating system's generator is drawn without a pattern.
//!
//! A million of each kind. The bounds lie so far out that chance crosses them once in a thousand million
//! runs.

use portcullis_domain::entropy::{self, EntropyError};
use portcullis_domain::ids;
use portcullis_totp::RecoveryCodes;
use std::collections::BTreeMap;

const COUNT: usize = 1_000_000;

/// How many standard deviations chance may be off.
const SIGMAS: f64 = 6.0;

/// How often each character stood at each place.
#[derive(Default)]
struct Tally(BTreeMap<(usize, u8), u32>);

impl Tally {
    fn add(&mut self, text: &[u8]) {
        for (place, character) in text.iter().enumerate() {
            *self.0.entry((place, *character)).or_default() += 1;
        }
    }

    /// Asserts that at each place all characters of `alphabet` came equally often, by Pearson's
    /// chi-squared test, and no others did.
    #[track_caller]
    fn assert_even(&self, place: usize, alphabet: &[u8]) {
        let seen: u32 = self.at(place).map(|(_, count)| count).sum();
        let expected = f64::from(seen) / float(alphabet.len());
        for (character, _) in self.at(place) {
            assert!(alphabet.contains(&character), "{character} at {place}");
        }
        let squared = alphabet.iter().map(|character| {
            let count = self.0.get(&(place, *character)).copied();
            (f64::from(count.unwrap_or_default()) - expected).powi(2) / expected
        });
        let statistic: f64 = squared.sum();
        // Mean and variance of the distribution are its degrees of freedom and twice that.
        let freedom = float(alphabet.len() - 1);
        let bound = freedom + SIGMAS * (2.0 * freedom).sqrt() + SIGMAS.powi(2);
        assert!(statistic < bound, "{statistic} at {place}");
    }

    fn at(&self, place: usize) -> impl Iterator<Item = (u8, u32)> {
        let all = (place, 0)..=(place, u8::MAX);
        self.0
            .range(all)
            .map(|((_, character), count)| (*character, *count))
    }
}

fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

/// How many of them were there before.
fn repeated<T: Ord>(mut all: Vec<T>) -> usize {
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    count - all.len()
}

/// What session tokens and enrollment tokens are.
#[test]
fn a_million_tokens_differ_and_have_no_pattern() {
    let env = portcullis_system::env();
    let mut tally = Tally::default();
    let draw = || -> Result<String, EntropyError> { entropy::uuid(&*env.entropy) };
    let tokens: Vec<String> = (0..COUNT).map(|_| draw().unwrap()).collect();
    for token in &tokens {
        tally.add(token.as_bytes());
    }
    assert_eq!(repeated(tokens), 0);
    for place in 0..36 {
        let alphabet: &[u8] = match place {
            8 | 13 | 18 | 23 => b"-",
            14 => b"4",
            19 => b"89ab",
            _ => b"0123456789abcdef",
        };
        if alphabet.len() > 1 {
            tally.assert_even(place, alphabet);
        } else {
            assert_eq!(
                tally.at(place).map(|(one, _)| one).collect::<Vec<_>>(),
                alphabet
            );
        }
    }
}

#[test]
fn a_million_ids_differ_and_have_no_pattern() {
    let env = portcullis_system::env();
    let mut tally = Tally::default();
    let ids: Vec<String> = (0..COUNT)
        .map(|_| ids::short(&*env.entropy).unwrap())
        .collect();
    for id in &ids {
        tally.add(id.as_bytes());
    }
    assert_eq!(repeated(ids), 0);
    let mut alphabet: Vec<u8> = (b'0'..=b'9')
        .chain(b'A'..=b'Z')
        .chain(b'a'..=b'z')
        .collect();
    tally.assert_even(0, &alphabet);
    alphabet.extend(b".-");
    for place in 1..11 {
        tally.assert_even(place, &alphabet);
    }
}

/// A code is 30 bits, so that of a million some are alike: as many as chance makes. Within a set, none
/// are.
#[test]
fn a_million_recovery_codes_repeat_no_more_than_chance_has_it() {
    let env = portcullis_system::env();
    let mut tally = Tally::default();
    let mut codes = Vec::with_capacity(COUNT);
    for _ in 0..COUNT / RecoveryCodes::COUNT {
        let set = RecoveryCodes::generate(&*env.entropy).unwrap();
        let set: Vec<[u8; 6]> = set.as_bytes().as_chunks().0.to_vec();
        assert_eq!(repeated(set.clone()), 0, "in one set");
        for code in &set {
            tally.add(code);
        }
        codes.extend(set);
    }
    for place in 0..6 {
        tally.assert_even(place, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
    }
    let count = float(codes.len());
    let expected = count * count / 2.0 / f64::from(1 << 30);
    let repeated = float(repeated(codes));
    let bound = SIGMAS * expected.sqrt();
    assert!(
        (repeated - expected).abs() < bound,
        "{repeated}, not {expected}"
    );
}
