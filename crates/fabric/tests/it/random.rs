//! Numbers that look random and are the same for the same seed (`SplitMix64`).

#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// A generator for one purpose, so that what is drawn for another does not shift it.
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        let mut random = Self(seed);
        for byte in purpose.bytes() {
            random.0 = random.next().wrapping_add(u64::from(byte));
        }
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    pub(crate) fn index(&mut self, bound: usize) -> usize {
        usize::try_from(self.below(u64::try_from(bound).unwrap())).unwrap()
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}
