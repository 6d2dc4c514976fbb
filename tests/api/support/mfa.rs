//! Users with an authenticator app, for TOTP tests.

use crate::support::credentials::{token_by, with_certificate};
use crate::support::{current_session, edit_entity, log_in, log_in_by_certificate, modify_store};
use http::Method;
use portcullis_app::Settings;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_domain::mfa::{TimeStep, WrongCodes};
use portcullis_pki::Certificate;
use portcullis_storage::tables::{Found, UniqueIndex, UniqueValue};
use portcullis_testkit::{Harness, HarnessOptions, Reply};
use portcullis_totp::Secret;
use serde_json::{Value, json};

/// Placement of a code in a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CodePlacement<'c> {
    /// No code.
    Omitted,
    /// The member `code` of a body.
    Body(&'c str),
    /// The header `mfa-validation-code`.
    Header(&'c str),
}

/// An authenticator app with one secret.
#[derive(Debug)]
pub(crate) struct Device(Secret);

impl Device {
    /// Scans a provisioning URL.
    pub(crate) fn scan(url: &str) -> Self {
        let (_, secret) = url.split_once("secret=").unwrap();
        let alphabet = base32::Alphabet::Rfc4648 { padding: false };
        Self(Secret::from_bytes(&base32::decode(alphabet, secret).unwrap()).unwrap())
    }

    /// The code this many steps from now.
    pub(crate) fn code(&self, controller: &Harness, steps: i64) -> String {
        let now = TimeStep::at(controller.app.env().now());
        let step = TimeStep(now.0.checked_add_signed(steps).unwrap());
        self.0.code_at(step).as_str().to_owned()
    }

    /// A code that is not valid at any time near.
    pub(crate) fn wrong_code(&self, controller: &Harness) -> String {
        let near: Vec<_> = (-4..=4).map(|steps| self.code(controller, steps)).collect();
        let candidates = (0..).map(|number| format!("{number:06}"));
        candidates
            .into_iter()
            .find(|code| !near.contains(code))
            .unwrap()
    }
}

/// Sends a request to the caller's own MFA enrollment, or below it.
pub(crate) async fn own_mfa(
    controller: &Harness,
    session: &str,
    (method, below): (Method, &str),
    given: CodePlacement<'_>,
) -> Reply {
    let path = format!("/edge/client/v1/current-identity/mfa{below}");
    request_with_code(controller, session, (method, &path), given).await
}

/// Answers the second factor of a session.
pub(crate) async fn answer(controller: &Harness, session: &str, code: &str) -> Reply {
    let path = "/edge/client/v1/authenticate/mfa";
    request_with_code(
        controller,
        session,
        (Method::POST, path),
        CodePlacement::Body(code),
    )
    .await
}

/// Finishes an enrollment.
pub(crate) async fn verify(controller: &Harness, session: &str, code: &str) -> Reply {
    own_mfa(
        controller,
        session,
        (Method::POST, "/verify"),
        CodePlacement::Body(code),
    )
    .await
}

/// Sends a request with a code, or without.
pub(crate) async fn request_with_code(
    controller: &Harness,
    session: &str,
    (method, path): (Method, &str),
    given: CodePlacement<'_>,
) -> Reply {
    let request = controller.request(method, path).session(session);
    let request = match given {
        CodePlacement::Omitted => request,
        CodePlacement::Body(code) => request.json(&json!({"code": code})),
        CodePlacement::Header(code) => request.header("mfa-validation-code", code),
    };
    request.send().await
}

/// Starts an enrollment; returns the app that was set up with it, and the response data.
pub(crate) async fn begin(controller: &Harness, session: &str) -> (Device, Value) {
    let begun = own_mfa(
        controller,
        session,
        (Method::POST, ""),
        CodePlacement::Omitted,
    )
    .await;
    assert_eq!(begun.status, 201, "{}", begun.text());
    let data = begun.data();
    (
        Device::scan(data["provisioningUrl"].as_str().unwrap()),
        data,
    )
}

/// Enrolls with the code of the current step, and waits for the next one; returns the app and the
/// recovery codes.
pub(crate) async fn enroll(controller: &Harness, session: &str) -> (Device, Vec<String>) {
    let (device, begun) = begin(controller, session).await;
    let code = device.code(controller, 0);
    assert_eq!(verify(controller, session, &code).await.status, 200);
    advance_clock(controller, TimeStep::SECONDS.try_into().unwrap());
    (device, texts(&begun["recoveryCodes"]))
}

/// Advances the clock; negative values set it back.
pub(crate) fn advance_clock(controller: &Harness, seconds: i64) {
    controller.clock.advance(SignedDuration::from_secs(seconds));
}

/// A JSON list of strings.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    let texts = value.as_array().unwrap().iter();
    texts
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

/// Logs an enrolled user in; returns the token of the session, which is partial.
pub(crate) async fn partial(controller: &Harness, name: &str) -> String {
    let data = log_in(controller, name).await.data();
    assert_eq!(data["authQueries"][0]["typeId"], "MFA", "{data}");
    data["token"].as_str().unwrap().to_owned()
}

/// Asserts that a code was rejected without further details.
#[track_caller]
pub(crate) fn assert_refused(reply: &Reply) {
    assert_eq!(reply.error(), (400, "MFA_INVALID_TOKEN".to_owned()));
    assert!(reply.json()["error"].get("cause").is_none());
}

/// A user who logs in by certificate, which needs no password hashing.
pub(crate) struct TestUser {
    pub(crate) id: String,
    /// The first session.
    pub(crate) session: String,
    pub(crate) chain: Vec<Certificate>,
}

impl TestUser {
    /// Creates an identity and logs it in.
    pub(crate) async fn new(controller: &Harness, admin: &str, name: &str) -> Self {
        let (id, chain) = with_certificate(controller, admin, name).await;
        let session = token_by(controller, &chain).await;
        Self { id, session, chain }
    }

    /// Opens one more session.
    pub(crate) async fn log_in(&self, controller: &Harness) -> String {
        token_by(controller, &self.chain).await
    }

    /// Tries to open one more session.
    pub(crate) async fn try_to_log_in(&self, controller: &Harness) -> Reply {
        log_in_by_certificate(controller, &self.chain).await
    }

    /// Opens this many sessions.
    pub(crate) async fn log_in_often(&self, controller: &Harness, count: usize) -> Vec<String> {
        let mut sessions = Vec::new();
        for _ in 0..count {
            sessions.push(self.log_in(controller).await);
        }
        sessions
    }
}

/// A controller with one user who is not enrolled.
pub(crate) struct MfaFixture {
    pub(crate) controller: Harness,
    pub(crate) admin: String,
    pub(crate) person: TestUser,
}

impl MfaFixture {
    pub(crate) async fn new() -> Self {
        Self::with(HarnessOptions::default()).await
    }

    /// With sessions that outlast every throttle delay, and other options as given.
    pub(crate) async fn with(options: HarnessOptions) -> Self {
        let settings = Settings {
            session_timeout: SignedDuration::from_hours(24 * 3660),
            ..options.settings
        };
        let controller = Harness::start_with(HarnessOptions {
            settings,
            ..options
        })
        .await;
        let admin = controller.admin().await;
        let person = TestUser::new(&controller, &admin, "anne").await;
        Self {
            controller,
            admin,
            person,
        }
    }

    /// Enrolls the user through the first session.
    pub(crate) async fn enroll(&self) -> (Device, Vec<String>) {
        enroll(&self.controller, &self.person.session).await
    }

    /// Enrolls the user and uses a code and the first recovery code. The code is returned last.
    pub(crate) async fn enroll_and_use_codes(&self) -> (Device, Vec<String>, String) {
        let (device, recovery) = self.enroll().await;
        let used = device.code(&self.controller, 0);
        for code in [&used, &recovery[0]] {
            let reply = answer(&self.controller, &self.person.session, code).await;
            assert_eq!(reply.status, 200);
        }
        (device, recovery, used)
    }

    /// Removes the user's enrollment as the administrator.
    pub(crate) async fn remove(&self) -> Reply {
        remove(&self.controller, &self.admin, &self.person.id).await
    }
}

/// Removes the enrollment of an identity as an administrator.
pub(crate) async fn remove(controller: &Harness, session: &str, id: &str) -> Reply {
    let path = format!("/identities/{id}/mfa");
    controller
        .manage(Method::DELETE, &path, session)
        .send()
        .await
}

/// Purpose of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeUse {
    /// To finish an enrollment.
    Verify,
    /// To answer the second factor.
    Answer,
    /// To see the recovery codes.
    Read,
    /// To get new recovery codes.
    Replace,
    /// To remove the enrollment.
    Leave,
}

