//! The tree.

use std::fmt;

use crate::environment::Variable;
use crate::place::Place;

/// One value of a document and where it was written.
///
/// A value reached through an alias keeps the place of its anchor, where its text stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What was written.
    pub value: Value,
    /// Where it was written.
    pub place: Place,
    /// Whether a scalar stood without quotes, so that YAML chose its type.
    pub plain: bool,
    /// Environment variables that the text named, in order.
    pub variables: Vec<Variable>,
    /// Text of the scalar where the value does not show it.
    pub(crate) text: Option<Box<str>>,
}

/// Value of a [`Node`].
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing, `~` or `null`.
    Null,
    /// `true`, `yes`, `on`, `y` and their opposites.
    Bool(bool),
    /// Whole number from the smallest `i64` to the largest `u64`.
    Integer(i128),
    /// Number with a fraction or an exponent, or one too large for [`Value::Integer`].
    Float(f64),
    /// Text. Dates are text too.
    String(String),
    /// Items in order.
    List(Vec<Node>),
    /// Entries in the order of their first mention.
    Map(Map),
}

/// Entries of a map; of two entries with equal keys only the last is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    pub(crate) entries: Vec<Entry>,
}

/// Key and value of one entry of a [`Map`].
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Key, always a scalar.
    pub key: Node,
    /// Value.
    pub value: Node,
}

/// Type of a [`Value`], to be named in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// [`Value::Null`]
    Null,
    /// [`Value::Bool`]
    Bool,
    /// [`Value::Integer`]
    Integer,
    /// [`Value::Float`]
    Float,
    /// [`Value::String`]
    String,
    /// [`Value::List`]
    List,
    /// [`Value::Map`]
    Map,
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Null => "nothing",
            Self::Bool => "a boolean",
            Self::Integer => "an integer",
            Self::Float => "a number",
            Self::String => "a string",
            Self::List => "a list",
            Self::Map => "a map",
        })
    }
}

impl Node {
    /// Makes a node that was not read from text, for trees built by programs.
    pub fn new(value: Value, place: Place) -> Self {
        Self {
            value,
            place,
            plain: false,
            variables: Vec::new(),
            text: None,
        }
    }

    /// Names the type of the value.
    pub fn kind(&self) -> Kind {
        match &self.value {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Bool,
            Value::Integer(_) => Kind::Integer,
            Value::Float(_) => Kind::Float,
            Value::String(_) => Kind::String,
            Value::List(_) => Kind::List,
            Value::Map(_) => Kind::Map,
        }
    }

    /// Borrows the text of a scalar as it stood in the file, without quotes and escapes and before
    /// environment variables were put in place: `017` of an octal number, `no` of a boolean.
    pub fn text(&self) -> Option<&str> {
        match (&self.text, &self.value) {
            (Some(text), _) => Some(text),
            (None, Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Tells whether this is nothing, `~` or `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// Gives the value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(value) = self.value {
            Some(value)
        } else {
            None
        }
    }

    /// Gives the value of an integer.
    pub fn as_integer(&self) -> Option<i128> {
        if let Value::Integer(value) = self.value {
            Some(value)
        } else {
            None
        }
    }

    /// Borrows the value of a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(value) = &self.value {
            Some(value)
        } else {
            None
        }
    }

    /// Borrows the items of a list.
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Value::List(items) = &self.value {
            Some(items)
        } else {
            None
        }
    }

    /// Borrows the entries of a map.
    pub fn as_map(&self) -> Option<&Map> {
        if let Value::Map(map) = &self.value {
            Some(map)
        } else {
            None
        }
    }
}

impl Map {
    /// Finds the entry of a string key; case matters.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.key.as_str() == Some(key))
    }

    /// Walks over the entries in the order of their first mention.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    /// Counts the entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Tells whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl<'map> IntoIterator for &'map Map {
    type Item = &'map Entry;
    type IntoIter = std::slice::Iter<'map, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// What makes two keys equal: type and value, so that `5` and `"5"` are two keys.
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum KeyId {
    Null,
    Bool(bool),
    Integer(i128),
    Float(u64),
    String(String),
}

impl KeyId {
    pub(crate) fn of(key: &Node) -> Self {
        match &key.value {
            Value::Bool(value) => Self::Bool(*value),
            Value::Integer(value) => Self::Integer(*value),
            Value::Float(value) => Self::Float(value.to_bits()),
            Value::String(text) => Self::String(text.clone()),
            // Lists and maps are never keys.
            Value::Null | Value::List(_) | Value::Map(_) => Self::Null,
        }
    }
}
