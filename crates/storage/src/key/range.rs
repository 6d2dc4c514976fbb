//! Key ranges.

use std::ops::Bound;

/// A half-open range of keys in byte order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    start: Vec<u8>,
    end: Option<Vec<u8>>,
}

impl KeyRange {
    /// All keys.
    pub const fn all() -> Self {
        Self {
            start: Vec::new(),
            end: None,
        }
    }

    /// All keys that begin with `prefix`.
    pub fn prefix(prefix: &[u8]) -> Self {
        let mut end = prefix.to_vec();
        // The first key past the prefix: increment the last byte below FF and drop the rest.
        let end = loop {
            match end.last_mut() {
                None => break None,
                Some(0xFF) => {
                    end.pop();
                },
                Some(byte) => {
                    *byte += 1;
                    break Some(end);
                },
            }
        };
        Self {
            start: prefix.to_vec(),
            end,
        }
    }

    /// The keys from `start`, inclusive.
    pub fn starting(start: &[u8]) -> Self {
        Self {
            start: start.to_vec(),
            end: None,
        }
    }

    /// The keys from `start`, inclusive, to `end`, exclusive.
    pub fn between(start: &[u8], end: &[u8]) -> Self {
        Self {
            start: start.to_vec(),
            end: Some(end.to_vec()),
        }
    }

    /// The part of this range after `key`, to continue a scan that ended with `key`.
    #[must_use]
    pub fn after(mut self, key: &[u8]) -> Self {
        if self.start.as_slice() <= key {
            self.start = key.to_vec();
            self.start.push(0);
        }
        self
    }

    pub fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    pub fn contains(&self, key: &[u8]) -> bool {
        self.start.as_slice() <= key && self.end.as_ref().is_none_or(|end| key < end.as_slice())
    }

    /// Bounds for ordered maps; only valid for non-empty ranges.
    pub fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        let end = match &self.end {
            Some(end) => Bound::Excluded(end.as_slice()),
            None => Bound::Unbounded,
        };
        (Bound::Included(&self.start), end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_holds_what_begins_with_it() {
        let rows: &[(&[u8], &[u8], bool)] = &[
            (b"ab", b"ab", true),
            (b"ab", b"ab\xff\xff", true),
            (b"ab", b"ac", false),
            (b"ab", b"a", false),
            (b"a\xff", b"a\xff\x00", true),
            (b"a\xff", b"b", false),
            (b"\xff\xff", b"\xff\xff\x01", true),
            (b"\xff\xff", b"\xff\xfe", false),
            (b"", b"anything", true),
        ];
        for (prefix, key, expected) in rows {
            assert_eq!(
                KeyRange::prefix(prefix).contains(key),
                *expected,
                "{prefix:?} {key:?}"
            );
        }
    }

    #[test]
    fn after_excludes_the_key_only() {
        let range = KeyRange::prefix(b"a").after(b"ab");
        assert!(!range.contains(b"ab"));
        assert!(range.contains(b"ab\x00"));
        assert!(!range.contains(b"b"));
        assert_eq!(
            KeyRange::starting(b"x").after(b"a"),
            KeyRange::starting(b"x")
        );
    }

    #[test]
    fn inverted_range_is_empty() {
        assert!(KeyRange::between(b"b", b"a").is_empty());
        assert!(KeyRange::between(b"a", b"a").is_empty());
        assert!(!KeyRange::between(b"a", b"b").is_empty());
        assert!(!KeyRange::all().is_empty());
    }
}
