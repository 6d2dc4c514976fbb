//! Frames: what is on the wire, and the messages that become frames.

mod limits;
mod read;

pub use limits::FrameLimits;
pub use read::{FrameError, FrameReader};

use crate::headers::{Headers, key};
use bytes::{BufMut as _, Bytes, BytesMut};
use std::fmt;

/// The bytes that every frame begins with.
pub const MAGIC: [u8; 4] = [0x03, 0x06, 0x09, 0x0c];
/// Bytes before the headers: magic, content type, sequence number, two lengths.
pub const PREFIX_BYTES: usize = 20;

/// What a message is; which number means what is up to the protocol on top of the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentType(pub i32);

impl ContentType {
    /// The first message of a connection, from the side that dialed.
    pub const HELLO: Self = Self(0);
    /// Asks for a Result.
    pub const PING: Self = Self(1);
    /// Says whether what was asked for succeeded; also the answer to a hello.
    pub const RESULT: Self = Self(2);
    /// Asks for a Result that reflects header 128, so that the sender learns the latency.
    pub const LATENCY: Self = Self(3);
    /// An older answer to [`LATENCY`](Self::LATENCY).
    pub const LATENCY_RESPONSE: Self = Self(4);
    /// Nothing but heartbeat headers.
    pub const HEARTBEAT: Self = Self(5);
    /// A body without meaning to the channel.
    pub const RAW: Self = Self(6);
}

/// The number of a message, unique among the unanswered requests of one side of a channel.
///
/// It is counted per channel and side from 1, over all connections, and does not start again when
/// connections are lost; so numbers may arrive slightly out of order. Hello messages have −1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(pub i32);

impl Sequence {
    /// The number of a hello and of its answer.
    pub const HELLO: Self = Self(-1);
}

/// What is to be sent: a frame that has no number yet.
#[derive(Clone, PartialEq, Eq)]
#[must_use]
pub struct Message {
    /// What it is.
    pub content_type: ContentType,
    /// Its headers.
    pub headers: Headers,
    /// Its body.
    pub body: Bytes,
}

impl Message {
    /// A message without headers and body.
    pub const fn new(content_type: ContentType) -> Self {
        Self {
            content_type,
            headers: Headers::empty(),
            body: Bytes::new(),
        }
    }

    /// The same message with these headers.
    pub fn with_headers(self, headers: Headers) -> Self {
        Self { headers, ..self }
    }

    /// The same message with this body.
    pub fn with_body(self, body: impl Into<Bytes>) -> Self {
        Self {
            body: body.into(),
            ..self
        }
    }

    /// The same message as the answer to a request: names its number and reflects what it reflects.
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
    /// Shows how long the body is, not what is in it: some are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("content_type", &self.content_type.0)
            .field("headers", &self.headers)
            .field("body", &self.body.len())
            .finish()
    }
}

/// What a reply has to know of its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyTo {
    sequence: Sequence,
    reflected: Option<Bytes>,
}

/// A message with its number, as it is on the wire.
///
/// Headers and body share the memory that the frame was read into; passing a frame on copies neither.
/// Whoever keeps a small body for long copies it, or it keeps the whole buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    message: Message,
    sequence: Sequence,
}

/// A message is longer than frames are allowed to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a frame with {headers} bytes in {header_count} headers and {body} bytes of body is too long; \
     at most {} in {} and {} are allowed", limits.header_block, limits.header_count, limits.body
)]
pub struct FrameTooLong {
    /// Bytes of the header block.
    pub headers: usize,
    /// Headers.
    pub header_count: usize,
    /// Bytes of the body.
    pub body: usize,
    /// What is allowed.
    pub limits: FrameLimits,
}

impl Frame {
    /// Gives a message its number.
    pub fn new(
        message: Message,
        sequence: Sequence,
        limits: &FrameLimits,
    ) -> Result<Self, FrameTooLong> {
        limits.allow(&message)?;
        Ok(Self::allowed(message, sequence))
    }

    /// Gives a message its number that its limits allow.
    pub(crate) const fn allowed(message: Message, sequence: Sequence) -> Self {
        Self { message, sequence }
    }

    /// Bytes on the wire of a message.
    pub(crate) fn wire_len_of(message: &Message) -> usize {
        PREFIX_BYTES
            .saturating_add(message.headers.block().len())
            .saturating_add(message.body.len())
    }

    /// What the message is.
    pub const fn content_type(&self) -> ContentType {
        self.message.content_type
    }

    /// Its number.
    pub const fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// Its headers.
    pub const fn headers(&self) -> &Headers {
        &self.message.headers
    }

    /// Its body.
    pub const fn body(&self) -> &Bytes {
        &self.message.body
    }

    /// The message without its number, to be sent on another channel.
    pub fn into_message(self) -> Message {
        self.message
    }

    /// The number of the request that this is the reply to.
    pub fn reply_for(&self) -> Option<Sequence> {
        self.headers().i32(key::REPLY_FOR).map(Sequence)
    }

    /// What a reply to this message has to know.
    pub fn reply_to(&self) -> ReplyTo {
        ReplyTo {
            sequence: self.sequence,
            reflected: self.headers().bytes(key::REFLECTED),
        }
    }

    /// Bytes on the wire.
    pub fn wire_len(&self) -> usize {
        Self::wire_len_of(&self.message)
    }

    /// The bytes before the headers. With [`Headers::block`] and [`Frame::body`] behind them, for
    /// writers that write several pieces at once.
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

    /// The frame in a buffer of its own.
    pub fn to_bytes(&self) -> Bytes {
        let mut out = BytesMut::new();
        self.encode(&mut out);
        out.freeze()
    }

    /// The same frame with other headers.
    pub(crate) fn with_headers(self, headers: Headers) -> Self {
        Self {
            message: self.message.with_headers(headers),
            ..self
        }
    }
}
