//! The channel protocol that OpenZiti's programs speak with each other: frames, hello and groups.
//!
//! All numbers are little endian. A frame is magic `03 06 09 0c`, content type (signed 32 bits), sequence
//! number (signed 32 bits), length of the headers and length of the body (unsigned 32 bits each), headers,
//! body. How headers are encoded is said at [`Headers`]; which belong to the channel, in [`headers::key`].

mod build_version;
mod frame;
pub mod group;
pub mod headers;
mod heartbeat;
pub mod hello;
mod kind;
mod result;
mod time;

pub use build_version::{BuildVersion, BuildVersionError};
pub use frame::{
    ContentType, Frame, FrameError, FrameLimits, FrameReader, FrameTooLong, MAGIC, Message,
    PREFIX_BYTES, ReplyTo, Sequence,
};
pub use headers::{HeaderKey, Headers};
pub use heartbeat::HeartbeatOptions;
pub use kind::{ChannelKind, Priority, Role, Side};
pub use result::{Outcome, ResultMessage};
pub use time::{Moment, Now, UnixNanos};
