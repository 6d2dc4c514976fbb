//! Telling that a channel is closed.

use portcullis_channel::CloseReason;
use std::sync::OnceLock;
use tokio_util::sync::CancellationToken;

/// Set once, with the reason.
#[derive(Debug, Default)]
pub(crate) struct CloseSignal {
    reason: OnceLock<CloseReason>,
    is_set: CancellationToken,
}

impl CloseSignal {
    /// Sets the signal. The first reason counts.
    pub(crate) fn set(&self, reason: CloseReason) {
        self.reason.get_or_init(|| reason);
        self.is_set.cancel();
    }

    pub(crate) fn reason(&self) -> Option<CloseReason> {
        self.reason.get().copied()
    }

    pub(crate) async fn wait(&self) -> CloseReason {
        self.is_set.cancelled().await;
        // Set before.
        self.reason().unwrap_or(CloseReason::Requested)
    }
}
