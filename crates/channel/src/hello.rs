//! The hello: first message of a connection, and its answer.
//!
//! Before the hello there is no channel. Bytes of unknown peers only reach [`HelloReader`], which has
//! small limits and one deadline. The contents of a hello are unverified: the peer must be verified
//! elsewhere, for every connection, before [`Hello::accept`] answers.

mod accept;
mod answer;
mod negotiation;
mod read;

pub use accept::RejectClass;
pub use answer::{Accepted, AnswerError, AnswerReader, HelloAnswer, Rejection};
pub use negotiation::{MAX_VERSIONS, VERSION, VERSIONS_ANSWER};
pub use read::{HELLO_TIMEOUT, HelloError, HelloReader};

use crate::frame::{ContentType, Frame, FrameLimits, FrameTooLongError, Message, Sequence};
use crate::group::{GroupId, GroupSecret};
use crate::headers::{Headers, key};
use bytes::Bytes;

/// The first message of a connection, from the dialer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// Id of the sender: a router, a link, an SDK. The body of the message.
    pub id: String,
    /// Type of the connection within its group, such as `ctrl.high`.
    pub underlay_type: Option<String>,
    /// Whether the connection belongs to a group.
    pub grouping: Grouping,
    /// All headers of a received hello; of a hello to be sent, those beside the ones for the other
    /// fields.
    pub headers: Headers,
    sequence: Sequence,
}

/// Whether a connection belongs to a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grouping {
    /// The connection is a channel of its own. The header for groups is missing or false, as with
    /// routers older than 2.0, which use the numbers of the group's headers for other purposes.
    Ungrouped,
    Grouped(GroupHello),
}

/// The group part of a hello.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupHello {
    /// Id of the group; none in the very first hello of a dialer.
    pub id: Option<GroupId>,
    /// Secret of the group; none in the very first hello of a dialer.
    pub secret: Option<GroupSecret>,
    /// Whether the connection founds the group.
    pub is_first: bool,
}

/// The group part of a hello is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GroupHelloError {
    /// Header 0.
    #[error("connection id (header 0) is not a string of at most 128 bytes")]
    Id,
    /// Header 10.
    #[error("group secret (header 10) is not 16 bytes long")]
    Secret,
}

impl Hello {
    /// Creates a hello to be sent.
    pub const fn new(
        id: String,
        underlay_type: Option<String>,
        grouping: Grouping,
        headers: Headers,
    ) -> Self {
        Self {
            id,
            underlay_type,
            grouping,
            headers,
            sequence: Sequence::HELLO,
        }
    }

    /// Encodes the hello as a frame.
    pub fn encode(&self) -> Result<Bytes, FrameTooLongError> {
        let mut headers = Headers::builder().append(&self.headers);
        if let Some(text) = &self.underlay_type {
            headers = headers.string(key::UNDERLAY_TYPE, text);
        }
        if let Grouping::Grouped(group) = &self.grouping {
            headers = headers.bool(key::IS_GROUPED, true);
            if let Some(id) = &group.id {
                headers = headers.string(key::CONNECTION_ID, id.as_str());
            }
            if let Some(secret) = &group.secret {
                headers = headers.bytes(key::GROUP_SECRET, secret.as_bytes());
            }
            if group.is_first {
                headers = headers.bool(key::IS_FIRST, true);
            }
        }
        let message = Message::new(ContentType::HELLO)
            .with_headers(headers.build())
            .with_body(Bytes::copy_from_slice(self.id.as_bytes()));
        let frame = Frame::new(message, self.sequence, &FrameLimits::HELLO)?;
        Ok(frame.to_bytes())
    }
}

impl Grouping {
    fn from_headers(headers: &Headers) -> Result<Self, GroupHelloError> {
        if headers.bool(key::IS_GROUPED) != Some(true) {
            return Ok(Self::Ungrouped);
        }
        Ok(Self::Grouped(GroupHello {
            id: group_id(headers)?,
            secret: group_secret(headers)?,
            is_first: headers.bool(key::IS_FIRST) == Some(true),
        }))
    }
}

/// The id of a group; an empty one counts as absent.
fn group_id(headers: &Headers) -> Result<Option<GroupId>, GroupHelloError> {
    match headers.get(key::CONNECTION_ID) {
        None | Some([]) => Ok(None),
        Some(_) => headers
            .string(key::CONNECTION_ID)
            .and_then(GroupId::new)
            .map(Some)
            .ok_or(GroupHelloError::Id),
    }
}

/// The secret of a group; an empty one counts as absent.
fn group_secret(headers: &Headers) -> Result<Option<GroupSecret>, GroupHelloError> {
    match headers.get(key::GROUP_SECRET) {
        None | Some([]) => Ok(None),
        Some(bytes) => GroupSecret::from_wire(bytes)
            .map(Some)
            .ok_or(GroupHelloError::Secret),
    }
}
