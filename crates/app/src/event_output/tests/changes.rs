//! Changes of entities.

use super::{Recorder, member};
use crate::fixture::{Fixture, PASSWORD, named, permit};
use crate::identities;
use crate::managed;
use portcullis_domain::change::Change;
use portcullis_domain::enrollment::EnrollmentMethod;
use portcullis_domain::service::{Service, ServiceSpec, ServiceSpecPatch};
use portcullis_events::{Body, Event, Namespace};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn service(name: &str) -> ServiceSpec {
    serde_json::from_value(json!({"name": name, "encryption_required": true})).unwrap()
}

/// Members of an event without those that each run has anew.
fn shape(event: &Value) -> (&str, &str, &Value) {
    let entity_type = event.get("entityType").and_then(Value::as_str);
    (
        member(event, "eventType"),
        entity_type.unwrap_or_default(),
        &event["finalState"]["name"],
    )
}

#[tokio::test]
async fn change_is_told_with_both_states_and_who_made_it() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let recorder = Recorder::attach(&fixture, &[Namespace::EntityChange]);
    let app = &fixture.app;
    let id = managed::create(app, &permit(&admin), service("svc1"))
        .await
        .unwrap();
    let lines = recorder.lines("entityChange", &json!({}));
    let [created, committed] = &lines[..] else {
        panic!("{lines:#?}");
    };
    let told: Value = serde_json::from_str(created).unwrap();
    let (time, event) = (member(&told, "timestamp"), member(&told, "eventId"));
    let identity = &admin.identity;
    let expected = format!(
        concat!(
            r#"{{"namespace":"entityChange","event_src_id":"ctrl-1","timestamp":"{0}","eventId":"{1}","#,
            r#""eventType":"created","metadata":{{"author":{{"type":"identity","id":"{2}","name":"admin"}},"#,
            r#""source":{{"type":"rest","auth":"edge","remoteAddr":"127.0.0.1:49950"}},"trace_id":"request","#,
            r#""version":"v2.1.0"}},"entityType":"services","isParentEvent":false,"initialState":null,"#,
            r#""finalState":{{"id":"{3}","createdAt":"{0}","updatedAt":"{0}","tags":{{}},"isSystem":false,"#,
            r#""name":"svc1","maxIdleTime":0,"terminatorStrategy":"smartrouting","roleAttributes":null,"#,
            r#""configs":null,"encryptionRequired":true,"isFabricOnly":false}}}}"#
        ),
        time, event, identity, id
    );
    assert_eq!(*created, expected);
    assert_eq!(
        *committed,
        format!(
            concat!(
                r#"{{"namespace":"entityChange","event_src_id":"ctrl-1","timestamp":"{}","#,
                r#""eventId":"{}","eventType":"committed"}}"#
            ),
            time, event
        )
    );

    recorder.clear();
    let patch = ServiceSpecPatch {
        name: Some("svc2".to_owned()),
        ..ServiceSpecPatch::default()
    };
    managed::patch::<ServiceSpec>(app, &permit(&admin), &id, patch)
        .await
        .unwrap();
    managed::delete::<ServiceSpec>(app, &permit(&admin), &id)
        .await
        .unwrap();
    let told = recorder.told("entityChange");
    let kinds: Vec<_> = told
        .iter()
        .map(|event| member(event, "eventType"))
        .collect();
    assert_eq!(kinds, ["updated", "committed", "deleted", "committed"]);
    assert_eq!(told[0]["initialState"]["name"], "svc1");
    assert_eq!(told[0]["finalState"]["name"], "svc2");
    assert_eq!(told[2]["initialState"]["name"], "svc2");
    assert_eq!(told[2]["finalState"], Value::Null);
    assert_ne!(told[0]["eventId"], told[2]["eventId"]);
    let parents = recorder.lines("entityChange", &json!({"includeParentEvents": true}));
    assert_eq!(parents.len(), 8);
    let parent: Value = serde_json::from_str(&parents[1]).unwrap();
    assert_eq!(parent["isParentEvent"], true);
    assert_eq!(parent["finalState"]["terminatorStrategy"], "smartrouting");
    assert_eq!(parent["finalState"].get("encryptionRequired"), None);
}

#[tokio::test]
async fn transaction_tells_of_each_entity_once_and_of_nothing_that_concerns_nobody() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let recorder = Recorder::attach(&fixture, &[Namespace::EntityChange]);
    fixture.add_identity(&admin, named("anna")).await;
    let told = recorder.told("entityChange");
    let shapes: Vec<_> = told.iter().map(shape).collect();
    let anna = json!("anna");
    assert_eq!(
        shapes[..2],
        [
            ("created", "identities", &anna),
            ("committed", "", &Value::Null)
        ]
    );
    let authenticators = told
        .iter()
        .filter(|event| event["entityType"] == "authenticators");
    let authenticators: Vec<_> = authenticators.collect();
    assert_eq!(authenticators.len(), 1, "{told:#?}");
    let authenticator = &authenticators[0]["finalState"];
    assert_eq!(
        (
            &authenticator["type"],
            &authenticator["subType"]["username"]
        ),
        (&json!("updb"), &anna)
    );
    // Nothing of an identity is told by a name of the API that OpenZiti's events do not have.
    let identity = told[0]["finalState"].as_object().unwrap();
    assert_eq!(identity.len(), 5 + 19, "{identity:#?}");
    let events: BTreeSet<_> = told.iter().map(|event| member(event, "eventId")).collect();
    assert_eq!(events.len(), 2);

    recorder.clear();
    // It counts against her, which is none of anybody's business.
    fixture.log_in("anna", "wrong").await.unwrap_err();
    assert_eq!(recorder.told("entityChange"), [Value::Null; 0]);
}

