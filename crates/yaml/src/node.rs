//! Nodes and values of the tree.

use std::fmt;

use crate::location::SourceLocation;

/// A value of a document with its location.
///
/// A value reached through an alias keeps the location of its anchor.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub value: Value,
    pub location: SourceLocation,
    /// Whether this is a plain scalar, without quotes, so that YAML determines its type.
    pub is_plain: bool,
    /// Environment variables in the text, in order.
    pub variables: Vec<Variable>,
    /// Text of the scalar if it differs from the value.
    pub(crate) text: Option<Box<str>>,
}

/// Value of a [`Node`].
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Empty, `~` or `null`.
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
    /// Entries in the order of their first occurrence.
    Map(Map),
}

/// Entries of a map; only the last of several entries with equal keys is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    pub(crate) entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Always a scalar.
    pub key: Node,
    pub value: Node,
}

/// Type of a [`Value`]; displays as a noun with article.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeType {
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

/// One use of an environment variable in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Name that was looked up.
    pub name: String,
    /// Whether it is set, possibly to an empty value.
    pub is_set: bool,
}

impl fmt::Display for NodeType {
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
    /// Creates a node for trees built by programs.
    pub fn new(value: Value, place: SourceLocation) -> Self {
        Self {
            value,
            location: place,
            is_plain: false,
            variables: Vec::new(),
            text: None,
        }
    }

    pub fn node_type(&self) -> NodeType {
        match &self.value {
            Value::Null => NodeType::Null,
            Value::Bool(_) => NodeType::Bool,
            Value::Integer(_) => NodeType::Integer,
            Value::Float(_) => NodeType::Float,
            Value::String(_) => NodeType::String,
            Value::List(_) => NodeType::List,
            Value::Map(_) => NodeType::Map,
        }
    }

    /// The text of a scalar as written in the file, without quotes and escapes and before expansion
    /// of environment variables: `017` of an octal number, `no` of a boolean.
    pub fn text(&self) -> Option<&str> {
        match (&self.text, &self.value) {
            (Some(text), _) => Some(text),
            (None, Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Whether this is empty, `~` or `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(value) = self.value {
            Some(value)
        } else {
            None
        }
    }

    pub fn as_integer(&self) -> Option<i128> {
        if let Value::Integer(value) = self.value {
            Some(value)
        } else {
            None
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(value) = &self.value {
            Some(value)
        } else {
            None
        }
    }

    pub fn as_list(&self) -> Option<&[Self]> {
        if let Value::List(items) = &self.value {
            Some(items)
        } else {
            None
        }
    }

    pub fn as_map(&self) -> Option<&Map> {
        if let Value::Map(map) = &self.value {
            Some(map)
        } else {
            None
        }
    }
}

impl Map {
    /// Finds the entry of a string key; case-sensitive.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.key.as_str() == Some(key))
    }

    /// Iterates over the entries in the order of their first occurrence.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

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

/// Identity of a key: type and value, so that `5` and `"5"` are two keys.
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum KeyId {
    Null,
    Bool(bool),
    Integer(i128),
    Float(u64),
    String(String),
}

impl KeyId {
    pub(crate) fn from_node(key: &Node) -> Self {
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
