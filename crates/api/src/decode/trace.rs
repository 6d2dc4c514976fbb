//! Record of the members that a decoder accesses, for descriptions of requests.

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// JSON type as which a member is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonType {
    String,
    Boolean,
    Integer,
    StringList,
    /// An object whose members are decoded one by one.
    Object,
    /// A list of [`Object`](Self::Object)s.
    ObjectList,
    /// An object that is kept unchanged.
    Document,
    /// An object without nested lists and objects.
    FlatObject,
    /// A map with string values.
    StringMap,
    /// A map with values that are whole numbers from 0 to 65535.
    IntegerMap,
    /// A map with values that are lists of strings or `null`.
    StringListMap,
}

/// Constraint on a member beyond its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Constraint {
    /// Length of a string in characters.
    Length(RangeInclusive<usize>),
    /// The string is a secret.
    Secret,
    /// Allowed strings.
    OneOf(Vec<&'static str>),
    /// Range of a number, both ends included.
    Range(i64, i64),
    /// String format by its name in JSON Schema.
    Format(&'static str),
}

/// A member that a decoder accessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldAccess {
    pub(crate) path: String,
    /// `None` as long as only constraints were recorded.
    pub(crate) json_type: Option<JsonType>,
    pub(crate) constraints: Vec<Constraint>,
}

/// Members that a decoder accessed, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct DecodeTrace(Rc<RefCell<Vec<FieldAccess>>>);

impl JsonType {
    /// JSON type with its article, for error messages.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Boolean => "a boolean",
            Self::Integer => "a whole number",
            Self::StringList => "a list of strings",
            Self::ObjectList => "a list of objects",
            Self::Object
            | Self::Document
            | Self::FlatObject
            | Self::StringMap
            | Self::IntegerMap
            | Self::StringListMap => "an object",
        }
    }
}

impl DecodeTrace {
    /// Records an access.
    pub(crate) fn record_access(&self, path: &str, json_type: JsonType) {
        let mut all = self.0.borrow_mut();
        match all.iter_mut().find(|access| access.path == path) {
            // A second access finds nothing, whatever its type.
            Some(access) => {
                access.json_type.get_or_insert(json_type);
            },
            None => all.push(FieldAccess {
                path: path.to_owned(),
                json_type: Some(json_type),
                constraints: Vec::new(),
            }),
        }
    }

    /// Records a constraint on a member.
    pub(crate) fn record_constraint(&self, path: &str, constraint: Constraint) {
        let mut all = self.0.borrow_mut();
        match all.iter_mut().find(|access| access.path == path) {
            Some(access) if access.constraints.contains(&constraint) => {},
            Some(access) => access.constraints.push(constraint),
            None => all.push(FieldAccess {
                path: path.to_owned(),
                json_type: None,
                constraints: vec![constraint],
            }),
        }
    }

    /// Takes the recorded accesses.
    pub(crate) fn take(&self) -> Vec<FieldAccess> {
        self.0.take()
    }
}
