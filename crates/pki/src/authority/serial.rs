//! Random serial numbers.

use portcullis_domain::entropy::{self, Entropy, EntropyError};

/// Generates a number from 1 to 2^159 - 1, big-endian: 159 random bits in the 20 bytes that RFC
/// 5280 section 4.1.2.2 allows for a positive serial number.
pub(super) fn generate(entropy: &dyn Entropy) -> Result<[u8; 20], EntropyError> {
    let mut serial = entropy::bytes::<20>(entropy)?;
    if let Some(top) = serial.first_mut() {
        *top &= 0x7f;
    }
    // Zero never occurs by chance, only from a broken source.
    if serial.iter().all(|byte| *byte == 0) {
        Err(EntropyError)
    } else {
        Ok(serial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest as _, Sha256};
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Fixed(u8);

    impl Entropy for Fixed {
        fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
            bytes.fill(self.0);
            Ok(())
        }
    }

    #[test]
    fn numbers_are_positive_and_fit() {
        assert_eq!(generate(&Fixed(0xff)).unwrap()[..2], [0x7f, 0xff]);
        assert_eq!(generate(&Fixed(0x01)).unwrap(), [1; 20]);
        assert_eq!(generate(&Fixed(0)), Err(EntropyError));
    }

    /// Digests of a counter.
    #[derive(Default)]
    struct Counter(AtomicU64);

    impl Entropy for Counter {
        fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
            let count = self.0.fetch_add(1, Ordering::Relaxed);
            let digest = Sha256::digest(count.to_be_bytes());
            bytes.copy_from_slice(&digest[..bytes.len()]);
            Ok(())
        }
    }

    #[test]
    fn a_million_numbers_differ_in_159_random_bits() {
        const COUNT: usize = 1_000_000;
        let entropy = Counter::default();
        let mut all: Vec<[u8; 20]> = (0..COUNT).map(|_| generate(&entropy).unwrap()).collect();
        let mut set = [0_usize; 160];
        for serial in &all {
            assert!(serial[0] < 0x80 && serial != &[0; 20], "{serial:02x?}");
            for (place, count) in set.iter_mut().enumerate() {
                *count += usize::from(serial[place / 8] >> (7 - place % 8) & 1);
            }
        }
        assert_eq!(set[0], 0, "the sign");
        // Half of them, within six standard deviations, which are 500 each.
        let is_even = |count: &usize| count.abs_diff(COUNT / 2) < 3000;
        assert!(set[1..].iter().all(is_even), "{set:?}");
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), COUNT);
    }
}
