//! Options and errors of opening a store.

use portcullis_domain::io_error::describe_io_error;
use portcullis_storage::engine::{StoreError, WriteTx};
use std::sync::Arc;

/// The version of the layout of rows that this program writes.
pub const SCHEMA_VERSION: u32 = 1;

/// Rewrites a store from one version to the next, inside one transaction.
pub type Migration = fn(&mut dyn WriteTx<()>) -> Result<(), StoreError>;

/// The schema version of a store and the migrations to it.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// Older stores are migrated to it, newer ones are refused.
    pub version: u32,
    /// The first migrates from version 1 to 2, the next from 2 to 3, and so on.
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

/// The process must end: results could be wrong otherwise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store cannot continue: {what}")]
pub struct FatalError {
    pub what: String,
}

/// Ends the process. If it returns, every operation fails with [`StoreError::Closed`].
pub type FatalHandler = Arc<dyn Fn(&FatalError) + Send + Sync>;

/// Options for opening a store.
#[derive(Clone)]
pub struct Options {
    /// Page cache in bytes.
    pub cache_bytes: usize,
    /// Queue capacity in bodies.
    pub queue_capacity: usize,
    /// Changes that the feed keeps for those who follow the store.
    pub feed_capacity: usize,
    pub schema: Schema,
    /// By default logs one line and aborts.
    pub fatal: FatalHandler,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cache_bytes: 32 * 1024 * 1024,
            queue_capacity: 1024,
            feed_capacity: 8 * 1024,
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

/// Aborts the process without running destructors, which could touch the store.
fn abort(fatal: &FatalError) {
    // A panic in the logger must not prevent the abort.
    let _ = std::panic::catch_unwind(|| tracing::error!("{fatal}"));
    std::process::abort();
}

/// A store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process or engine has it open.
    #[error("{place} is in use by another process")]
    InUse { place: String },
    /// It was written by a later version of the program.
    #[error("{place} has schema version {found}; this program supports versions up to {supported}")]
    Newer {
        place: String,
        found: u32,
        supported: u32,
    },
    /// It is not a store, or a damaged one.
    #[error("{place} is not a readable store: {what}")]
    Corrupt { place: String, what: String },
    #[error("{place} cannot be opened: {}", describe_io_error(source))]
    Io {
        place: String,
        source: std::io::Error,
    },
    /// A migration to the current schema failed; the store is as it was.
    #[error("{place} cannot be migrated from schema version {from}")]
    Migration {
        place: String,
        /// Source version of the failed step.
        from: u32,
        source: StoreError,
    },
}
