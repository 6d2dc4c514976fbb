//! `ziti fabric stream events …`.

use super::{PATIENCE, Stage, stage};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;
use support::{Api, wait};

/// Follows events while something causes them, until they are as wanted.
fn follow(
    name: &str,
    flags: &[&str],
    cause: impl Fn(&Stage),
    is_enough: impl Fn(&[Value]) -> bool,
) {
    let Some(stage) = stage() else {
        return;
    };
    let line = [&["stream", "events"], flags].concat();
    let stream = stage.ziti.follows(&format!("stream-{name}"), &line);
    let heard = wait::until(PATIENCE, || {
        cause(stage);
        thread::park_timeout(Duration::from_millis(100));
        let logged = stream.logged();
        if is_enough(&events(&logged)) {
            Ok(())
        } else {
            Err(logged)
        }
    });
    heard.unwrap_or_else(|logged| panic!("{flags:?}: {logged}"));
}

/// What is logged beside other lines; the last may be half written.
fn events(logged: &str) -> Vec<Value> {
    let lines = logged.lines();
    let events = lines.filter_map(|line| serde_json::from_str(line).ok());
    let events = events.filter(|event: &Value| event["namespace"].is_string());
    events.collect()
}

/// Whether there are events of these namespaces, and of no others.
fn only<'n>(namespaces: &'n [&str]) -> impl Fn(&[Value]) -> bool + 'n {
    move |events| {
        are_of(events, namespaces);
        has(namespaces)(events)
    }
}

/// Fails if there are events of other namespaces.
fn are_of(events: &[Value], namespaces: &[&str]) {
    for event in events {
        let namespace = event["namespace"].as_str().unwrap();
        assert!(namespaces.contains(&namespace), "{event}");
    }
}

/// Whether there are events of these namespaces.
fn has<'n>(namespaces: &'n [&str]) -> impl Fn(&[Value]) -> bool + 'n {
    move |events| {
        let is_there = |namespace: &&str| events.iter().any(|it| it["namespace"] == **namespace);
        namespaces.iter().all(is_there)
    }
}

fn nothing(_stage: &Stage) {}

/// Changes an identity, each time in another way.
fn change(stage: &Stage) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let id = stage.overlay.id("identities", "client");
    let path = format!("/identities/{id}");
    let body = json!({"tags": {"number": number}});
    stage.overlay.admin.send("PATCH", &path, &body).data();
}

/// Everything that has an event at once.
fn all(stage: &Stage) {
    change(stage);
    stage.use_service();
}

#[test]
fn all_events() {
    let expected = ["circuit", "connect", "entityChange", "entityCount"];
    follow("all", &["--all"], all, has(&expected));
}

#[test]
fn all_events_without_a_flag() {
    let expected = ["circuit", "connect", "entityChange", "entityCount"];
    follow("without", &[], all, has(&expected));
}

/// Alerts and changes of a cluster have no cause here, and dials are told of minutes later, so one more shows that all of them
/// were subscribed to.
#[test]
fn alerts_cluster_and_services() {
    let flags = ["--alerts", "--cluster", "--services", "--circuits"];
    follow("rare", &flags, Stage::use_service, |events| {
        are_of(events, &["circuit", "service"]);
        has(&["circuit"])(events)
    });
}

#[test]
fn api_sessions() {
    let log_in = |stage: &Stage| drop(Api::admin(stage.controller));
    follow("logins", &["--api-sessions"], log_in, only(&["apiSession"]));
}

#[test]
fn circuits() {
    let flags = ["--circuits"];
    follow("circuits", &flags, Stage::use_service, |events| {
        let told = |kind: &str| events.iter().any(|event| event["event_type"] == kind);
        only(&["circuit"])(events) && told("created") && told("deleted")
    });
}

#[test]
fn connections() {
    follow("connect", &["--connect"], change, only(&["connect"]));
}

#[test]
fn entity_changes() {
    follow("changes", &["--entity-change"], change, |events| {
        let updated = |event: &Value| event["eventType"] == "updated";
        only(&["entityChange"])(events) && events.iter().any(updated)
    });
}

#[test]
fn entity_counts_at_an_interval() {
    let flags = ["--entity-counts", "--entity-counts-interval", "1s"];
    follow("counts", &flags, nothing, |events| {
        let are_counts = events.iter().all(|event| event["counts"]["routers"] == 2);
        only(&["entityCount"])(events) && are_counts && events.len() >= 3
    });
}

#[test]
fn metrics_of_one_source_that_a_filter_selects() {
    let Some(stage) = stage() else {
        return;
    };
    let source = format!("^{}$", stage.ours);
    let flags = [
        "--metrics",
        "--metrics-filter",
        r"^link\.latency\.p50$",
        "--metrics-source-filter",
        &source,
    ];
    follow("metrics", &flags, nothing, |events| {
        for event in events {
            assert_eq!(event["source_id"], *stage.ours, "{event}");
            assert_eq!(event["metric"], "link.latency", "{event}");
            let values = event["metrics"].as_object().unwrap();
            assert_eq!(values.keys().collect::<Vec<_>>(), ["p50"], "{event}");
        }
        only(&["metrics"])(events)
    });
}

#[test]
fn sessions() {
    let dial = |stage: &Stage| {
        let admin = &stage.overlay.admin;
        let own = admin.get("/current-identity").data()["id"].clone();
        let path = format!("/identities/{}", own.as_str().unwrap());
        let body = json!({"roleAttributes": ["client"]});
        admin.send("PATCH", &path, &body).data();
        let body = json!({"serviceId": stage.overlay.id("services", "echo"), "type": "Dial"});
        let path = "/edge/client/v1/sessions";
        let made = admin.curl(path).json("POST", &body).send().data();
        let id = made["id"].as_str().unwrap();
        let delete = ["--request", "DELETE"];
        let deleted = admin.curl(&format!("{path}/{id}")).arguments(delete).send();
        deleted.expect_status(200);
    };
    follow("sessions", &["--sessions"], dial, |events| {
        let told = |kind: &str| events.iter().any(|event| event["event_type"] == kind);
        only(&["session"])(events) && told("created") && told("deleted")
    });
}

/// Which version is asked for, and what its events are known by.
fn follow_usage(name: &str, flags: &[&str], version: u8, is_of_version: impl Fn(&Value) -> bool) {
    let flags = [&["--usage"], flags].concat();
    follow(name, &flags, Stage::use_service, |events| {
        for event in events {
            assert!(
                event["version"] == version && is_of_version(event),
                "{event}"
            );
        }
        only(&["usage"])(events)
    });
}

#[test]
fn usage() {
    let has_all = |event: &Value| event["usage"].is_object();
    follow_usage("usage", &[], 3, has_all);
    follow_usage("usage-3", &["--usage-version", "3"], 3, has_all);
}

#[test]
fn usage_of_version_2() {
    let is_one = |event: &Value| {
        let kind = event["event_type"].as_str().unwrap_or_default();
        kind.starts_with("usage.") && event["usage"].is_u64()
    };
    follow_usage("usage-2", &["--usage-version", "2"], 2, is_one);
}
