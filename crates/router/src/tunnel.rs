//! The router's own tunneler: which services it may use, and its terminators at the controllers.
//!
//! What is done for a service is the matter of [`portcullis_tunneler`]. Here is what a router has and an SDK has
//! not: an identity of its own in the data model, and requests to controllers without sessions.

mod identity_services;
mod settings;
mod terminators;

pub use identity_services::{IdentityServices, ServiceNews, TunnelIdentity};
pub use settings::{InterceptSettings, TunnelError, TunnelMode, TunnelSettings};
pub use terminators::{TerminatorAction, TerminatorTerms, TunnelTerminators};
