//! Why a file is not the chain that it should be.

use std::io;

/// Why a file is not the chain that it should be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Broken {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// A line has another form.
    #[error("line {0} is not an event with a hash")]
    Form(u64),
    /// A line does not follow from those before.
    #[error(
        "line {0} does not follow from the one before: it was changed or moved, or a line before it was \
         changed, added or removed"
    )]
    Hash(u64),
    /// It begins in the middle.
    #[error("line 1 is not the beginning of a trail: what stood before it was removed")]
    Beginning,
    /// Numbers of events are missing.
    #[error("line {line} has the number {found}, where {expected} is due")]
    Number {
        /// The line.
        line: u64,
        /// The number that it has.
        found: u64,
        /// The number that would follow.
        expected: u64,
    },
}

impl Broken {
    /// Whether a loss of power can have done it: lines that were not yet safe may be there in part.
    pub(crate) fn may_be_torn(&self) -> bool {
        matches!(self, Self::Form(_) | Self::Hash(_))
    }
}
