//! Who subscribes to events, and remembers what it was told.

use parking_lot::Mutex;
use portcullis_events::{Event, EventPublisher, Namespace, Subscription};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

#[derive(Default)]
pub(crate) struct Recorder {
    wanted: Mutex<Vec<Subscription>>,
    lines: Mutex<Vec<String>>,
    /// Number of events, wanted or not.
    published: AtomicUsize,
    added: Notify,
}

impl EventPublisher for Recorder {
    fn wants(&self, namespace: Namespace) -> bool {
        let wanted = self.wanted.lock();
        wanted.iter().any(|wanted| wanted.namespace() == namespace)
    }

    fn wants_entities(&self, entity_type: &str, is_parent: bool) -> bool {
        let wanted = self.wanted.lock();
        let mut wanted = wanted.iter();
        wanted.any(|wanted| wanted.wants_entities(entity_type, is_parent))
    }

    fn publish(&self, event: Event) {
        self.published.fetch_add(1, Ordering::Relaxed);
        for wanted in self.wanted.lock().iter() {
            let lines = wanted.lines(&event).into_iter();
            self.lines.lock().extend(lines.map(|line| line.json));
        }
        self.added.notify_one();
    }
}

impl Recorder {
    pub(crate) fn want(&self, event_type: &str, options: &Value) {
        let subscription = Subscription::new(event_type, options).unwrap();
        self.wanted.lock().push(subscription);
    }

    pub(crate) fn published(&self) -> usize {
        self.published.load(Ordering::Relaxed)
    }

    /// What was told so far, and not taken.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lines.lock())
    }

    /// Takes what is told, once it is so many lines.
    pub(crate) async fn next(&self, count: usize) -> Vec<String> {
        let waiting = async {
            while self.lines.lock().len() < count {
                self.added.notified().await;
            }
        };
        let is_enough = timeout(Duration::from_secs(20), waiting).await.is_ok();
        let told = self.take();
        assert!(
            is_enough && told.len() == count,
            "{count} expected: {told:#?}"
        );
        told
    }
}

/// A line without what the clock decides.
pub(crate) fn timeless(line: &str) -> String {
    let mut line = line.to_owned();
    for (name, end) in [
        ("\"timestamp\":\"", '"'),
        ("\"creation_timespan\":", ','),
        ("\"duration\":", ','),
    ] {
        if let Some(start) = line.find(name) {
            let start = start + name.len();
            let length = line[start..].find(end).unwrap();
            line.replace_range(start..start + length, "T");
        }
    }
    line
}
