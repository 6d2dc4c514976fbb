//! Logins, and what happens when sessions are lost.

use crate::network::{Network, until, until_other, within};
use http::Method;
use portcullis_client::Url;
use portcullis_edge_session::{
    EdgeIdentity, EdgeSession, ExposeSecret as _, LoginMethod, LoginProtocol, SessionError,
    SessionKind, SessionOptions, SessionState,
};
use portcullis_testkit::PASSWORD;
use serde_json::json;
use std::net::TcpListener;
use std::sync::Arc;

#[tokio::test]
async fn certificate_opens_a_session_of_either_kind() {
    let network = Network::start().await;
    for (name, protocol, kind) in [
        ("laptop", LoginProtocol::OidcIfOffered, SessionKind::Oidc),
        ("server", LoginProtocol::Legacy, SessionKind::Legacy),
    ] {
        let session = network.open(name, protocol).await;
        let open = within(session.opened()).await.unwrap();
        assert_eq!(open.kind, kind);
        assert_eq!(open.expires_at.is_some(), kind == SessionKind::Oidc);
        assert_eq!(
            open.token.expose_secret().starts_with("ey"),
            kind == SessionKind::Oidc
        );
        let shown = format!("{session:?} {open:?}");
        assert!(!shown.contains(open.token.expose_secret()), "{shown}");

        let own = until(&mut session.own_identity(), Option::is_some)
            .await
            .unwrap();
        assert_eq!((own.name.as_str(), &own.id), (name, &open.identity));
        let seen = network.get(&format!("identities/{}", own.id)).await;
        assert_eq!(seen["sdkInfo"]["type"], "portcullis-edge-session");
        assert_eq!(seen["envInfo"]["os"], "Linux");
        let routers = until(&mut session.edge_routers(), |routers| !routers.is_empty()).await;
        assert_eq!(
            (routers[0].name.as_str(), routers[0].tls()),
            ("r1", Some("localhost:3022"))
        );
    }
}

#[tokio::test]
async fn closed_session_is_logged_out() {
    let network = Network::start().await;
    for (name, protocol) in [
        ("laptop", LoginProtocol::Oidc),
        ("server", LoginProtocol::Legacy),
    ] {
        let session = network.open(name, protocol).await;
        let identity = session.opened().await.unwrap().identity.clone();
        if protocol == LoginProtocol::Legacy {
            assert_eq!(network.api_sessions(&identity).await.len(), 1);
        }
        within(session.close()).await;
        assert!(matches!(*session.state().borrow(), SessionState::Closed));
        assert!(matches!(session.opened().await, Err(SessionError::Closed)));
        assert_eq!(network.api_sessions(&identity).await, [""; 0]);
    }
}

#[tokio::test]
async fn deleted_session_is_followed_by_another() {
    let network = Network::start().await;
    let session = network.open("laptop", LoginProtocol::Legacy).await;
    let open = session.opened().await.unwrap();
    let mut states = session.state();
    for id in network.api_sessions(&open.identity).await {
        network.delete(&format!("api-sessions/{id}")).await;
    }
    until_other(&mut states, open.token.expose_secret()).await;
    within(session.close()).await;
}

#[tokio::test]
async fn session_that_a_router_doubts_is_checked() {
    let network = Network::start().await;
    let identity = network.identity("laptop").await;
    // Nothing else notices it.
    let options = SessionOptions {
        poll_interval: std::time::Duration::from_hours(1),
        posture_interval: std::time::Duration::from_hours(1),
        ..network.options(LoginProtocol::Legacy)
    };
    let session = EdgeSession::start(identity, options).unwrap();
    let open = within(session.opened()).await.unwrap();
    until(&mut session.services(), Option::is_some).await;
    for id in network.api_sessions(&open.identity).await {
        network.delete(&format!("api-sessions/{id}")).await;
    }
    session.doubt(&open);
    until_other(&mut session.state(), open.token.expose_secret()).await;
}

#[tokio::test]
async fn password_opens_a_session_and_gets_a_certificate() {
    let network = Network::start().await;
    let harness = &network.controller.harness;
    harness.create_user(&network.admin, "anne", json!({})).await;
    let mut identity = network.identity("laptop").await;
    identity.certificate = None;
    for protocol in [LoginProtocol::Legacy, LoginProtocol::Oidc] {
        let login = |password: &str| SessionOptions {
            login: LoginMethod::Password {
                username: "anne".to_owned(),
                password: password.into(),
            },
            ..network.options(protocol)
        };
        let session = EdgeSession::start(identity.clone(), login(PASSWORD)).unwrap();
        within(session.opened()).await.unwrap();
        let credential = within(session.router_credential()).await.unwrap();
        assert!(!credential.chain.is_empty());
        let again = within(session.router_credential()).await.unwrap();
        assert!(Arc::ptr_eq(&credential, &again));

        let session = EdgeSession::start(identity.clone(), login("wrong-one-1")).unwrap();
        let refused = within(session.opened()).await.unwrap_err();
        assert!(
            matches!(refused, SessionError::LoginRefused(_)),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn disabled_identity_is_let_in_again_when_it_is_enabled() {
    let network = Network::start().await;
    let identity = network.identity("laptop").await;
    let mut options = network.options(LoginProtocol::Legacy);
    options.backoff.max = std::time::Duration::from_millis(200);
    let session = EdgeSession::start(identity, options).unwrap();
    let id = within(session.opened()).await.unwrap().identity.clone();
    let disable = json!({"durationMinutes": 0});
    network
        .change(Method::POST, &format!("identities/{id}/disable"), &disable)
        .await;
    until(&mut session.state(), |state| {
        matches!(state, SessionState::Refused(_))
    })
    .await;
    let refused = within(session.opened()).await.unwrap_err();
    assert_eq!(refused.to_string(), "the controller refuses the login");
    network
        .change(Method::POST, &format!("identities/{id}/enable"), &json!({}))
        .await;
    until(&mut session.state(), |state| state.open().is_some()).await;
}

#[tokio::test]
async fn controllers_are_tried_in_turn() {
    let network = Network::start().await;
    let identity = network.identity("laptop").await;
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let away: Url = format!("https://localhost:{}", closed.port())
        .parse()
        .unwrap();
    let with = |controllers| EdgeIdentity {
        controllers,
        ..identity.clone()
    };
    let both = with(vec![away.clone(), identity.controllers[0].clone()]);
    let options = network.options(LoginProtocol::default());
    let session = EdgeSession::start(both, options.clone()).unwrap();
    let open = within(session.opened()).await.unwrap();
    assert_eq!(open.controller, identity.controllers[0]);

    let session = EdgeSession::start(with(vec![away]), options).unwrap();
    let mut states = session.state();
    let failed = until(&mut states, |state| {
        matches!(state, SessionState::Failed(_))
    })
    .await;
    let SessionState::Failed(reason) = failed else {
        panic!("{failed:?}");
    };
    assert!(matches!(reason, SessionError::Unreachable(_)), "{reason}");
    within(session.close()).await;
}
