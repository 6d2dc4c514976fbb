//! Numbers that look random and are the same for the same seed (`SplitMix64`), for tests.
//!
//! Seeds that once found a fault are kept in tests, so the sequence of a seed never changes.

mod seeds;

pub use seeds::{Seeds, run_seed};

/// A generator.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator for one purpose, so that what is drawn for another does not shift it.
    pub fn new(seed: u64, purpose: &str) -> Self {
        let mut random = Self::from_seed(seed);
        for byte in purpose.bytes() {
            random.0 = random.next().wrapping_add(u64::from(byte));
        }
        random
    }

    /// A generator for everything.
    pub const fn from_seed(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// An index of a slice of this length; 0 if it is empty.
    pub fn index(&mut self, length: usize) -> usize {
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        usize::try_from(self.below(length)).unwrap_or_default()
    }

    /// The upper half of a number.
    pub const fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_never_change() {
        let mut random = Random::from_seed(1_234_567);
        // The first numbers of the reference implementation of SplitMix64.
        for number in [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ] {
            assert_eq!(random.next(), number);
        }
        let first = |purpose| Random::new(1, purpose).next();
        assert_eq!(first(""), Random::from_seed(1).next());
        assert_ne!(first("losses"), first("delays"));
    }
}
