//! Errors of chain verification.

use std::io;

/// Error of verifying the chain in an audit file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuditChainError {
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// A line is not an event with a hash.
    #[error("line {0} is not an event with a hash")]
    Malformed(u64),
    /// The hash of a line does not match the lines before it.
    #[error(
        "line {0} does not follow from the one before: it was changed or moved, or a line before it was \
         changed, added or removed"
    )]
    HashMismatch(u64),
    /// The first line does not begin a trail.
    #[error("line 1 is not the beginning of a trail: the lines before it were removed")]
    MissingBeginning,
    /// The number of an event is not the next one.
    #[error("line {line} has the event number {found}, but {expected} was expected")]
    UnexpectedNumber {
        line: u64,
        found: u64,
        expected: u64,
    },
}

impl AuditChainError {
    /// Whether a power loss can be the cause: lines that were not yet synced may be incomplete.
    pub(crate) fn is_power_loss_possible(&self) -> bool {
        matches!(self, Self::Malformed(_) | Self::HashMismatch(_))
    }
}
