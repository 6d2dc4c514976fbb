//! Record of the members that a decoder accesses, for descriptions of requests.

#[cfg(feature = "describe")]
use std::cell::RefCell;
use std::ops::RangeInclusive;
#[cfg(feature = "describe")]
use std::rc::Rc;

/// JSON type as which a member is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
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
pub enum Constraint {
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
pub struct FieldAccess {
    pub path: String,
    /// `None` as long as only constraints were recorded.
    pub json_type: Option<JsonType>,
    pub constraints: Vec<Constraint>,
}

/// Members that a decoder accessed, in order. The default records nothing, and neither does any
/// without the feature `describe`.
#[derive(Debug, Clone, Default)]
pub struct DecodeTrace {
    #[cfg(feature = "describe")]
    accesses: Option<Rc<RefCell<Vec<FieldAccess>>>>,
}

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

#[cfg(feature = "describe")]
impl DecodeTrace {
    /// A trace that records.
    pub fn recording() -> Self {
        Self {
            accesses: Some(Rc::default()),
        }
    }

    /// Takes the recorded accesses.
    pub fn take(&self) -> Vec<FieldAccess> {
        self.accesses
            .as_ref()
            .map(|accesses| accesses.take())
            .unwrap_or_default()
    }

    pub(super) fn record(&self, access: impl FnOnce() -> FieldAccess) {
        let Some(accesses) = &self.accesses else {
            return;
        };
        let access = access();
        let mut accesses = accesses.borrow_mut();
        let Some(known) = accesses.iter_mut().find(|known| known.path == access.path) else {
            accesses.push(access);
            return;
        };
        // A second access finds nothing, whatever its type.
        known.json_type = known.json_type.or(access.json_type);
        for constraint in access.constraints {
            if !known.constraints.contains(&constraint) {
                known.constraints.push(constraint);
            }
        }
    }
}

#[cfg(not(feature = "describe"))]
impl DecodeTrace {
    #[expect(clippy::unused_self, reason = "a trace that cannot record")]
    pub(super) fn record(&self, _access: impl FnOnce() -> FieldAccess) {}
}
