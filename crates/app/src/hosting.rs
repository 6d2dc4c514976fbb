//! Terminators that routers create: for clients that host services, for their own tunnelers, and by
//! configuration.
//!
//! | For whom | Binding | Its right to host | Creates |
//! |---|---|---|---|
//! | a client | `edge` | that of its service session, judged with each request | [`create_for_client`] |
//! | the tunneler of the router | `tunnel` | that of the identity of the router | [`create_for_tunneler`] |
//! | the configuration of the router | any other | as for the tunneler; none is needed for services that only the fabric API knows | [`create_configured`] |
//!
//! A router may create a terminator as often as it likes, and does so after a lost answer or
//! connection: nothing is written then unless something has changed. Terminators are those of the
//! router that created them; for others they do not exist.
//!
//! A terminator that was created for an identity ends with it, and with the service session of the
//! client, in the same transaction. Whatever else may end the right to host is followed by
//! [`end_without_right`].

mod claims;
mod create;
mod entitlement;
mod error;
mod lapse;
mod limits;
mod offer;
mod own;
mod quiesce;
mod remove;
mod update;

pub use claims::{ConfiguredTerminator, create_configured, create_for_client, create_for_tunneler};
pub use error::TerminatorError;
pub use lapse::{end_without_right, sweep};
pub use offer::{Offer, with_secret};
pub use own::{ListedTerminator, count_health_check, list_for_router};
pub use quiesce::{dequiesce, quiesce};
pub(crate) use remove::remove_if;
pub use remove::{delete, remove, remove_invalid};
pub use update::{Adjustment, adjust_configured, adjust_for_client, adjust_for_tunneler, degrade};

/// Binding of terminators of clients.
const EDGE_BINDING: &str = "edge";

/// Binding of terminators of tunnelers.
const TUNNEL_BINDING: &str = "tunnel";

#[cfg(test)]
mod tests;
