use super::*;
use crate::code::SubmittedCode;
use crate::testing::{ConstantEntropy, FailingEntropy, SeededEntropy};
use std::collections::HashSet;

fn set() -> RecoveryCodes {
    RecoveryCodes::generate(&SeededEntropy::new(7)).unwrap()
}

fn texts(codes: &RecoveryCodes) -> Vec<String> {
    codes
        .unspent(SpentCodes::default())
        .map(str::to_owned)
        .collect()
}

fn recovery_code(text: &str) -> RecoveryCode {
    match SubmittedCode::parse(text) {
        Ok(SubmittedCode::Recovery(code)) => code,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn set_has_twenty_distinct_codes() {
    for seed in 0..200 {
        let codes = texts(&RecoveryCodes::generate(&SeededEntropy::new(seed)).unwrap());
        let distinct: HashSet<_> = codes.iter().collect();
        assert_eq!((codes.len(), distinct.len()), (20, 20), "seed {seed}");
        for text in &codes {
            recovery_code(text);
        }
    }
}

/// Returns `first` at the start of each set, then good bytes.
struct BeginsWith(Vec<u8>, std::sync::atomic::AtomicBool);

impl Entropy for BeginsWith {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        SeededEntropy::new(3).fill(bytes)?;
        if !self.1.swap(true, std::sync::atomic::Ordering::Relaxed) {
            bytes[..self.0.len()].copy_from_slice(&self.0);
        }
        Ok(())
    }
}

#[test]
fn codes_of_digits_and_repeated_codes_are_drawn_again() {
    let (digits, again) = ([0xff; 4], [0x12, 0x34, 0x56, 0x01]);
    let first = [digits, again, again, digits].concat();
    let codes = texts(&RecoveryCodes::generate(&BeginsWith(first, false.into())).unwrap());
    let repeated = RecoveryCode::from_bits(u32::from_le_bytes(again)).unwrap();
    assert_eq!(codes[0], repeated.as_str());
    assert_eq!(codes.iter().collect::<HashSet<_>>().len(), 20);
}

#[test]
fn bad_source_ends_the_drawing() {
    for byte in [0x00, 0x5a, 0xff] {
        assert_eq!(
            RecoveryCodes::generate(&ConstantEntropy(byte)).unwrap_err(),
            EntropyError
        );
    }
    assert_eq!(
        RecoveryCodes::generate(&FailingEntropy).unwrap_err(),
        EntropyError
    );
}

#[test]
fn characters_are_equally_likely_at_each_place() {
    let mut counts = [[0_u32; 256]; LENGTH];
    let source = SeededEntropy::new(11);
    let sets = 2_000;
    for _set in 0..sets {
        for text in texts(&RecoveryCodes::generate(&source).unwrap()) {
            for (count, byte) in counts.iter_mut().zip(text.bytes()) {
                count[usize::from(byte)] += 1;
            }
        }
    }
    let expected = f64::from(sets) * 20.0 / 32.0;
    for (place, counts) in counts.iter().enumerate() {
        let used = counts.iter().filter(|&&count| count > 0).count();
        let off = |&count: &u32| (f64::from(count) - expected).powi(2) / expected;
        let chi_square: f64 = counts.iter().filter(|&&count| count > 0).map(off).sum();
        assert_eq!(used, 32, "place {place}");
        // 31 degrees of freedom: one in a million is beyond 83.
        assert!(chi_square < 83.0, "place {place}: {chi_square}");
    }
}

#[test]
fn every_code_is_found_at_its_place() {
    let codes = set();
    for (place, text) in (0_u8..).zip(texts(&codes)) {
        assert_eq!(codes.find(&recovery_code(&text)), Some(place));
    }
    assert_eq!(codes.find(&recovery_code("ABCDEF")), None);
}

#[test]
fn spent_codes_are_left_out() {
    let codes = set();
    let all = texts(&codes);
    let spent = SpentCodes::default()
        .with_spent(0)
        .with_spent(19)
        .with_spent(5);
    let left: Vec<_> = codes.unspent(spent).collect();
    assert_eq!(left.len(), 17);
    for place in [0, 5, 19] {
        assert!(!left.contains(&all[place].as_str()));
    }
    let spent = (0..20).fold(SpentCodes::default(), SpentCodes::with_spent);
    assert_eq!(codes.unspent(spent).count(), 0);
}

#[test]
fn places_can_all_be_noted() {
    assert!(RecoveryCodes::COUNT <= usize::from(SpentCodes::CAPACITY));
}

#[test]
fn set_survives_being_stored() {
    let codes = set();
    let again = RecoveryCodes::from_bytes(codes.as_bytes()).unwrap();
    assert_eq!(texts(&again), texts(&codes));
    assert_eq!(codes.as_bytes(), texts(&codes).concat().as_bytes());
}

#[test]
fn what_is_no_set_is_not_taken_up() {
    let codes = set();
    let bytes = codes.as_bytes();
    let mut twice = bytes.to_vec();
    twice.copy_within(0..LENGTH, 60);
    let mut digits = bytes.to_vec();
    digits[..LENGTH].copy_from_slice(b"234567");
    let mut small = bytes.to_vec();
    small.make_ascii_lowercase();
    for bad in [&[], &bytes[..119], &bytes[..114], &[bytes, b"A"].concat()] {
        assert_eq!(
            RecoveryCodes::from_bytes(bad).unwrap_err(),
            RecoveryCodesError
        );
    }
    for bad in [&[bytes, b"ABCDEF"].concat(), &twice, &digits, &small] {
        assert_eq!(
            RecoveryCodes::from_bytes(bad).unwrap_err(),
            RecoveryCodesError
        );
    }
}

#[test]
fn debug_shows_nothing() {
    assert_eq!(format!("{:?}", set()), "RecoveryCodes([redacted])");
}
