//! Events from use cases to whoever wants them.

use super::App;
use crate::event_output::{CommitEvents, EventOutput};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::{self, EntropyError};
use portcullis_events::{Body, EventPublisher, Namespace};
use std::sync::Arc;

impl App {
    /// Attaches what takes events, for the rest of the process. Only the first call counts; before it, nobody
    /// wants events.
    pub fn attach_event_publisher(&self, publisher: Arc<dyn EventPublisher>) {
        self.event_output.get_or_init(|| {
            let output = Arc::new(EventOutput {
                source: self.network.serving_state().controller.id.as_str().into(),
                publisher,
            });
            self.engine
                .observe(Arc::new(CommitEvents(Arc::clone(&output))));
            output
        });
    }

    /// An id for a transaction, if somebody wants to know what it changes.
    pub(super) fn transaction_id(&self) -> Result<Option<String>, EntropyError> {
        let output = self.event_output.get();
        let is_told = output.is_some_and(|output| output.wants_changes());
        is_told
            .then(|| entropy::uuid(&*self.env.entropy))
            .transpose()
    }

    /// Whether somebody wants events of the namespace.
    pub fn wants_events(&self, namespace: Namespace) -> bool {
        let output = self.event_output.get();
        output.is_some_and(|output| output.wants(namespace))
    }

    /// Publishes what happens now, if somebody wants events of the namespace; `body` is made only then.
    pub fn publish(&self, namespace: Namespace, body: impl FnOnce() -> Body) {
        if self.wants_events(namespace) {
            self.publish_at(self.env.now(), body());
        }
    }

    /// Publishes what happened at `time`.
    pub fn publish_at(&self, time: Timestamp, body: Body) {
        if let Some(output) = self.event_output.get() {
            output.publish_at(time, body);
        }
    }
}
