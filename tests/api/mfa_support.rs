//! People with an authenticator app, for tests about TOTP.

use crate::support::log_in;
use http::Method;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::mfa::Step;
use portcullis_testkit::{Harness, Reply};
use portcullis_totp::Secret;
use serde_json::{Value, json};

/// What a code is given in.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Given<'c> {
    /// Nothing.
    Nowhere,
    /// The member `code` of a body.
    Body(&'c str),
    /// The header `mfa-validation-code`.
    Header(&'c str),
}

/// An authenticator app that holds one secret.
#[derive(Debug)]
pub(crate) struct Device(Secret);

impl Device {
    /// The app after it has read a provisioning URL.
    pub(crate) fn scan(url: &str) -> Self {
        let (_, secret) = url.split_once("secret=").unwrap();
        let alphabet = base32::Alphabet::Rfc4648 { padding: false };
        Self(Secret::from_bytes(&base32::decode(alphabet, secret).unwrap()).unwrap())
    }

    /// The code that it shows so many steps from now.
    pub(crate) fn code(&self, controller: &Harness, steps: i64) -> String {
        let now = Step::at(controller.app.env().now());
        let step = Step(now.0.checked_add_signed(steps).unwrap());
        self.0.code_at(step).as_str().to_owned()
    }

    /// A code that it shows at no time near.
    pub(crate) fn wrong(&self, controller: &Harness) -> String {
        let near: Vec<_> = (-4..=4).map(|steps| self.code(controller, steps)).collect();
        let candidates = (0..).map(|number| format!("{number:06}"));
        candidates
            .into_iter()
            .find(|code| !near.contains(code))
            .unwrap()
    }
}

/// Asks for the caller's own enrollment, or for what is below it.
pub(crate) async fn own(
    controller: &Harness,
    session: &str,
    (method, below): (Method, &str),
    given: Given<'_>,
) -> Reply {
    let path = format!("/edge/client/v1/current-identity/mfa{below}");
    ask(controller, session, (method, &path), given).await
}

/// Answers the second factor of a session.
pub(crate) async fn answer(controller: &Harness, session: &str, code: &str) -> Reply {
    let path = "/edge/client/v1/authenticate/mfa";
    ask(controller, session, (Method::POST, path), Given::Body(code)).await
}

/// Finishes an enrollment.
pub(crate) async fn verify(controller: &Harness, session: &str, code: &str) -> Reply {
    own(
        controller,
        session,
        (Method::POST, "/verify"),
        Given::Body(code),
    )
    .await
}

async fn ask(
    controller: &Harness,
    session: &str,
    (method, path): (Method, &str),
    given: Given<'_>,
) -> Reply {
    let request = controller.request(method, path).session(session);
    let request = match given {
        Given::Nowhere => request,
        Given::Body(code) => request.json(&json!({"code": code})),
        Given::Header(code) => request.header("mfa-validation-code", code),
    };
    request.send().await
}

/// Begins an enrollment; answers the app that was set up with it, and the answer's data.
pub(crate) async fn begin(controller: &Harness, session: &str) -> (Device, Value) {
    let begun = own(controller, session, (Method::POST, ""), Given::Nowhere).await;
    assert_eq!(begun.status, 201, "{}", begun.text());
    let data = begun.data();
    (
        Device::scan(data["provisioningUrl"].as_str().unwrap()),
        data,
    )
}

/// Enrolls by the code of the present step, and waits for the next one; answers the app and the
/// recovery codes.
pub(crate) async fn enroll(controller: &Harness, session: &str) -> (Device, Vec<String>) {
    let (device, begun) = begin(controller, session).await;
    let code = device.code(controller, 0);
    assert_eq!(verify(controller, session, &code).await.status, 200);
    pass(controller, Step::SECONDS.try_into().unwrap());
    (device, texts(&begun["recoveryCodes"]))
}

/// Lets so many seconds pass; fewer than none set the clock back.
pub(crate) fn pass(controller: &Harness, seconds: i64) {
    controller.clock.advance(SignedDuration::from_secs(seconds));
}

/// Sets the clock.
pub(crate) fn set(controller: &Harness, text: &str) {
    controller.clock.set(text.parse::<Timestamp>().unwrap());
}

/// A list of texts.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    let texts = value.as_array().unwrap().iter();
    texts
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

/// Logs somebody in who is enrolled; answers the token of the session, which is partial.
pub(crate) async fn partial(controller: &Harness, name: &str) -> String {
    let data = log_in(controller, name).await.data();
    assert_eq!(data["authQueries"][0]["typeId"], "MFA", "{data}");
    data["token"].as_str().unwrap().to_owned()
}

/// Asserts that a code was refused, and that nothing else is said.
#[track_caller]
pub(crate) fn assert_refused(reply: &Reply) {
    assert_eq!(reply.error(), (400, "MFA_INVALID_TOKEN".to_owned()));
    assert!(reply.json()["error"].get("cause").is_none());
}
