//! What the audit trail of a controller tells, from where it is committed.

use crate::support::{create, edit_entity, get, ott_enrollment, send, text};
use http::Method;
use portcullis_app::audit::{AuditEvent, AuditSink, AuditWriter, SinkPosition};
use portcullis_domain::identity::Identity;
use portcullis_storage::tables::{AuditBacklog, Rows, UniqueIndex, events_from};
use portcullis_testkit::{ADMIN, AuditTrail, Harness, HarnessOptions, PASSWORD};
use serde_json::{Value, json};
use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

#[tokio::test]
async fn a_change_is_told_with_values_names_and_actor() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let trail = AuditTrail::from_now(&controller);
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
    for secret in ["token", "jwt", "tokenHash"] {
        assert_eq!(enrollment["changes"][secret], "changed", "{enrollment}");
    }

    let path = format!("/identities/{id}");
    let body = json!({"isAdmin": true, "tags": {"site": "berlin"}});
    let reply = send(&controller, &admin, (Method::PATCH, &path), &body).await;
    assert_eq!(reply.status, 200);
    let events = trail.events();
    let changes = json!({
        "isAdmin": {"old": false, "new": true},
        "tags.site": {"new": "berlin"},
    });
    assert_eq!(events[0]["operation"], "identity.merge");
    assert_eq!(events[0]["changes"], changes);
    // The pending enrollment of somebody who rises opens nothing any more, which is told too.
    assert_eq!(
        events[1]["changes"],
        json!({"isOutgrown": {"old": false, "new": true}})
    );

    let reply = controller
        .manage(Method::DELETE, &path, &admin)
        .send()
        .await;
    assert_eq!(reply.status, 200);
    let told = trail.operations();
    assert_eq!(told[0], ("identity.delete".to_owned(), id));
    assert_eq!(told[1].0, "enrollment.delete");
}

#[tokio::test]
async fn numbers_have_no_gaps_and_refused_changes_no_event() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let trail = AuditTrail::from_now(&controller);
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
    controller.create_user(&admin, "user", json!({})).await;
    let trail = AuditTrail::from_now(&controller);
    let wrong = json!({"username": "user", "password": "wrong"});
    let login = controller.request(Method::POST, "/authenticate?method=password");
    assert_eq!(login.json(&wrong).send().await.status, 401);
    portcullis_app::sessions::flush_activity(&controller.app)
        .await
        .unwrap();
    assert_eq!(trail.operations(), []);
}

/// A sink that hands on what it takes.
struct Taken(Sender<AuditEvent>, Option<SinkPosition>);

/// That of a sink of an earlier version, which knows a number alone.
fn at(seq: u64) -> SinkPosition {
    SinkPosition {
        is_empty: seq == 0,
        seq,
        ..SinkPosition::default()
    }
}

impl AuditSink for Taken {
    fn position(&self) -> Option<SinkPosition> {
        self.1.clone()
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
        let sink = Box::new(Taken(taken, has.map(at)));
        let writer = AuditWriter::start(controller.app.clone(), sink).unwrap();
        assert!(writer.stop(PATIENCE).await);
        let numbers: Vec<_> = has_taken.try_iter().filter_map(|event| event.seq).collect();
        let expected: Vec<_> = (first..before.next_seq).collect();
        assert_eq!(numbers, expected);
    }
    portcullis_app::audit::trim_written(&controller.app)
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
        let sink = Box::new(Taken(taken, Some(at(has))));
        (sink, has_taken)
    };
    let (first, _all) = sink(0);
    let writer = AuditWriter::start(controller.app.clone(), first).unwrap();
    assert!(writer.stop(PATIENCE).await);
    portcullis_app::audit::trim_written(&controller.app)
        .await
        .unwrap();
    create(&controller, &admin, "laptop", json!({})).await;
    // One event before the last one was cut off.
    let view = controller.engine.snapshot().unwrap();
    let last = AuditBacklog::read(Rows::new(&*view)).unwrap().next_seq - 1;
    let (second, has_taken) = sink(last - 2);
    let writer = AuditWriter::start(controller.app.clone(), second).unwrap();
    assert!(writer.stop(PATIENCE).await);
    let told: Vec<AuditEvent> = has_taken.try_iter().collect();
    let trail: Value = serde_json::from_str(&told[0].text).unwrap();
    assert_eq!(trail["operation"], "audit.trail");
    let missing: Value = serde_json::from_str(&told[1].text).unwrap();
    assert_eq!(missing["operation"], "audit.missing");
    assert_eq!(
        (&missing["first"], &missing["last"]),
        (&json!(last - 1), &json!(last - 1))
    );
    assert_eq!(told[2].seq, Some(last));
}