#[tokio::test]
async fn authors_are_told_by_what_they_are() {
    let fixture = Fixture::start().await;
    let recorder = Recorder::attach(&fixture, &[Namespace::EntityChange]);
    let admin = fixture.admin().await;
    let told = recorder.told("entityChange");
    let author = &told[0]["metadata"]["author"];
    assert_eq!(author["id"], admin.identity.as_str());
    assert_eq!(told[0]["metadata"]["source"].get("auth"), None);
    recorder.clear();
    crate::administrator::ensure_defaults(&fixture.app)
        .await
        .unwrap();
    for event in recorder.told("entityChange") {
        if let Some(metadata) = event.get("metadata") {
            let controller = json!({"type": "controller", "id": "ctrl-1", "name": "ctrl-1"});
            assert_eq!(metadata["author"], controller);
            assert_eq!(metadata.get("source"), None);
        }
    }
}

#[tokio::test]
async fn events_come_in_the_order_of_the_commits() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let recorder = Recorder::attach(&fixture, &[Namespace::EntityChange]);
    let before = fixture.revision();
    let mut creations = tokio::task::JoinSet::new();
    for number in 0..50 {
        let (app, permit) = (fixture.app.clone(), permit(&admin));
        creations.spawn(async move {
            let name = format!("service {number}");
            managed::create(&app, &permit, service(&name))
                .await
                .unwrap();
        });
    }
    creations.join_all().await;
    let committed = fixture.changes_since(before).into_iter();
    let committed: Vec<_> = committed
        .filter_map(|change| match change {
            Change::Service(change) => change
                .entity
                .map(|service: std::sync::Arc<Service>| service.spec.name.clone()),
            _ => None,
        })
        .collect();
    let told = recorder.told("entityChange");
    let created = told.iter().filter(|event| event["eventType"] == "created");
    let told: Vec<_> = created
        .map(|event| member(&event["finalState"], "name").to_owned())
        .collect();
    assert_eq!(told.len(), 50);
    assert_eq!(told, committed);
}

#[tokio::test]
async fn nothing_is_recorded_for_nobody() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let _recorder = Recorder::attach(&fixture, &[Namespace::Authentication]);
    let before = fixture.revision();
    managed::create(&fixture.app, &permit(&admin), service("svc1"))
        .await
        .unwrap();
    let changes = fixture.changes_since(before);
    assert!(matches!(changes[..], [Change::Service(_)]), "{changes:?}");
}

#[tokio::test]
async fn entities_of_types_that_nobody_wants_are_not_told() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let wanted = [Namespace::EntityChange];
    let recorder = Recorder::attach_without(&fixture, &wanted, &["services", "authenticators"]);
    managed::create(&fixture.app, &permit(&admin), service("svc1"))
        .await
        .unwrap();
    assert_eq!(recorder.told("entityChange"), [Value::Null; 0]);
    fixture.add_identity(&admin, named("anna")).await;
    let told = recorder.told("entityChange");
    let kinds: Vec<_> = told
        .iter()
        .map(|event| member(event, "eventType"))
        .collect();
    assert_eq!(kinds, ["created", "committed"], "{told:#?}");
}

#[tokio::test]
async fn entity_counts_for_the_size_of_its_event_before_it_is_told() {
    const TEXT: usize = 4000;
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let recorder = Recorder::attach(&fixture, &[Namespace::EntityChange]);
    let mut large = service("svc1");
    large.tags = serde_json::from_value(json!({"text": "x".repeat(TEXT)})).unwrap();
    managed::create(&fixture.app, &permit(&admin), large)
        .await
        .unwrap();
    managed::create(&fixture.app, &permit(&admin), service("svc2"))
        .await
        .unwrap();
    let events = recorder.events.lock();
    let created = events
        .iter()
        .filter(|event| matches!(&event.body, Body::EntityChange(change) if !change.is_parent));
    let sizes: Vec<_> = created.map(Event::size).collect();
    let [large, small] = sizes[..] else {
        panic!("{sizes:?}");
    };
    let text = large - small;
    assert!((TEXT..TEXT + 200).contains(&text), "{text}");
}

#[tokio::test]
async fn secrets_of_enrollments_and_passwords_are_not_told() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let recorder = Recorder::attach(&fixture, &[Namespace::EntityChange]);
    let app = &fixture.app;
    fixture.add_identity(&admin, named("berta")).await;
    let method = Some(EnrollmentMethod::Ott);
    identities::create(app, &permit(&admin), named("carl"), method)
        .await
        .unwrap();
    let authenticator = fixture.authenticator(&admin);
    let stored = serde_json::to_string(&authenticator.entity).unwrap();
    assert!(stored.contains("\"hash\""));
    let lines = recorder.lines("entityChange", &json!({}));
    assert!(lines.iter().any(|line| line.contains("\"enrollments\"")));
    assert!(lines.iter().any(|line| line.contains("\"authenticators\"")));
    for line in lines {
        for secret in [
            PASSWORD,
            "\"hash\"",
            "\"token\"",
            "\"jwt\"",
            "tokenHash",
            "\"password\"",
        ] {
            assert!(!line.contains(secret), "{secret} is in {line}");
        }
    }
}
