//! Health of hosts, as they report it.

use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::HealthEvent;

use super::{HostTimer, Hosting, recipient};
use crate::edge::host_exchange::BindKey;
use crate::edge::names::TerminatorId;
use crate::time::after;

/// Pause between two reports to a controller about a terminator.
const INTERVAL: Duration = Duration::from_secs(1);

/// What a controller is to be told of the health of a terminator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Health {
    /// Nothing.
    #[default]
    Told,
    /// It was told a moment ago, and is told again when the pause is over.
    Paused { news: Option<bool> },
}

impl Hosting {
    /// Tells a controller of a health check, or later of the latest one, if there are too many.
    pub(super) fn health(&mut self, bind: BindKey, has_passed: bool, now: Timestamp) {
        let Some(terminator) = self.table.of_bind_mut(bind) else {
            return;
        };
        match &mut terminator.health {
            Health::Paused { news } => *news = Some(has_passed),
            Health::Told => {
                let id = terminator.id.clone();
                self.tell_health(&id, has_passed, now);
            },
        }
    }

    /// The pause is over.
    pub(super) fn health_is_due(&mut self, id: &TerminatorId, now: Timestamp) {
        let Some(terminator) = self.table.get_mut(id.as_str()) else {
            return;
        };
        if let Health::Paused {
            news: Some(has_passed),
        } = std::mem::take(&mut terminator.health)
        {
            self.tell_health(id, has_passed, now);
        }
    }

    fn tell_health(&mut self, id: &TerminatorId, has_passed: bool, now: Timestamp) {
        let Some(terminator) = self.table.get_mut(id.as_str()) else {
            return;
        };
        terminator.health = Health::Paused { news: None };
        let message = HealthEvent {
            session_token: terminator.token.clone(),
            fingerprints: terminator.fingerprints.to_vec(),
            terminator_id: id.as_str().to_owned(),
            has_passed,
            api_session_token: terminator.session.token.clone(),
        };
        let to = recipient(&terminator.session);
        self.timers
            .set(HostTimer::Health(id.clone()), after(now, INTERVAL));
        self.tell(to, ControlMessage::HealthEvent(message));
    }
}
