//! The channel protocol of OpenZiti as state machines without I/O.
//!
//! Four protocols are based on channels: between routers and controller, between routers (links),
//! between SDKs and routers, and for event streams to administrators. This crate is their common
//! part, "channel v5, wire version 2". It opens no sockets, reads no clock, generates no random
//! numbers and starts no threads: the caller passes bytes, instants and random numbers, and polls
//! for output, events and deadlines.
//!
//! ```text
//! bytes -> HelloReader -> Hello -> GroupRegistry -> ChannelGrant -> Channel      listener
//! GroupDialer -> Hello -> AnswerReader -> Accepted -> ChannelGrant -> Channel      dialer
//!
//! bytes -> FrameReader -> Frame -> Channel::handle_frame -> Received
//!          Message -> Channel::send, request, reply -> poll_transmit -> Frame -> bytes
//! ```
//!
//! # Life of a connection
//!
//! 1. After TLS, the dialer sends a *hello* ([`hello::Hello`]). Unknown peers can only use the little
//!    memory that a [`hello::HelloReader`] allows. A peer with another version gets the list of supported
//!    versions.
//! 2. The listener verifies the peer by its certificate, for every connection; this crate cannot do that.
//!    [`group::GroupRegistry`] then decides whether the connection opens a new channel or joins an
//!    existing one.
//! 3. [`hello::Hello::accept`] or [`hello::Hello::reject`] answers; if an answer would keep the dialer from
//!    founding a new group, the connection is closed without one.
//! 4. From then on, frames are read by a [`FrameReader`] and belong to a [`Channel`].
//! 5. There is no goodbye: a connection is closed. A channel ends with its connections, or when the peer
//!    does not answer heartbeats.
//!
//! # Wire format
//!
//! All numbers are little-endian. A frame is magic `03 06 09 0c`, content type (signed 32 bits),
//! sequence number (signed 32 bits), length of the headers and length of the body (unsigned 32 bits
//! each), headers, body. [`Headers`] describes the encoding of headers, [`headers::key`] those of
//! the channel itself.
//!
//! # Guarantees
//!
//! - Every length is checked against a limit before it is used; no memory is reserved for a frame before
//!   its prefix was checked.
//! - Every collection that a peer can fill has a limit; worst-case memory is documented at
//!   [`FrameLimits`], [`ChannelOptions`] and [`group::GroupLimits`].
//! - Nothing blocks. A full queue returns the message in a [`SendError`]; a writer without room does not
//!   poll; a reader that cannot take a message does not read.
//! - A [`Flow`] that sends more than others does not keep them from sending: however many flows wait, each
//!   gets its turn, and each that was refused is told when it may try again.
//! - Queued output is announced ([`Channel::underlays_with_output`]), getters change nothing, and handling
//!   a deadline moves it.
//! - Forwarding a frame does not copy: headers and body share the memory they were read into.
//! - The same inputs lead to the same outputs, byte for byte.
//!
//! # Examples
//!
//! One end of a link, with one connection:
//!
//! ```
//! use portcullis_channel::group::{ChannelGrant, GroupId};
//! use portcullis_channel::{
//!     Channel, ChannelKind, ChannelOptions, ChannelSide, ContentType, Message, Now, Priority, Role,
//!     Transmit,
//! };
//!
//! const PAYLOAD: ContentType = ContentType(1100);
//!
//! let options = ChannelOptions::new(ChannelKind::Link, ChannelSide::Dialer);
//! let grant = ChannelGrant::ungrouped(GroupId::new("link-1").expect("short, and not empty"));
//! let now = Now::default();
//! let (mut channel, underlay) = Channel::open(grant, options, now);
//!
//! channel.send(Priority::Default, Message::new(PAYLOAD).with_body("hi"))?;
//! let Some(Transmit::Frame(frame)) = channel.poll_transmit(underlay, now) else {
//!     panic!("something was queued");
//! };
//! assert_eq!(frame.content_type(), PAYLOAD);
//! assert_eq!(frame.sequence().0, 1);
//! assert_eq!(channel.poll_transmit(underlay, now), None);
//! # Ok::<(), portcullis_channel::SendError>(())
//! ```
//!
//! `examples/two_sides.rs` shows a complete exchange between a dialer and a listener.

mod build_version;
mod channel;
mod channel_kind;
mod frame;
pub mod group;
pub mod headers;
mod heartbeat;
pub mod hello;
mod outbox;
mod pending_requests;
mod result;
mod time;
mod underlays;

pub use build_version::{BuildVersion, BuildVersionError};
pub use channel::{
    AttachError, Channel, ChannelEvent, ChannelOptions, CloseReason, REQUEST_TIMEOUT, Received,
    RequestFailure, SendError, SendErrorKind, TimeoutReason, Transmit,
};
pub use channel_kind::{ChannelKind, ChannelSide, Priority, Role};
pub use frame::{
    ContentType, Frame, FrameError, FrameLimits, FrameReader, FrameTooLongError, MAGIC, Message,
    PREFIX_BYTES, ReplyTo, Sequence,
};
pub use headers::{HeaderKey, Headers};
pub use heartbeat::{HeartbeatOptions, Liveness};
pub use outbox::{Flow, QueueLimits};
pub use pending_requests::RequestId;
pub use result::{ResultMessage, ResultStatus};
pub use time::{Moment, Now, UnixNanos};
pub use underlays::UnderlayId;
