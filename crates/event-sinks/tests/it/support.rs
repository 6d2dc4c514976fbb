//! Events, and waiting for what threads do.

use portcullis_event_sinks::{EventBus, EventSinks, FileSettings, SinkOutput, SinkSettings};
use portcullis_events::{Body, Event, RouterStatus, SdkStatus, SdkStatusKind, Subscription};
use portcullis_system::SystemClock;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) fn event(body: Body) -> Event {
    Event {
        source: "c1".into(),
        time: "2026-11-22T23:11:09.5Z".parse().expect("it is a time"),
        body,
    }
}

/// A router of this number is there.
pub(crate) fn router(number: usize) -> Event {
    event(Body::Router(RouterStatus {
        router_id: number.to_string().into(),
        is_online: true,
    }))
}

/// An identity of this number is there.
pub(crate) fn sdk(number: usize) -> Event {
    event(Body::Sdk(SdkStatus {
        kind: SdkStatusKind::Online,
        identity_id: number.to_string().into(),
    }))
}

pub(crate) fn subscription(event_type: &str) -> Subscription {
    subscription_with(event_type, &json!({}))
}

pub(crate) fn subscription_with(event_type: &str, options: &Value) -> Subscription {
    Subscription::new(event_type, options).expect("it is a subscription")
}

/// Number of the router or the identity that a line is about.
pub(crate) fn number(line: &str) -> usize {
    let event: Value = serde_json::from_str(line).expect("a line is one object");
    let id = event.get("router_id").or_else(|| event.get("identity_id"));
    let id = id.and_then(Value::as_str).expect("it has an id");
    id.parse().expect("ids are numbers")
}

pub(crate) fn sink(name: &str, capacity: usize, output: SinkOutput) -> SinkSettings {
    SinkSettings {
        name: name.to_owned(),
        subscriptions: vec![subscription("router")],
        capacity,
        output,
    }
}

pub(crate) fn file(path: &Path) -> SinkOutput {
    SinkOutput::File(FileSettings {
        path: path.to_owned(),
        max_bytes: u64::MAX,
        max_backups: None,
    })
}

pub(crate) fn start(bus: &EventBus, sinks: Vec<SinkSettings>) -> EventSinks {
    let clock: Arc<dyn portcullis_domain::clock::Clock> = Arc::new(SystemClock);
    EventSinks::start(bus, sinks, &clock).expect("threads can be started")
}

/// Waits until something holds.
pub(crate) async fn until(mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "it never holds"
        );
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
