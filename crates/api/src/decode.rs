//! Reading the bodies of requests.
//!
//! Every body goes the same way: bytes, a JSON tree, its [`Members`], typed fields. The
//! rules that clients rely on stand here once:
//!
//! - only the first JSON value counts, whatever bytes follow it;
//! - member names are matched without regard to the case of ASCII letters, the last one wins, and
//!   unknown members are ignored;
//! - `null` stands for an absent member;
//! - a value of the wrong JSON type is [`DecodeError::Parse`], every other fault
//!   [`DecodeError::Field`].

mod members;
mod node;
mod unreadable;
mod watch;

pub(crate) use members::echo_list;
pub use members::{Members, StringLists};
pub(crate) use watch::{Asked, Rule, Shape, Watch};

use portcullis_domain::FieldError;
use std::any;

/// A body that is no valid request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The body is no JSON, or a member has the wrong JSON type; says what was expected where.
    #[error("{0}")]
    Parse(String),
    /// A member is missing or its value is not allowed.
    #[error(transparent)]
    Field(#[from] FieldError),
}

/// A request that is read from a body.
pub trait Decode: Sized {
    /// Name of the body in errors, for example `identity`.
    const PARAMETER: &'static str;

    /// Whether the request may come without a body, which then reads as one without members.
    const IS_OPTIONAL: bool = false;

    /// Whether the body is a list; its items stand among the members under their positions then.
    const IS_LIST: bool = false;

    /// What members mean, by their path in the body, for descriptions of the API. What has the name
    /// of a member of the answers about the same noun needs no words of its own.
    const WORDS: &'static [(&'static str, &'static str)] = &[];

    /// Name of the request in descriptions of the API; that of its type.
    fn name() -> String {
        let name = any::type_name::<Self>();
        name.rsplit("::").next().unwrap_or(name).to_owned()
    }

    /// Takes the request out of the members of its body.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] for the first fault met.
    fn decode(members: &mut Members) -> Result<Self, DecodeError>;

    /// Reads the request from the bytes of a body.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] for the first fault met; a missing body is a fault of
    /// [`PARAMETER`](Self::PARAMETER).
    fn from_body(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut members = if Self::IS_LIST {
            Members::parse_list(bytes, Self::PARAMETER)?
        } else if Self::IS_OPTIONAL {
            Members::parse_optional(bytes)?
        } else {
            Members::parse(bytes, Self::PARAMETER)?
        };
        Self::decode(&mut members)
    }
}
