//! The messages of OpenZiti's protocols as types, by content type.
//!
//! A message of a [channel](portcullis_channel) has a content type, headers and a body. What they mean
//! depends on the protocol. Each protocol has an enum that decodes a
//! [`Message`](portcullis_channel::Message) into a struct, and encodes that again. No I/O, no clock.
//!
//! | Protocol | Between | Messages | Hello |
//! |---|---|---|---|
//! | [`control`] | router and controller | [`ControlMessage`](control::ControlMessage) | [`RouterHello`](control::hello::RouterHello), [`ControllerHello`](control::hello::ControllerHello) |
//! | [`link`] | two routers | [`LinkMessage`](link::LinkMessage) | [`LinkHello`](link::LinkHello) |
//! | [`edge`] | SDK and router | [`EdgeMessage`](edge::EdgeMessage) | [`SdkHello`](edge::SdkHello), [`RouterHello`](edge::RouterHello) |
//! | [`management`] | administrator's program and controller | [`ManagementMessage`](management::ManagementMessage) | – |
//!
//! Payloads on circuits are the same on links and at the edge: [`xgress`].
//!
//! ```text
//! Message -> ControlMessage::decode -> struct      received
//! struct -> ControlMessage::encode -> Message      sent, or Message::in_reply_to
//! ```
//!
//! # Contents
//!
//! Some contents are protobuf in the body, others are headers, and some are both. [`Content`] is what they
//! have in common; a reply that is awaited can be decoded by the type that it should have. Field and
//! header numbers stand behind the fields of the structs.
//!
//! # Tolerance
//!
//! - Content types that are not known are kept whole, as `Unknown`.
//! - Unknown fields and headers are passed over, numbers that an enumeration does not have are kept as
//!   `Unrecognized`.
//! - A header that may be missing counts as missing if its value is of another type; one that must be there
//!   is an error then. So is a body that is not what it should be: the error names message and field.
//! - Whether ids are empty, tokens valid and costs within bounds is for those to judge who can answer.
//!
//! # Guarantees
//!
//! - No input panics: lengths are checked before they are used, and nesting has a limit.
//! - Memory is bounded by the length of the message, which
//!   [`FrameLimits`](portcullis_channel::FrameLimits) bounds: texts and bytes take what they take on the
//!   wire, or share its memory; the elements of lists and maps at most [`MEMORY_FACTOR`] times as much.
//! - What gives rights or belongs to users is a [`Secret`], which shows nothing of itself.
//!
//! # Examples
//!
//! ```
//! use portcullis_channel::{ContentType, Message};
//! use portcullis_wire::control::ControlMessage;
//! use portcullis_wire::control::link::{Fault, FaultSubject};
//!
//! let fault = Fault {
//!     subject: FaultSubject::Link,
//!     id: "5aCQr2Nu6VROhyqTS7zCw2".to_owned(),
//!     iteration: 1,
//! };
//! let message = ControlMessage::Fault(fault).encode()?;
//! assert_eq!(message.content_type, ContentType(1004));
//!
//! let cut = Message::new(ContentType(1004)).with_body(message.body.slice(..9));
//! assert!(ControlMessage::decode(&cut).is_err());
//! # Ok::<(), portcullis_wire::EncodeError>(())
//! ```

pub mod capability;
mod content;
pub mod control;
pub mod edge;
mod error_code;
mod flags;
mod headers;
pub mod link;
pub mod management;
mod message_set;
pub mod peer_data;
mod precedence;
mod protobuf;
mod secret;
mod timestamp;
pub mod trace;
pub mod xgress;

pub use content::{Content, DecodeError, EncodeError};
pub use error_code::{ErrorCode, RetryHint};
pub use precedence::Precedence;
pub use protobuf::{MEMORY_FACTOR, MEMORY_FREE_BYTES};
pub use secret::{Secret, Token};
pub use timestamp::Timestamp;
