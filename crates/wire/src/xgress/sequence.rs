//! Sequence numbers of payloads.

/// Number of a payload within one direction of a circuit, from 0. It has 31 bits: payloads have it as an
/// unsigned number of 64 bits, acknowledgements as a signed one of 32.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PayloadSequence(i32);

impl PayloadSequence {
    /// `None` beyond 31 bits.
    pub fn new(number: u32) -> Option<Self> {
        i32::try_from(number).ok().map(Self)
    }

    pub const fn number(self) -> u32 {
        self.0.unsigned_abs()
    }

    /// The number after this one; `None` after the last.
    pub fn next(self) -> Option<Self> {
        self.0.checked_add(1).map(Self)
    }

    pub(super) fn from_u64(number: u64) -> Option<Self> {
        i32::try_from(number).ok().map(Self)
    }

    pub(super) fn from_be_bytes(bytes: [u8; 4]) -> Option<Self> {
        Some(i32::from_be_bytes(bytes))
            .filter(|number| *number >= 0)
            .map(Self)
    }

    pub(super) const fn to_be_bytes(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }
}
