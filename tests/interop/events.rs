//! Events of accounts in a file, as the section `events` of the controller's file asks for.

use portcullis_domain::clock::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use support::api::MANAGEMENT;
use support::tools::are_available;
use support::wait::{DEFAULT_TIMEOUT, until};
use support::{Api, TestDirectory, Tool};

/// A home whose controller writes the events of these subscriptions to `file`.
fn home_with_events(site: &TestDirectory, file: &Path, subscriptions: &Value) {
    assert!(site.quickstart().start().terminate().success());
    let config = site.home().join("controller.yml");
    let events = json!({"accounts": {
        "subscriptions": subscriptions,
        "handler": {"type": "file", "format": "json", "path": file},
    }});
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}\nevents: {events}\n")).unwrap();
}

/// The events so far; the last line may be half written.
fn events(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let lines = whole.lines().map(serde_json::from_str::<Value>);
    lines.map(|line| line.expect("each line is JSON")).collect()
}

/// The events so far of a file in which a crash may have left half a line.
fn events_beside_a_crash(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let lines = text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// The ids of what is told to be committed.
fn commits(events: &[Value]) -> Vec<String> {
    let commits = events
        .iter()
        .filter(|event| event["eventType"] == "committed");
    commits.map(|event| event["eventId"].to_string()).collect()
}

/// Waits for an event with these members.
fn expect(file: &Path, members: &Value) -> Value {
    let wanted = members.as_object().unwrap();
    let found = until(DEFAULT_TIMEOUT, || {
        let mut events = events(file).into_iter();
        let found = events.find(|event| wanted.iter().all(|(name, value)| event[name] == *value));
        found.ok_or("does not come")
    });
    found.unwrap_or_else(|_| panic!("no {members} in {:#?}", events(file)))
}

#[test]
fn what_accounts_do_is_written_to_the_file_without_their_secrets() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let file = site.file("events.json");
    let accounts = json!([
        {"type": "authentication"},
        {"type": "apiSession"},
        {"type": "entityChange", "include": ["identities"]},
    ]);
    home_with_events(&site, &file, &accounts);
    let controller = site.quickstart().start();
    let refused = Api::anonymous(&controller)
        .curl(&format!("{MANAGEMENT}/authenticate?method=password"))
        .json(
            "POST",
            &json!({"username": "admin", "password": "wrong-by-far"}),
        )
        .send();
    refused.expect_status(401);
    let admin = Api::admin(&controller);
    let made = admin.create_identity("laptop", &json!({"updb": "laptop"}));
    let id = made["id"].as_str().unwrap();
    admin
        .delete(&format!("/identities/{id}"))
        .expect_status(200);

    let failed = expect(
        &file,
        &json!({"namespace": "authentication", "event_type": "fail"}),
    );
    assert_eq!(failed["type"], "password", "{failed}");
    expect(
        &file,
        &json!({"namespace": "authentication", "event_type": "success", "success": true}),
    );
    expect(
        &file,
        &json!({"namespace": "apiSession", "event_type": "created"}),
    );
    let created =
        json!({"namespace": "entityChange", "eventType": "created", "entityType": "identities"});
    assert_eq!(expect(&file, &created)["finalState"]["name"], "laptop");
    let deleted =
        json!({"namespace": "entityChange", "eventType": "deleted", "entityType": "identities"});
    assert_eq!(expect(&file, &deleted)["initialState"]["id"], id);
    let text = fs::read_to_string(&file).unwrap();
    for secret in ["wrong-by-far", admin.token()] {
        assert!(!text.contains(secret), "{secret:?} is in the events");
    }
    let permissions = fs::metadata(&file).unwrap().permissions();
    assert_eq!(permissions.mode() & 0o777, 0o640);

    let moved = site.file("events.old");
    fs::rename(&file, &moved).unwrap();
    admin.create_identity("phone", &json!({"updb": "phone"}));
    assert_eq!(expect(&file, &created)["finalState"]["name"], "phone");
    assert!(controller.terminate().success());
}

/// The controller is killed when it has told of identities that were made.
#[test]
fn nothing_is_told_of_a_cluster_or_twice_after_a_crash() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let file = site.file("events.json");
    let subscriptions = json!([
        {"type": "cluster"},
        {"type": "entityChange", "include": ["identities"]},
    ]);
    home_with_events(&site, &file, &subscriptions);
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    for number in 0..5 {
        admin.create_identity(&format!("before-{number}"), &json!({"ott": true}));
    }
    let before = until(DEFAULT_TIMEOUT, || {
        let told = commits(&events(&file));
        if told.len() < 5 { Err(told) } else { Ok(told) }
    });
    let before = before.unwrap();
    controller.kill();
    let controller = site.quickstart().start();
    Api::admin(&controller).create_identity("after", &json!({"ott": true}));
    let events = until(DEFAULT_TIMEOUT, || {
        let events = events_beside_a_crash(&file);
        let mut changes = events.iter();
        let after = changes.find(|event| event["finalState"]["name"] == "after");
        let id = after.map(|event| event["eventId"].to_string());
        if id.is_some_and(|id| commits(&events).contains(&id)) {
            Ok(events)
        } else {
            Err(events)
        }
    });
    let events = events.unwrap();

    let of_cluster = events
        .iter()
        .filter(|event| event["namespace"] == "cluster");
    assert_eq!(of_cluster.count(), 0);
    let commits = commits(&events);
    let once: BTreeSet<_> = commits.iter().collect();
    assert_eq!(once.len(), commits.len(), "{commits:?}");
    assert!(before.iter().all(|id| once.contains(id)), "{before:?}");
    assert!(controller.terminate().success());
}

/// The line of a request of an identity to the controller; when and from which port is as the line itself says.
fn request_line(line: &str, identity: &str, host: &str) -> String {
    let event: Value = serde_json::from_str(line).unwrap();
    let [time, from, controller] = ["timestamp", "src_addr", "event_src_id"]
        .map(|name| event[name].as_str().unwrap_or_default());
    time.parse::<Timestamp>().unwrap();
    let from: SocketAddr = from.parse().unwrap();
    assert!(from.ip().is_loopback(), "{line}");
    format!(
        concat!(
            r#"{{"namespace":"connect","event_src_id":"{}","timestamp":"{}","src_type":"identity","#,
            r#""dst_type":"ctrl","src_id":"{}","src_addr":"{}","dst_id":"{}","dst_addr":"{}"}}"#
        ),
        controller, time, identity, from, controller, host
    )
}

#[test]
fn each_request_with_a_valid_session_is_written_as_a_connection() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let file = site.file("events.json");
    home_with_events(&site, &file, &json!([{"type": "connect"}]));
    let controller = site.quickstart().start();
    let host = controller.host_port().to_owned();
    // The login itself does not count: nobody is known before it.
    let admin = Api::admin(&controller);
    let stranger = admin.with_token("00000000-1111-2222-3333-444444444444");
    assert_eq!(stranger.get("/identities").status, 401);
    let anonymous = Api::anonymous(&controller);
    assert_eq!(anonymous.get("/identities").status, 401);
    anonymous.get("/version").expect_status(200);

    let session = admin.get("/current-api-session").expect_status(200).data();
    let identity = session["identityId"].as_str().unwrap();
    // So is a request that is refused for what it asks, and one that opens no channel.
    admin.get("/identities/nobody").expect_status(404);
    assert_eq!(admin.curl("/fabric/v1/ws-api").send().status, 400);
    assert!(controller.terminate().success());
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    for line in lines {
        assert_eq!(line, request_line(line, identity, &host));
    }
}
