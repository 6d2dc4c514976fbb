//! What use cases tell, as subscribers get it.

mod accounts;
mod changes;
mod tokens;

use crate::fixture::Fixture;
use parking_lot::Mutex;
use portcullis_events::{Event, EventPublisher, Namespace, Subscription};
use serde_json::{Value, json};
use std::sync::Arc;

/// Keeps all events of some namespaces.
#[derive(Default)]
struct Recorder {
    wanted: Vec<Namespace>,
    /// Types of entities of which changes are not wanted.
    unwanted: Vec<&'static str>,
    events: Mutex<Vec<Event>>,
}

impl EventPublisher for Recorder {
    fn wants(&self, namespace: Namespace) -> bool {
        self.wanted.contains(&namespace)
    }

    fn wants_entities(&self, entity_type: &str, _is_parent: bool) -> bool {
        self.wants(Namespace::EntityChange) && !self.unwanted.contains(&entity_type)
    }

    fn publish(&self, event: Event) {
        self.events.lock().push(event);
    }
}

impl Recorder {
    /// Records the events of a controller from now on.
    fn attach(fixture: &Fixture, wanted: &[Namespace]) -> Arc<Self> {
        Self::attach_without(fixture, wanted, &[])
    }

    /// The same without changes of entities of some types.
    fn attach_without(
        fixture: &Fixture,
        wanted: &[Namespace],
        unwanted: &[&'static str],
    ) -> Arc<Self> {
        let recorder = Arc::new(Self {
            wanted: wanted.to_vec(),
            unwanted: unwanted.to_vec(),
            events: Mutex::default(),
        });
        fixture
            .app
            .attach_event_publisher(Arc::clone(&recorder) as _);
        recorder
    }

    /// The lines of all events so far for a subscription.
    fn lines(&self, event_type: &str, options: &Value) -> Vec<String> {
        let subscription = Subscription::new(event_type, options).unwrap();
        let events = self.events.lock();
        let lines = events.iter().flat_map(|event| subscription.lines(event));
        lines.map(|line| line.json).collect()
    }

    /// All events of a type so far.
    fn told(&self, event_type: &str) -> Vec<Value> {
        let lines = self.lines(event_type, &json!({}));
        lines
            .iter()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn clear(&self) {
        self.events.lock().clear();
    }
}

/// The value of a member of a line.
fn member<'v>(event: &'v Value, name: &str) -> &'v str {
    event[name].as_str().unwrap()
}
