//! Checks of the store: what they find, what they put right, and that there is one at a time.

use crate::support::hold::{Hold, submitted};
use crate::support::{create, get};
use ::support::wait::DEFAULT_TIMEOUT;
use http::{Method, StatusCode};
use portcullis_domain::ids::{IdentityId, RecordNumber};
use portcullis_storage::engine::{StoreError, submit_with};
use portcullis_storage::key::UniqueKey;
use portcullis_storage::tables::{Rows, reference};
use portcullis_storage::tables::{UniqueIndex, UniqueValue, identity_key};
use portcullis_testkit::{AuditTrail, Harness, Reply};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const CHECK: &str = "/database/check-data-integrity";
const FIX: &str = "/database/fix-data-integrity";
const RESULTS: &str = "/database/data-integrity-results";

async fn post(controller: &Harness, admin: &str, path: &str) -> Reply {
    controller.manage(Method::POST, path, admin).send().await
}

/// Begins a check and waits for its end.
async fn checked(controller: &Harness, admin: &str, path: &str) -> Value {
    let reply = post(controller, admin, path).await;
    assert_eq!(reply.status, StatusCode::ACCEPTED);
    assert_eq!(reply.json(), json!({"data": {}, "meta": {}}));
    ended(controller, admin).await
}

async fn ended(controller: &Harness, admin: &str) -> Value {
    let begin = Instant::now();
    loop {
        let body = get(controller, admin, RESULTS).await.json();
        if body["data"]["inProgress"] == false {
            return body;
        }
        assert!(begin.elapsed() < DEFAULT_TIMEOUT, "the check does not end");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Removes a row, as damage would.
async fn lose(controller: &Harness, key: impl AsRef<[u8]>) {
    let key = key.as_ref().to_vec();
    let lost = submit_with(&*controller.engine, move |tx| {
        tx.delete(&key);
        Ok::<_, StoreError>(())
    });
    lost.unwrap().await.unwrap().unwrap();
}

fn name_row(name: &str) -> UniqueKey {
    UniqueKey::new(UniqueIndex::IdentityName as u8, name.as_bytes())
}

fn leads_somewhere(controller: &Harness, value: &UniqueValue) -> bool {
    let snapshot = controller.engine.snapshot().unwrap();
    Rows::new(&*snapshot).locate(value).unwrap().is_some()
}

#[tokio::test]
async fn a_sound_store_has_no_findings() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let body = get(&controller, &admin, RESULTS).await.json();
    let mut expected = json!({
        "data": {
            "endTime": null, "error": null, "fixingErrors": false, "inProgress": false,
            "results": null, "startTime": null, "tooManyErrors": false,
        },
        "meta": {"pagination": {"limit": -1, "offset": 0, "totalCount": 0}},
    });
    assert_eq!(body, expected);
    for (path, is_fixing) in [(CHECK, false), (FIX, true)] {
        let body = checked(&controller, &admin, path).await;
        let now = "2031-04-05T06:07:08.009Z";
        expected["data"]["startTime"] = json!(now);
        expected["data"]["endTime"] = json!(now);
        expected["data"]["fixingErrors"] = json!(is_fixing);
        assert_eq!(body, expected, "{path}");
    }
}

#[tokio::test]
async fn a_check_reports_and_a_fix_puts_right() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    create(&controller, &admin, "laptop", json!({})).await;
    let name = UniqueValue::new(UniqueIndex::IdentityName, "laptop");
    lose(&controller, name_row("laptop")).await;

    let trail = AuditTrail::from_now(&controller);
    let body = checked(&controller, &admin, CHECK).await;
    let description = "record 1:2 has no entry in the index IdentityName";
    let found = |is_fixed: bool| json!([{"description": description, "fixed": is_fixed}]);
    assert_eq!(body["data"]["results"], found(false));
    assert_eq!(body["meta"]["pagination"]["totalCount"], 1);
    assert!(
        !leads_somewhere(&controller, &name),
        "a check changes nothing"
    );
    assert_eq!(trail.operations(), []);

    let body = checked(&controller, &admin, FIX).await;
    assert_eq!(body["data"]["results"], found(true));
    assert!(leads_somewhere(&controller, &name));
    let audit = ("database.fix-data-integrity", description);
    let (operation, entity) = trail.operations().remove(0);
    assert_eq!((operation.as_str(), entity.as_str()), audit);
    let body = checked(&controller, &admin, CHECK).await;
    assert_eq!(body["data"]["results"], Value::Null);
}

#[tokio::test]
async fn what_is_lost_is_reported_and_its_traces_stay() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "laptop", json!({})).await;
    lose(&controller, identity_key(RecordNumber(2))).await;
    let data = checked(&controller, &admin, FIX).await["data"].clone();
    let results = data["results"].as_array().unwrap();
    assert!(
        results.iter().all(|one| one["fixed"] == false),
        "{results:#?}"
    );
    let texts: Vec<_> = results.iter().map(|one| &one["description"]).collect();
    let lost = "a row points to record 1:2, which is missing";
    let counted = "1 records of kind 1 found, 2 expected";
    assert_eq!(texts, [lost, lost, counted]);
    assert!(leads_somewhere(
        &controller,
        &reference(&IdentityId::from_wire(id))
    ));
}

#[tokio::test]
async fn there_is_one_check_at_a_time() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    create(&controller, &admin, "laptop", json!({})).await;
    lose(&controller, name_row("laptop")).await;
    let (hold, before) = (Hold::take(&controller), controller.submitted_transactions());
    assert_eq!(
        post(&controller, &admin, FIX).await.status,
        StatusCode::ACCEPTED
    );
    submitted(&controller, before).await;
    for path in [CHECK, FIX] {
        let reply = post(&controller, &admin, path).await;
        assert_eq!(reply.status, StatusCode::TOO_MANY_REQUESTS, "{path}");
        assert_eq!(reply.json()["error"]["code"], "RATE_LIMITED");
    }
    let data = get(&controller, &admin, RESULTS).await.data();
    assert_eq!(data["inProgress"], true);
    assert_eq!(data["endTime"], Value::Null);
    drop(hold);
    let data = ended(&controller, &admin).await["data"].clone();
    assert_eq!(data["results"][0]["fixed"], true);
    checked(&controller, &admin, CHECK).await;
}

#[tokio::test]
async fn too_many_findings_end_a_check() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let rows: Vec<UniqueKey> = (0..1100)
        .map(|number| name_row(&format!("nobody {number}")))
        .collect();
    let holder = identity_key(RecordNumber(1));
    let written = submit_with(&*controller.engine, move |tx| {
        for row in &rows {
            let frame = portcullis_storage::frame::encode(row.as_bytes(), holder.as_bytes());
            tx.put(row.as_bytes(), &frame);
        }
        Ok::<_, StoreError>(())
    });
    written.unwrap().await.unwrap().unwrap();
    for left in [1000, 100, 0] {
        let data = checked(&controller, &admin, FIX).await["data"].clone();
        assert_eq!(data["tooManyErrors"], left == 1000);
        let results = data["results"].as_array().map_or(0, Vec::len);
        assert_eq!(results, left);
    }
}

#[tokio::test]
async fn a_check_ends_with_the_controller() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    portcullis_app::database::stop_checks(&controller.app).await;
    let data = checked(&controller, &admin, CHECK).await["data"].clone();
    assert_eq!(data["error"], "the controller is stopping");
    portcullis_app::database::stop_checks(&controller.app).await;
}