impl CodeUse {
    /// Those that require a verified enrollment.
    pub(crate) const ENROLLED: [Self; 4] = [Self::Answer, Self::Read, Self::Replace, Self::Leave];

    /// Method and path.
    pub(crate) fn operation(self) -> (Method, &'static str) {
        match self {
            Self::Verify => (Method::POST, "/edge/client/v1/current-identity/mfa/verify"),
            Self::Answer => (Method::POST, "/edge/client/v1/authenticate/mfa"),
            Self::Read => (
                Method::GET,
                "/edge/client/v1/current-identity/mfa/recovery-codes",
            ),
            Self::Replace => (
                Method::POST,
                "/edge/client/v1/current-identity/mfa/recovery-codes",
            ),
            Self::Leave => (Method::DELETE, "/edge/client/v1/current-identity/mfa"),
        }
    }

    /// Sends a code for this purpose.
    pub(crate) async fn submit(self, controller: &Harness, session: &str, code: &str) -> Reply {
        request_with_code(
            controller,
            session,
            self.operation(),
            CodePlacement::Body(code),
        )
        .await
    }
}

/// Reads the stored record of an identity.
pub(crate) async fn identity(controller: &Harness, id: &str) -> Identity {
    let by_id = UniqueValue::new(UniqueIndex::IdentityId, id);
    let found: Option<Found<Identity>> =
        modify_store(controller, move |rows| rows.rows().find(&by_id).unwrap()).await;
    found.unwrap().entity
}

