//! The channel protocol that OpenZiti's programs speak with each other, as state machines without I/O.
//!
//! Four protocols stand on channels: between routers and controller, between routers (links), between
//! SDKs and routers, and for streams of events to administrators. This crate is what they have in common,
//! "channel v5, wire version 2". It opens no socket, reads no clock, draws no random number and starts no
//! thread: it is handed bytes, instants and random numbers, and says what to write, what has happened and
//! when to be asked again.
//!
//! ```text
//! bytes -> HelloReader -> Hello -> Groups -> Grant -> Channel      the side that listens
//! GroupDialer -> Hello -> AnswerReader -> Accepted -> Grant -> Channel      the side that dials
//!
//! bytes -> FrameReader -> Frame -> Channel::handle_frame -> Received
//!          Message -> Channel::send, request, reply -> poll_transmit -> Frame -> bytes
//! ```
//!
//! # The life of a connection
//!
//! 1. After TLS, the side that dialed says *hello* ([`hello::Hello`]). Only the small limits of a
//!    [`hello::HelloReader`] stand between a stranger and its memory. A peer that speaks another version is
//!    told which ones there are.
//! 2. The listener verifies who the peer is, from its certificate, for every connection alike; this
//!    crate cannot do that. [`group::Groups`] then finds out whether the connection is a new channel or one
//!    more of a channel that is there.
//! 3. [`hello::Hello::accept`] or [`hello::Hello::reject`] answers; where an answer would keep the
//!    dialer from founding a new group, the connection is closed without one.
//! 4. From then on, frames are read by a [`FrameReader`] and belong to a [`Channel`].
//! 5. There is no goodbye: a connection is closed. A channel ends with its connections, or when the other
//!    side answers no heartbeats.
//!
//! # The wire
//!
//! All numbers are little endian. A frame is magic `03 06 09 0c`, content type (signed 32 bits), sequence
//! number (signed 32 bits), length of the headers and length of the body (unsigned 32 bits each), headers,
//! body. How headers are encoded is said at [`Headers`]; which belong to the channel, in [`headers::key`].
//!
//! # Promises
//!
//! - Every length is taken for a lie until it is checked against a limit; nothing is reserved for a frame
//!   before its prefix was.
//! - Every collection that a peer can fill has a limit; worst-case memory stands at [`FrameLimits`],
//!   [`ChannelOptions`] and [`group::GroupLimits`].
//! - Nothing waits. A full queue refuses and gives back ([`Refused`]); a writer without room does not ask;
//!   a reader that cannot take a message does not read.
//! - What is queued is announced ([`Channel::with_output`]), asking changes nothing, and a deadline that is
//!   handled moves.
//! - A frame that is passed on is not copied: headers and body share the memory they were read into.
//! - The same inputs lead to the same outputs, byte for byte.
//!
//! # Examples
//!
//! One side of a link, whose frames go over one connection:
//!
//! ```
//! use portcullis_channel::group::{Grant, GroupId};
//! use portcullis_channel::{
//!     Channel, ChannelKind, ChannelOptions, ContentType, Message, Now, Priority, Role, Side, Transmit,
//! };
//!
//! const PAYLOAD: ContentType = ContentType(1100);
//!
//! let options = ChannelOptions::new(ChannelKind::Link, Side::Dialer);
//! let grant = Grant::alone(GroupId::new("link-1").expect("short, and not empty"));
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
//! # Ok::<(), portcullis_channel::Refused>(())
//! ```
//!
//! `examples/two_sides.rs` lets a dialer and a listener find each other, ask and answer.

mod build_version;
mod channel;
mod frame;
pub mod group;
pub mod headers;
mod heartbeat;
pub mod hello;
mod kind;
mod outbox;
mod requests;
mod result;
mod time;
mod underlays;

pub use build_version::{BuildVersion, BuildVersionError};
pub use channel::{
    AttachError, Cause, Channel, ChannelEvent, ChannelOptions, CloseReason, REQUEST_TIMEOUT,
    Received, Refused, RequestFailure, SendError, Transmit,
};
pub use frame::{
    ContentType, Frame, FrameError, FrameLimits, FrameReader, FrameTooLong, MAGIC, Message,
    PREFIX_BYTES, ReplyTo, Sequence,
};
pub use headers::{HeaderKey, Headers};
pub use heartbeat::{HeartbeatOptions, Liveness};
pub use kind::{ChannelKind, Priority, Role, Side};
pub use outbox::QueueLimits;
pub use requests::RequestId;
pub use result::{Outcome, ResultMessage};
pub use time::{Moment, Now, UnixNanos};
pub use underlays::UnderlayId;
