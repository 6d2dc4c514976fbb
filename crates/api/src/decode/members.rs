//! Members of a JSON object in a body, taken out one by one as typed fields.

use super::DecodeError;
use super::node::{self, Node};
use super::parse_error::ParseError;
use super::trace::{Constraint, DecodeTrace, FieldAccess, JsonType};
use crate::time::WireTime;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use portcullis_domain::FieldError;
use portcullis_domain::tags::TagLimits;
use secrecy::{ExposeSecret as _, SecretSlice, SecretString};
use serde_json::{Map, Value};
use std::fmt;
use std::ops::RangeInclusive;

mod common;
mod documents;
mod maps;
mod objects;

pub(crate) use common::excerpt_list;
pub use maps::StringLists;

/// Maximum length of a value quoted in an error, in characters.
const MAX_EXCERPT_CHARS: usize = 64;

/// The members of one JSON object, each to be taken out by its name.
///
/// Methods take the documented name, match it without regard to ASCII case, and treat `null` as
/// absent. Members that are never taken are ignored.
///
/// # Examples
///
/// ```
/// use portcullis_api::decode::Members;
///
/// let mut members = Members::parse(br#"{"NAME": "laptop", "x": 1}"#, "identity")?;
/// assert_eq!(members.required_string("name")?, "laptop");
/// assert_eq!(members.optional_bool("isAdmin")?, None);
/// # Ok::<(), portcullis_api::decode::DecodeError>(())
/// ```
pub struct Members {
    /// Path of the object in the body, with a dot at the end unless it is empty.
    prefix: String,
    nodes: Vec<(String, Node)>,
    trace: DecodeTrace,
    tag_limits: TagLimits,
}

impl fmt::Debug for Members {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names only: the values may be secrets.
        formatter
            .debug_set()
            .entries(self.nodes.iter().map(|(name, _)| self.path(name)))
            .finish()
    }
}

impl Members {
    /// Parses a required body; errors call it `body_name`.
    ///
    /// # Errors
    ///
    /// [`DecodeError::Field`] when there is no body, [`DecodeError::Parse`] when it is not an object.
    /// `null` counts as an object without members.
    pub fn parse(bytes: &[u8], body_name: &str) -> Result<Self, DecodeError> {
        match Self::parse_object(bytes)? {
            Some(members) => Ok(members),
            None => Err(missing(body_name, "").into()),
        }
    }

    /// Parses an optional body; a missing one has no members.
    ///
    /// # Errors
    ///
    /// [`DecodeError::Parse`] when there is a body and it is not an object.
    pub fn parse_optional(bytes: &[u8]) -> Result<Self, DecodeError> {
        Ok(Self::parse_object(bytes)?.unwrap_or_else(|| Self {
            prefix: String::new(),
            nodes: Vec::new(),
            trace: DecodeTrace::default(),
            tag_limits: TagLimits::MANAGED,
        }))
    }

    /// Parses a required body that is a list; errors call it `body_name`. Items are members named by
    /// their positions, starting with `0`.
    ///
    /// # Errors
    ///
    /// [`DecodeError::Field`] when there is no body, [`DecodeError::Parse`] when it is not a list.
    /// `null` counts as an empty list.
    pub fn parse_list(bytes: &[u8], body_name: &str) -> Result<Self, DecodeError> {
        let items = match Node::parse(bytes).map_err(|error| parse_error(&error))? {
            None => return Err(missing(body_name, "[]").into()),
            Some(Node::Null) => Vec::new(),
            Some(Node::List(items)) => items,
            Some(other) => return Err(wrong_type("the body", "a list", &other)),
        };
        let numbered = items.into_iter().enumerate();
        Ok(Self {
            prefix: String::new(),
            nodes: numbered
                .map(|(position, item)| (position.to_string(), item))
                .collect(),
            trace: DecodeTrace::default(),
            tag_limits: TagLimits::MANAGED,
        })
    }

    fn parse_object(bytes: &[u8]) -> Result<Option<Self>, DecodeError> {
        let members = match Node::parse(bytes).map_err(|error| parse_error(&error))? {
            None => return Ok(None),
            Some(Node::Null) => Vec::new(),
            Some(Node::Object(members)) => members,
            Some(other) => return Err(wrong_type("the body", "an object", &other)),
        };
        Ok(Some(Self {
            prefix: String::new(),
            nodes: members,
            trace: DecodeTrace::default(),
            tag_limits: TagLimits::MANAGED,
        }))
    }

