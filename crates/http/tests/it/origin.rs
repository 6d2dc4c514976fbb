//! What events say of where a request came from.

use crate::controller::{Served, log_in};
use portcullis_events::{Event, EventPublisher, Namespace, Subscription};
use portcullis_testkit::tls_client::say;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// Keeps changes of entities.
#[derive(Default)]
struct Changes(Mutex<Vec<Event>>);

impl EventPublisher for Changes {
    fn wants(&self, namespace: Namespace) -> bool {
        namespace == Namespace::EntityChange
    }

    fn wants_entities(&self, _entity_type: &str, is_parent: bool) -> bool {
        !is_parent
    }

    fn publish(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

impl Changes {
    /// The source of the only change since the last call.
    fn take_source(&self) -> Value {
        let events = std::mem::take(&mut *self.0.lock().unwrap());
        let changes = Subscription::new("entityChange", &json!({})).unwrap();
        let lines = events.iter().flat_map(|event| changes.lines(event));
        let lines: Vec<_> = lines.collect();
        assert_eq!(lines.len(), 2, "one change, and that it is committed");
        let change: Value = serde_json::from_str(&lines.first().unwrap().json).unwrap();
        change.pointer("/metadata/source").unwrap().clone()
    }
}

#[tokio::test]
async fn changes_are_told_with_method_and_both_ends_of_their_request() {
    let served = Served::start(portcullis_http::routes::all()).await;
    let changes = Arc::new(Changes::default());
    served
        .app()
        .attach_event_publisher(Arc::clone(&changes) as _);
    log_in(&served).await;
    let login = changes.take_source();
    assert_eq!(
        (&login["method"], &login["localAddr"], login.get("auth")),
        (&json!("POST"), &json!("localhost"), None),
        "{login}"
    );
    let named = json!("ctrl.example.test:1280");
    for (url, host, told) in [
        ("", "ctrl.example.test:1280", &named),
        ("", "anna:hunter2@ctrl.example.test:1280", &named),
        (
            "https://anna:hunter2@ctrl.example.test:1280",
            "ctrl.example.test:1280",
            &named,
        ),
        ("", &*"x".repeat(300), &Value::Null),
    ] {
        let token = log_in(&served).await;
        changes.0.lock().unwrap().clear();
        let mut stream = served.connect().await;
        let local = stream.get_ref().0.local_addr().unwrap();
        let request = format!(
            "DELETE {url}/edge/client/v1/current-api-session HTTP/1.1\r\nHost: {host}\r\nzt-session: {token}\r\n\r\n"
        );
        let reply = say(&mut stream, request.as_bytes()).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let source = changes.take_source();
        assert_eq!(source["localAddr"], *told);
        assert_eq!(source["remoteAddr"], local.to_string());
        assert_eq!(
            (&source["type"], &source["auth"], &source["method"]),
            (&json!("rest"), &json!("edge"), &json!("DELETE"))
        );
    }
}
