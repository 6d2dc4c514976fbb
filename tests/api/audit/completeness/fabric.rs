//! The API of the fabric, and what is done to the store as a whole.

use super::walk::Walk;
use crate::routers::edge_routers::add_edge;
use crate::support::{create, get, send};
use ::support::wait::DEFAULT_TIMEOUT;
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_storage::engine::{StoreError, submit_with};
use portcullis_storage::key::UniqueKey;
use portcullis_storage::tables::UniqueIndex;
use portcullis_testkit::{AuditTrail, FakeNetwork, Request};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) const CASES: &[&str] = &[
    "fabric POST /routers",
    "fabric PUT /routers/{id}",
    "fabric PATCH /routers/{id}",
    "fabric DELETE /routers/{id}",
    "fabric POST /services",
    "fabric PUT /services/{id}",
    "fabric PATCH /services/{id}",
    "fabric DELETE /services/{id}",
    "fabric POST /terminators",
    "fabric PUT /terminators/{id}",
    "fabric PATCH /terminators/{id}",
    "fabric DELETE /terminators/{id}",
    "fabric POST /database",
    "fabric POST /database/snapshot",
    "edge-management POST /database/snapshot",
    "edge-management+fabric POST /database/check-data-integrity",
    "edge-management+fabric POST /database/fix-data-integrity",
    "fabric POST /inspections",
    "fabric POST /cluster/add-member",
    "fabric POST /cluster/remove-member",
    "fabric POST /cluster/transfer-leadership",
    "fabric PATCH /links/{id}",
    "fabric DELETE /links/{id}",
    "fabric DELETE /circuits/{id}",
];

#[tokio::test]
async fn the_fabric_and_the_store_are_told() {
    let walk = Walk::start().await;
    entities(&walk).await;
    copies(&walk).await;
    checks(&walk).await;
    nothing_to_change(&walk).await;
    network(&walk).await;
    walk.finish(CASES);
}

fn ask<'w>(walk: &'w Walk, method: Method, path: &str) -> Request<'w> {
    let request = walk
        .controller
        .request(method, &format!("/fabric/v1{path}"));
    request.session(&walk.admin.token)
}

async fn live(walk: &Walk, (noun, all): (&str, &str), [whole, part, other]: &[Value; 3]) {
    let [create, update, delete] =
        ["create", "update", "delete"].map(|verb| format!("{noun}.{verb}"));
    let request = ask(walk, Method::POST, all).json(whole);
    let id = walk.tells(&create).send(request).await.id();
    let one = format!("{all}/{id}");
    for (method, body) in [(Method::PATCH, part), (Method::PUT, other)] {
        let request = ask(walk, method, &one).json(body);
        walk.tells(&update).of(&id).send(request).await;
    }
    let request = ask(walk, Method::DELETE, &one);
    walk.tells(&delete).of(&id).send(request).await;
}

async fn entities(walk: &Walk) {
    let (controller, admin) = (&walk.controller, &walk.admin.token);
    let routers = [
        json!({
            "id": "router-1", "name": "one", "cost": 5, "noTraversal": true,
            "fingerprint": "aa".repeat(20),
        }),
        json!({"fingerprint": "bb".repeat(20), "tags": {"t": 1}}),
        json!({"name": "two", "fingerprint": "", "cost": 9, "noTraversal": false}),
    ];
    live(walk, ("router", "/routers"), &routers).await;
    let services = [
        json!({"name": "inner", "terminatorStrategy": "sticky", "tags": {"a": "b"}}),
        json!({"maxIdleTimeMillis": 5}),
        json!({"name": "other", "terminatorStrategy": "random", "maxIdleTimeMillis": 0}),
    ];
    live(walk, ("service", "/services"), &services).await;
    let service = json!({"name": "s", "encryptionRequired": false});
    let service = send(controller, admin, (Method::POST, "/services"), &service);
    let service = service.await.id();
    let router = add_edge(controller, admin, "r", json!({})).await;
    let terminator = json!({
        "service": service, "router": router, "binding": "transport",
        "address": "tcp:localhost:80", "hostId": "host", "instanceId": "inst",
    });
    let mut other = terminator.clone();
    other["address"] = json!("tcp:localhost:81");
    let part = json!({"cost": 3, "precedence": "failed"});
    live(
        walk,
        ("terminator", "/terminators"),
        &[terminator, part, other],
    )
    .await;
}

