//! Recovery codes of an enrollment.

use crate::code::{LENGTH, RecoveryCode, as_str};
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_domain::mfa::SpentCodes;
use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _};
use zeroize::Zeroizing;

/// The recovery codes of an enrollment: twenty distinct ones. Which of them are spent is recorded
/// elsewhere ([`SpentCodes`]), by index.
///
/// They are wiped on drop, and `Debug` hides them. They are on the heap, since each move would
/// leave a copy on the stack.
pub struct RecoveryCodes(Box<Zeroizing<[[u8; LENGTH]; COUNT]>>);

/// Number of codes in a set.
const COUNT: usize = 20;

/// The bytes are not a set of recovery codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not {count} distinct recovery codes", count = COUNT)]
pub struct RecoveryCodesError;

impl RecoveryCodes {
    /// Number of codes in a set.
    pub const COUNT: usize = COUNT;

    /// Attempts to fill a set before the entropy source is considered broken. A good source needs a
    /// second one for one in a thousand sets.
    const MAX_DRAWS: usize = 16;

    /// Generates a set; all valid codes are equally likely.
    ///
    /// # Errors
    ///
    /// [`EntropyError`] when the source fails, or repeats itself.
    pub fn generate(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        let mut codes = Self::empty();
        let mut count = 0;
        let mut bits = Zeroizing::new([0; COUNT * 4]);
        for _draw in 0..Self::MAX_DRAWS {
            entropy.fill(bits.as_mut())?;
            let drawn = bits
                .as_chunks()
                .0
                .iter()
                .map(|&bits| u32::from_le_bytes(bits));
            for code in drawn.filter_map(RecoveryCode::from_bits) {
                count += usize::from(codes.try_push(&code, count));
            }
            if count == COUNT {
                return Ok(codes);
            }
        }
        Err(EntropyError)
    }

    fn empty() -> Self {
        Self(Box::new(Zeroizing::new([[0; LENGTH]; COUNT])))
    }

    /// Stores `code` after the first `count`, unless it is one of them or the set is full.
    fn try_push(&mut self, code: &RecoveryCode, count: usize) -> bool {
        let (before, free_slots) = self.0.split_at_mut(count);
        let Some(slot) = free_slots.first_mut() else {
            return false;
        };
        *slot = *code.as_bytes();
        !before.contains(code.as_bytes())
    }

    /// The concatenated codes, to be sealed and stored.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_flattened()
    }

    /// Restores a stored set.
    ///
    /// # Errors
    ///
    /// [`RecoveryCodesError`] unless the bytes are a valid set.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecoveryCodesError> {
        let (chunks, rest) = bytes.as_chunks();
        if chunks.len() != COUNT || !rest.is_empty() {
            return Err(RecoveryCodesError);
        }
        let mut codes = Self::empty();
        for (count, &chunk) in chunks.iter().enumerate() {
            let code = RecoveryCode::new(chunk).ok_or(RecoveryCodesError)?;
            if !codes.try_push(&code, count) {
                return Err(RecoveryCodesError);
            }
        }
        Ok(codes)
    }

    /// The index of `code` in the set, spent or not.
    ///
    /// Runs in constant time: all codes are compared in full. Does not allocate.
    pub fn find(&self, code: &RecoveryCode) -> Option<u8> {
        let (mut found, mut is_found) = (0_u8, Choice::from(0));
        for (place, own) in (0_u8..).zip(self.0.iter()) {
            let is_equal = own.ct_eq(code.as_bytes());
            found.conditional_assign(&place, is_equal);
            is_found |= is_equal;
        }
        bool::from(is_found).then_some(found)
    }

    /// The unspent codes, in the order of the set.
    pub fn unspent(&self, spent: SpentCodes) -> impl Iterator<Item = &str> {
        (0_u8..)
            .zip(self.0.iter())
            .filter(move |&(place, _)| !spent.contains(place))
            .map(|(_, code)| as_str(code))
    }
}

impl std::fmt::Debug for RecoveryCodes {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("RecoveryCodes([redacted])")
    }
}

#[cfg(test)]
mod tests;
