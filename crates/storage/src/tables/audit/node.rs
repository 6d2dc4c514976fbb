//! Lazily parsed JSON of records: most members did not change and are only compared.

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// A stored JSON value; compared by its text.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub(super) struct Node<'a>(&'a RawValue);

/// A member of an object.
pub(super) type Member<'a> = (Cow<'a, str>, Node<'a>);

impl<'a> Node<'a> {
    /// A whole record.
    pub(super) fn read(record: &'a [u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(record).map(Self)
    }

    /// The value as JSON.
    pub(super) fn json(self) -> &'a str {
        self.0.get()
    }

    /// The members sorted by name, if it is an object.
    pub(super) fn members(self) -> Option<Vec<Member<'a>>> {
        let Members(mut members) = self.parse('{')?;
        members.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Some(members)
    }

    pub(super) fn is_object(self) -> bool {
        self.json().starts_with('{')
    }

    /// The items, if it is a list.
    pub(super) fn items(self) -> Option<Vec<Self>> {
        let items: Vec<&RawValue> = self.parse('[')?;
        Some(items.into_iter().map(Self).collect())
    }

    /// The text, if it is one.
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        self.parse('"').map(|Text(text)| text)
    }

    pub(super) fn bool(self) -> Option<bool> {
        self.json().parse().ok()
    }

    pub(super) fn is_number(self) -> bool {
        self.json()
            .starts_with(|first: char| first == '-' || first.is_ascii_digit())
    }

    fn parse<T: Deserialize<'a>>(self, first: char) -> Option<T> {
        let json = self.json();
        let fits = json.starts_with(first);
        fits.then(|| serde_json::from_str(json).ok()).flatten()
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.json() == other.json()
    }
}

/// The members of an object in stored order.
struct Members<'a>(Vec<Member<'a>>);

impl<'a> Deserialize<'a> for Members<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'a> Visitor<'a> for MembersVisitor {
    type Value = Members<'a>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut entries: A) -> Result<Members<'a>, A::Error> {
        let mut members = Vec::with_capacity(16);
        while let Some((Text(name), value)) = entries.next_entry()? {
            members.push((name, Node(value)));
        }
        Ok(Members(members))
    }
}

/// A string, borrowed unless it contains escapes.
struct Text<'a>(Cow<'a, str>);

impl<'a> Deserialize<'a> for Text<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'a> Visitor<'a> for TextVisitor {
    type Value = Text<'a>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'a str) -> Result<Text<'a>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text<'a>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}