/// Number of wrong codes counted against an identity.
pub(crate) async fn wrong_code_count(controller: &Harness, id: &str) -> u32 {
    let wrong = identity(controller, id).await.wrong_codes;
    wrong.map_or(0, |wrong| wrong.in_a_row)
}

/// Sets the count of wrong codes of an identity directly in the store, as of now.
pub(crate) async fn set_wrong_codes(controller: &Harness, id: &str, in_a_row: u32) {
    let last_at = controller.app.env().now();
    let wrong_codes = (in_a_row > 0).then_some(WrongCodes { in_a_row, last_at });
    edit_entity(
        controller,
        UniqueIndex::IdentityId,
        id,
        move |identity: &mut Identity| {
            identity.wrong_codes = wrong_codes;
        },
    )
    .await;
}

/// Whether all factors of a session are complete.
pub(crate) async fn is_full(controller: &Harness, session: &str) -> bool {
    let queries = current_session(controller, session).await.data()["authQueries"].clone();
    let services = controller.request(Method::GET, "/edge/client/v1/services");
    let status = services.session(session).send().await.status;
    let is_full = queries.as_array().unwrap().is_empty();
    assert_eq!(status, if is_full { 200 } else { 401 }, "{queries}");
    is_full
}

/// Asserts that a code was throttled; returns the retry delay in seconds.
#[track_caller]
pub(crate) fn assert_throttled(reply: &Reply) -> u32 {
    assert_eq!(reply.error(), (429, "SERVER_TOO_MANY_REQUESTS".to_owned()));
    assert!(reply.json()["error"].get("cause").is_none());
    reply.headers["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap()
}

/// Status and, for errors, code.
pub(crate) fn status_and_code(reply: &Reply) -> String {
    match reply.status.as_u16() {
        status @ 200..=299 => status.to_string(),
        status => format!("{status} {}", reply.error().1),
    }
}
