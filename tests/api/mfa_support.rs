//! People with an authenticator app, for tests about TOTP.

use crate::credentials::{token_by, with_certificate};
use crate::support::{current, edit, log_in, log_in_by_certificate, operate};
use http::Method;
use portcullis_app::Settings;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_domain::mfa::{Step, WrongCodes};
use portcullis_pki::Certificate;
use portcullis_storage::tables::{Found, Index, UniqueValue};
use portcullis_testkit::{Harness, HarnessOptions, Reply};
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

/// Asks for something with a code, or without.
pub(crate) async fn ask(
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

/// Somebody who logs in by certificate, which takes no hash.
pub(crate) struct Person {
    pub(crate) id: String,
    /// The first session.
    pub(crate) session: String,
    pub(crate) chain: Vec<Certificate>,
}

impl Person {
    /// Makes an identity and logs it in.
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

    /// Opens so many more sessions.
    pub(crate) async fn log_in_often(&self, controller: &Harness, count: usize) -> Vec<String> {
        let mut sessions = Vec::new();
        for _ in 0..count {
            sessions.push(self.log_in(controller).await);
        }
        sessions
    }
}

/// A controller with one person who is not enrolled.
pub(crate) struct Scene {
    pub(crate) controller: Harness,
    pub(crate) admin: String,
    pub(crate) person: Person,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::with(HarnessOptions::default()).await
    }

    /// With sessions that outlive every wait of the throttle, and options of one's own beside that.
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
        let person = Person::new(&controller, &admin, "anne").await;
        Self {
            controller,
            admin,
            person,
        }
    }

    /// Enrolls the person through its first session.
    pub(crate) async fn enroll(&self) -> (Device, Vec<String>) {
        enroll(&self.controller, &self.person.session).await
    }

    /// Enrolls the person and spends a code and the first of its recovery codes. The code comes last.
    pub(crate) async fn enroll_and_spend(&self) -> (Device, Vec<String>, String) {
        let (device, recovery) = self.enroll().await;
        let used = device.code(&self.controller, 0);
        for code in [&used, &recovery[0]] {
            let reply = answer(&self.controller, &self.person.session, code).await;
            assert_eq!(reply.status, 200);
        }
        (device, recovery, used)
    }

    /// Lets the administrator remove the person's enrollment.
    pub(crate) async fn remove(&self) -> Reply {
        remove(&self.controller, &self.admin, &self.person.id).await
    }
}

/// Removes the enrollment of an identity as an administrator does.
pub(crate) async fn remove(controller: &Harness, session: &str, id: &str) -> Reply {
    let path = format!("/identities/{id}/mfa");
    controller
        .manage(Method::DELETE, &path, session)
        .send()
        .await
}

/// What a code is given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
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

impl Use {
    /// Those for which it takes a verified enrollment.
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

    /// Gives a code for it.
    pub(crate) async fn of(self, controller: &Harness, session: &str, code: &str) -> Reply {
        ask(controller, session, self.operation(), Given::Body(code)).await
    }
}

/// Reads the record of an identity.
pub(crate) async fn identity(controller: &Harness, id: &str) -> Identity {
    let by_id = UniqueValue::new(Index::IdentityId, id);
    let found: Option<Found<Identity>> =
        operate(controller, move |rows| rows.rows().find(&by_id).unwrap()).await;
    found.unwrap().entity
}

/// How many wrong codes are counted against an identity.
pub(crate) async fn counted(controller: &Harness, id: &str) -> u32 {
    let wrong = identity(controller, id).await.wrong_codes;
    wrong.map_or(0, |wrong| wrong.in_a_row)
}

/// Writes down wrong codes of an identity behind the controller's back: so many, just now.
pub(crate) async fn charge(controller: &Harness, id: &str, in_a_row: u32) {
    let last_at = controller.app.env().now();
    let wrong_codes = (in_a_row > 0).then_some(WrongCodes { in_a_row, last_at });
    edit(
        controller,
        Index::IdentityId,
        id,
        move |identity: &mut Identity| {
            identity.wrong_codes = wrong_codes;
        },
    )
    .await;
}

/// Whether all factors of a session are answered.
pub(crate) async fn is_full(controller: &Harness, session: &str) -> bool {
    let queries = current(controller, session).await.data()["authQueries"].clone();
    let services = controller.request(Method::GET, "/edge/client/v1/services");
    let status = services.session(session).send().await.status;
    let is_full = queries.as_array().unwrap().is_empty();
    assert_eq!(status, if is_full { 200 } else { 401 }, "{queries}");
    is_full
}

/// Asserts that a code was not looked at; answers how long one has to wait, seconds.
#[track_caller]
pub(crate) fn assert_held(reply: &Reply) -> u32 {
    assert_eq!(reply.error(), (429, "SERVER_TOO_MANY_REQUESTS".to_owned()));
    assert!(reply.json()["error"].get("cause").is_none());
    reply.headers["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap()
}

/// Status and, of an error, code.
pub(crate) fn outcome(reply: &Reply) -> String {
    match reply.status.as_u16() {
        status @ 200..=299 => status.to_string(),
        status => format!("{status} {}", reply.error().1),
    }
}

/// The body of a refusal apart from the id of its request.
pub(crate) fn refusal(reply: &Reply) -> Value {
    let mut body = reply.json();
    assert!(body["error"]["requestId"].take().is_string());
    body
}
