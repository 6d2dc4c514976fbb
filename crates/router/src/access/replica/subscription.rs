//! The subscription by which the model follows a controller.

use crate::edge::ControllerId;
use portcullis_domain::clock::Timestamp;

/// A controller that is followed.
#[derive(Debug, Clone)]
pub(super) struct Following {
    pub(super) controller: ControllerId,
    pub(super) phase: Phase,
}

#[derive(Debug, Clone)]
pub(super) enum Phase {
    /// The router is to subscribe.
    Wanted {
        at: Timestamp,
        /// The changes since the router's index lead nowhere.
        from_start: bool,
    },
    Subscribed {
        id: String,
        renew_at: Timestamp,
        /// Something was taken over.
        is_answered: bool,
        /// After that, it does not matter whether it was answered.
        patience_ends: Timestamp,
    },
}

impl Following {
    pub(super) fn subscription_id(&self) -> Option<&str> {
        match &self.phase {
            Phase::Wanted { .. } => None,
            Phase::Subscribed { id, .. } => Some(id),
        }
    }

    /// When there is something to send.
    pub(super) const fn due(&self) -> Timestamp {
        match &self.phase {
            Phase::Wanted { at, .. } => *at,
            Phase::Subscribed { renew_at, .. } => *renew_at,
        }
    }

    /// Whether anything was taken over in this subscription.
    pub(super) const fn is_answered(&self) -> bool {
        matches!(
            &self.phase,
            Phase::Subscribed {
                is_answered: true,
                ..
            }
        )
    }

    /// Whether what the controller has by now should be here.
    pub(super) fn has_settled(&self, now: Timestamp) -> bool {
        match &self.phase {
            Phase::Wanted { .. } => false,
            Phase::Subscribed {
                is_answered,
                patience_ends,
                ..
            } => *is_answered || *patience_ends <= now,
        }
    }

    pub(super) const fn confirm(&mut self) {
        if let Phase::Subscribed { is_answered, .. } = &mut self.phase {
            *is_answered = true;
        }
    }
}
