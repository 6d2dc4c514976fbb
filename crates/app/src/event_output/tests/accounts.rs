//! Logins, sessions and requests.

use super::{Recorder, member};
use crate::database;
use crate::fixture::dialing::{Dialing, SERVICE};
use crate::fixture::{Fixture, PASSWORD, origin, permit};
use crate::sessions::{self, LoginRequest};
use portcullis_domain::policies::ServiceGrant;
use portcullis_events::{Body, Namespace};
use secrecy::ExposeSecret as _;
use serde_json::json;

#[tokio::test]
async fn each_login_is_told_with_its_outcome() {
    let fixture = Fixture::start().await;
    let recorder = Recorder::attach(&fixture, &[Namespace::Authentication]);
    let log_in = async |username: &str, password: &str| {
        let login = LoginRequest::default();
        sessions::with_password(&fixture.app, &origin(), username, password.into(), login).await
    };
    let session = log_in("admin", PASSWORD).await.unwrap().view.session;
    log_in("admin", "wrong").await.unwrap_err();
    log_in("nobody", PASSWORD).await.unwrap_err();
    let chain =
        sessions::with_certificate(&fixture.app, &origin(), &[], LoginRequest::default()).await;
    chain.unwrap_err();
    sessions::with_token(&fixture.app, &origin(), LoginRequest::default())
        .await
        .unwrap_err();

    let lines = recorder.lines("authentication", &json!({}));
    let time = recorder.events.lock()[0].time;
    let (authenticator, identity) = (session.opened_by.wire(), &session.identity);
    let expected = |event_type: &str, known: [&str; 3], outcome: &str| {
        let [authenticator, identity, policy] = known;
        format!(
            concat!(
                r#"{{"namespace":"authentication","event_src_id":"ctrl-1","timestamp":"{}","#,
                r#""event_type":"{}","type":"password","authenticator_id":"{}","#,
                r#""external_jwt_signer_id":"","identity_id":"{}","auth_policy_id":"{}","#,
                r#""remote_address":"127.0.0.1:49950",{},"improper_client_cert_chain":false}}"#
            ),
            time, event_type, authenticator, identity, policy, outcome
        )
    };
    let admin = [&*authenticator, identity.as_str(), "default"];
    let wrong = r#""success":false,"reason":"wrong username or password""#;
    assert_eq!(
        lines[..3],
        [
            expected("success", admin, r#""success":true,"reason":"""#),
            expected("fail", admin, wrong),
            expected("fail", ["", "", ""], wrong),
        ]
    );
    let [.., by_certificate, by_token] = &recorder.told("authentication")[..] else {
        panic!("{lines:#?}");
    };
    assert_eq!(member(by_certificate, "type"), "cert");
    assert!(!member(by_certificate, "reason").is_empty());
    assert_eq!(member(by_token, "type"), "ext-jwt");
    assert_eq!(member(by_token, "remote_address"), "127.0.0.1:49950");
    assert_eq!(lines.len(), 5);
}

#[tokio::test]
async fn sessions_are_told_when_they_begin_and_end() {
    let fixture = Fixture::start().await;
    let recorder = Recorder::attach(&fixture, &[Namespace::ApiSession]);
    let session = fixture.log_in("admin", PASSWORD).await.unwrap();
    let caller = fixture.resolve(&session).await.unwrap();
    sessions::end(&fixture.app, &permit(&caller)).await.unwrap();
    let time = recorder.events.lock()[0].time;
    let record = &session.view.session;
    let line = |event_type: &str| {
        format!(
            concat!(
                r#"{{"namespace":"apiSession","event_src_id":"ctrl-1","timestamp":"{}","event_type":"{}","#,
                r#""id":"{}","type":"legacy","token":"","identity_id":"{}","ip_address":"127.0.0.1","#,
                r#""cert_generated":false}}"#
            ),
            time, event_type, record.id, record.identity
        )
    };
    let lines = recorder.lines("apiSession", &json!({}));
    assert_eq!(lines, [line("created"), line("deleted")]);
    let deleted = recorder.lines("apiSession", &json!({"include": "deleted"}));
    assert_eq!(deleted, [line("deleted")]);
}

#[tokio::test]
async fn service_sessions_are_told_with_what_they_belong_to() {
    let dialing = Dialing::start().await;
    let recorder = Recorder::attach(&dialing.fixture, &[Namespace::Session]);
    let session = dialing
        .service_session(ServiceGrant::Dial)
        .await
        .view
        .session;
    // A repeated request gets the one that is there.
    dialing.service_session(ServiceGrant::Dial).await;
    let app = &dialing.fixture.app;
    sessions::end(app, &permit(&dialing.caller)).await.unwrap();
    let time = recorder.events.lock()[0].time;
    let line = |event_type: &str| {
        format!(
            concat!(
                r#"{{"namespace":"session","event_src_id":"ctrl-1","timestamp":"{}","event_type":"{}","#,
                r#""session_type":"Dial","provider":"legacy","id":"{}","api_session_id":"{}","#,
                r#""identity_id":"{}","service_id":"{}"}}"#
            ),
            time, event_type, session.id, session.api_session, dialing.client, SERVICE
        )
    };
    let lines = recorder.lines("session", &json!({}));
    assert_eq!(lines, [line("created"), line("deleted")]);
}

#[tokio::test]
async fn sessions_of_oidc_are_told_as_such() {
    let dialing = Dialing::start().await;
    let (found, token) = dialing.oidc_session().await;
    assert!(found.entity.id.is_of_oidc());
    assert!(!dialing.caller.session.is_of_oidc());
    let namespaces = [Namespace::ApiSession, Namespace::Session];
    let recorder = Recorder::attach(&dialing.fixture, &namespaces);
    let caller = dialing.bearer(&token).await;
    let session = dialing
        .service_session_of(&caller, ServiceGrant::Bind)
        .await;
    let [created] = &recorder.told("session")[..] else {
        panic!("one session");
    };
    let id = session.view.session.id.as_str();
    assert_eq!(member(created, "provider"), "jwt");
    assert_eq!(member(created, "session_type"), "Bind");
    assert_eq!((member(created, "id"), member(created, "token")), (id, id));
    sessions::end(&dialing.fixture.app, &permit(&caller))
        .await
        .unwrap();
    let [ended] = &recorder.told("apiSession")[..] else {
        panic!("one end");
    };
    assert_eq!(
        (member(ended, "event_type"), member(ended, "type")),
        ("deleted", "jwt")
    );
}

#[tokio::test]
async fn request_is_told_as_a_connection() {
    let fixture = Fixture::start().await;
    let recorder = Recorder::attach(&fixture, &[Namespace::Connect]);
    let mut caller = (*fixture.admin().await).clone();
    caller.origin.peer = "127.0.0.1:53530".parse().unwrap();
    caller.origin.target = Some("localhost:1280".into());
    sessions::publish_request(&fixture.app, &caller);
    let time = recorder.events.lock()[0].time;
    let line = format!(
        concat!(
            r#"{{"namespace":"connect","event_src_id":"ctrl-1","timestamp":"{}","src_type":"identity","#,
            r#""dst_type":"ctrl","src_id":"{}","src_addr":"127.0.0.1:53530","dst_id":"ctrl-1","#,
            r#""dst_addr":"localhost:1280"}}"#
        ),
        time, caller.identity
    );
    assert_eq!(recorder.lines("connect", &json!({})), [line]);
}

#[tokio::test]
async fn entities_are_counted_by_the_names_of_their_types() {
    let fixture = Fixture::start().await;
    let recorder = Recorder::attach(&fixture, &[Namespace::EntityCount]);
    fixture.admin().await;
    let body = Body::EntityCount(database::entity_count(&fixture.app));
    fixture.app.publish(Namespace::EntityCount, || body);
    let [counted] = &recorder.told("entityCount")[..] else {
        panic!("one count");
    };
    let counts = counted["counts"].as_object().unwrap();
    let names: Vec<_> = counts.keys().map(String::as_str).collect();
    let mut expected = portcullis_events::ENTITY_TYPES.to_vec();
    expected.push("routers.edge");
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert_eq!(counts["identities"], 1);
    assert_eq!(counts["apiSessions"], 1);
    assert_eq!(counted.get("error"), None);
}

#[tokio::test]
async fn no_event_has_the_token_of_a_session() {
    let fixture = Fixture::start().await;
    let recorder = Recorder::attach(&fixture, &Namespace::ALL);
    let session = fixture.log_in("admin", PASSWORD).await.unwrap();
    let caller = fixture.resolve(&session).await.unwrap();
    sessions::end(&fixture.app, &permit(&caller)).await.unwrap();
    assert!(recorder.events.lock().len() > 3);
    let secrets = [session.token.expose_secret(), PASSWORD];
    for namespace in Namespace::ALL {
        for line in recorder.lines(namespace.as_str(), &json!({})) {
            assert!(
                secrets.iter().all(|secret| !line.contains(secret)),
                "{line}"
            );
        }
    }
}
