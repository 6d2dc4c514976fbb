//! The listener's side of a hello: reading it.

use super::{GroupHelloError, Grouping, Hello, VERSIONS_ANSWER};
use crate::frame::{ContentType, Frame, FrameError, FrameLimits, FrameReader};
use crate::headers::key;
use crate::time::Moment;
use bytes::BytesMut;
use std::time::Duration;

/// The time that a dialer has from the accept of its TCP connection until its hello is complete, unless a
/// listener is configured otherwise (30 ms to 60 s).
pub const HELLO_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads the hello of a connection that was accepted.
#[derive(Debug, Clone, Copy)]
pub struct HelloReader {
    reader: FrameReader,
    deadline: Moment,
}

/// Why a connection gets no further than its hello. It has to be closed; [`HelloError::answer`] says what
/// may be written before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HelloError {
    /// The bytes are no frame, or too long a one.
    #[error("hello: {0}")]
    Frame(#[from] FrameError),
    /// The first message is something else.
    #[error("the first message has content type {} instead of {}", .0.0, ContentType::HELLO.0)]
    NotAHello(ContentType),
    /// The body is not a text.
    #[error("hello: the id in its body is not UTF-8")]
    Id,
    /// What it says about its group cannot be.
    #[error("hello: {0}")]
    Group(#[from] GroupHelloError),
    /// It was not complete in time.
    #[error("no complete hello in time")]
    TimedOut,
}

impl HelloError {
    /// What to write before the connection is closed: the versions that are spoken, if the peer spoke
    /// another one; else nothing.
    ///
    /// Listeners for routers write it; the one for SDKs closes in silence.
    pub const fn answer(&self) -> Option<[u8; 16]> {
        match self {
            Self::Frame(FrameError::UnknownMagic { .. }) => Some(VERSIONS_ANSWER),
            _ => None,
        }
    }
}

impl HelloReader {
    /// For a connection whose hello has to be complete at `deadline`.
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

    /// Takes the hello out of the buffer if it is complete. What follows it stays there.
    pub fn read(&self, input: &mut BytesMut, now: Moment) -> Result<Option<Hello>, HelloError> {
        match self.reader.next(input)? {
            Some(frame) => Hello::from_frame(&frame).map(Some),
            None if now >= self.deadline => Err(HelloError::TimedOut),
            None => Ok(None),
        }
    }

    /// Bytes that the hello lacks, as far as is known: never more than a hello may have.
    pub fn missing(&self, input: &[u8]) -> usize {
        self.reader.missing(input)
    }
}

impl Hello {
    /// Reads a frame as a hello.
    pub fn from_frame(frame: &Frame) -> Result<Self, HelloError> {
        if frame.content_type() != ContentType::HELLO {
            return Err(HelloError::NotAHello(frame.content_type()));
        }
        let headers = frame.headers();
        Ok(Self {
            id: String::from_utf8(frame.body().to_vec()).map_err(|_bytes| HelloError::Id)?,
            underlay_type: headers.string(key::UNDERLAY_TYPE).map(str::to_owned),
            grouping: Grouping::from_headers(headers)?,
            headers: headers.clone(),
            sequence: frame.sequence(),
        })
    }
}
