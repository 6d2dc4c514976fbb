//! The SDK follows its services and its posture.

use portcullis_wire::edge::{EdgeMessage, PostureStateChange, ServiceChangeSet};

use super::SdkChannel;
use crate::edge::action::Action;

impl SdkChannel {
    /// Sends all services of the identity, in answer to [`Action::SendServices`]. A state of its posture
    /// is asked for next.
    pub fn send_snapshot(&mut self, snapshot: ServiceChangeSet) {
        match self.services.snapshot(snapshot) {
            Some(all) if all.is_empty() => {},
            Some(all) => {
                for set in all {
                    self.send(EdgeMessage::ServiceChangeSet(set));
                }
                self.actions.push_back(Action::SendPosture);
            },
            None => self.subscribe(),
        }
    }

    /// Sends changes, if the SDK has subscribed and does not have them.
    pub fn send_changes(&mut self, changes: ServiceChangeSet) {
        let defines_checks = !changes.posture_checks.is_empty();
        if let Some(changes) = self.services.changes(changes) {
            self.send(EdgeMessage::ServiceChangeSet(changes));
            if defines_checks {
                self.actions.push_back(Action::SendPosture);
            }
        }
    }

    /// Sends a state of posture, if the SDK has subscribed. Its sequence number is set here.
    pub fn send_posture(&mut self, posture: PostureStateChange) {
        if let Some(posture) = self.services.posture(posture) {
            self.send(EdgeMessage::PostureStateChange(posture));
        }
    }

    pub(super) fn subscribe(&mut self) {
        if self.services.begin() {
            self.actions.push_back(Action::SendServices);
        }
    }

    pub(super) fn unsubscribe(&mut self) {
        if self.services.end() {
            self.actions.push_back(Action::StopServices);
        }
    }
}