    /// Records every access in `trace`.
    #[cfg(feature = "describe")]
    pub(crate) fn with_trace(mut self, trace: &DecodeTrace) -> Self {
        self.trace = trace.clone();
        self
    }

    /// Records a constraint on the member `name`, if accesses are traced.
    fn record_constraint(&self, name: &str, rule: impl FnOnce() -> Constraint) {
        self.trace.record(|| FieldAccess {
            path: self.path(name),
            json_type: None,
            constraints: vec![rule()],
        });
    }

    /// Records the allowed values of the string `name`, for members that the caller checks itself.
    pub(crate) fn record_choices(&self, name: &str, words: &[&'static str]) {
        self.record_constraint(name, || Constraint::OneOf(words.to_vec()));
    }

    /// Path of the member `name` in the body, as used in errors.
    pub fn path(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// An optional string.
    pub fn optional_string(&mut self, name: &str) -> Result<Option<String>, DecodeError> {
        self.take(name, JsonType::String, |node| match node {
            Node::Text(text) => Ok(text),
            other => Err(other),
        })
    }

    /// An optional string; an empty one counts as absent.
    pub fn non_empty_string(&mut self, name: &str) -> Result<Option<String>, DecodeError> {
        Ok(self.optional_string(name)?.filter(|text| !text.is_empty()))
    }

    /// A required string; it may be empty.
    pub fn required_string(&mut self, name: &str) -> Result<String, DecodeError> {
        let text = self.optional_string(name)?;
        self.require(name, text)
    }

    /// An optional string with a length in characters within `length`; an empty one counts as absent.
    pub fn bounded_string(
        &mut self,
        name: &str,
        length: RangeInclusive<usize>,
    ) -> Result<Option<String>, DecodeError> {
        let text = self.non_empty_string(name)?;
        self.record_constraint(name, || Constraint::Length(length.clone()));
        self.validate_string(name, length, text)
    }

    /// An optional string with a length in characters within `length`; an empty one has length 0.
    pub fn optional_bounded_string(
        &mut self,
        name: &str,
        length: RangeInclusive<usize>,
    ) -> Result<Option<String>, DecodeError> {
        let text = self.optional_string(name)?;
        self.record_constraint(name, || Constraint::Length(length.clone()));
        self.validate_string(name, length, text)
    }

    fn validate_string(
        &self,
        name: &str,
        length: RangeInclusive<usize>,
        text: Option<String>,
    ) -> Result<Option<String>, DecodeError> {
        if let Some(text) = &text {
            validate_length(&self.path(name), text.chars().count(), &length, text)?;
        }
        Ok(text)
    }

    /// A required string with a length in characters within `length`.
    pub fn required_bounded_string(
        &mut self,
        name: &str,
        length: RangeInclusive<usize>,
    ) -> Result<String, DecodeError> {
        self.record_constraint(name, || Constraint::Length(length.clone()));
        let text = self.required_string(name)?;
        validate_length(&self.path(name), text.chars().count(), &length, &text)?;
        Ok(text)
    }

    /// An optional secret with a length in characters within `length`; an empty one counts as absent.
    /// Errors do not quote it.
    pub fn bounded_secret(
        &mut self,
        name: &str,
        length: RangeInclusive<usize>,
    ) -> Result<Option<SecretString>, DecodeError> {
        let text = self.non_empty_string(name)?;
        self.record_constraint(name, || Constraint::Length(length.clone()));
        self.record_constraint(name, || Constraint::Secret);
        self.validate_secret(name, length, text)
    }

    /// An optional secret with a length in characters within `length`; an empty one has length 0.
    /// Errors do not quote it.
    pub fn optional_bounded_secret(
        &mut self,
        name: &str,
        length: RangeInclusive<usize>,
    ) -> Result<Option<SecretString>, DecodeError> {
        let text = self.optional_string(name)?;
        self.record_constraint(name, || Constraint::Length(length.clone()));
        self.record_constraint(name, || Constraint::Secret);
        self.validate_secret(name, length, text)
    }

    /// An optional secret of bytes, at most `max_bytes`, in Base64; an empty one counts as absent.
    /// Errors do not quote it.
    pub fn optional_secret_bytes(
        &mut self,
        name: &str,
        max_bytes: usize,
    ) -> Result<Option<SecretSlice<u8>>, DecodeError> {
        let Some(text) = self.bounded_secret(name, 0..=max_bytes.div_ceil(3) * 4)? else {
            return Ok(None);
        };
        let bytes = BASE64.decode(text.expose_secret());
        let bytes = bytes.map_err(|_invalid| {
            FieldError::new(self.path(name), "must be in Base64", String::new())
        })?;
        Ok(Some(bytes.into()))
    }

    fn validate_secret(
        &self,
        name: &str,
        length: RangeInclusive<usize>,
        text: Option<String>,
    ) -> Result<Option<SecretString>, DecodeError> {
        let Some(text) = text else {
            return Ok(None);
        };
        // Wrapped before the check, so that it is wiped on an error too.
        let count = text.chars().count();
        let secret = SecretString::from(text);
        validate_length(&self.path(name), count, &length, "")?;
        Ok(Some(secret))
    }

    /// An optional string that has to be one of `choices`, compared byte for byte.
    pub fn optional_choice(
        &mut self,
        name: &str,
        choices: &[&'static str],
    ) -> Result<Option<&'static str>, DecodeError> {
        let text = self.optional_string(name)?;
        self.record_choices(name, choices);
        let Some(text) = text else {
            return Ok(None);
        };
        match choices.iter().find(|choice| **choice == text) {
            Some(choice) => Ok(Some(choice)),
            None => Err(FieldError::new(
                self.path(name),
                format!("must be one of {}", choices.join(", ")),
                excerpt(&text),
            )
            .into()),
        }
    }

    /// A required string that has to be one of `choices`, compared byte for byte.
    pub fn required_choice(
        &mut self,
        name: &str,
        choices: &[&'static str],
    ) -> Result<&'static str, DecodeError> {
        let choice = self.optional_choice(name, choices)?;
        self.require(name, choice)
    }

    /// An optional boolean.
    pub fn optional_bool(&mut self, name: &str) -> Result<Option<bool>, DecodeError> {
        self.take(name, JsonType::Boolean, |node| match node {
            Node::Bool(value) => Ok(value),
            other => Err(other),
        })
    }

    pub fn required_bool(&mut self, name: &str) -> Result<bool, DecodeError> {
        let value = self.optional_bool(name)?;
        self.require(name, value)
    }

    /// A required whole number.
    pub fn required_integer(&mut self, name: &str) -> Result<i64, DecodeError> {
        let value = self.optional_integer(name)?;
        self.require(name, value)
    }

    /// An optional count; a negative one counts as 0, as in OpenZiti.
    pub fn optional_count(&mut self, name: &str) -> Result<Option<u32>, DecodeError> {
        let path = self.path(name);
        self.record_constraint(name, || Constraint::Range(0, u32::MAX.into()));
        let Some(value) = self.take(name, JsonType::Integer, integer)? else {
            return Ok(None);
        };
        match u32::try_from(value.max(0)) {
            Ok(count) => Ok(Some(count)),
            Err(_too_large) => {
                let reason = format!("must be at most {}", u32::MAX);
                Err(FieldError::new(path, reason, value.to_string()).into())
            },
        }
    }

    /// A required count, decoded like [`Members::optional_count`].
    pub fn required_count(&mut self, name: &str) -> Result<u32, DecodeError> {
        let count = self.optional_count(name)?;
        self.require(name, count)
    }

    /// An optional whole number.
    pub fn optional_integer(&mut self, name: &str) -> Result<Option<i64>, DecodeError> {
        self.take(name, JsonType::Integer, integer)
    }

    /// An optional whole number from 0 to 65535.
    pub fn optional_u16(&mut self, name: &str) -> Result<Option<u16>, DecodeError> {
        let path = self.path(name);
        self.record_constraint(name, || Constraint::Range(0, u16::MAX.into()));
        self.take(name, JsonType::Integer, integer)?
            .map(|value| to_u16(&path, value))
            .transpose()
    }

    /// A required RFC 3339 timestamp. Any other string is a parse error, like a wrong type.
    pub fn required_time(&mut self, name: &str) -> Result<WireTime, DecodeError> {
        let path = self.path(name);
        self.record_constraint(name, || Constraint::Format("date-time"));
        let text = self.required_string(name)?;
        WireTime::parse(&text).ok_or_else(|| {
            DecodeError::Parse(format!(
                "{path} must be an RFC 3339 timestamp such as 2031-01-02T03:04:05Z"
            ))
        })
    }

    /// An optional list of strings.
    pub fn string_list(&mut self, name: &str) -> Result<Option<Vec<String>>, DecodeError> {
        let items = self.take(name, JsonType::StringList, |node| match node {
            Node::List(items) => Ok(items),
            other => Err(other),
        })?;
        let path = self.path(name);
        items.map(|items| into_strings(&path, items)).transpose()
    }

    /// A required list of strings; it may be empty.
    pub fn required_string_list(&mut self, name: &str) -> Result<Vec<String>, DecodeError> {
        let list = self.string_list(name)?;
        list.ok_or_else(|| missing(&self.path(name), "[]").into())
    }

    /// An optional nested object.
    pub fn object(&mut self, name: &str) -> Result<Option<Self>, DecodeError> {
        let prefix = format!("{}.", self.path(name));
        let members = self.take_object(name, JsonType::Object)?;
        let (trace, tag_limits) = (self.trace.clone(), self.tag_limits);
        Ok(members.map(|members| Self {
            prefix,
            nodes: members,
            trace,
            tag_limits,
        }))
    }

    /// A required nested object.
    pub fn required_object(&mut self, name: &str) -> Result<Self, DecodeError> {
        let object = self.object(name)?;
        self.require(name, object)
    }

    /// An optional object that is kept unchanged: names are case-sensitive, and `null` is a value.
    pub fn json_object(&mut self, name: &str) -> Result<Option<Map<String, Value>>, DecodeError> {
        let object = self.take_object(name, JsonType::Document)?;
        Ok(object.map(node::into_map))
    }

    fn take_object(
        &mut self,
        name: &str,
        shape: JsonType,
    ) -> Result<Option<Vec<(String, Node)>>, DecodeError> {
        self.take(name, shape, |node| match node {
            Node::Object(members) => Ok(members),
            other => Err(other),
        })
    }

    /// Takes out the last member of that name; `read` returns a node of the wrong type unchanged.
    fn take<T>(
        &mut self,
        name: &str,
        shape: JsonType,
        read: impl FnOnce(Node) -> Result<T, Node>,
    ) -> Result<Option<T>, DecodeError> {
        self.trace.record(|| FieldAccess {
            path: self.path(name),
            json_type: Some(shape),
            constraints: Vec::new(),
        });
        let node = self
            .nodes
            .iter_mut()
            .rfind(|(candidate, _)| candidate.eq_ignore_ascii_case(name))
            .map_or(Node::Null, |(_, node)| std::mem::replace(node, Node::Null));
        match node {
            Node::Null => Ok(None),
            node => read(node)
                .map(Some)
                .map_err(|node| wrong_type(&self.path(name), shape.description(), &node)),
        }
    }

    fn require<T>(&self, name: &str, value: Option<T>) -> Result<T, DecodeError> {
        value.ok_or_else(|| missing(&self.path(name), "<nil>").into())
    }
}

fn parse_error(error: &ParseError) -> DecodeError {
    DecodeError::Parse(error.describe())
}

fn missing(path: &str, value: &str) -> FieldError {
    FieldError::new(path, "is required", value)
}

fn wrong_type(path: &str, expected: &str, found: &Node) -> DecodeError {
    DecodeError::Parse(format!(
        "{path} must be {expected}, not {}",
        found.type_name()
    ))
}

/// The items of the list at `path` as strings.
fn into_strings(path: &str, items: Vec<Node>) -> Result<Vec<String>, DecodeError> {
    let items = items.into_iter().enumerate();
    let read = |(place, item)| match item {
        Node::Text(text) => Ok(text),
        other => Err(wrong_type(&format!("{path}.{place}"), "a string", &other)),
    };
    items.map(read).collect()
}

fn integer(node: Node) -> Result<i64, Node> {
    match &node {
        Node::Number(number) => number.as_i64().ok_or(node),
        _ => Err(node),
    }
}

fn to_u16(path: &str, value: i64) -> Result<u16, DecodeError> {
    u16::try_from(value).map_err(|_out_of_range| {
        FieldError::new(path, "must be from 0 to 65535", value.to_string()).into()
    })
}

fn validate_length(
    path: &str,
    count: usize,
    length: &RangeInclusive<usize>,
    value: &str,
) -> Result<(), DecodeError> {
    let reason = if count < *length.start() {
        format!("must be at least {} characters long", length.start())
    } else if count > *length.end() {
        format!("must be at most {} characters long", length.end())
    } else {
        return Ok(());
    };
    Err(FieldError::new(path, reason, excerpt(value)).into())
}

/// Cuts a refused value short, so that a response does not grow with the request.
fn excerpt(value: &str) -> String {
    value.chars().take(MAX_EXCERPT_CHARS).collect()
}

#[cfg(test)]
mod tests;
