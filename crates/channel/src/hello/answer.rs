//! Reading the answer to a hello.

use super::negotiation::{self, VersionList};
use super::{GroupHelloError, MAX_VERSIONS, RejectClass, VERSION, group_id, group_secret};
use crate::frame::{ContentType, Frame, FrameError, FrameLimits, FrameReader, Sequence};
use crate::group::{GroupId, GroupSecret};
use crate::headers::{Headers, key};
use crate::result::{ResultMessage, ResultStatus};
use crate::time::Moment;
use bytes::BytesMut;

#[derive(Debug, Clone, Copy)]
pub struct AnswerReader {
    reader: FrameReader,
    deadline: Moment,
}

/// The answer of a listener to a hello.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HelloAnswer {
    Accepted(Accepted),
    /// The connection is rejected and must be closed.
    Rejected(Rejection),
}

/// A positive answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Id of the responder. If it is missing, use the name in the listener's certificate.
    pub responder: Option<String>,
    pub group: Option<GroupId>,
    /// Secret of the group; none if the listener does not support groups.
    pub secret: Option<GroupSecret>,
    pub headers: Headers,
}

/// A negative answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// What to expect of another attempt.
    pub class: RejectClass,
    /// Message for display.
    pub reason: String,
}

/// There is no valid answer. The connection must be closed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The bytes are not a frame, or exceed the limits.
    #[error("answer to the hello: {0}")]
    Frame(#[from] FrameError),
    /// The message is not the answer to a hello.
    #[error("content type {} instead of an answer to the hello", .0.0)]
    NotAnAnswer(ContentType),
    /// The group part is invalid.
    #[error("answer to the hello: {0}")]
    Group(#[from] GroupHelloError),
    /// The listener does not speak the version of the hello. Another single attempt is worthwhile
    /// if the list contains [`VERSION`].
    #[error("the listener speaks versions {0:?} of the protocol, and rejected {VERSION}")]
    OtherVersions(Vec<u32>),
    /// The listener lists more versions than allowed.
    #[error(
        "the listener lists {count} versions of the protocol; at most {MAX_VERSIONS} are allowed"
    )]
    TooManyVersions {
        /// Number of listed versions.
        count: u32,
    },
    /// The answer was not complete in time.
    #[error("the answer to the hello was not complete in time")]
    TimedOut,
}

impl AnswerReader {
    /// Creates a reader for an answer that must be complete at `deadline`.
    pub const fn new(deadline: Moment) -> Self {
        Self {
            reader: FrameReader::new(FrameLimits::HELLO),
            deadline,
        }
    }

    /// When to call [`read`](Self::read) at the latest.
    pub const fn deadline(&self) -> Moment {
        self.deadline
    }

    /// Takes a complete answer out of the buffer. Bytes after it stay there.
    pub fn read(
        &self,
        input: &mut BytesMut,
        now: Moment,
    ) -> Result<Option<HelloAnswer>, AnswerError> {
        match negotiation::parse(input) {
            VersionList::Versions(versions) => return Err(AnswerError::OtherVersions(versions)),
            VersionList::TooMany(count) => return Err(AnswerError::TooManyVersions { count }),
            VersionList::Other => {
                if let Some(frame) = self.reader.next(input)? {
                    return HelloAnswer::from_frame(&frame).map(Some);
                }
            },
            VersionList::Incomplete => {},
        }
        if now >= self.deadline {
            return Err(AnswerError::TimedOut);
        }
        Ok(None)
    }
}

impl HelloAnswer {
    /// Parses a frame as the answer to a hello.
    pub fn from_frame(frame: &Frame) -> Result<Self, AnswerError> {
        let result = ResultMessage::from_frame(frame)
            .filter(|_| frame.reply_for() == Some(Sequence::HELLO))
            .ok_or(AnswerError::NotAnAnswer(frame.content_type()))?;
        let headers = frame.headers();
        if result.status != ResultStatus::Success {
            let class = headers.u32(key::REJECT_CLASS).unwrap_or_default();
            return Ok(Self::Rejected(Rejection {
                class: RejectClass::from_code(class),
                reason: result.text,
            }));
        }
        let is_grouped = headers.bool(key::IS_GROUPED) == Some(true);
        let secret = is_grouped.then(|| group_secret(headers)).transpose()?;
        Ok(Self::Accepted(Accepted {
            responder: headers.string(key::RESPONDER_ID).map(str::to_owned),
            group: group_id(headers)?,
            secret: secret.flatten(),
            headers: headers.clone(),
        }))
    }
}
