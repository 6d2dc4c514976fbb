//! Users with an authenticator app.

use crate::Session;
use crate::session::PASSWORD;
use portcullis_domain::clock::Clock as _;
use portcullis_domain::mfa::TimeStep;
use portcullis_system::SystemClock;
use portcullis_totp::Secret;
use serde_json::Value;
use support::CommandOutput;

/// An authenticator app with one secret.
pub(crate) struct AuthenticatorApp {
    secret: Secret,
    last: TimeStep,
}

impl AuthenticatorApp {
    pub(crate) fn new(secret: &str) -> Self {
        let alphabet = base32::Alphabet::Rfc4648 { padding: false };
        let bytes = base32::decode(alphabet, secret).expect("the secret is base32");
        Self {
            secret: Secret::from_bytes(&bytes).unwrap(),
            last: TimeStep(0),
        }
    }

    /// An unused code: the current one, and then the one of the next step, which is accepted already.
    /// More than two would require waiting.
    pub(crate) fn code(&mut self) -> String {
        let now = now();
        let step = TimeStep(now.0.max(self.last.0 + 1));
        assert!(step.0 <= now.0 + 1, "a code would have to be waited for");
        self.last = step;
        self.secret.code_at(step).as_str().to_owned()
    }

    /// A code that is not valid at any time near.
    pub(crate) fn wrong_code(&self) -> String {
        let around = now().0 - 5..now().0 + 20;
        let right: Vec<_> = around
            .map(|step| self.secret.code_at(TimeStep(step)))
            .collect();
        let mut texts = (0..1000).map(|number| format!("{number:06}"));
        let wrong = texts.find(|text| right.iter().all(|code| code.as_str() != text));
        wrong.expect("there are more codes than steps")
    }
}

/// The current step, by the clock that the controller goes by.
fn now() -> TimeStep {
    TimeStep::at(SystemClock.now())
}

/// A user who logs in with a password in the profile `anna`.
pub(crate) struct MfaUser<'s> {
    session: &'s Session,
}

impl<'s> MfaUser<'s> {
    /// Creates the identity `anna`, and logs her in. The administrator must be logged in.
    pub(crate) fn new(session: &'s Session) -> Self {
        let person = Self::under(session, "default");
        person.log_in(&[]).success();
        person
    }

    /// Creates her with an authentication policy, without logging her in.
    pub(crate) fn under(session: &'s Session, policy: &str) -> Self {
        let create = ["identity", "create", "anna", "--enrollment", "none"];
        session.json(&[&create[..], &["--auth-policy", policy]].concat());
        let create = ["authenticator", "create", "anna", "--username", "anna"];
        session.run_with_password(&create, PASSWORD).success();
        Self { session }
    }

    /// Runs a login with additional arguments.
    #[track_caller]
    pub(crate) fn log_in(&self, arguments: &[&str]) -> CommandOutput {
        let ca = self.session.controller.ca();
        let url = self.session.controller.url();
        let login = ["login", url, "--username", "anna", "--ca"];
        self.run(&[&login[..], &[ca.to_str().unwrap()], arguments].concat())
    }

    /// Runs a command in her profile.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.session
            .run(&[arguments, &["--profile", "anna"]].concat())
    }

    /// The JSON output of a command in her profile.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        self.session
            .json(&[arguments, &["--profile", "anna"]].concat())
    }

    /// Starts an enrollment, and sets up an app.
    #[track_caller]
    pub(crate) fn start(&self) -> AuthenticatorApp {
        let started = self.json(&["mfa", "enroll"]);
        assert_eq!(started["state"], "started");
        AuthenticatorApp::new(started["secret"].as_str().unwrap())
    }

    /// Enrolls, and returns the app and the recovery codes.
    #[track_caller]
    pub(crate) fn enroll(&self) -> (AuthenticatorApp, Vec<String>) {
        let mut app = self.start();
        let verified = self.json(&["mfa", "verify", "--code", &app.code()]);
        (app, recovery_codes(&verified))
    }

    /// The state of her enrollment and of her session.
    #[track_caller]
    pub(crate) fn state(&self) -> (String, Value) {
        let status = self.json(&["mfa", "status"]);
        let state = status["state"].as_str().unwrap().to_owned();
        (state, status["session"].clone())
    }

    /// Number of her sessions that a code has completed, as the administrator sees it. A login that was not
    /// finished is listed until it is forgotten, and no token of it exists.
    #[track_caller]
    pub(crate) fn sessions(&self) -> usize {
        complete_sessions(self.session)
    }
}

/// Number of the sessions of `anna` that a code has completed.
#[track_caller]
pub(crate) fn complete_sessions(session: &Session) -> usize {
    let sessions = session.json(&["session", "list", "--identity", "anna"]);
    let sessions = sessions.as_array().unwrap().iter();
    sessions
        .filter(|session| session["isMfaComplete"] == true)
        .count()
}

/// The recovery codes in a JSON output.
pub(crate) fn recovery_codes(document: &Value) -> Vec<String> {
    let codes = document["recoveryCodes"].as_array().unwrap().iter();
    codes
        .map(|code| code.as_str().unwrap().to_owned())
        .collect()
}
