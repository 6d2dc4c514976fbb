//! The hello: the first message of a connection, and its answer.
//!
//! Before the hello there is no channel. Bytes of a stranger meet [`HelloReader`] alone, which has small
//! limits and one deadline. What a hello says is data: who the peer is has to be verified elsewhere, for
//! every connection alike, before [`Hello::accept`] answers.

mod accept;
mod answer;
mod negotiation;
mod read;

pub use accept::RejectClass;
pub use answer::{Accepted, Answer, AnswerError, AnswerReader, Rejection};
pub use negotiation::{MAX_VERSIONS, VERSION, VERSIONS_ANSWER};
pub use read::{HELLO_TIMEOUT, HelloError, HelloReader};

use crate::frame::{ContentType, Frame, FrameLimits, FrameTooLong, Message, Sequence};
use crate::group::{GroupId, GroupSecret};
use crate::headers::{Headers, key};
use bytes::Bytes;

/// The first message of a connection, from the side that dialed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// Who or what says hello: the id of a router, of a link, of an SDK. The body of the message.
    pub id: String,
    /// What the connection is for within its group, such as `ctrl.high`.
    pub underlay_type: Option<String>,
    /// Whether the connection belongs to a group.
    pub grouping: Grouping,
    /// Headers. Of a hello that was received: all of them; of one that is sent: those beside the ones
    /// that follow from the other members.
    pub headers: Headers,
    sequence: Sequence,
}

/// Whether a connection belongs to a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grouping {
    /// The connection is a channel of its own. The header that says otherwise is missing or false, as with
    /// routers older than 2.0, which use the numbers of the group's headers for other things.
    Alone,
    /// The connection belongs to a group.
    Group(GroupHello),
}

/// What a hello says about its group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupHello {
    /// The group's id; none in the very first hello of a dialer.
    pub id: Option<GroupId>,
    /// The group's secret; none in the very first hello of a dialer.
    pub secret: Option<GroupSecret>,
    /// Whether the connection founds the group.
    pub is_first: bool,
}

/// What a hello says about its group cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GroupHelloError {
    /// Header 0.
    #[error("connection id (header 0) is not a text of at most 128 bytes")]
    Id,
    /// Header 10.
    #[error("group secret (header 10) is not 16 bytes long")]
    Secret,
}

impl Hello {
    /// A hello that is sent.
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

    /// The bytes that say it.
    pub fn encode(&self) -> Result<Bytes, FrameTooLong> {
        let mut headers = Headers::builder().append(&self.headers);
        if let Some(text) = &self.underlay_type {
            headers = headers.string(key::UNDERLAY_TYPE, text);
        }
        if let Grouping::Group(group) = &self.grouping {
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
    /// Reads the headers of a hello.
    fn from_headers(headers: &Headers) -> Result<Self, GroupHelloError> {
        if headers.bool(key::IS_GROUPED) != Some(true) {
            return Ok(Self::Alone);
        }
        Ok(Self::Group(GroupHello {
            id: group_id(headers)?,
            secret: group_secret(headers)?,
            is_first: headers.bool(key::IS_FIRST) == Some(true),
        }))
    }
}

/// The id of a group; an empty one counts as none.
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

/// The secret of a group; an empty one counts as none.
fn group_secret(headers: &Headers) -> Result<Option<GroupSecret>, GroupHelloError> {
    match headers.get(key::GROUP_SECRET) {
        None | Some([]) => Ok(None),
        Some(bytes) => GroupSecret::from_wire(bytes)
            .map(Some)
            .ok_or(GroupHelloError::Secret),
    }
}