async fn copies(walk: &Walk) {
    let place = |name: &str| walk.controller.home().join(name).display().to_string();
    let wish = json!({"path": "wished"});
    let request = ask(walk, Method::POST, "/database/snapshot").json(&wish);
    let told = walk.tells("database.snapshot").of(&place("wished"));
    told.send(request).await;
    for is_of_fabric in [true, false] {
        walk.controller.clock.advance(SignedDuration::from_mins(1));
        let now = walk.controller.app.env().now();
        let copy = place(&now.strftime("store-%Y%m%d-%H%M%S").to_string());
        let request = if is_of_fabric {
            ask(walk, Method::POST, "/database")
        } else {
            walk.manage(Method::POST, "/database/snapshot")
        };
        let told = walk.tells("database.snapshot").of(&copy);
        told.send(request).await;
    }
}

/// A check finds and tells nothing; a repair tells of each fault that it mends.
async fn checks(walk: &Walk) {
    let (controller, admin) = (&walk.controller, &walk.admin.token);
    for name in ["laptop", "tablet"] {
        create(controller, admin, name, json!({})).await;
        lose_name(walk, name).await;
    }
    let request = ask(walk, Method::POST, "/database/check-data-integrity");
    walk.tells_nothing().send(request).await;
    ended(walk).await;
    let trail = AuditTrail::from_now(controller);
    let request = walk.manage(Method::POST, "/database/fix-data-integrity");
    walk.note(&request);
    assert_eq!(request.send().await.status, 202);
    let found = ended(walk).await;
    let told = trail.operations();
    let expected = found["results"].as_array().unwrap().iter().map(|result| {
        let description = result["description"].as_str().unwrap().to_owned();
        ("database.fix-data-integrity".to_owned(), description)
    });
    assert_eq!(told, expected.collect::<Vec<_>>());
    assert_eq!(told.len(), 2);
}

/// Removes the row by which an identity is found by its name, as damage would.
async fn lose_name(walk: &Walk, name: &str) {
    let key = UniqueKey::new(UniqueIndex::IdentityName as u8, name.as_bytes());
    let lost = submit_with(&*walk.controller.engine, move |tx| {
        tx.delete(key.as_bytes());
        Ok::<_, StoreError>(())
    });
    lost.unwrap().await.unwrap().unwrap();
}

/// Waits for the end of a check; answers its report.
async fn ended(walk: &Walk) -> Value {
    let begin = Instant::now();
    loop {
        let path = "/database/data-integrity-results";
        let report = get(&walk.controller, &walk.admin.token, path).await.data();
        if report["inProgress"] == false {
            return report;
        }
        assert!(begin.elapsed() < DEFAULT_TIMEOUT, "the check does not end");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// What only reads, and what there is nothing of.
async fn nothing_to_change(walk: &Walk) {
    let body = json!({"appRegex": ".*", "requestedValues": ["links"]});
    let request = ask(walk, Method::POST, "/inspections").json(&body);
    walk.tells_nothing().send(request).await;
    for (status, method, path, body) in [
        (
            400,
            Method::POST,
            "/cluster/add-member",
            json!({"address": "tls:a:1", "isVoter": true}),
        ),
        (
            400,
            Method::POST,
            "/cluster/remove-member",
            json!({"id": "x"}),
        ),
        (400, Method::POST, "/cluster/transfer-leadership", json!({})),
        (404, Method::PATCH, "/links/x", json!({"down": true})),
        (404, Method::DELETE, "/circuits/x", json!({})),
    ] {
        let request = ask(walk, method, path).json(&body);
        walk.refuses(status, request).await;
    }
}

/// Links and circuits, which are in no record.
async fn network(walk: &Walk) {
    let network = Arc::new(FakeNetwork::default());
    network.set_link(FakeNetwork::link("l1", "a", "b"));
    network.set_circuit(FakeNetwork::circuit("c1", ("i", "s"), &["a", "b"]));
    walk.controller.app.attach_live_network(network);
    let nothing = ask(walk, Method::PATCH, "/links/l1").json(&json!({}));
    walk.tells_nothing().send(nothing).await;
    let down = ask(walk, Method::PATCH, "/links/l1").json(&json!({"down": true}));
    walk.tells("link.update").of("l1").send(down).await;
    for (operation, id, path) in [
        ("link.delete", "l1", "/links/l1"),
        ("circuit.delete", "c1", "/circuits/c1"),
    ] {
        let delete = ask(walk, Method::DELETE, path);
        walk.tells(operation).of(id).send(delete).await;
    }
}

/// All routers are told to close a link, although there is none.
#[tokio::test]
async fn the_removal_of_an_unknown_link_is_told() {
    let walk = Walk::start().await;
    let trail = AuditTrail::from_now(&walk.controller);
    let reply = ask(&walk, Method::DELETE, "/links/x").send().await;
    assert_eq!(reply.status, 404);
    assert_eq!(
        trail.operations(),
        [("link.delete".to_owned(), "x".to_owned())]
    );
}
