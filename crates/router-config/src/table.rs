//! Table of keys: the single definition of what a router's file may contain.
//!
//! The checker, the effective configuration, the JSON Schema, the explanations, the reference page and
//! the prediction of OpenZiti all iterate over these rows. There is one file per section.

mod channel;
mod ctrl;
mod edge;
mod forwarder;
mod health;
mod identity;
mod key;
mod link;
mod listeners;
mod observability;
mod openziti_rule;
mod root;
mod transport;
mod tunnel;
mod web;
mod xgress;

pub(crate) use crate::table::key::MILLISECOND;
pub use crate::table::key::{
    BindingVariant, Key, KeyGroup, KeyState, RouterFile, StringFormat, Unit, ValueType,
};
pub use portcullis_key_table::PathError;

/// A row found by its path.
pub type KeyMatch = portcullis_key_table::KeyMatch<RouterFile>;

/// Resolves a path such as `link.dialers[0].split` to all its rows.
/// List positions may be omitted, empty or `n`: `link.dialers.split`, `link.dialers[].split`. Keys that
/// depend on a `binding` have one match per binding; a path may also name the binding,
/// `listeners[tunnel].options.mode`.
///
/// # Errors
/// [`PathError`] if the path names no key.
pub fn resolve(path: &str) -> Result<Vec<KeyMatch>, PathError> {
    portcullis_key_table::resolve(path)
}

/// Calls `visit` for every row of the table with its path, in which lists have the suffix `[]`.
pub fn visit_keys(visit: &mut dyn FnMut(&str, KeyMatch)) {
    portcullis_key_table::visit_keys(visit);
}
pub use crate::table::openziti_rule::{
    OnMistake, OpenZitiRule, OutOfBounds, ReadMode, Representation,
};
pub use crate::table::root::ROOT;

pub(crate) use crate::table::channel::{CHANNEL, CHANNEL_CONNECT, CHANNEL_QUEUE, HEARTBEATS};
pub(crate) use crate::table::ctrl::{CTRL, RATE_LIMITER};
pub(crate) use crate::table::edge::EDGE;
pub(crate) use crate::table::identity::{ALT_SERVER_CERT, IDENTITY};
pub(crate) use crate::table::link::{BACKOFF_HEALTHY, BACKOFF_UNHEALTHY, LINK, LINK_LISTENER};
pub(crate) use crate::table::listeners::{
    DIALER_BINDING, EDGE_OPTIONS, LISTENER_ADDRESS, LISTENER_BINDING, LISTENERS, SERVICE,
};
pub(crate) use crate::table::observability::PROFILE_MEMORY;
pub(crate) use crate::table::transport::PROXY;
pub(crate) use crate::table::web::{WEB, WEB_OPTIONS};
pub(crate) use crate::table::xgress::{EDGE_LOOKUPS, XGRESS, XGRESS_CONNECT};
