//! The edge: what a connection of an SDK means at a router.
//!
//! ```text
//! hello, certificates -> Login -> Client         let in, or rejected
//!                        Presence                how many there are, and who
//!
//! messages of the SDK -> SdkChannel -> Action    for each channel
//! routes, circuits    ->     |  ^
//!                HostRequest v  | HostEvent
//! controllers         -> Hosting -> HostAction   for all: the terminators of the router
//! ```
//!
//! - [`Login`] decides about a connection before its hello is answered. [`Presence`] bounds and reports
//!   the channels.
//! - An [`SdkChannel`] has the connections of one SDK: those that it dials, those that it serves, and its
//!   binds. It is owned by whoever reads the channel, so that data of different SDKs never meets in a lock.
//! - [`Hosting`] has the terminators of all SDKs, since a listener that connects again takes its earlier
//!   terminator over, from whichever channel.
//! - Rights are asked of an [`Access`]. Why something is refused is a [`Refusal`], which knows how SDKs are
//!   told.
//!
//! The end of a circuit is not here. An [`Action::Open`] tells where it is, in the router or in the SDK;
//! then [`Action::Put`] and [`SdkChannel::deliver`] carry what travels.
//!
//! # Guarantees
//!
//! - Each dial, bind and offer is answered exactly once, whatever SDK and controllers do. What comes later
//!   than its time limit is undone: a circuit is given back, a host told that there is no connection.
//! - All that an SDK can fill has a limit ([`EdgeLimits`]); what does not fit is refused, and the refusal
//!   tells the SDK to back off. Tokens and names that stay in memory are copied out of their frames.
//! - An SDK is judged by its session and its own channel, never by what messages say about others.
//! - A malformed message is answered or passed over, and ends nothing; only a refused token ends its
//!   channel.
//! - There are no heartbeats and no idle time between SDK and router: SDKs send latency probes, which the
//!   channel answers, and an idle channel has no deadline but the end of its session.

mod access;
mod action;
mod admission;
mod channel;
mod circuit;
mod connections;
mod host_exchange;
mod hosting;
mod limits;
mod names;
mod presence;
mod refusal;
mod settings;
mod subscription;

pub use crate::edge::access::{
    Access, ApiSession, ClientCertificates, LoginRefusal, ServiceReference, ServiceSession,
    SessionKind,
};
pub use crate::edge::action::{
    Action, AskId, InspectionId, Outgoing, Recipient, RequestFailure, RequestId,
};
pub use crate::edge::admission::{Client, Denial, Login, LoginStep, SdkPeer, hello_headers};
pub use crate::edge::channel::SdkChannel;
pub use crate::edge::circuit::{
    CircuitData, CircuitEnd, CircuitEnded, Closing, DialMessage, Dialed, EndId, Flow, FromSdk,
    Offer, ToSdk,
};
pub use crate::edge::host_exchange::{BindKey, BindRequest, BindTerms, HostEvent, HostRequest};
pub use crate::edge::hosting::{HostAction, Hosting, TerminatorView};
pub use crate::edge::limits::EdgeLimits;
pub use crate::edge::names::{
    ChannelId, CircuitId, ControllerId, IdentityId, ServiceId, ServiceSessionId, TerminatorId,
};
pub use crate::edge::presence::{IdentityView, Presence, PresenceReports};
pub use crate::edge::refusal::{Refusal, RefusalKind};
pub(crate) use crate::edge::settings::is_for_sdks;
pub use crate::edge::settings::{EdgeListenerSettings, EdgeSettings, WebSocketSettings};
