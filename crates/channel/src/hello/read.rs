//! Reading a hello.

use super::{GroupHelloError, Grouping, Hello, VERSIONS_ANSWER};
use crate::frame::{ContentType, Frame, FrameError, FrameLimits, FrameReader};
use crate::headers::key;
use crate::time::Moment;
use bytes::BytesMut;
use std::time::Duration;

/// Default time from accepting a TCP connection until its hello must be complete; configurable per
/// listener (30 ms to 60 s).
pub const HELLO_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads the hello of an accepted connection.
#[derive(Debug, Clone, Copy)]
pub struct HelloReader {
    reader: FrameReader,
    deadline: Moment,
}

/// A connection failed before or in its hello. It must be closed; [`HelloError::answer`] returns
/// what may be written before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HelloError {
    /// The bytes are not a frame, or exceed the limits.
    #[error("hello: {0}")]
    Frame(#[from] FrameError),
    /// The first message is not a hello.
    #[error("the first message has content type {} instead of {}", .0.0, ContentType::HELLO.0)]
    NotAHello(ContentType),
    /// The body is not UTF-8.
    #[error("hello: the id in its body is not UTF-8")]
    Id,
    /// The group part is invalid.
    #[error("hello: {0}")]
    Group(#[from] GroupHelloError),
    /// The hello was not complete in time.
    #[error("the hello was not complete in time")]
    TimedOut,
}

impl HelloError {
    /// Bytes to write before the connection is closed: the supported versions, if the peer used
    /// another one; otherwise nothing.
    ///
    /// Listeners for routers write them; the one for SDKs closes silently.
    pub const fn answer(&self) -> Option<[u8; 16]> {
        match self {
            Self::Frame(FrameError::UnknownMagic { .. }) => Some(VERSIONS_ANSWER),
            _ => None,
        }
    }
}

impl HelloReader {
    /// Creates a reader for a hello that must be complete at `deadline`.
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

    /// Takes a complete hello out of the buffer. Bytes after it stay there.
    pub fn read(&self, input: &mut BytesMut, now: Moment) -> Result<Option<Hello>, HelloError> {
        match self.reader.next(input)? {
            Some(frame) => Hello::from_frame(&frame).map(Some),
            None if now >= self.deadline => Err(HelloError::TimedOut),
            None => Ok(None),
        }
    }

    /// Number of bytes missing, as far as is known: never more than a hello may have.
    pub fn missing(&self, input: &[u8]) -> usize {
        self.reader.bytes_missing(input)
    }
}

impl Hello {
    /// Parses a frame as a hello.
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
