//! Eviction order of connections.

use std::sync::Arc;

use tokio::time::Instant;

use super::{Activity, ActivityState};
use crate::budget::Evictable;

/// Usefulness of a connection, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Usefulness {
    /// No request is running.
    Idle,
    /// The client has not read all of a response.
    Unread,
    /// A request is running.
    Busy,
}

impl ActivityState {
    /// Returns the usefulness of the connection, and since when it has it.
    fn usefulness(&self) -> (Usefulness, Instant) {
        match self.unread.unread_since() {
            Some(since) => (Usefulness::Unread, since),
            None if self.running > 0 => (Usefulness::Busy, self.idle_since),
            None => (Usefulness::Idle, self.idle_since),
        }
    }
}

/// Of a peer's connections, the least useful are closed first.
impl Evictable for Arc<Activity> {
    type Rank = (Usefulness, Instant);

    fn rank(&self, _amount: usize) -> Self::Rank {
        self.lock().usefulness()
    }

    fn evict(&self) {
        self.evicted.cancel();
    }
}
