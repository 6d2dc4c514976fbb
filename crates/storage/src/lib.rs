//! Transactional store of the Portcullis controller.
//!
//! An [`Engine`](engine::Engine) is an ordered map of bytes with a single writer: transactions are
//! submitted as bodies and committed in groups, and the [`Ticket`](engine::Ticket) of a body
//! resolves once its group is durable and every [`Observer`](engine::Observer) has applied it.
//! [`RedbEngine`](redb_engine::RedbEngine) is the embedded engine; [`conformance`] is the test
//! suite for others. On top are the [`key`] layout, the [`frame`] that detects damaged rows, typed
//! [`tables`], and the [`vault`] that seals secrets.
//!
//! # Examples
//!
//! ```
//! use portcullis_storage::engine::{Engine as _, ReadTx as _, StoreError, submit_with};
//! use portcullis_storage::redb_engine::{Options, RedbEngine};
//!
//! let engine: RedbEngine<&str> = RedbEngine::in_memory(Options::default())?;
//! let outcome = submit_with(&engine, |tx| {
//!     tx.put(b"door", b"closed");
//!     tx.record("door written");
//!     Ok::<_, StoreError>("done")
//! })?;
//! assert_eq!(outcome.wait()??, "done");
//! assert_eq!(engine.snapshot()?.get(b"door")?.as_deref(), Some(&b"closed"[..]));
//! assert_eq!(engine.feed().revision(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod conformance;
mod copy;
pub mod directory;
pub mod disk;
pub mod engine;
pub mod feed;
pub mod frame;
pub mod guard;
pub mod key;
mod overlay;
pub mod redb_engine;
pub mod tables;
pub mod vault;

/// Locks a mutex, ignoring poisoning.
fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
