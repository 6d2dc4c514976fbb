//! Of what use a connection is, and which is closed first.

use std::sync::Arc;

use tokio::time::Instant;

use super::{Activity, State};
use crate::listen::budget::Holder;

/// How far a connection is from being of use, the furthest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::listen) enum Use {
    /// No request is being answered.
    Idle,
    /// The client has not taken all of an answer.
    Unread,
    /// A request is being answered.
    Busy,
}

impl State {
    /// Returns how the connection is used, and since when.
    fn usage(&self) -> (Use, Instant) {
        match self.unread.since() {
            Some(since) => (Use::Unread, since),
            None if self.running > 0 => (Use::Busy, self.idle_since),
            None => (Use::Idle, self.idle_since),
        }
    }
}

/// The connections of a peer that are of least use are closed first.
impl Holder for Arc<Activity> {
    type Rank = (Use, Instant);

    fn rank(&self, _amount: usize) -> Self::Rank {
        self.lock().usage()
    }

    fn revoke(&self) {
        self.evicted.cancel();
    }
}
