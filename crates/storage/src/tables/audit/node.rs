//! Records as JSON that borrows its texts, for it is taken apart and forgotten within a transaction.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::Number;
use std::borrow::Cow;
use std::fmt;

/// A value in a record.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Node<'a> {
    #[default]
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    List(Vec<Self>),
    /// Members, sorted by their names.
    Object(Vec<Member<'a>>),
}

/// A member of an object.
pub(super) type Member<'a> = (Cow<'a, str>, Node<'a>);

impl<'a> Node<'a> {
    /// The members, if it is an object.
    pub(super) fn members(&self) -> Option<&[Member<'a>]> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The member with a name.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        let members = self.members()?;
        let at = members
            .binary_search_by(|(member, _)| (**member).cmp(name))
            .ok()?;
        members.get(at).map(|(_, value)| value)
    }

    /// The text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<'a> Deserialize<'a> for Node<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'a> Visitor<'a> for NodeVisitor {
    type Value = Node<'a>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node<'a>, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node<'a>, E> {
        Ok(Node::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node<'a>, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node<'a>, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node<'a>, E> {
        Ok(Number::from_f64(value).map_or(Node::Null, Node::Number))
    }

    fn visit_borrowed_str<E: Error>(self, value: &'a str) -> Result<Node<'a>, E> {
        Ok(Node::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Node<'a>, E> {
        Ok(Node::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut items: A) -> Result<Node<'a>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'a>>(self, mut entries: A) -> Result<Node<'a>, A::Error> {
        let mut members = Vec::with_capacity(8);
        while let Some((Name(name), value)) = entries.next_entry()? {
            members.push((name, value));
        }
        members.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(Node::Object(members))
    }
}

/// The name of a member, borrowed unless it holds escapes.
struct Name<'a>(Cow<'a, str>);

impl<'a> Deserialize<'a> for Name<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl<'a> Visitor<'a> for NameVisitor {
    type Value = Name<'a>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_borrowed_str<E: Error>(self, name: &'a str) -> Result<Name<'a>, E> {
        Ok(Name(Cow::Borrowed(name)))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Name<'a>, E> {
        Ok(Name(Cow::Owned(name.to_owned())))
    }
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
            },
        }
    }
}
