//! Typed configuration.
//!
//! Every value keeps its source. A value that is invalid, or absent without a default, is `None`; the
//! report says why.

mod identity;
mod link;
mod root;
mod section;
mod web;

pub use crate::model::identity::{Csr, Identity};
pub use crate::model::link::{Backoff, ChannelOptions, Heartbeats, Link, LinkDialer, LinkListener};
pub use crate::model::root::{
    CircuitOptions, ConnectEvents, Ctrl, Edge, Forwarder, InterfaceDiscovery, Listener, Metrics,
    Profile, RouterConfig, Tls, Trace, Transport, WebSockets,
};
pub use crate::model::section::SourcedValue;
pub use crate::model::web::{
    CtrlPingCheck, HealthChecks, LinkCheck, WebApi, WebBindPoint, WebServer,
};
