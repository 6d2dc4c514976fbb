//! Events that follow from what is committed.

use super::{EventOutput, entity_changes, sessions};
use portcullis_domain::change::{Change, Transaction};
use portcullis_events::{Body, Namespace};
use portcullis_storage::engine::Observer;
use portcullis_storage::feed::CommitGroup;
use std::sync::Arc;

/// What follows from commits.
const NAMESPACES: [Namespace; 3] = [
    Namespace::ApiSession,
    Namespace::Session,
    Namespace::EntityChange,
];

impl EventOutput {
    /// Whether somebody wants to know what transactions change.
    pub(crate) fn wants_changes(&self) -> bool {
        NAMESPACES.iter().any(|namespace| self.wants(*namespace))
    }
}

/// Tells of sessions that begin and end, and of entities that change, whoever changes them: in the order of
/// the commits, and only of what is durable.
pub(crate) struct CommitEvents(pub(crate) Arc<EventOutput>);

impl Observer<Change> for CommitEvents {
    fn on_commit(&self, group: &Arc<CommitGroup<Change>>) {
        for (end, change) in group.changes.iter().enumerate() {
            if let Change::Transaction(transaction) = change {
                let begin = end.saturating_sub(transaction.changes);
                let changes = group.changes.get(begin..end).unwrap_or_default();
                self.publish(transaction, changes);
            }
        }
    }
}

impl CommitEvents {
    fn publish(&self, transaction: &Transaction, changes: &[Change]) {
        let Self(output) = self;
        let publish = |body| output.publish_at(transaction.time, body);
        for change in changes {
            let body = match change {
                Change::ApiSession(change) if output.wants(Namespace::ApiSession) => {
                    sessions::api_session(change).map(Body::ApiSession)
                },
                Change::Session(change) if output.wants(Namespace::Session) => {
                    sessions::session(change).map(Body::Session)
                },
                _ => None,
            };
            body.into_iter().for_each(publish);
        }
        if output.wants(Namespace::EntityChange) {
            let bodies = entity_changes::bodies(transaction, changes, output);
            bodies.into_iter().for_each(publish);
        }
    }
}
