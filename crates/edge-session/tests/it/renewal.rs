//! Renewal of tokens and of certificates for edge routers.

use crate::network::{Network, login_of, until, until_other, within};
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::ids::ServiceId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_edge_session::{
    EdgeSession, ExposeSecret as _, LoginMethod, LoginProtocol, SessionError, SessionOptions,
};
use portcullis_testkit::{HarnessOptions, PASSWORD};
use serde_json::json;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// Longer than the access tokens of the controller live.
const EXPIRY: SignedDuration = SignedDuration::from_mins(31);

impl Network {
    fn advance(&self, time: SignedDuration) {
        self.controller.harness.clock.advance(time);
    }

    /// Options of a session that asks for nothing by itself.
    fn quiet(&self, protocol: LoginProtocol) -> SessionOptions {
        SessionOptions {
            poll_interval: Duration::MAX,
            posture_interval: Duration::MAX,
            ..self.options(protocol)
        }
    }
}

#[tokio::test]
async fn tokens_are_renewed_before_they_expire() {
    let network = Network::start_with(HarnessOptions {
        access_token_seconds: 4,
        ..HarnessOptions::default()
    });
    let network = network.await;
    let session = network.open("laptop", LoginProtocol::Oidc).await;
    let first = session.opened().await.unwrap();
    // The clock stands still, so that none has expired.
    until_other(&mut session.state(), first.token.expose_secret()).await;
    let second = session.opened().await.unwrap();
    assert_eq!(login_of(&second), login_of(&first));
}

#[tokio::test]
async fn tokens_that_have_expired_are_renewed() {
    let network = Network::start().await;
    let session = network.open("laptop", LoginProtocol::Oidc).await;
    let first = session.opened().await.unwrap();
    network.advance(EXPIRY);
    until_other(&mut session.state(), first.token.expose_secret()).await;
    let second = session.opened().await.unwrap();
    assert!(second.expires_at > first.expires_at);
    assert_eq!(login_of(&second), login_of(&first));
}

#[tokio::test]
async fn session_outlives_a_renewal_whose_caller_gives_up() {
    let network = Network::start().await;
    let identity = network.identity("laptop").await;
    let options = network.quiet(LoginProtocol::Oidc);
    let session = EdgeSession::start(identity, options).unwrap();
    let first = within(session.opened()).await.unwrap();
    // A token that expires between two requests of the task would end the session.
    until(&mut session.services(), Option::is_some).await;
    for polls in 1..12 {
        network.advance(EXPIRY);
        let service = ServiceId::from_wire(format!("nothing-{polls}"));
        let mut asking = pin!(session.service_session(&service, ServiceGrant::Dial));
        let mut left = polls;
        let given_up = poll_fn(|context| {
            left -= 1;
            let is_over = asking.as_mut().poll(context).is_ready() || left == 0;
            if is_over {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        });
        within(given_up).await;
    }
    let service = ServiceId::from_wire("nothing");
    let refused = within(session.service_session(&service, ServiceGrant::Dial)).await;
    assert!(
        matches!(refused, Err(SessionError::NotGranted(_))),
        "{refused:?}"
    );
    let last = within(session.opened()).await.unwrap();
    assert_eq!(login_of(&last), login_of(&first));
    assert_ne!(last.token.expose_secret(), first.token.expose_secret());
}

#[tokio::test]
async fn certificates_for_routers_are_replaced_before_they_expire() {
    let network = Network::start().await;
    let harness = &network.controller.harness;
    harness.create_user(&network.admin, "anne", json!({})).await;
    let mut identity = network.identity("laptop").await;
    identity.certificate = None;
    let options = SessionOptions {
        login: LoginMethod::Password {
            username: "anne".to_owned(),
            password: PASSWORD.into(),
        },
        ..network.quiet(LoginProtocol::Oidc)
    };
    let session = EdgeSession::start(identity, options).unwrap();
    let first = within(session.opened()).await.unwrap();
    let credential = || within(session.router_credential());
    let issued = credential().await.unwrap();
    network.advance(SignedDuration::from_hours(7));
    assert!(Arc::ptr_eq(&issued, &credential().await.unwrap()));
    network.advance(SignedDuration::from_mins(30));
    let replaced = credential().await.unwrap();
    assert!(!Arc::ptr_eq(&issued, &replaced));
    assert!(Arc::ptr_eq(&replaced, &credential().await.unwrap()));
    let last = within(session.opened()).await.unwrap();
    assert_eq!(login_of(&last), login_of(&first));
}
