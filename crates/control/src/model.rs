//! What routers are told of the records: the router data model.
//!
//! ```text
//! commits --> Mirror --> DataModel --> routers
//!    keys ------------->
//! ```
//!
//! Nothing is made before the first router of all has connected.

mod encoding;
mod ended_sessions;
mod entity;
mod follower;
mod mirror;
mod numbering;
mod posture_check;
mod public_key;
mod publisher;
mod selection;

pub(crate) use publisher::{ModelOutlet, ModelPublisher, ModelSubscriber, Sent};
