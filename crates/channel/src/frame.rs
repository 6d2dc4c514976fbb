//! Frames on the wire, and the messages that become frames.

mod limits;
mod reader;

pub use limits::FrameLimits;
pub use reader::{FrameError, FrameReader};

use crate::headers::{Headers, key};
use bytes::{BufMut as _, Bytes, BytesMut};
use std::fmt;

/// First bytes of every frame.
pub const MAGIC: [u8; 4] = [0x03, 0x06, 0x09, 0x0c];
/// Length before the headers: magic, content type, sequence number, two lengths.
pub const PREFIX_BYTES: usize = 20;

/// Type of a message; the protocol on top of the channel defines the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentType(pub i32);

impl ContentType {
    /// The first message of a connection, from the dialer.
    pub const HELLO: Self = Self(0);
    /// Asks for a Result.
    pub const PING: Self = Self(1);
    /// Reports success or failure of a request; also the answer to a hello.
    pub const RESULT: Self = Self(2);
    /// Asks for a Result that reflects header 128, so that the sender learns the latency.
    pub const LATENCY: Self = Self(3);
    /// An older answer to [`LATENCY`](Self::LATENCY).
    pub const LATENCY_RESPONSE: Self = Self(4);
    /// Contains nothing but heartbeat headers.
    pub const HEARTBEAT: Self = Self(5);
    /// A body without meaning to the channel.
    pub const RAW: Self = Self(6);
}

/// Sequence number of a message, unique among the unanswered requests of one side of a channel.
///
/// It is counted from 1 per channel and side, over all connections, and does not restart when
/// connections are lost; so numbers may arrive slightly out of order. Hello messages have −1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(pub i32);

impl Sequence {
    /// The number of a hello and of its answer.
    pub const HELLO: Self = Self(-1);
}

/// A message to be sent, without a sequence number.
#[derive(Clone, PartialEq, Eq)]
#[must_use]
pub struct Message {
    pub content_type: ContentType,
    pub headers: Headers,
    pub body: Bytes,
}

impl Message {
    /// Length on the wire.
    pub fn wire_len(&self) -> usize {
        PREFIX_BYTES
            .saturating_add(self.headers.block().len())
            .saturating_add(self.body.len())
    }

    /// Creates a message without headers and body.
    pub const fn new(content_type: ContentType) -> Self {
        Self {
            content_type,
            headers: Headers::empty(),
            body: Bytes::new(),
        }
    }

    /// Replaces the headers.
    pub fn with_headers(self, headers: Headers) -> Self {
        Self { headers, ..self }
    }

    /// Replaces the body.
    pub fn with_body(self, body: impl Into<Bytes>) -> Self {
        Self {
            body: body.into(),
            ..self
        }
    }

    /// Turns the message into the reply to a request, with its number and reflected header.
    pub fn in_reply_to(self, request: &ReplyTo) -> Self {
        let mut headers = Headers::builder()
            .append(&self.headers)
            .i32(key::REPLY_FOR, request.sequence.0);
        if let Some(reflected) = &request.reflected {
            headers = headers.bytes(key::REFLECTED, reflected);
        }
        self.with_headers(headers.build())
    }
}

impl fmt::Debug for Message {
    /// Shows the length of the body only: some are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("content_type", &self.content_type.0)
            .field("headers", &self.headers)
            .field("body", &self.body.len())
            .finish()
    }
}

/// The parts of a request that its reply needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyTo {
    sequence: Sequence,
    reflected: Option<Bytes>,
}

/// A message with its sequence number, as on the wire.
///
/// Headers and body share the memory that the frame was read into; forwarding a frame copies
/// neither. To keep a small body for long, copy it, or the whole buffer is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    message: Message,
    sequence: Sequence,
}

/// A message exceeds the frame limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a frame with {headers} bytes in {header_count} headers and {body} bytes of body is too long; \
     at most {} in {} and {} are allowed", limits.header_block, limits.header_count, limits.body
)]
pub struct FrameTooLongError {
    /// Bytes of the header block.
    pub headers: usize,
    /// Number of headers.
    pub header_count: usize,
    /// Bytes of the body.
    pub body: usize,
    /// The limits.
    pub limits: FrameLimits,
}

impl Frame {
    /// Assigns a sequence number to a message.
    pub fn new(
        message: Message,
        sequence: Sequence,
        limits: &FrameLimits,
    ) -> Result<Self, FrameTooLongError> {
        limits.check(&message)?;
        Ok(Self::new_unchecked(message, sequence))
    }

    /// Assigns a sequence number to a message that was checked against its limits.
    pub(crate) const fn new_unchecked(message: Message, sequence: Sequence) -> Self {
        Self { message, sequence }
    }

    pub const fn content_type(&self) -> ContentType {
        self.message.content_type
    }

    pub const fn sequence(&self) -> Sequence {
        self.sequence
    }

    pub const fn headers(&self) -> &Headers {
        &self.message.headers
    }

    pub const fn body(&self) -> &Bytes {
        &self.message.body
    }

    /// Removes the sequence number, for sending on another channel.
    pub fn into_message(self) -> Message {
        self.message
    }

    /// The sequence number of the request that this replies to.
    pub fn reply_for(&self) -> Option<Sequence> {
        self.headers().i32(key::REPLY_FOR).map(Sequence)
    }

    /// The parts of this message that its reply needs.
    pub fn reply_to(&self) -> ReplyTo {
        ReplyTo {
            sequence: self.sequence,
            reflected: self.headers().bytes(key::REFLECTED),
        }
    }

    /// Length on the wire.
    pub fn wire_len(&self) -> usize {
        self.message.wire_len()
    }

    /// The bytes before [`Headers::block`] and [`Frame::body`], for vectored writes.
    pub fn prefix(&self) -> [u8; PREFIX_BYTES] {
        let mut prefix = [0; PREFIX_BYTES];
        let mut rest: &mut [u8] = &mut prefix;
        rest.put_slice(&MAGIC);
        rest.put_i32_le(self.message.content_type.0);
        rest.put_i32_le(self.sequence.0);
        // Both fit: limits are 32 bits.
        rest.put_u32_le(u32::try_from(self.headers().block().len()).unwrap_or(u32::MAX));
        rest.put_u32_le(u32::try_from(self.body().len()).unwrap_or(u32::MAX));
        prefix
    }

    /// Appends the frame to a buffer.
    pub fn encode(&self, out: &mut BytesMut) {
        out.reserve(self.wire_len());
        out.put_slice(&self.prefix());
        out.put_slice(self.headers().block());
        out.put_slice(self.body());
    }

    /// Encodes the frame into a new buffer.
    pub fn to_bytes(&self) -> Bytes {
        let mut out = BytesMut::new();
        self.encode(&mut out);
        out.freeze()
    }

    /// Replaces the headers.
    pub(crate) fn with_headers(self, headers: Headers) -> Self {
        Self {
            message: self.message.with_headers(headers),
            ..self
        }
    }
}