/// What a sink that has come to `position` gets from a writer.
async fn told_to(controller: &Harness, position: SinkPosition) -> Vec<(Option<u64>, Value)> {
    let (taken, has_taken) = channel();
    let sink = Box::new(Taken(taken, Some(position)));
    let writer = AuditWriter::start(controller.app.clone(), sink).unwrap();
    assert!(writer.stop(PATIENCE).await);
    let events = has_taken.try_iter();
    events
        .map(|event| (event.seq, serde_json::from_str(&event.text).unwrap()))
        .collect()
}

#[tokio::test]
async fn a_sink_that_lacks_the_end_is_told_so_at_once() {
    let controller = Harness::start().await;
    controller.admin().await;
    let told = told_to(&controller, at(0)).await;
    let (last, _) = told.last().unwrap().clone();
    let last = last.unwrap();
    assert_eq!(told[0].1["operation"], "audit.begin");
    portcullis_app::audit::trim_written(&controller.app)
        .await
        .unwrap();
    // Nothing waits, and nothing happens any more.
    let told = told_to(&controller, at(last - 2)).await;
    let (_, missing) = told.last().unwrap();
    assert_eq!(
        (&missing["operation"], &missing["first"], &missing["last"]),
        (&json!("audit.missing"), &json!(last - 1), &json!(last))
    );
}

#[tokio::test]
async fn a_sink_with_other_events_under_the_same_numbers_gets_everything() {
    let controller = Harness::start().await;
    controller.admin().await;
    let told = told_to(&controller, at(0)).await;
    let trail = text(&told[0].1, "trail").to_owned();
    let trail = trail.as_str();
    let numbers: Vec<_> = told.iter().filter_map(|(seq, _)| *seq).collect();
    let last = *numbers.last().unwrap();
    let reached = |trail: &str, seq, digest| SinkPosition {
        is_empty: false,
        trail: Some(trail.to_owned()),
        seq,
        digest: Some(digest),
    };
    // Its own, to which there is nothing to add.
    let own = AuditEvent::digest(&committed_text(&controller, last));
    assert_eq!(told_to(&controller, reached(trail, last, own)).await, []);
    let foreign = [("of another store", "another", last, own)];
    let copies = [
        ("ahead of the store", "this", last + 5, own),
        ("with another event", "this", last, [7; 32]),
    ];
    let mut trail = trail.to_owned();
    for (what, of, seq, digest) in foreign.into_iter().chain(copies) {
        let is_copy = of != "another";
        let of = if is_copy {
            trail.clone()
        } else {
            of.to_owned()
        };
        let told = told_to(&controller, reached(&of, seq, digest)).await;
        let (_, restart) = &told[0];
        assert_eq!(
            (&restart["operation"], &restart["next"]),
            (&json!("audit.restart"), &json!(numbers[0])),
            "{what}"
        );
        let sent: Vec<_> = told.iter().filter_map(|(seq, _)| *seq).collect();
        assert_eq!(sent, numbers, "{what}: nothing is dropped");
        let named = text(restart, "trail");
        assert_eq!(named != trail, is_copy, "{what}: a copy is another trail");
        named.clone_into(&mut trail);
    }
}

