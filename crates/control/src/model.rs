//! What routers are told of the records: the router data model.
//!
//! ```text
//! commits --> Mirror --> DataModel --> routers
//!    keys ------------->
//! ```
//!
//! Nothing is kept before the first router connects.

mod encoding;
mod ended_sessions;
mod entity;
mod mirror;
mod posture_check;
mod public_key;
mod publisher;
mod selection;

pub(crate) use publisher::{ModelOutlet, ModelPublisher, ModelSubscriber, Sent};
