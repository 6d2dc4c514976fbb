//! Decoder of request bodies.
//!
//! Every body is decoded in the same steps: bytes, a JSON tree, its [`Members`], typed fields. The
//! rules that clients rely on:
//!
//! - only the first JSON value is read, whatever bytes follow it;
//! - member names are matched without regard to the case of ASCII letters, the last one wins, and
//!   unknown members are ignored;
//! - `null` stands for an absent member;
//! - a value of the wrong JSON type is [`DecodeError::Parse`], every other error
//!   [`DecodeError::Field`].

mod members;
mod node;
mod parse_error;
mod trace;

pub(crate) use members::excerpt_list;
pub use members::{Members, StringLists};
pub use trace::{Constraint, DecodeTrace, FieldAccess, JsonType};

use portcullis_domain::FieldError;
use std::any;
use std::ops::RangeInclusive;

/// A body that is not a valid request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The body is not JSON, or a member has the wrong JSON type. The text says what was expected
    /// where.
    #[error("{0}")]
    Parse(String),
    /// A member is missing or its value is not allowed.
    #[error(transparent)]
    Field(#[from] FieldError),
}

/// Length of certificates and requests for them as PEM, in characters: many times the size of one
/// with a key of 16384 bits.
pub(crate) const PEM_LENGTH: RangeInclusive<usize> = 0..=64 * 1024;

/// The text; `None` if it is blank.
pub(crate) fn non_blank(text: String) -> Option<String> {
    (!text.trim().is_empty()).then_some(text)
}

/// A request that is read from a body.
pub trait Decode: Sized {
    /// Name of the body in errors, for example `identity`.
    const BODY_NAME: &'static str;

    /// Whether the body may be missing, which is then decoded as an empty object.
    const IS_OPTIONAL: bool = false;

    /// Whether the body is a list, whose items are members named by their positions.
    const IS_LIST: bool = false;

    /// Descriptions of members by their path in the body, for the API description. A member without
    /// one inherits the description of the response member of the same name.
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[];

    /// Name of the request in the API description: the name of the type.
    fn name() -> String {
        let name = any::type_name::<Self>();
        name.rsplit("::").next().unwrap_or(name).to_owned()
    }

    /// Decodes the request from the members of its body.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] for the first error found.
    fn decode(members: &mut Members) -> Result<Self, DecodeError>;

    /// Decodes the request from the bytes of a body.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] for the first error found; a missing body is reported for the field
    /// [`BODY_NAME`](Self::BODY_NAME).
    fn from_body(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::decode(&mut Self::parse_body(bytes)?)
    }

    /// Parses the bytes of a body into its members.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if the body is missing or not of the right form.
    fn parse_body(bytes: &[u8]) -> Result<Members, DecodeError> {
        if Self::IS_LIST {
            Members::parse_list(bytes, Self::BODY_NAME)
        } else if Self::IS_OPTIONAL {
            Members::parse_optional(bytes)
        } else {
            Members::parse(bytes, Self::BODY_NAME)
        }
    }
}
