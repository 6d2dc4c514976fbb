//! What the audit trail of a controller tells, from where it is committed.

use crate::support::{create, edit, get, ott_enrollment, send, text};
use http::Method;
use portcullis_app::audit::{AuditEvent, AuditSink, AuditWriter};
use portcullis_domain::identity::Identity;
use portcullis_storage::tables::{AuditBacklog, Index, Rows, events_from};
use portcullis_testkit::{ADMIN, Harness, HarnessOptions, PASSWORD};
use serde_json::{Value, json};
use std::cell::Cell;
use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// The events that a controller commits from some moment on.
pub(crate) struct AuditTrail<'h> {
    controller: &'h Harness,
    next: Cell<u64>,
}

impl<'h> AuditTrail<'h> {
    /// Begins with what is committed from now on.
    pub(crate) fn of(controller: &'h Harness) -> Self {
        let view = controller.engine.snapshot().unwrap();
        let backlog = AuditBacklog::read(Rows::new(&*view)).unwrap();
        Self {
            controller,
            next: Cell::new(backlog.next_row),
        }
    }

    /// The events since it was asked last.
    pub(crate) fn events(&self) -> Vec<Value> {
        let view = self.controller.engine.snapshot().unwrap();
        let mut events = Vec::new();
        events_from(
            Rows::new(&*view),
            self.next.get(),
            &mut |row, seq, lines| {
                for (seq, line) in (seq..).zip(lines.lines()) {
                    let mut event: Value = serde_json::from_str(line).unwrap();
                    event["seq"] = json!(seq);
                    events.push(event);
                }
                self.next.set(row + 1);
                ControlFlow::Continue(())
            },
        )
        .unwrap();
        events
    }

    /// What was done, and to what, since it was asked last.
    pub(crate) fn told(&self) -> Vec<(String, String)> {
        let events = self.events().into_iter();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        events
            .map(|event| (text(&event["operation"]), text(&event["entity"])))
            .collect()
    }
}

#[tokio::test]
async fn a_change_is_told_with_values_names_and_actor() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let trail = AuditTrail::of(&controller);
    let id = create(&controller, &admin, "laptop", ott_enrollment()).await;
    let [made, enrollment] = trail.events().try_into().unwrap();
    assert_eq!(
        (&made["operation"], &made["entity"], &made["entityName"]),
        (&json!("identity.create"), &json!(id), &json!("laptop"))
    );
    assert_eq!(made["actorName"], ADMIN);
    assert_eq!(made["source"], "127.0.0.1");
    for member in ["actor", "session", "request", "timestamp"] {
        assert!(!text(&made, member).is_empty(), "{made}");
    }
    assert_eq!(made["changes"]["name"], json!({"new": "laptop"}));
    assert_eq!(
        (
            &enrollment["operation"],
            &enrollment["owner"],
            &enrollment["ownerName"]
        ),
        (&json!("enrollment.create"), &json!(id), &json!("laptop"))
    );
    for secret in ["token", "jwt", "token_hash"] {
        assert_eq!(enrollment["changes"][secret], "changed", "{enrollment}");
    }

    let path = format!("/identities/{id}");
    let body = json!({"isAdmin": true, "tags": {"site": "berlin"}});
    let reply = send(&controller, &admin, (Method::PATCH, &path), &body).await;
    assert_eq!(reply.status, 200);
    let events = trail.events();
    let changes = json!({
        "is_admin": {"new": true},
        "tags.site": {"new": "berlin"},
    });
    assert_eq!(events[0]["operation"], "identity.merge");
    assert_eq!(events[0]["changes"], changes);
    // The pending enrollment of somebody who rises opens nothing any more, which is told too.
    assert_eq!(events[1]["changes"], json!({"is_outgrown": {"new": true}}));

    let reply = controller
        .manage(Method::DELETE, &path, &admin)
        .send()
        .await;
    assert_eq!(reply.status, 200);
    let told = trail.told();
    assert_eq!(told[0], ("identity.delete".to_owned(), id));
    assert_eq!(told[1].0, "enrollment.delete");
}

#[tokio::test]
async fn numbers_have_no_gaps_and_refused_changes_no_event() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let trail = AuditTrail::of(&controller);
    create(&controller, &admin, "one", json!({})).await;
    let body = json!({"name": "one", "isAdmin": false, "type": "Default"});
    let reply = send(&controller, &admin, (Method::POST, "/identities"), &body).await;
    assert_eq!(reply.status, 400);
    create(&controller, &admin, "two", json!({})).await;
    let numbers: Vec<u64> = trail
        .events()
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers.len(), 2);
    assert_eq!(numbers[0] + 1, numbers[1]);
}

#[tokio::test]
async fn bookkeeping_is_no_event() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    controller.user(&admin, "user", json!({})).await;
    let trail = AuditTrail::of(&controller);
    let wrong = json!({"username": "user", "password": "wrong"});
    let login = controller.request(Method::POST, "/authenticate?method=password");
    assert_eq!(login.json(&wrong).send().await.status, 401);
    portcullis_app::sessions::flush_activity(&controller.app)
        .await
        .unwrap();
    assert_eq!(trail.told(), []);
}

/// A sink that hands on what it takes.
struct Taken(Sender<AuditEvent>, Option<u64>);

impl AuditSink for Taken {
    fn last_seq(&self) -> Option<u64> {
        self.1
    }

    fn write(&mut self, events: &[AuditEvent]) -> io::Result<()> {
        for event in events {
            self.0.send(event.clone()).unwrap();
        }
        Ok(())
    }
}

const PATIENCE: Duration = Duration::from_mins(1);

