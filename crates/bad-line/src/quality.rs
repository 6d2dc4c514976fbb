//! How bad a line is.

use std::time::Duration;

/// What becomes of packets, in each direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quality {
    pub delay: Duration,
    /// Of a hundred packets, how many are lost.
    pub loss: u8,
    /// Of a hundred packets, how many are sent at once, before those that wait.
    pub reorder: u8,
}
