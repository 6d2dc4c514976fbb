//! Keys of unique values.

use super::UNIQUE_TAG;
use crate::key::KeyRange;
use sha2::{Digest as _, Sha256};

/// Maximum length of values that are stored unhashed, in bytes.
const MAX_RAW_BYTES: usize = 64;
const RAW: u8 = 0;
const DIGEST: u8 = 1;

/// Key of the row that enforces the uniqueness of a value and points to its record.
///
/// Values up to 64 bytes are part of the key; longer ones are replaced by their SHA-256 with
/// another form byte, so that a value never collides with a digest.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UniqueKey(Vec<u8>);

impl UniqueKey {
    /// The key of `value` in the index with the number `index`.
    pub fn new(index: u8, value: &[u8]) -> Self {
        let mut bytes = vec![UNIQUE_TAG, index];
        if value.len() <= MAX_RAW_BYTES {
            bytes.push(RAW);
            bytes.extend_from_slice(value);
        } else {
            bytes.push(DIGEST);
            bytes.extend_from_slice(&Sha256::digest(value));
        }
        Self(bytes)
    }

    /// Parses the index number; `None` when it is not a unique key.
    pub fn parse_index(bytes: &[u8]) -> Option<u8> {
        match bytes {
            [UNIQUE_TAG, index, RAW, value @ ..] if value.len() <= MAX_RAW_BYTES => Some(*index),
            [UNIQUE_TAG, index, DIGEST, value @ ..] if value.len() == 32 => Some(*index),
            _ => None,
        }
    }

    /// All values of an index.
    pub fn all(index: u8) -> KeyRange {
        KeyRange::prefix(&[UNIQUE_TAG, index])
    }

    /// All values of all indexes.
    pub fn all_indexes() -> KeyRange {
        KeyRange::prefix(&[UNIQUE_TAG])
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for UniqueKey {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn different_values_have_different_keys(
            a in proptest::collection::vec(any::<u8>(), 0..100),
            b in proptest::collection::vec(any::<u8>(), 0..100),
            index in any::<u8>(),
        ) {
            let (first, second) = (UniqueKey::new(index, &a), UniqueKey::new(index, &b));
            prop_assert_eq!(first == second, a == b);
            prop_assert!(first.as_bytes().len() <= 3 + MAX_RAW_BYTES);
            prop_assert_eq!(UniqueKey::parse_index(first.as_bytes()), Some(index));
            prop_assert!(UniqueKey::all(index).contains(first.as_bytes()));
            prop_assert!(!UniqueKey::all(index ^ 1).contains(first.as_bytes()));
        }

        #[test]
        fn short_values_keep_their_order(
            a in proptest::collection::vec(any::<u8>(), 0..=64),
            b in proptest::collection::vec(any::<u8>(), 0..=64),
        ) {
            prop_assert_eq!(UniqueKey::new(1, &a).cmp(&UniqueKey::new(1, &b)), a.cmp(&b));
        }
    }

    #[test]
    fn a_digest_as_a_value_is_not_the_long_value() {
        let long = [7_u8; 65];
        let digest = Sha256::digest(long);
        assert_ne!(UniqueKey::new(1, &long), UniqueKey::new(1, &digest));
    }
}
