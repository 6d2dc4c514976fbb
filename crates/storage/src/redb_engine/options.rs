//! How a store is opened, and how that fails.

use crate::engine::{StoreError, WriteTx};
use portcullis_domain::io_error::in_words;
use std::sync::Arc;

/// The version of the layout of rows that this program writes.
pub const SCHEMA_VERSION: u32 = 1;

/// Rewrites a store from one version to the next, inside one transaction.
pub type Migration = fn(&mut dyn WriteTx<()>) -> Result<(), StoreError>;

/// The layout of rows that a store has to have.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// The version that is opened; an older store is migrated to it, a newer one refused.
    pub version: u32,
    /// The first leads from version 1 to 2, the next from 2 to 3, and so on.
    pub migrations: &'static [Migration],
}

impl Default for Schema {
    fn default() -> Self {
        Self {
            version: SCHEMA_VERSION,
            migrations: &[],
        }
    }
}

/// Why the process must end: going on could answer what is not so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store cannot go on: {what}")]
pub struct Fatal {
    /// What happened.
    pub what: String,
}

/// Ends the process. If it returns, the engine answers everything with [`StoreError::Closed`].
pub type FatalHandler = Arc<dyn Fn(&Fatal) + Send + Sync>;

/// How a store is opened.
#[derive(Clone)]
pub struct Options {
    /// Memory for pages, in bytes.
    pub cache_bytes: usize,
    /// Bodies that may wait before the engine is overloaded.
    pub queue_capacity: usize,
    /// Groups that the feed keeps.
    pub feed_capacity: usize,
    /// The layout of rows.
    pub schema: Schema,
    /// What ends the process; logs one line and aborts by default.
    pub fatal: FatalHandler,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cache_bytes: 32 * 1024 * 1024,
            queue_capacity: 1024,
            feed_capacity: 1024,
            schema: Schema::default(),
            fatal: Arc::new(abort),
        }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("cache_bytes", &self.cache_bytes)
            .field("queue_capacity", &self.queue_capacity)
            .field("feed_capacity", &self.feed_capacity)
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

/// Ends the process at once: destructors would touch a store that is not to be touched.
fn abort(fatal: &Fatal) {
    // The log must not keep the process from its end, whatever it stumbles over.
    let _ = std::panic::catch_unwind(|| tracing::error!("{fatal}"));
    std::process::abort();
}

/// A store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process, or another engine of this one, has it open.
    #[error("{place} is in use by another process")]
    InUse {
        /// The store.
        place: String,
    },
    /// It was written by a later version of the program.
    #[error("{place} has schema version {found}; this program supports versions up to {supported}")]
    Newer {
        /// The store.
        place: String,
        /// The version of its schema.
        found: u32,
        /// The latest version that this program knows.
        supported: u32,
    },
    /// It is not a store, or a damaged one.
    #[error("{place} is not a readable store: {what}")]
    Corrupt {
        /// The store.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// The operating system refused.
    #[error("{place} cannot be opened: {}", in_words(source))]
    Io {
        /// The store.
        place: String,
        /// What it said.
        source: std::io::Error,
    },
    /// A migration to the current schema failed; the store is as it was.
    #[error("{place} cannot be migrated from schema version {from}")]
    Migration {
        /// The store.
        place: String,
        /// The version that the failed step starts from.
        from: u32,
        /// Why.
        source: StoreError,
    },
}
