//! Keys of references between records.

use super::{Kind, PART, REFERENCE_TAG, parse_part, part};
use crate::engine::KeyRange;

/// Key of the row that says which record refers to which.
///
/// Such a row guards the deletion of its target, or drives what a deletion takes along.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ReferenceKey([u8; 1 + 2 * PART]);

impl ReferenceKey {
    /// The key of the reference from `referrer` to `target`.
    pub fn new(target: (Kind, u64), referrer: (Kind, u64)) -> Self {
        let mut bytes = [REFERENCE_TAG; 1 + 2 * PART];
        let parts = part(target.0, target.1)
            .into_iter()
            .chain(part(referrer.0, referrer.1));
        for (byte, value) in bytes.iter_mut().skip(1).zip(parts) {
            *byte = value;
        }
        Self(bytes)
    }

    /// Reads target and referrer back; `None` when the bytes are not the key of a reference.
    pub fn parse(bytes: &[u8]) -> Option<((Kind, u64), (Kind, u64))> {
        let (&REFERENCE_TAG, parts) = bytes.split_first()? else {
            return None;
        };
        let (target, referrer) = parts.split_at_checked(PART)?;
        Some((parse_part(target)?, parse_part(referrer)?))
    }

    /// All references to a target.
    pub fn to_target(target: (Kind, u64)) -> KeyRange {
        let mut prefix = vec![REFERENCE_TAG];
        prefix.extend(part(target.0, target.1));
        KeyRange::prefix(&prefix)
    }

    /// All references to a target from records of one kind.
    pub fn from_kind(target: (Kind, u64), referrer: Kind) -> KeyRange {
        let mut prefix = vec![REFERENCE_TAG];
        prefix.extend(part(target.0, target.1));
        prefix.push(referrer.byte());
        KeyRange::prefix(&prefix)
    }

    /// All references.
    pub fn all() -> KeyRange {
        KeyRange::prefix(&[REFERENCE_TAG])
    }

    /// The bytes that the row is stored under.
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
