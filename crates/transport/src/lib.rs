//! Channels over sockets.
//!
//! The protocol itself, without I/O, is `portcullis-channel`; this crate reads and writes for it, and
//! keeps its deadlines. It works over any byte stream.
//!
//! ```text
//! stream -> Incoming::read -> accept, reject             listener
//! stream -> dial -> Dialed                               dialer
//!
//! Connected -> Transport::open -> ChannelHandle, Inbox
//!           -> ChannelHandle::attach
//! ```
//!
//! A channel has one task for each connection, which reads and writes at the same time, and one for its
//! deadlines. They end with it; [`Transport::tasks`] counts them. An idle channel wakes for heartbeats
//! only.
//!
//! # Back-pressure
//!
//! - Towards the peer: queues are bounded, and [`ChannelHandle::send`] refuses what does not fit. A
//!   connection that takes nothing for a while is closed.
//! - From the peer: an [`Inbox`] is bounded. When it is full, connections are not read, until the peer
//!   can write no more.
//!
//! `examples/channel_echo.rs` shows both ends.

mod channel_handle;
mod clock;
mod close_signal;
mod connected;
mod connection;
mod contact;
mod dial;
mod exchange;
mod group;
mod groups;
mod holding;
mod inbox;
mod incoming;
mod observer;
mod pending;
mod reserved_room;
mod shared;
mod timer;
mod transport;

pub use channel_handle::{Attached, ChannelHandle};
pub use clock::Clock;
pub use connected::{Connected, Stream};
pub use contact::Contact;
pub use dial::{DialError, Dialed, dial};
pub use group::{Connector, Group, GroupSettings};
pub use groups::{Groups, Place};
pub use holding::Holding;
pub use inbox::Inbox;
pub use incoming::{Incoming, IncomingError};
pub use observer::{Direction, Observer};
pub use pending::{PendingReply, Written};
pub use reserved_room::ReservedRoom;
pub use transport::{Transport, TransportLimits};
