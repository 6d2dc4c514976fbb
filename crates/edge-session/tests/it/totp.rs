//! Logins that need a code.

use crate::network::{Network, until, within};
use http::Method;
use parking_lot::Mutex;
use portcullis_edge_session::{
    CodeFuture, CodePrompt, CodeQuery, EdgeIdentity, EdgeSession, LoginProtocol, SessionError,
    SessionOptions, SessionState,
};
use portcullis_testkit::totp_code;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Codes for an identity, which has them from its enrollment.
async fn require_codes(network: &Network, name: &str) -> (EdgeIdentity, Vec<String>) {
    let file = network.enroll(name).await;
    let identity = EdgeIdentity::from_file(&file).unwrap();
    let session = EdgeSession::start(identity.clone(), network.options(LoginProtocol::Legacy));
    let session = session.unwrap();
    let token = within(session.opened()).await.unwrap().token.clone();
    let token = portcullis_edge_session::ExposeSecret::expose_secret(&token);
    let harness = &network.controller.harness;
    let path = "/edge/client/v1/current-identity/mfa";
    harness
        .request(Method::POST, path)
        .session(token)
        .send()
        .await;
    let mfa = harness
        .request(Method::GET, path)
        .session(token)
        .send()
        .await
        .data();
    let url = mfa["provisioningUrl"].as_str().unwrap();
    let code = totp_code(url, network.env().now());
    let verify = harness
        .request(Method::POST, &format!("{path}/verify"))
        .session(token);
    let reply = verify.json(&json!({"code": code})).send().await;
    assert!(reply.status.is_success(), "{}", reply.status);
    within(session.close()).await;
    let codes = mfa["recoveryCodes"].as_array().unwrap().iter();
    let codes = codes
        .map(|code| code.as_str().unwrap().to_owned())
        .collect();
    (identity, codes)
}

/// Answers with these codes, and then with nothing.
struct Codes {
    left: Mutex<Vec<String>>,
    asked: Mutex<Vec<CodeQuery>>,
}

impl Codes {
    fn new(codes: &[&str]) -> Arc<Self> {
        let mut left: Vec<_> = codes.iter().map(|code| (*code).to_owned()).collect();
        left.reverse();
        Arc::new(Self {
            left: Mutex::new(left),
            asked: Mutex::default(),
        })
    }
}

impl CodePrompt for Codes {
    fn ask(&self, query: CodeQuery) -> CodeFuture<'_> {
        self.asked.lock().push(query);
        let code = self.left.lock().pop();
        Box::pin(async move { code.map(Into::into) })
    }
}

async fn log_in(
    network: &Network,
    identity: &EdgeIdentity,
    protocol: LoginProtocol,
    prompt: Option<Arc<dyn CodePrompt>>,
) -> Result<(), SessionError> {
    let options = SessionOptions {
        code_prompt: prompt,
        ..network.options(protocol)
    };
    let session = EdgeSession::start(identity.clone(), options).unwrap();
    let opened = within(session.opened()).await.map(drop);
    if opened.is_ok() {
        until(&mut session.services(), Option::is_some).await;
    }
    within(session.close()).await;
    opened
}

#[tokio::test]
async fn wrong_code_is_asked_for_again() {
    let network = Network::start().await;
    let (identity, codes) = require_codes(&network, "laptop").await;
    for (protocol, code) in [
        (LoginProtocol::Legacy, &codes[0]),
        (LoginProtocol::Oidc, &codes[1]),
    ] {
        let prompt = Codes::new(&["000000", code]);
        log_in(&network, &identity, protocol, Some(prompt.clone()))
            .await
            .unwrap();
        let asked = prompt.asked.lock();
        let [first, second] = &asked[..] else {
            panic!("{asked:?}");
        };
        assert_eq!((&first.refusal, first.attempts_left), (&None, 3));
        assert!(
            second
                .refusal
                .as_ref()
                .unwrap()
                .contains("MFA_INVALID_TOKEN")
        );
        assert_eq!(second.attempts_left, 2);
    }
}

#[tokio::test]
async fn logins_without_a_code_are_refused_with_the_reason() {
    let network = Network::start().await;
    let (identity, _codes) = require_codes(&network, "laptop").await;
    let protocol = LoginProtocol::Legacy;
    let refused = log_in(&network, &identity, protocol, None)
        .await
        .unwrap_err();
    assert!(matches!(refused, SessionError::CodeNeeded), "{refused}");
    let prompt = Codes::new(&[]);
    let refused = log_in(&network, &identity, protocol, Some(prompt))
        .await
        .unwrap_err();
    assert!(matches!(refused, SessionError::CodeNotGiven), "{refused}");
    let prompt = Codes::new(&["000000"]);
    let refused = log_in(&network, &identity, protocol, Some(prompt))
        .await
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the controller has refused the TOTP code"
    );
    let prompt = Codes::new(&["000000", "000001", "000002", "000003"]);
    let refused = log_in(&network, &identity, protocol, Some(prompt.clone())).await;
    assert!(
        matches!(refused, Err(SessionError::CodesRefused { attempts: 3 })),
        "{refused:?}"
    );
    assert_eq!(*prompt.left.lock(), ["000003"]);
}

#[tokio::test]
async fn policy_may_demand_an_enrollment_first() {
    let network = Network::start().await;
    let identity = network.identity("laptop").await;
    let policy = json!({"secondary": {"requireTotp": true}});
    network
        .change(Method::PATCH, "auth-policies/default", &policy)
        .await;
    for protocol in [LoginProtocol::Legacy, LoginProtocol::Oidc] {
        let prompt = Codes::new(&["123456"]);
        let refused = log_in(&network, &identity, protocol, Some(prompt))
            .await
            .unwrap_err();
        assert!(
            matches!(refused, SessionError::TotpNotEnrolled),
            "{refused}"
        );
    }
}

/// Waits for the code of a channel.
struct Slow(mpsc::UnboundedSender<oneshot::Sender<String>>);

impl CodePrompt for Slow {
    fn ask(&self, _query: CodeQuery) -> CodeFuture<'_> {
        let (answer, code) = oneshot::channel();
        self.0.send(answer).unwrap();
        Box::pin(async move { code.await.ok().map(Into::into) })
    }
}

#[tokio::test]
async fn session_says_that_it_waits_for_a_person() {
    let network = Network::start().await;
    let (identity, codes) = require_codes(&network, "laptop").await;
    let (asked, mut questions) = mpsc::unbounded_channel();
    let options = SessionOptions {
        code_prompt: Some(Arc::new(Slow(asked))),
        ..network.options(LoginProtocol::Oidc)
    };
    let session = EdgeSession::start(identity.clone(), options.clone()).unwrap();
    let answer = within(questions.recv()).await.unwrap();
    assert!(matches!(
        *session.state().borrow(),
        SessionState::WaitingForCode
    ));
    answer.send(codes[0].clone()).unwrap();
    within(session.opened()).await.unwrap();

    // Nobody has to answer for the session to end.
    let session = EdgeSession::start(identity, options).unwrap();
    let _question = within(questions.recv()).await.unwrap();
    within(session.close()).await;
}
