//! Keys of records.

use super::{ID_BYTES, Kind, LAST_KIND, META_TAG, decode_id, encode_id};
use crate::key::KeyRange;

/// Key of a record: a root, or a dependent of a root.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordKey {
    root: (Kind, u64),
    dependent: Option<(Kind, u64)>,
    bytes: [u8; 2 * ID_BYTES],
}

impl RecordKey {
    /// The key of a root record.
    pub fn root(kind: Kind, number: u64) -> Self {
        let mut bytes = [0; 2 * ID_BYTES];
        let (head, _) = bytes.split_at_mut(ID_BYTES);
        head.copy_from_slice(&encode_id(kind, number));
        Self {
            root: (kind, number),
            dependent: None,
            bytes,
        }
    }

    /// The key of a dependent of the same root.
    #[must_use]
    pub fn dependent(&self, kind: Kind, number: u64) -> Self {
        let mut key = *self;
        let (_, tail) = key.bytes.split_at_mut(ID_BYTES);
        tail.copy_from_slice(&encode_id(kind, number));
        key.dependent = Some((kind, number));
        key
    }

    /// Parses a key; `None` when it is not a record key.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (head, tail) = bytes.split_at_checked(ID_BYTES)?;
        let (kind, number) = decode_id(head)?;
        let root = Self::root(kind, number);
        if tail.is_empty() {
            return Some(root);
        }
        let (kind, number) = decode_id(tail)?;
        Some(root.dependent(kind, number))
    }

    /// Kind and number of the record itself.
    pub fn id(&self) -> (Kind, u64) {
        self.dependent.unwrap_or(self.root)
    }

    /// Kind and number of the root; its own if it is a root.
    pub fn root_id(&self) -> (Kind, u64) {
        self.root
    }

    pub fn is_root(&self) -> bool {
        self.dependent.is_none()
    }

    pub fn as_bytes(&self) -> &[u8] {
        let (head, _) = self.bytes.split_at(ID_BYTES);
        if self.dependent.is_some() {
            &self.bytes
        } else {
            head
        }
    }

    /// The range of the root and all of its dependents.
    pub fn tree(&self) -> KeyRange {
        let (kind, number) = self.root;
        KeyRange::prefix(&encode_id(kind, number))
    }

    /// The range of the dependents of one kind.
    pub fn dependents(&self, kind: Kind) -> KeyRange {
        let (root, number) = self.root;
        let mut prefix = encode_id(root, number).to_vec();
        prefix.push(kind.byte());
        KeyRange::prefix(&prefix)
    }

    /// The range of the records of all kinds, including unknown ones.
    pub fn all_kinds() -> KeyRange {
        KeyRange::between(&[META_TAG + 1], &[LAST_KIND + 1])
    }

    /// The range of the roots of a kind with their dependents.
    pub fn all(kind: Kind) -> KeyRange {
        KeyRange::prefix(&[kind.byte()])
    }
}

impl AsRef<[u8]> for RecordKey {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl std::fmt::Debug for RecordKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl std::fmt::Display for RecordKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, number) = self.root;
        write!(f, "{}:{number}", kind.byte())?;
        if let Some((kind, number)) = self.dependent {
            write!(f, "/{}:{number}", kind.byte())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key() -> impl Strategy<Value = RecordKey> {
        let id = || (1_u8..=0xEF, prop_oneof![any::<u64>(), 0_u64..3]);
        (id(), proptest::option::of(id())).prop_map(|((kind, number), dependent)| {
            let root = RecordKey::root(Kind::from_byte(kind).unwrap(), number);
            match dependent {
                Some((kind, number)) => root.dependent(Kind::from_byte(kind).unwrap(), number),
                None => root,
            }
        })
    }

    proptest! {
        #[test]
        fn byte_order_is_order_by_kind_and_number(a in key(), b in key()) {
            let expected = (a.root, a.dependent).cmp(&(b.root, b.dependent));
            prop_assert_eq!(a.as_bytes().cmp(b.as_bytes()), expected);
            prop_assert_eq!(a.cmp(&b), expected);
        }

        #[test]
        fn parse_reads_back(key in key()) {
            prop_assert_eq!(RecordKey::parse(key.as_bytes()), Some(key));
        }

        #[test]
        fn tree_holds_exactly_the_root_and_its_dependents(a in key(), b in key()) {
            prop_assert_eq!(a.tree().contains(b.as_bytes()), a.root == b.root);
            prop_assert!(RecordKey::all(a.root.0).contains(a.as_bytes()));
            if let Some((kind, _)) = a.dependent {
                prop_assert!(a.dependents(kind).contains(a.as_bytes()));
            }
            prop_assert!(!a.dependents(Kind::new::<1>()).contains(RecordKey::root(a.root.0, a.root.1).as_bytes()));
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        let rows: &[&[u8]] = &[&[], &[1], &[0; 9], &[0xFE; 9], &[1; 10], &[1; 17], &[1; 19]];
        for bytes in rows {
            assert_eq!(RecordKey::parse(bytes), None, "{bytes:?}");
        }
    }
}
