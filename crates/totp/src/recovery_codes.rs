//! The recovery codes of an enrollment.

use crate::code::{LENGTH, RecoveryCode, as_str};
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_domain::mfa::SpentCodes;
use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _};
use zeroize::Zeroizing;

/// The recovery codes of an enrollment: twenty, no two alike. Which of them were spent is noted
/// elsewhere ([`SpentCodes`]), by place.
///
/// They are wiped when they are dropped, and `Debug` does not show them. They lie on the heap: a set
/// that is handed on would leave a copy of itself on the stack each time.
pub struct RecoveryCodes(Box<Zeroizing<[[u8; LENGTH]; COUNT]>>);

/// Codes of a set.
const COUNT: usize = 20;

/// Bytes that are no set of recovery codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not {count} distinct recovery codes", count = COUNT)]
pub struct BadRecoveryCodes;

impl RecoveryCodes {
    /// Codes of a set.
    pub const COUNT: usize = COUNT;

    /// Times that bytes for a whole set are drawn before a source is given up. A good source needs
    /// a second draw once in a thousand sets.
    const DRAWS: usize = 16;

    /// Draws a set. Every code that the form allows is equally likely.
    ///
    /// # Errors
    ///
    /// [`EntropyError`] when the source cannot deliver, or delivers the same again and again.
    pub fn generate(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        let mut codes = Self::empty();
        let mut count = 0;
        let mut bits = Zeroizing::new([0; COUNT * 4]);
        for _draw in 0..Self::DRAWS {
            entropy.fill(bits.as_mut())?;
            let drawn = bits
                .as_chunks()
                .0
                .iter()
                .map(|&bits| u32::from_le_bytes(bits));
            for code in drawn.filter_map(RecoveryCode::of_bits) {
                count += usize::from(codes.add(&code, count));
            }
            if count == COUNT {
                return Ok(codes);
            }
        }
        Err(EntropyError)
    }

    /// Room for a set.
    fn empty() -> Self {
        Self(Box::new(Zeroizing::new([[0; LENGTH]; COUNT])))
    }

    /// Puts `code` behind the first `count`, unless it is one of them or there is no room.
    fn add(&mut self, code: &RecoveryCode, count: usize) -> bool {
        let (before, rooms) = self.0.split_at_mut(count);
        let Some(room) = rooms.first_mut() else {
            return false;
        };
        *room = *code.as_bytes();
        !before.contains(code.as_bytes())
    }

    /// The codes one after another, to be sealed and stored.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_flattened()
    }

    /// Takes up a set that was stored.
    ///
    /// # Errors
    ///
    /// [`BadRecoveryCodes`] unless the bytes are those of a set.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadRecoveryCodes> {
        let (chunks, rest) = bytes.as_chunks();
        if chunks.len() != COUNT || !rest.is_empty() {
            return Err(BadRecoveryCodes);
        }
        let mut codes = Self::empty();
        for (count, &chunk) in chunks.iter().enumerate() {
            let code = RecoveryCode::new(chunk).ok_or(BadRecoveryCodes)?;
            if !codes.add(&code, count) {
                return Err(BadRecoveryCodes);
            }
        }
        Ok(codes)
    }

    /// The place of `code` in the set, whether it was spent or not.
    ///
    /// All codes are compared in full, whichever of them matches, so that the time taken tells
    /// nothing. Nothing is put on the heap.
    pub fn find(&self, code: &RecoveryCode) -> Option<u8> {
        let (mut found, mut is_found) = (0_u8, Choice::from(0));
        for (place, own) in (0_u8..).zip(self.0.iter()) {
            let is_equal = own.ct_eq(code.as_bytes());
            found.conditional_assign(&place, is_equal);
            is_found |= is_equal;
        }
        bool::from(is_found).then_some(found)
    }

    /// The codes that can still be spent, in the order of the set.
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
