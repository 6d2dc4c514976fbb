//! Lists and maps of JSON, of which only so much is kept as is good for the controller.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;

/// Links, terminators, circuits, identities or differences that are read of an answer. Others are counted.
pub const MAX_ENTRIES: usize = 20_000;

/// The first entries of a list; `null` is an empty one.
#[derive(Debug)]
pub(crate) struct Listed<T, const MOST: usize> {
    pub(crate) kept: Vec<T>,
    /// Entries beyond those.
    pub(crate) left_out: usize,
}

/// The first entries of an object by key; `null` is an empty one.
#[derive(Debug)]
pub(crate) struct Keyed<T, const MOST: usize> {
    pub(crate) kept: BTreeMap<String, T>,
    /// Entries beyond those.
    pub(crate) left_out: usize,
}

impl<T, const MOST: usize> Listed<T, MOST> {
    /// How many there are in all.
    pub(crate) const fn len(&self) -> usize {
        self.kept.len() + self.left_out
    }
}

impl<T, const MOST: usize> Default for Listed<T, MOST> {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            left_out: 0,
        }
    }
}

impl<T, const MOST: usize> Default for Keyed<T, MOST> {
    fn default() -> Self {
        Self {
            kept: BTreeMap::new(),
            left_out: 0,
        }
    }
}

/// Fills itself.
impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Listed<T, MOST> {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list or null")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut entries: A) -> Result<Self::Value, A::Error> {
        while self.kept.len() < MOST {
            let Some(entry) = entries.next_element()? else {
                return Ok(self);
            };
            self.kept.push(entry);
        }
        while entries.next_element::<IgnoredAny>()?.is_some() {
            self.left_out += 1;
        }
        Ok(self)
    }
}

/// Fills itself.
impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Keyed<T, MOST> {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object or null")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Self::Value, A::Error> {
        while self.kept.len() < MOST {
            let Some((key, entry)) = entries.next_entry()? else {
                return Ok(self);
            };
            self.kept.insert(key, entry);
        }
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            self.left_out += 1;
        }
        Ok(self)
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for Listed<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self::default())
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for Keyed<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_bound_is_counted() {
        for (json, kept, left_out) in [
            ("null", vec![], 0),
            ("[]", vec![], 0),
            ("[1, 2]", vec![1, 2], 0),
            ("[1, 2, [{}], \"x\"]", vec![1, 2], 2),
        ] {
            let listed: Listed<u8, 2> = serde_json::from_str(json).unwrap();
            assert_eq!(
                (listed.len(), listed.left_out),
                (kept.len() + left_out, left_out)
            );
            assert_eq!(listed.kept, kept);
        }
        for (json, kept, left_out) in [
            ("null", 0, 0),
            (r#"{"a": 1, "b": 2}"#, 2, 0),
            (r#"{"a": 1, "a": 2}"#, 1, 0),
            (r#"{"a": 1, "b": 2, "c": null}"#, 2, 1),
        ] {
            let keyed: Keyed<u8, 2> = serde_json::from_str(json).unwrap();
            assert_eq!((keyed.kept.len(), keyed.left_out), (kept, left_out));
        }
    }

    #[test]
    fn other_json_is_refused() {
        for json in ["1", "{}", "[1,", "[\"a\"]", "\"a\""] {
            serde_json::from_str::<Listed<u8, 2>>(json).unwrap_err();
        }
        for json in ["1", "[]", "{\"a\"", "{\"a\": \"a\"}"] {
            serde_json::from_str::<Keyed<u8, 2>>(json).unwrap_err();
        }
    }
}
