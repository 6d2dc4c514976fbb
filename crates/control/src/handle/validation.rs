//! Which of its terminators a router still has.

use super::Handler;
use super::retry::Attempt;
use crate::validation::RouterTerminator;
use portcullis_app::hosting;
use portcullis_domain::ids::TerminatorId;
use portcullis_wire::control::terminator::ValidatedTerminators;
use std::sync::Arc;

impl Handler {
    /// Asks the router which of its terminators it has.
    pub(super) fn validate_terminators(&self) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        self.until_done(move || {
            let listed = hosting::list_for_router(&plane.app, &session.router);
            let attempt = match listed {
                Ok(terminators) => {
                    let listed = terminators.into_iter().map(|terminator| RouterTerminator {
                        id: terminator.id,
                        binding: terminator.binding,
                        address: terminator.address,
                    });
                    session.expect_terminators(listed, plane.now());
                    Attempt::Done
                },
                Err(error) => {
                    tracing::warn!(router = %session.id(), %error, "terminators are not validated yet");
                    Attempt::Again
                },
            };
            std::future::ready(attempt)
        });
    }

    /// A router has said which of its terminators it has. The others are removed; it is asked again
    /// about those that the store still has.
    pub(super) fn handle_validated_terminators(&self, states: &ValidatedTerminators) {
        let invalid = self.session.confirm_terminators(states);
        if invalid.is_empty() {
            return;
        }
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        self.later(async move {
            let ids: Vec<TerminatorId> = invalid.iter().map(|each| each.id.clone()).collect();
            match hosting::remove_invalid(&plane.app, session.id(), &ids).await {
                Ok(count) => {
                    tracing::info!(router = %session.id(), count, "terminators that their router does not have were removed");
                },
                Err(error) => {
                    tracing::warn!(router = %session.id(), %error, "terminators that their router does not have are not removed yet");
                    for terminator in invalid {
                        session.expect_terminator(terminator, plane.now());
                    }
                },
            }
        });
    }
}
