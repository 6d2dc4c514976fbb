//! What others hold of an end.

use std::sync::Arc;

use portcullis_forwarding::Hop;

use super::inbox::Inbox;

/// An end of a circuit. It goes on when this is dropped.
#[derive(Clone)]
pub(crate) struct EndHandle {
    inbox: Arc<Inbox>,
    hop: Hop,
}

impl EndHandle {
    pub(super) const fn new(inbox: Arc<Inbox>, hop: Hop) -> Self {
        Self { inbox, hop }
    }

    /// Where what the end sends comes from: also what is put into the circuit beside it, such as traces.
    pub(crate) const fn hop(&self) -> Hop {
        self.hop
    }

    /// Lets an end send that was opened with [`Start::WhenTold`](super::Start::WhenTold).
    pub(crate) fn start(&self) {
        self.inbox.want(|wishes| wishes.is_started = true);
    }

    /// Ends the circuit at once, whatever is on its way. A local side that is closed gracefully says so
    /// itself, by [`FromLocal::Closed`](super::FromLocal::Closed).
    pub(crate) fn abort(&self) {
        self.inbox.want(|wishes| wishes.is_aborted = true);
    }
}
