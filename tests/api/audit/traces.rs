//! Tracing what identities send and receive.

use crate::support::{create, send};
use http::Method;
use portcullis_app::{identities, sessions};
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::ids::IdentityId;
use portcullis_testkit::{AuditTrail, Harness, Reply};
use serde_json::{Value, json};

async fn trace(controller: &Harness, token: &str, id: &str, body: Value) -> Reply {
    let path = format!("/identities/{id}/trace");
    send(controller, token, (Method::PUT, &path), &body).await
}

/// The channels on which an identity is traced now.
fn traced(controller: &Harness, id: &str) -> Option<Vec<String>> {
    let trace = identities::find_trace(&controller.app, &IdentityId::from_wire(id)).unwrap();
    trace.map(|trace| trace.channels.into_iter().collect())
}

#[tokio::test]
async fn an_identity_is_traced_until_its_time_is_over() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "laptop", json!({})).await;
    let trail = AuditTrail::from_now(&controller);
    let body = json!({"enabled": true, "duration": "5m", "traceId": "mine", "channels": ["all"]});
    let reply = trace(&controller, &admin, &id, body).await;
    let expected = json!({
        "data": {"enabled": true, "traceId": "mine", "until": "2031-04-05T06:12:08.009Z"},
        "meta": null,
    });
    assert_eq!((reply.status.as_u16(), reply.json()), (200, expected));
    assert_eq!(
        trail.operations(),
        [("identity.trace".to_owned(), id.clone())]
    );
    assert_eq!(traced(&controller, &id), Some(vec!["all".to_owned()]));
    controller.clock.advance(SignedDuration::from_mins(5));
    assert_eq!(traced(&controller, &id), None);
}

#[tokio::test]
async fn tracing_is_replaced_and_ended() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "laptop", json!({})).await;
    let trail = AuditTrail::from_now(&controller);
    let on = json!({"enabled": true, "duration": "5m", "channels": ["a"]});
    let first = trace(&controller, &admin, &id, on).await.data();
    let on = json!({"enabled": true, "duration": "1h30m", "channels": ["b"]});
    let second = trace(&controller, &admin, &id, on).await.data();
    assert_ne!(first["traceId"], second["traceId"]);
    assert_eq!(second["until"], "2031-04-05T07:37:08.009Z");
    assert_eq!(traced(&controller, &id), Some(vec!["b".to_owned()]));
    trail.operations();
    let reply = trace(&controller, &admin, &id, json!({"enabled": false})).await;
    let expected = json!({"data": {"until": "0001-01-01T00:00:00.000Z"}, "meta": null});
    assert_eq!(reply.json(), expected);
    assert_eq!(
        trail.operations(),
        [("identity.end-trace".to_owned(), id.clone())]
    );
    assert_eq!(traced(&controller, &id), None);
}

#[tokio::test]
async fn what_is_asked_wrongly_traces_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "laptop", json!({})).await;
    for (body, field) in [
        (json!({"enabled": true, "duration": "soon"}), "duration"),
        (json!({"enabled": true}), "duration"),
        (json!({"enabled": true, "duration": "0s"}), "duration"),
        (json!({"enabled": true, "duration": "-5m"}), "duration"),
        (
            json!({"enabled": true, "duration": "5m", "traceId": "t".repeat(65)}),
            "traceId",
        ),
        (
            json!({"enabled": true, "duration": "5m", "channels": vec!["c"; 17]}),
            "channels",
        ),
    ] {
        let reply = trace(&controller, &admin, &id, body.clone()).await;
        assert_eq!(
            reply.error(),
            (400, "COULD_NOT_VALIDATE".to_owned()),
            "{body}"
        );
        assert_eq!(reply.field(), field, "{body}");
    }
    let on = json!({"enabled": true, "duration": "5m"});
    let unknown = trace(&controller, &admin, "nope", on).await;
    assert_eq!(unknown.error(), (404, "NOT_FOUND".to_owned()));
    assert_eq!(traced(&controller, &id), None);
}

#[tokio::test]
async fn only_administrators_trace_an_administrator() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let permitted = json!({"permissions": ["identity.update"]});
    let user = controller.create_user(&admin, "user", permitted).await;
    let above = create(&controller, &admin, "above", json!({"isAdmin": true})).await;
    let on = json!({"enabled": true, "duration": "5m"});
    let reply = trace(&controller, &user, &above, on.clone()).await;
    assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
    assert_eq!(traced(&controller, &above), None);
    assert_eq!(trace(&controller, &admin, &above, on).await.status, 200);
}

#[tokio::test]
async fn upkeep_forgets_whose_time_is_over_and_who_is_gone() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    controller.app.wait_for_lists().await;
    let mut ids = Vec::new();
    for (name, duration) in [("gone", "1h"), ("over", "1m"), ("stays", "1h")] {
        let id = create(&controller, &admin, name, json!({})).await;
        let on = json!({"enabled": true, "duration": duration});
        assert_eq!(trace(&controller, &admin, &id, on).await.status, 200);
        ids.push(id);
    }
    let gone = format!("/identities/{}", ids[0]);
    let gone = controller.manage(Method::DELETE, &gone, &admin);
    assert_eq!(gone.send().await.status, 200);
    controller.clock.advance(SignedDuration::from_mins(2));
    assert_eq!(identities::count_traces(&controller.app), 3);
    sessions::sweep(&controller.app).await.unwrap();
    assert_eq!(identities::count_traces(&controller.app), 1);
    assert_eq!(traced(&controller, &ids[2]), Some(Vec::new()));
}
