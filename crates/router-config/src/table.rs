//! The table of keys: the one place that says what a router's file may hold.
//!
//! The checker, the effective configuration, the JSON Schema, the explanations, the reference page and
//! the reading of OpenZiti router all walk over these rows. There is one file per section.

mod channel;
mod ctrl;
mod edge;
mod forwarder;
mod health;
mod identity;
mod key;
mod link;
mod listeners;
mod lookup;
mod observability;
mod original;
mod root;
mod transport;
mod tunnel;
mod web;
mod xgress;

pub(crate) use crate::table::key::MS;
pub use crate::table::key::{Form, Group, Key, Kind, State, Unit, Variant};
pub use crate::table::lookup::{Found, PathError, find, walk};
pub use crate::table::original::{Original, Read, Shown, Wrong};
pub use crate::table::root::ROOT;

pub(crate) use crate::table::channel::{CHANNEL, CHANNEL_CONNECT, CHANNEL_QUEUE, HEARTBEATS};
pub(crate) use crate::table::ctrl::{CTRL, CTRL_OWN_HEARTBEATS, RATE_LIMITER};
pub(crate) use crate::table::edge::EDGE;
pub(crate) use crate::table::forwarder::FORWARDER;
pub(crate) use crate::table::health::{LINK_CHECK, PING_CHECK};
pub(crate) use crate::table::link::{BACKOFF_HEALTHY, BACKOFF_UNHEALTHY, LINK};
pub(crate) use crate::table::listeners::LISTENERS;
pub(crate) use crate::table::observability::{
    CONNECT_EVENTS, INTERFACE_DISCOVERY, METRICS, PROFILE_MEMORY,
};
pub(crate) use crate::table::xgress::{EDGE_LOOKUPS, XGRESS, XGRESS_CONNECT};
