//! Transactional store of the Portcullis controller.
//!
//! An [`Engine`](engine::Engine) is an ordered map of bytes with a single writer: transactions are
//! submitted as bodies and committed in groups, and the [`Ticket`](engine::Ticket) of a body
//! resolves once its group is durable and every [`Observer`](engine::Observer) has applied it.
//! [`conformance`] is the test suite for engines. On top are the [`key`] layout, the [`frame`] that
//! detects damaged rows, typed [`tables`], and the [`vault`] that seals secrets.

pub mod conformance;
pub mod directory;
pub mod engine;
pub mod feed;
pub mod frame;
pub mod key;
pub mod per_snapshot;
mod sync;
pub mod tables;
pub mod vault;
