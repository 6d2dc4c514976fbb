//! The configuration as types.
//!
//! Every value keeps its source. A value that could not be understood, or that is absent and has no
//! default, is `None`; what is wrong with it stands in the report.

mod identity;
mod link;
mod part;
mod root;
mod web;

pub use crate::model::identity::{Csr, Identity};
pub use crate::model::link::{Backoff, ChannelOptions, Heartbeats, Link, LinkDialer, LinkListener};
pub use crate::model::part::Given;
pub use crate::model::root::{
    Ctrl, Edge, Forwarder, Listener, Metrics, Profile, RouterConfig, Trace, Transport,
};
pub use crate::model::web::{
    CtrlPingCheck, HealthChecks, LinkCheck, WebApi, WebBindPoint, WebServer,
};
