//! Keys of references between records.

use super::{ID_BYTES, Kind, REFERENCE_TAG, decode_id, encode_id};
use crate::key::KeyRange;

/// Key of the row for a reference between two records.
///
/// References prevent the deletion of their target, or drive cascading deletes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ReferenceKey([u8; 1 + 2 * ID_BYTES]);

impl ReferenceKey {
    /// The key of the reference from `referrer` to `target`.
    pub fn new(target: (Kind, u64), referrer: (Kind, u64)) -> Self {
        let mut bytes = [REFERENCE_TAG; 1 + 2 * ID_BYTES];
        let parts = encode_id(target.0, target.1)
            .into_iter()
            .chain(encode_id(referrer.0, referrer.1));
        for (byte, value) in bytes.iter_mut().skip(1).zip(parts) {
            *byte = value;
        }
        Self(bytes)
    }

    /// Parses target and referrer; `None` when it is not a reference key.
    pub fn parse(bytes: &[u8]) -> Option<((Kind, u64), (Kind, u64))> {
        let (&REFERENCE_TAG, parts) = bytes.split_first()? else {
            return None;
        };
        let (target, referrer) = parts.split_at_checked(ID_BYTES)?;
        Some((decode_id(target)?, decode_id(referrer)?))
    }

    /// All references to a target.
    pub fn to_target(target: (Kind, u64)) -> KeyRange {
        let mut prefix = vec![REFERENCE_TAG];
        prefix.extend(encode_id(target.0, target.1));
        KeyRange::prefix(&prefix)
    }

    /// All references to a target from records of one kind.
    pub fn from_kind(target: (Kind, u64), referrer: Kind) -> KeyRange {
        let mut prefix = vec![REFERENCE_TAG];
        prefix.extend(encode_id(target.0, target.1));
        prefix.push(referrer.byte());
        KeyRange::prefix(&prefix)
    }

    /// All references.
    pub fn all() -> KeyRange {
        KeyRange::prefix(&[REFERENCE_TAG])
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for ReferenceKey {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id() -> impl Strategy<Value = (Kind, u64)> {
        (1_u8..=0xEF, prop_oneof![any::<u64>(), 0_u64..3])
            .prop_map(|(kind, number)| (Kind::from_byte(kind).unwrap(), number))
    }

    proptest! {
        #[test]
        fn ordered_by_target_then_referrer(a in id(), b in id(), c in id(), d in id()) {
            let (first, second) = (ReferenceKey::new(a, b), ReferenceKey::new(c, d));
            prop_assert_eq!(first.as_bytes().cmp(second.as_bytes()), (a, b).cmp(&(c, d)));
        }

        #[test]
        fn parse_reads_back_and_ranges_hold(target in id(), referrer in id(), other in id()) {
            let key = ReferenceKey::new(target, referrer);
            prop_assert_eq!(ReferenceKey::parse(key.as_bytes()), Some((target, referrer)));
            prop_assert!(ReferenceKey::all().contains(key.as_bytes()));
            prop_assert!(ReferenceKey::from_kind(target, referrer.0).contains(key.as_bytes()));
            let range = ReferenceKey::to_target(other);
            prop_assert_eq!(range.contains(key.as_bytes()), other == target);
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        let rows: &[&[u8]] = &[&[], &[0xFD], &[0xFD; 19], &[1; 19], &[0xFD, 1, 0, 0]];
        for bytes in rows {
            assert_eq!(ReferenceKey::parse(bytes), None, "{bytes:?}");
        }
    }
}
