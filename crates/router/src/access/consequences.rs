//! What follows from something that has changed.

use super::usages::Usage;
use crate::edge::ChannelId;
use std::collections::{BTreeMap, BTreeSet};

/// What the owner of the channels has to do after something has changed. What is named as ended is not
/// known here any more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct Consequences {
    /// Sessions or keys have arrived: logins that wait are to be tried again.
    pub has_news_for_logins: bool,
    /// Channels to be closed, with all that they carry, and why.
    pub ended: BTreeMap<ChannelId, EndReason>,
    /// What has lost its right, on channels that stay.
    pub lost: BTreeMap<Usage, LossReason>,
    /// Channels whose subscribers have to be told of services, policies or checks.
    pub changed_services: BTreeSet<ChannelId>,
    /// What the router's own identity may use may have changed.
    pub has_changed_own_services: bool,
    /// Channels whose subscribers have to be told of the state of their posture.
    pub changed_posture: BTreeSet<ChannelId>,
}

impl Consequences {
    /// Channels that stay, on which a session for a service has ended with what it was for.
    pub fn ended_service_sessions(&self) -> BTreeSet<ChannelId> {
        let lost = self.lost.iter();
        lost.filter(|(_, reason)| **reason == LossReason::SessionRemoved)
            .map(|(usage, _)| usage.channel)
            .collect()
    }
}

/// Why a channel has to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EndReason {
    #[error("the session has ended")]
    SessionRemoved,
    #[error("the session has been revoked")]
    Revoked,
    #[error("the token has expired")]
    Expired,
    #[error("the identity has been deleted")]
    IdentityDeleted,
    #[error("the identity has been disabled")]
    IdentityDisabled,
}

/// Why a right is lost.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LossReason {
    #[error("no policy gives the right any more")]
    NotGranted,
    /// Ids of the checks that fail.
    #[error("posture checks fail")]
    Posture(BTreeSet<String>),
    #[error("the session for the service has been removed")]
    SessionRemoved,
}
