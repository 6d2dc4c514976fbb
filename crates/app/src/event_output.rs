//! Where the events of this controller go.

mod commits;
mod entity_changes;
mod sessions;
mod stored_form;

pub(crate) use commits::CommitEvents;
pub(crate) use entity_changes::entity_type;

use portcullis_domain::clock::Timestamp;
use portcullis_events::{Body, Event, EventPublisher, Namespace};
use std::sync::Arc;

/// Takes the events of this controller.
pub(crate) struct EventOutput {
    /// Id of the controller.
    pub(crate) source: Arc<str>,
    pub(crate) publisher: Arc<dyn EventPublisher>,
}

impl EventOutput {
    pub(crate) fn wants(&self, namespace: Namespace) -> bool {
        self.publisher.wants(namespace)
    }

    /// Whether somebody wants changes of entities of a type, or of the fabric's half of them.
    fn wants_entities(&self, entity_type: &str, is_parent: bool) -> bool {
        self.publisher.wants_entities(entity_type, is_parent)
    }

    pub(crate) fn publish_at(&self, time: Timestamp, body: Body) {
        let source = Arc::clone(&self.source);
        self.publisher.publish(Event { source, time, body });
    }
}

#[cfg(test)]
mod tests;
