//! The dialer's side of a hello: reading the answer.

use super::negotiation::{self, Listing};
use super::{GroupHelloError, MAX_VERSIONS, RejectClass, VERSION, group_id, group_secret};
use crate::frame::{ContentType, Frame, FrameError, FrameLimits, FrameReader, Sequence};
use crate::group::{GroupId, GroupSecret};
use crate::headers::{Headers, key};
use crate::result::{Outcome, ResultMessage};
use crate::time::Moment;
use bytes::BytesMut;

/// Reads the answer to a hello.
#[derive(Debug, Clone, Copy)]
pub struct AnswerReader {
    reader: FrameReader,
    deadline: Moment,
}

/// What a listener says to a hello.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The connection is accepted.
    Accepted(Accepted),
    /// The connection is refused and has to be closed.
    Rejected(Rejection),
}

/// A positive answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Who answers. Where it is missing, the name in the listener's certificate takes its place.
    pub responder: Option<String>,
    /// The id of the group.
    pub group: Option<GroupId>,
    /// The secret of the group; none if the listener knows no groups.
    pub secret: Option<GroupSecret>,
    /// All headers.
    pub headers: Headers,
}

/// A negative answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// What to expect of another attempt.
    pub class: RejectClass,
    /// A text for people.
    pub reason: String,
}

/// Why there is no answer. The connection has to be closed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The bytes are no frame, or too long a one.
    #[error("answer to the hello: {0}")]
    Frame(#[from] FrameError),
    /// The message is not the answer to a hello.
    #[error("content type {} instead of an answer to the hello", .0.0)]
    NotAnAnswer(ContentType),
    /// What it says about the group cannot be.
    #[error("answer to the hello: {0}")]
    Group(#[from] GroupHelloError),
    /// The listener does not speak the version of the hello. It is worth another attempt, once, if the
    /// listing holds [`VERSION`].
    #[error("the listener speaks versions {0:?} of the protocol, and refused {VERSION}")]
    OtherVersions(Vec<u32>),
    /// The listener claims to speak more versions than it may list.
    #[error(
        "the listener lists {count} versions of the protocol; at most {MAX_VERSIONS} are allowed"
    )]
    TooManyVersions {
        /// How many it lists.
        count: u32,
    },
    /// It was not complete in time.
    #[error("no complete answer to the hello in time")]
    TimedOut,
}

impl AnswerReader {
    /// For a hello whose answer has to be complete at `deadline`.
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

    /// Takes the answer out of the buffer if it is complete. What follows it stays there.
    pub fn read(&self, input: &mut BytesMut, now: Moment) -> Result<Option<Answer>, AnswerError> {
        match negotiation::parse(input) {
            Listing::Versions(versions) => return Err(AnswerError::OtherVersions(versions)),
            Listing::TooMany(count) => return Err(AnswerError::TooManyVersions { count }),
            Listing::Other => {
                if let Some(frame) = self.reader.next(input)? {
                    return Answer::from_frame(&frame).map(Some);
                }
            },
            Listing::Incomplete => {},
        }
        if now >= self.deadline {
            return Err(AnswerError::TimedOut);
        }
        Ok(None)
    }
}

impl Answer {
    /// Reads a frame as the answer to a hello.
    pub fn from_frame(frame: &Frame) -> Result<Self, AnswerError> {
        let result = ResultMessage::from_frame(frame)
            .filter(|_| frame.reply_for() == Some(Sequence::HELLO))
            .ok_or(AnswerError::NotAnAnswer(frame.content_type()))?;
        let headers = frame.headers();
        if result.outcome != Outcome::Success {
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
