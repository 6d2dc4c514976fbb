//! The management channel: events of the network as they happen, validations and inspections, for
//! `ziti fabric stream` and `ziti fabric validate`.
//!
//! Frames of the channel protocol travel in the binary messages of a `WebSocket`, without a hello and without
//! heartbeats. [`ManagementChannel::open`] takes in whoever has a permit, and [`OpenedChannel::serve`] speaks
//! with it over any stream of bytes; the upgrade of the connection is done by then. What is said is decided
//! by a part that knows neither sockets nor clocks.
//!
//! ```text
//! WebSocket message -> Frame -> exchange -> answer at once ------------------+
//!                                       -> EventBus -> EventStream ----------+
//!                                       -> NetworkQueries -> answer, details -+-> queue -> Frame -> WebSocket
//! ```
//!
//! # What is guaranteed
//!
//! - A channel ends within a second when a request with the same credentials would be refused: after a
//!   logout, the end of the session or of the access token, the end of the permission.
//! - Nobody waits for a client. Events wait in a queue that is bounded by number and size; if it
//!   overflows, the channel is closed and says how many events were lost. So is one that takes nothing for
//!   [`WRITE_STALL`].
//! - The memory that an inspection holds is free again when its answer has been handed over, and not before.
//! - Every request is answered, whether it is understood or not.
//! - The answer to a validation goes out before its details, of which there are as many as it says. If not
//!   all of them come, the channel is closed, so that clients do not wait for ever.
//! - Numbers of channels, requests and subscriptions, and the length of messages are bounded: see
//!   [`ChannelLimits`] and [`MAX_MESSAGE`].
//!
//! # What differs from OpenZiti
//!
//! - A subscription with a bad option ends none and begins none: those before it in the same request do not
//!   begin either.
//! - What OpenZiti closes without a word is closed with a code and a reason.
//! - A management channel is not traced itself: each trace would be followed by another.
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `limits`; `closing`; `event_request`; `exchange`;
//! `queries`; `outgoing`; `requests`; `standing`; `admission`; `connection`; `server`.

mod admission;
mod closing;
mod connection;
mod event_request;
mod exchange;
mod limits;
mod outgoing;
mod queries;
mod requests;
mod server;
mod standing;

pub use crate::limits::{ChannelLimits, MAX_MESSAGE, WRITE_STALL};
pub use crate::queries::{
    HeldMemory, InspectionAnswer, NetworkQueries, NoNetworkQueries, QueryFuture, TerminatorFinding,
    Validation, ValidationFuture,
};
pub use crate::server::{ManagementChannel, OpenedChannel};
