//! Splitting a byte stream into frames.

use super::{ContentType, Frame, FrameLimits, MAGIC, Message, PREFIX_BYTES, Sequence};
use crate::headers::{self, HeaderError, Headers};
use bytes::{Bytes, BytesMut};

/// Splits a stream of bytes into frames.
///
/// It keeps no state between calls: incomplete frames stay in the caller's buffer. The boundaries of
/// reads make no difference.
///
/// ```
/// use bytes::BytesMut;
/// use portcullis_channel::{ContentType, Frame, FrameLimits, FrameReader, Message, Sequence};
///
/// let limits = FrameLimits::default();
/// let frame = Frame::new(Message::new(ContentType::PING), Sequence(1), &limits)?;
/// let mut input = BytesMut::from(&frame.to_bytes()[..19]);
///
/// let reader = FrameReader::new(limits);
/// assert_eq!(reader.next(&mut input), Ok(None), "one byte is missing");
/// input.extend_from_slice(&frame.to_bytes()[19..]);
/// assert_eq!(reader.next(&mut input), Ok(Some(frame)));
/// assert!(input.is_empty());
/// # Ok::<(), portcullis_channel::FrameTooLongError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FrameReader {
    limits: FrameLimits,
}

/// A byte stream cannot be read further. The connection must be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The bytes are not a frame of this protocol version.
    #[error("frame begins with {found:02x?} instead of {MAGIC:02x?}")]
    UnknownMagic {
        /// The first four bytes.
        found: [u8; 4],
    },
    #[error("frame claims a header block of {claimed} bytes; at most {limit} are allowed")]
    HeadersTooLong {
        /// Length claimed by the frame.
        claimed: u32,
        /// Maximum length.
        limit: u32,
    },
    #[error("frame claims a body of {claimed} bytes; at most {limit} are allowed")]
    BodyTooLong {
        /// Length claimed by the frame.
        claimed: u32,
        /// Maximum length.
        limit: u32,
    },
    /// The header block is invalid.
    #[error(transparent)]
    Headers(#[from] HeaderError),
    /// A datagram ends within its frame.
    #[error("message of {length} bytes ends within its frame")]
    Incomplete {
        /// Length of the datagram.
        length: usize,
    },
}

impl FrameReader {
    pub const fn new(limits: FrameLimits) -> Self {
        Self { limits }
    }

    /// Takes the next complete frame out of the buffer.
    ///
    /// An error leaves the buffer unchanged, and the next call fails the same way.
    pub fn next(&self, input: &mut BytesMut) -> Result<Option<Frame>, FrameError> {
        let prefix = self.complete_prefix(input)?;
        Ok(prefix.map(|prefix| prefix.frame(input.split_to(prefix.frame_bytes()).freeze())))
    }

    /// Parses a frame that arrived as a message of its own, as on a websocket. Trailing bytes are
    /// ignored.
    pub fn read_datagram(&self, mut message: Bytes) -> Result<Frame, FrameError> {
        let length = message.len();
        let prefix = self
            .complete_prefix(&message)?
            .ok_or(FrameError::Incomplete { length })?;
        message.truncate(prefix.frame_bytes());
        Ok(prefix.frame(message))
    }

    /// Number of bytes missing until [`next`](Self::next) can make progress: an upper bound claimed
    /// by the peer, within the limits. Reserve it piece by piece, as bytes arrive.
    pub fn bytes_missing(&self, input: &[u8]) -> usize {
        let wanted = match self.prefix(input) {
            Ok(Some(prefix)) => prefix.frame_bytes(),
            _ => PREFIX_BYTES,
        };
        wanted.saturating_sub(input.len())
    }

    /// The prefix, once the whole frame is available and its headers are valid.
    fn complete_prefix(&self, input: &[u8]) -> Result<Option<Prefix>, FrameError> {
        let prefix = self
            .prefix(input)?
            .filter(|prefix| prefix.frame_bytes() <= input.len());
        if let Some(prefix) = &prefix {
            let block = input.get(PREFIX_BYTES..prefix.body_offset());
            headers::validate(block.unwrap_or_default(), self.limits.header_count)?;
        }
        Ok(prefix)
    }

    /// The prefix, as soon as it is complete and within the limits. A wrong magic is reported at
    /// once.
    fn prefix(&self, input: &[u8]) -> Result<Option<Prefix>, FrameError> {
        match input.first_chunk() {
            Some(found) if *found != MAGIC => {
                return Err(FrameError::UnknownMagic { found: *found });
            },
            _ => {},
        }
        let Some(prefix) = Prefix::parse(input) else {
            return Ok(None);
        };
        let (claimed, limit) = (prefix.headers, self.limits.header_block);
        if claimed > limit {
            return Err(FrameError::HeadersTooLong { claimed, limit });
        }
        let (claimed, limit) = (prefix.body, self.limits.body);
        if claimed > limit {
            return Err(FrameError::BodyTooLong { claimed, limit });
        }
        Ok(Some(prefix))
    }
}

/// The fields before the headers.
struct Prefix {
    content_type: i32,
    sequence: i32,
    headers: u32,
    body: u32,
}

impl Prefix {
    fn parse(input: &[u8]) -> Option<Self> {
        let (_magic, rest) = input.split_first_chunk::<4>()?;
        let (content_type, rest) = rest.split_first_chunk()?;
        let (sequence, rest) = rest.split_first_chunk()?;
        let (headers, rest) = rest.split_first_chunk()?;
        let body = rest.first_chunk()?;
        Some(Self {
            content_type: i32::from_le_bytes(*content_type),
            sequence: i32::from_le_bytes(*sequence),
            headers: u32::from_le_bytes(*headers),
            body: u32::from_le_bytes(*body),
        })
    }

    /// Length up to the body.
    fn body_offset(&self) -> usize {
        PREFIX_BYTES.saturating_add(usize::try_from(self.headers).unwrap_or(usize::MAX))
    }

    /// Length of the whole frame. The sum saturates, because two 32-bit lengths may overflow.
    fn frame_bytes(&self) -> usize {
        self.body_offset()
            .saturating_add(usize::try_from(self.body).unwrap_or(usize::MAX))
    }

    /// Builds the frame from its validated bytes.
    fn frame(&self, mut bytes: Bytes) -> Frame {
        let body = bytes.split_off(self.body_offset());
        let block = bytes.split_off(PREFIX_BYTES);
        Frame {
            message: Message {
                content_type: ContentType(self.content_type),
                headers: Headers::from_validated(block),
                body,
            },
            sequence: Sequence(self.sequence),
        }
    }
}
