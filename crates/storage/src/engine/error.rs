//! What can go wrong between a body and the disk.

use std::sync::Arc;

/// The store could not do what was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The disk has no room; reading may go on, and writing once there is room again.
    #[error("the disk that holds the store is full")]
    Full,
    /// The disk did not answer; a later attempt may succeed.
    #[error("the store cannot be read or written at the moment")]
    Unavailable(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// What was read cannot be what was written.
    #[error("the store is damaged: {what}")]
    Corrupt {
        /// What is wrong, and where.
        what: String,
    },
    /// The store has been closed.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Whether a later attempt may succeed without anybody repairing anything.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Full | Self::Unavailable(_) | Self::Closed => true,
            Self::Corrupt { .. } => false,
        }
    }

    /// A [`StoreError::Corrupt`] that says `what` is wrong.
    pub fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into() }
    }
}

/// A body wants everything it wrote discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the transaction body gave up its changes")]
pub struct Abort;

/// A body was not committed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CommitError {
    /// The body itself asked for it.
    #[error(transparent)]
    Aborted(#[from] Abort),
    /// The body panicked; its changes are discarded, its neighbours unharmed.
    #[error("the transaction body panicked")]
    Panicked,
    /// The store failed the whole group, or a read of this body.
    #[error(transparent)]
    Engine(#[from] StoreError),
}

/// The writer's queue is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many writes are waiting")]
pub struct Overloaded;