/// An event as a sink gets it.
fn committed_text(controller: &Harness, wanted: u64) -> String {
    let view = controller.engine.snapshot().unwrap();
    let mut found = String::new();
    events_from(Rows::new(&*view), 0, &mut |_row, seq, lines| {
        for (seq, line) in (seq..).zip(lines.lines()).filter(|(seq, _)| *seq == wanted) {
            found = format!("{{\"seq\":{seq},{}", line.strip_prefix('{').unwrap());
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    found
}

/// A sink whose disk fails once.
struct Failing {
    told: Sender<AuditEvent>,
    fails: bool,
    panics: bool,
}

impl AuditSink for Failing {
    fn write(&mut self, events: &[AuditEvent]) -> io::Result<()> {
        assert!(!self.panics, "a bug in the sink");
        for event in events {
            self.told.send(event.clone()).unwrap();
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.fails) {
            return Err(io::Error::other("the disk fails"));
        }
        Ok(())
    }
}

#[tokio::test]
async fn what_a_failed_sync_may_have_lost_is_written_once_more() {
    let controller = Harness::start().await;
    controller.admin().await;
    let wrong = json!({"username": "nobody", "password": PASSWORD});
    let login = controller.request(Method::POST, "/authenticate?method=password");
    assert_eq!(login.json(&wrong).send().await.status, 401);
    let (told, has_told) = channel();
    let sink = Failing {
        told,
        fails: true,
        panics: false,
    };
    let writer = AuditWriter::start(controller.app.clone(), Box::new(sink)).unwrap();
    let mut numbers = Vec::new();
    let mut refusals = 0;
    // Everything twice: before the disk failed and after.
    while refusals < 2 || numbers.iter().filter(|seq| **seq == 1).count() < 2 {
        let event = has_told.recv_timeout(PATIENCE).unwrap();
        match event.seq {
            Some(seq) => numbers.push(seq),
            None => refusals += 1,
        }
    }
    assert!(writer.stop(PATIENCE).await);
}

#[tokio::test]
async fn a_writer_that_fails_says_so() {
    let controller = Harness::start().await;
    controller.admin().await;
    let (told, _has_told) = channel();
    let sink = Failing {
        told,
        fails: false,
        panics: true,
    };
    let writer = AuditWriter::start(controller.app.clone(), Box::new(sink)).unwrap();
    assert!(!writer.stop(PATIENCE).await);
    let fault = portcullis_app::audit::find_problem(&controller.app).unwrap();
    assert!(fault.contains("restart the controller"), "{fault}");

    let (told, _has_told) = channel();
    let sink = Failing {
        told,
        fails: true,
        panics: false,
    };
    let writer = AuditWriter::start(controller.app.clone(), Box::new(sink)).unwrap();
    assert!(!writer.stop(PATIENCE).await, "the last sync failed");
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
    let user = controller.create_user(&admin, "user", json!({})).await;
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
            &json!("/edge/management/v1/identities")
        )
    );
    assert_eq!(
        (&stranger["operation"], &stranger["path"]),
        (
            &json!("access.denied"),
            &json!("/edge/management/v1/identities/{id}")
        )
    );
    assert!(stranger.get("actor").is_none(), "{stranger}");
    let reason = text(&denied, "reason");
    assert!(reason.ends_with("the permission identity.read"), "{reason}");
    assert_eq!(stranger["reason"], "no valid session");

    controller
        .clock
        .advance(portcullis_domain::clock::SignedDuration::from_secs(1));
    for _ in 0..50 {
        get(&controller, "no-token-of-anybody", "/identities").await;
    }
    // A flood of one kind hides nothing of the other.
    let login = controller.request(Method::POST, "/authenticate?method=password");
    assert_eq!(login.json(&wrong).send().await.status, 401);
    controller
        .clock
        .advance(portcullis_domain::clock::SignedDuration::from_secs(1));
    let mut told = refusals(&controller).await;
    let logins = told.extract_if(.., |event| event["operation"] == "login.refused");
    assert_eq!(logins.count(), 1);
    let (summed, whole): (Vec<_>, Vec<_>) = told
        .iter()
        .partition(|event| event["operation"] == "audit.suppressed");
    let [summed] = summed.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!(summed["source"], "127.0.0.1");
    assert_eq!(summed["suppressedOperation"], "access.denied");
    assert_eq!(
        summed["suppressed"].as_u64().unwrap() + whole.len() as u64,
        50
    );
}

#[tokio::test]
async fn what_is_done_by_the_controller_names_it() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    edit_entity(
        &controller,
        UniqueIndex::IdentityName,
        ADMIN,
        |one: &mut Identity| {
            one.spec.tags = portcullis_domain::tags::Tags::default();
        },
    )
    .await;
    let trail = AuditTrail::from_now(&controller);
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

#[tokio::test]
async fn no_identity_changes_its_own_credentials_without_end() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = controller.create_user(&admin, "user", json!({})).await;
    let send = |session: String, method: Method| {
        let path = "/edge/client/v1/current-identity/mfa";
        let request = controller.request(method, path).session(&session);
        async { request.send().await }
    };
    let mut accepted = 0;
    let refused = loop {
        let reply = send(user.clone(), Method::POST).await;
        if reply.status != 201 {
            break reply;
        }
        accepted += 1;
        assert!(accepted <= 300, "there is an end");
        assert_eq!(send(user.clone(), Method::DELETE).await.status, 200);
    };
    assert_eq!((accepted, refused.status.as_u16()), (300, 429));
    let shown = refused.json().to_string();
    assert!(shown.contains("one change a second"), "{shown}");
    controller
        .clock
        .advance(portcullis_domain::clock::SignedDuration::from_secs(1));
    assert_eq!(send(user.clone(), Method::POST).await.status, 201);
}
