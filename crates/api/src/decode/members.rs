//! The members of an object in a body, taken out one by one as typed fields.

use super::DecodeError;
use super::node::{self, Node};
use super::unreadable::Unreadable;
use super::watch::{Rule, Shape, Watch};
use crate::time::WireTime;
use portcullis_domain::FieldError;
use portcullis_domain::tags::TagLimits;
use secrecy::SecretString;
use serde_json::{Map, Value};
use std::fmt;
use std::ops::RangeInclusive;

mod documents;
mod kinds;
mod maps;
mod sets;

pub use maps::StringLists;
pub(crate) use sets::echo_list;

/// Longest part of a refused value that an error repeats, in characters.
const LONGEST_ECHO: usize = 64;

/// The members of one JSON object, each to be taken out by its name.
///
/// Methods take the first name as it is documented, match it without regard to case, and treat
/// `null` as absent. What is never taken is ignored.
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
    /// Who is told what is asked for, when a request is only read to describe it.
    watch: Option<Watch>,
    /// How much may be attached under `tags`.
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
    /// Reads the members of a body that must be there; `parameter` names it in errors.
    ///
    /// # Errors
    ///
    /// [`DecodeError::Field`] when there is no body, [`DecodeError::Parse`] when it is no object.
    /// The value `null` is an object without members.
    pub fn parse(bytes: &[u8], parameter: &str) -> Result<Self, DecodeError> {
        match Self::read(bytes)? {
            Some(members) => Ok(members),
            None => Err(missing(parameter, "").into()),
        }
    }

    /// Reads the members of a body that may be missing, which has none then.
    ///
    /// # Errors
    ///
    /// [`DecodeError::Parse`] when there is a body and it is no object.
    pub fn parse_optional(bytes: &[u8]) -> Result<Self, DecodeError> {
        Ok(Self::read(bytes)?.unwrap_or_else(|| Self {
            prefix: String::new(),
            nodes: Vec::new(),
            watch: None,
            tag_limits: TagLimits::MANAGED,
        }))
    }

    /// Reads the items of a body that is a list and must be there; `parameter` names it in errors.
    /// Items stand under their positions, the first one under `0`.
    ///
    /// # Errors
    ///
    /// [`DecodeError::Field`] when there is no body, [`DecodeError::Parse`] when it is no list.
    /// The value `null` is a list without items.
    pub fn parse_list(bytes: &[u8], parameter: &str) -> Result<Self, DecodeError> {
        let items = match Node::parse(bytes).map_err(|error| unreadable(&error))? {
            None => return Err(missing(parameter, "[]").into()),
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
            watch: None,
            tag_limits: TagLimits::MANAGED,
        })
    }

    fn read(bytes: &[u8]) -> Result<Option<Self>, DecodeError> {
        let members = match Node::parse(bytes).map_err(|error| unreadable(&error))? {
            None => return Ok(None),
            Some(Node::Null) => Vec::new(),
            Some(Node::Object(members)) => members,
            Some(other) => return Err(wrong_type("the body", "an object", &other)),
        };
        Ok(Some(Self {
            prefix: String::new(),
            nodes: members,
            watch: None,
            tag_limits: TagLimits::MANAGED,
        }))
    }

    /// The same members, of which `watch` is told what is asked for.
    pub(crate) fn watched(mut self, watch: &Watch) -> Self {
        self.watch = Some(watch.clone());
        self
    }

    /// Tells whoever watches what the member `name` has to be.
    fn note(&self, name: &str, rule: impl FnOnce() -> Rule) {
        if let Some(watch) = &self.watch {
            watch.rule(&self.path(name), rule());
        }
    }

    /// Says which words the text `name` may be, where it is the reader who finds that out.
    pub(crate) fn one_of(&self, name: &str, words: &[&'static str]) {
        self.note(name, || Rule::OneOf(words.to_vec()));
    }

    /// Path of the member `name` in the body, as errors give it.
    pub fn path(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// A text.
    pub fn optional_string(&mut self, name: &str) -> Result<Option<String>, DecodeError> {
        self.take(name, Shape::Text, |node| match node {
            Node::Text(text) => Ok(text),
            other => Err(other),
        })
    }

    /// A text that must be there; it may be empty.
    pub fn required_string(&mut self, name: &str) -> Result<String, DecodeError> {
        let text = self.optional_string(name)?;
        self.require(name, text)
    }

    /// A text whose number of characters is bounded; an empty one counts as absent.
    pub fn bounded_string(
        &mut self,
        name: &str,
        length: RangeInclusive<usize>,
    ) -> Result<Option<String>, DecodeError> {
        let text = self.optional_string(name)?.filter(|text| !text.is_empty());
        self.note(name, || Rule::Length(length.clone()));
        self.bound(name, length, text)
    }

    /// A text that may be missing and whose number of characters is bounded; an empty one has none.
    pub fn bounded_string_if_any(
        &mut self,
        name: &str,
        length: RangeInclusive<usize>,
    ) -> Result<Option<String>, DecodeError> {
        let text = self.optional_string(name)?;
        self.note(name, || Rule::Length(length.clone()));
        self.bound(name, length, text)
    }

    fn bound(
        &self,
        name: &str,
        length: RangeInclusive<usize>,
        text: Option<String>,
    ) -> Result<Option<String>, DecodeError> {
        if let Some(text) = &text {
            check_length(&self.path(name), text.chars().count(), &length, text)?;
        }
        Ok(text)
    }

    /// A text that must be there and whose number of characters is bounded; it may be empty.
    pub fn required_bounded_string(
        &mut self,
        name: &str,
        length: RangeInclusive<usize>,
    ) -> Result<String, DecodeError> {
        self.note(name, || Rule::Length(length.clone()));
        let text = self.required_string(name)?;
        check_length(&self.path(name), text.chars().count(), &length, &text)?;
        Ok(text)
    }

    /// A secret text whose number of characters is bounded; an empty one counts as absent. Errors
    /// do not repeat it.
    pub fn bounded_secret(
        &mut self,
        name: &str,
        length: RangeInclusive<usize>,
    ) -> Result<Option<SecretString>, DecodeError> {
        let text = self.optional_string(name)?.filter(|text| !text.is_empty());
        self.note(name, || Rule::Length(length.clone()));
        self.note(name, || Rule::Secret);
        self.bound_secret(name, length, text)
    }

    /// A secret text that may be missing and whose number of characters is bounded; an empty one has
    /// none. Errors do not repeat it.
    pub fn bounded_secret_if_any(
        &mut self,
        name: &str,
        length: RangeInclusive<usize>,
    ) -> Result<Option<SecretString>, DecodeError> {
        let text = self.optional_string(name)?;
        self.note(name, || Rule::Length(length.clone()));
        self.note(name, || Rule::Secret);
        self.bound_secret(name, length, text)
    }

    fn bound_secret(
        &self,
        name: &str,
        length: RangeInclusive<usize>,
        text: Option<String>,
    ) -> Result<Option<SecretString>, DecodeError> {
        let Some(text) = text else {
            return Ok(None);
        };
        // Wrapped before it is checked, so that it is wiped on the way out of an error too.
        let count = text.chars().count();
        let secret = SecretString::from(text);
        check_length(&self.path(name), count, &length, "")?;
        Ok(Some(secret))
    }

    /// One of the texts in `choices`, compared byte for byte.
    pub fn optional_choice(
        &mut self,
        name: &str,
        choices: &[&'static str],
    ) -> Result<Option<&'static str>, DecodeError> {
        let text = self.optional_string(name)?;
        self.one_of(name, choices);
        let Some(text) = text else {
            return Ok(None);
        };
        match choices.iter().find(|choice| **choice == text) {
            Some(choice) => Ok(Some(choice)),
            None => Err(FieldError::new(
                self.path(name),
                format!("must be one of {}", choices.join(", ")),
                echo(&text),
            )
            .into()),
        }
    }

    /// One of the texts in `choices`, which must be there.
    pub fn required_choice(
        &mut self,
        name: &str,
        choices: &[&'static str],
    ) -> Result<&'static str, DecodeError> {
        let choice = self.optional_choice(name, choices)?;
        self.require(name, choice)
    }

    /// A boolean.
    pub fn optional_bool(&mut self, name: &str) -> Result<Option<bool>, DecodeError> {
        self.take(name, Shape::Flag, |node| match node {
            Node::Bool(value) => Ok(value),
            other => Err(other),
        })
    }

    /// A boolean that must be there.
    pub fn required_bool(&mut self, name: &str) -> Result<bool, DecodeError> {
        let value = self.optional_bool(name)?;
        self.require(name, value)
    }

    /// A whole number that must be there.
    pub fn required_integer(&mut self, name: &str) -> Result<i64, DecodeError> {
        let value = self.optional_integer(name)?;
        self.require(name, value)
    }

    /// A whole number of things; one below 0 counts as 0, as clients are used to.
    pub fn optional_count(&mut self, name: &str) -> Result<Option<u32>, DecodeError> {
        let path = self.path(name);
        self.note(name, || Rule::Range(0, u32::MAX.into()));
        let Some(value) = self.take(name, Shape::Integer, integer)? else {
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

    /// A number of things, as [`Members::optional_count`] reads it, that must be there.
    pub fn required_count(&mut self, name: &str) -> Result<u32, DecodeError> {
        let count = self.optional_count(name)?;
        self.require(name, count)
    }

    /// A whole number.
    pub fn optional_integer(&mut self, name: &str) -> Result<Option<i64>, DecodeError> {
        self.take(name, Shape::Integer, integer)
    }

    /// A whole number from 0 to 65535.
    pub fn optional_u16(&mut self, name: &str) -> Result<Option<u16>, DecodeError> {
        let path = self.path(name);
        self.note(name, || Rule::Range(0, u16::MAX.into()));
        self.take(name, Shape::Integer, integer)?
            .map(|value| to_u16(&path, value))
            .transpose()
    }

    /// An RFC 3339 instant that must be there. Another text is a parse error, as a wrong type is.
    pub fn required_time(&mut self, name: &str) -> Result<WireTime, DecodeError> {
        let path = self.path(name);
        self.note(name, || Rule::Format("date-time"));
        let text = self.required_string(name)?;
        WireTime::parse(&text).ok_or_else(|| {
            DecodeError::Parse(format!(
                "{path} must be an RFC 3339 timestamp such as 2031-01-02T03:04:05Z"
            ))
        })
    }

    /// A list of texts.
    pub fn string_list(&mut self, name: &str) -> Result<Option<Vec<String>>, DecodeError> {
        let items = self.take(name, Shape::Texts, |node| match node {
            Node::List(items) => Ok(items),
            other => Err(other),
        })?;
        let path = self.path(name);
        items.map(|items| texts(&path, items)).transpose()
    }

    /// A list of texts that must be there; it may be empty.
    pub fn required_string_list(&mut self, name: &str) -> Result<Vec<String>, DecodeError> {
        let list = self.string_list(name)?;
        list.ok_or_else(|| missing(&self.path(name), "[]").into())
    }

    /// An object whose members are read like those of the body.
    pub fn object(&mut self, name: &str) -> Result<Option<Self>, DecodeError> {
        let prefix = format!("{}.", self.path(name));
        let members = self.take_object(name, Shape::Object)?;
        let (watch, tag_limits) = (self.watch.clone(), self.tag_limits);
        Ok(members.map(|members| Self {
            prefix,
            nodes: members,
            watch,
            tag_limits,
        }))
    }

    /// An object that must be there, whose members are read like those of the body.
    pub fn required_object(&mut self, name: &str) -> Result<Self, DecodeError> {
        let object = self.object(name)?;
        self.require(name, object)
    }

    /// An object that is kept as it is: names are not matched without regard to case, and `null`
    /// is a value.
    pub fn json_object(&mut self, name: &str) -> Result<Option<Map<String, Value>>, DecodeError> {
        let object = self.take_object(name, Shape::Document)?;
        Ok(object.map(node::into_map))
    }

    fn take_object(
        &mut self,
        name: &str,
        shape: Shape,
    ) -> Result<Option<Vec<(String, Node)>>, DecodeError> {
        self.take(name, shape, |node| match node {
            Node::Object(members) => Ok(members),
            other => Err(other),
        })
    }

    /// Takes the last member of that name out; `read` gives back a node of another type.
    fn take<T>(
        &mut self,
        name: &str,
        shape: Shape,
        read: impl FnOnce(Node) -> Result<T, Node>,
    ) -> Result<Option<T>, DecodeError> {
        if let Some(watch) = &self.watch {
            watch.asked(&self.path(name), shape);
        }
        let node = self
            .nodes
            .iter_mut()
            .rfind(|(candidate, _)| candidate.eq_ignore_ascii_case(name))
            .map_or(Node::Null, |(_, node)| std::mem::replace(node, Node::Null));
        match node {
            Node::Null => Ok(None),
            node => read(node)
                .map(Some)
                .map_err(|node| wrong_type(&self.path(name), shape.words(), &node)),
        }
    }

    fn require<T>(&self, name: &str, value: Option<T>) -> Result<T, DecodeError> {
        value.ok_or_else(|| missing(&self.path(name), "<nil>").into())
    }
}

fn unreadable(error: &Unreadable) -> DecodeError {
    DecodeError::Parse(error.describe())
}

fn missing(path: &str, value: &str) -> FieldError {
    FieldError::new(path, "is required", value)
}

fn wrong_type(path: &str, expected: &str, found: &Node) -> DecodeError {
    DecodeError::Parse(format!("{path} must be {expected}, not {}", found.kind()))
}

/// The items of the list at `path` as texts.
fn texts(path: &str, items: Vec<Node>) -> Result<Vec<String>, DecodeError> {
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

fn check_length(
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
    Err(FieldError::new(path, reason, echo(value)).into())
}

/// The beginning of a refused value, so that an answer does not grow with the request.
fn echo(value: &str) -> String {
    value.chars().take(LONGEST_ECHO).collect()
}

#[cfg(test)]
mod tests;
