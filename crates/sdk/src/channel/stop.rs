//! How the channels of a program are told to end.

use tokio::time::Instant;

/// What the channels of a program are told, also those that are opened later.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stop {
    #[default]
    Never,
    /// As soon as nobody uses it.
    WhenIdle,
    /// Its connections are closed, and it ends once what was written is delivered, but by then at the latest.
    By(Instant),
}
