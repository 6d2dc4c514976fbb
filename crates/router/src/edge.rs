//! Connections of SDKs.
//!
//! A connection of an SDK is let in by [`Login`], and counted by [`Presence`]. Who may do what is asked of
//! an [`Access`]; why something is refused is a [`Refusal`].

mod access;
mod admission;
mod limits;
mod names;
mod presence;
mod refusal;

pub use crate::edge::access::{
    Access, ApiSession, ClientCertificates, LoginRefusal, Right, ServiceReference, ServiceSession,
    SessionKind,
};
pub use crate::edge::admission::{Client, Denial, Login, LoginStep, SdkPeer, hello_headers};
pub use crate::edge::limits::EdgeLimits;
pub use crate::edge::names::{
    ChannelId, CircuitId, ControllerId, IdentityId, ServiceId, ServiceSessionId, TerminatorId,
};
pub use crate::edge::presence::Presence;
pub use crate::edge::refusal::{Refusal, RefusalKind};
