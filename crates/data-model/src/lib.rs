//! The router data model: what routers know of the controller's records, and how they keep up with it.
//!
//! Routers judge SDKs by themselves, from a copy of the identities, services, policies and other entities.
//! This crate holds the original, numbers its changes, and decides what each router gets next. It does no
//! I/O, reads no clock and draws no random numbers.
//!
//! ```text
//! commits, keys --> DataModel --> poll_update, poll_timeout
//! subscriptions -->
//!
//! DataModel = Entities     the model, once
//!           + Log          the change sets up to now, bounded
//!           + subscribers  cursors in the log
//! ```
//!
//! It is a crate of its own because it shares nothing with the network of `fabric`: what it needs are the
//! messages of `wire`.
//!
//! # Guarantees
//!
//! - Each change set names the one before. One of which a router may see nothing is sent empty.
//! - Nobody is waited for. A subscriber is a cursor, and has at most [`Options::credit`] updates on the
//!   way. Once the log has passed it by, it gets the whole state.
//! - Who may see an event is decided when it happens, so that a router that reads it late sees the same.
//! - With the [`Position`] that was kept, the model goes on after a restart where it was, if its entities
//!   are the same as then. Otherwise it begins a timeline, on which every router gets the whole state.
//! - A full state is on its way alone, and each router gets so many of them in a time.
//!
//! [`session_sync`] stands beside the model: legacy sessions are no part of it, but sent to the same
//! routers as a whole, too.
//!
//! `examples/one_router.rs` shows a router that subscribes, falls behind and returns.

mod audience;
mod comparison;
mod difference;
mod digest;
mod entities;
mod entity;
mod full_state;
mod keys;
mod log;
mod model;
mod position;
pub mod session_sync;
mod state_pacing;
mod subscriber;

pub use comparison::{Difference, DifferenceKind, differences};
pub use entity::{Entity, EntityKey, Kind, Policy, Relation};
pub use full_state::{FullState, SharedState};
pub use model::{Change, DataModel, NotRising, Options};
pub use portcullis_channel::Moment;
pub use position::Position;
pub use subscriber::{SubscriberId, Update};