#[tokio::test]
async fn what_was_not_written_is_written_by_the_next_writer() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    create(&controller, &admin, "laptop", json!({})).await;
    let before = {
        let view = controller.engine.snapshot().unwrap();
        AuditBacklog::read(Rows::new(&*view)).unwrap()
    };
    for (has, first) in [(None, 1), (Some(2), 3)] {
        let (taken, has_taken) = channel();
        let sink = Box::new(Taken(taken, has));
        let writer = AuditWriter::start(controller.app.clone(), sink).unwrap();
        assert!(writer.stop(PATIENCE).await);
        let numbers: Vec<_> = has_taken.try_iter().filter_map(|event| event.seq).collect();
        let expected: Vec<_> = (first..before.next_seq).collect();
        assert_eq!(numbers, expected);
    }
    portcullis_app::audit::forget_written(&controller.app)
        .await
        .unwrap();
    let view = controller.engine.snapshot().unwrap();
    let after = AuditBacklog::read(Rows::new(&*view)).unwrap();
    assert_eq!(after.first_row, before.next_row);
    assert_eq!(after.next_seq, before.next_seq);
}

#[tokio::test]
async fn a_sink_that_lacks_events_is_told_so() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let sink = |has| {
        let (taken, has_taken) = channel();
        let sink = Box::new(Taken(taken, Some(has)));
        (sink, has_taken)
    };
    let (first, _all) = sink(0);
    let writer = AuditWriter::start(controller.app.clone(), first).unwrap();
    assert!(writer.stop(PATIENCE).await);
    portcullis_app::audit::forget_written(&controller.app)
        .await
        .unwrap();
    create(&controller, &admin, "laptop", json!({})).await;
    // One event before the last one was cut off.
    let next = AuditTrail::of(&controller);
    let view = next.controller.engine.snapshot().unwrap();
    let last = AuditBacklog::read(Rows::new(&*view)).unwrap().next_seq - 1;
    let (second, has_taken) = sink(last - 2);
    let writer = AuditWriter::start(controller.app.clone(), second).unwrap();
    assert!(writer.stop(PATIENCE).await);
    let told: Vec<AuditEvent> = has_taken.try_iter().collect();
    let missing: Value = serde_json::from_str(&told[0].text).unwrap();
    assert_eq!(missing["operation"], "audit.missing");
    assert_eq!(
        (&missing["first"], &missing["last"]),
        (&json!(last - 1), &json!(last - 1))
    );
    assert_eq!(told[1].seq, Some(last));
}

/// Refusals that a writer hands on.
async fn refusals(controller: &Harness) -> Vec<Value> {
    let (taken, has_taken) = channel();
    let sink = Box::new(Taken(taken, None));
    let writer = AuditWriter::start(controller.app.clone(), sink).unwrap();
    assert!(writer.stop(PATIENCE).await);
    has_taken
        .try_iter()
        .filter(|event| event.seq.is_none())
        .map(|event| serde_json::from_str(&event.text).unwrap())
        .collect()
}

#[tokio::test]
async fn refused_logins_and_denied_requests_are_told_within_limits() {
    let controller = Harness::start_with(HarnessOptions::default()).await;
    let admin = controller.admin().await;
    let user = controller.user(&admin, "user", json!({})).await;
    let wrong = json!({"username": "nobody", "password": PASSWORD});
    let login = controller.request(Method::POST, "/authenticate?method=password");
    assert_eq!(login.json(&wrong).send().await.status, 401);
    assert_eq!(get(&controller, &user, "/identities").await.status, 401);
    assert_eq!(
        get(&controller, "no-token-of-anybody", "/identities/x")
            .await
            .status,
        401
    );
    let [login, denied, stranger] = refusals(&controller).await.try_into().unwrap();
    assert_eq!(
        (&login["operation"], &login["way"], &login["name"]),
        (
            &json!("login.refused"),
            &json!("password"),
            &json!("nobody")
        )
    );
    assert_eq!(
        (&denied["operation"], &denied["actorName"], &denied["path"]),
        (
            &json!("access.denied"),
            &json!("user"),
            &json!("/identities")
        )
    );
    assert_eq!(
        (&stranger["operation"], &stranger["path"]),
        (&json!("access.denied"), &json!("/identities/{id}"))
    );
    assert!(stranger.get("actor").is_none(), "{stranger}");

    controller
        .clock
        .advance(portcullis_domain::clock::SignedDuration::from_secs(1));
    for _ in 0..50 {
        get(&controller, "no-token-of-anybody", "/identities").await;
    }
    controller
        .clock
        .advance(portcullis_domain::clock::SignedDuration::from_secs(1));
    let told = refusals(&controller).await;
    let (summed, whole): (Vec<_>, Vec<_>) = told
        .iter()
        .partition(|event| event["operation"] == "audit.suppressed");
    let [summed] = summed.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!(summed["source"], "127.0.0.1");
    assert_eq!(
        summed["suppressed"].as_u64().unwrap() + whole.len() as u64,
        50
    );
}

#[tokio::test]
async fn what_is_done_by_the_controller_names_it() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    edit(
        &controller,
        Index::IdentityName,
        ADMIN,
        |one: &mut Identity| {
            one.spec.tags = portcullis_domain::tags::Tags::default();
        },
    )
    .await;
    let trail = AuditTrail::of(&controller);
    controller
        .clock
        .advance(portcullis_domain::clock::SignedDuration::from_hours(1));
    assert_eq!(
        portcullis_app::sessions::sweep(&controller.app)
            .await
            .unwrap(),
        1
    );
    let [event] = trail.events().try_into().unwrap();
    assert_eq!(event["operation"], "api-session.expire");
    assert_eq!(
        (&event["actor"], &event["ownerName"]),
        (&json!("controller"), &json!(ADMIN))
    );
    drop(admin);
}
