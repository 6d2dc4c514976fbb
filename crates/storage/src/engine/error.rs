//! Errors of engines and transactions.

use std::io;
use std::sync::Arc;

/// A store operation failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The disk is full; reads go on, and writes succeed again once there is room.
    #[error("the disk that holds the store is full")]
    Full,
    /// I/O failed; a later attempt may succeed.
    #[error("the store cannot be read or written at the moment")]
    Unavailable(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// Stored data is damaged.
    #[error("the store is damaged: {what}")]
    Corrupt {
        /// The damage and its location.
        what: String,
    },
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Whether a later attempt may succeed without a repair.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Full | Self::Unavailable(_) | Self::Closed => true,
            Self::Corrupt { .. } => false,
        }
    }

    /// Whether the disk is full.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full)
    }

    /// A [`StoreError::Corrupt`] with the description `what`.
    pub fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into() }
    }
}

/// Returned by a body to discard its writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the transaction was aborted")]
pub struct Abort;

/// A body was not committed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CommitError {
    /// The body returned [`Abort`].
    #[error(transparent)]
    Aborted(#[from] Abort),
    /// The body panicked; only its own changes are discarded.
    #[error("the transaction body panicked")]
    Panicked,
    /// The commit of the group failed, or a read of this body.
    #[error(transparent)]
    Engine(#[from] StoreError),
}

/// The writer's queue is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many writes are waiting")]
pub struct OverloadedError;

/// A store was not copied. No partial copy is left behind.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CopyError {
    /// The destination already exists; it is left unchanged.
    #[error("a file of this name already exists")]
    Exists,
    #[error("the snapshot could not be written: {0}")]
    Io(#[source] Arc<io::Error>),
    /// The store cannot be read, or the disk is full.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<io::Error> for CopyError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AlreadyExists => Self::Exists,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Store(StoreError::Full)
            },
            _ => Self::Io(Arc::new(error)),
        }
    }
}
