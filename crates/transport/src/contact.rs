//! Whether a channel that outlives its connections has any.

/// Contact with the peer of a channel that outlives its connections.
///
/// Messages may have been lost with the connections, and the peer may have started over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Contact {
    /// How often all connections were lost.
    pub losses: u64,
    /// Whether there is no connection now.
    pub is_lost: bool,
}

impl Contact {
    pub(crate) const fn lose(&mut self) {
        self.losses = self.losses.saturating_add(1);
        self.is_lost = true;
    }

    /// Returns whether it was lost.
    pub(crate) const fn regain(&mut self) -> bool {
        std::mem::replace(&mut self.is_lost, false)
    }
}
