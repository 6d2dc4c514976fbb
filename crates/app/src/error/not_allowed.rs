//! Rules that forbid changing or deleting an entity, whoever asks.

/// An entity cannot be changed or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAllowedError {
    #[error("the entity cannot be changed: {rule}")]
    Update { rule: &'static str },
    /// An edge router was to be changed as a router of any kind.
    #[error("the router cannot be changed this way")]
    UpdateEdgeRouter,
    #[error("the entity cannot be deleted")]
    Delete {
        /// The reason, unless the entity can never be deleted.
        rule: Option<&'static str>,
    },
}
