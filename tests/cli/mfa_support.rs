//! Somebody with an authenticator app.

use crate::Session;
use crate::session::PASSWORD;
use portcullis_domain::mfa::Step;
use portcullis_totp::Secret;
use serde_json::Value;
use std::time::{SystemTime, UNIX_EPOCH};
use support::Outcome;

/// An authenticator app that holds one secret.
pub(crate) struct App {
    secret: Secret,
    last: Step,
}

impl App {
    /// Types the secret in.
    pub(crate) fn new(secret: &str) -> Self {
        let alphabet = base32::Alphabet::Rfc4648 { padding: false };
        let bytes = base32::decode(alphabet, secret).expect("the secret is base32");
        Self {
            secret: Secret::from_bytes(&bytes).unwrap(),
            last: Step(0),
        }
    }

    /// A code that was not used before: the present one, and then the one of the next step, which
    /// counts already. More than two have to be waited for.
    pub(crate) fn code(&mut self) -> String {
        let now = now();
        let step = Step(now.0.max(self.last.0 + 1));
        assert!(step.0 <= now.0 + 1, "a code would have to be waited for");
        self.last = step;
        self.secret.code_at(step).as_str().to_owned()
    }

    /// A code that is wrong now and for a while.
    pub(crate) fn wrong(&self) -> String {
        let around = now().0 - 5..now().0 + 20;
        let right: Vec<_> = around.map(|step| self.secret.code_at(Step(step))).collect();
        let mut texts = (0..1000).map(|number| format!("{number:06}"));
        let wrong = texts.find(|text| right.iter().all(|code| code.as_str() != text));
        wrong.expect("there are more codes than steps")
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the controller goes by the clock of the system"
)]
fn now() -> Step {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Step(since.as_secs() / Step::SECONDS)
}

/// Somebody who logs in with a password in the profile `anna`.
pub(crate) struct Person<'s> {
    session: &'s Session,
}

impl<'s> Person<'s> {
    /// Makes the identity `anna`, and logs her in. The administrator is logged in already.
    pub(crate) fn new(session: &'s Session) -> Self {
        let person = Self::under(session, "default");
        person.log_in(&[]).success();
        person
    }

    /// Makes her under an authentication policy, without logging her in.
    pub(crate) fn under(session: &'s Session, policy: &str) -> Self {
        let create = ["identity", "create", "anna", "--enrollment", "none"];
        session.json(&[&create[..], &["--auth-policy", policy]].concat());
        let create = ["authenticator", "create", "anna", "--username", "anna"];
        session.run_with_password(&create, PASSWORD).success();
        Self { session }
    }

    /// Runs a login with further arguments.
    #[track_caller]
    pub(crate) fn log_in(&self, arguments: &[&str]) -> Outcome {
        let ca = self.session.controller.ca();
        let url = self.session.controller.url();
        let login = ["login", url, "--username", "anna", "--ca"];
        self.run(&[&login[..], &[ca.to_str().unwrap()], arguments].concat())
    }

    /// Runs a command in her profile.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        self.session
            .run(&[arguments, &["--profile", "anna"]].concat())
    }

    /// The document of a command in her profile.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        self.session
            .json(&[arguments, &["--profile", "anna"]].concat())
    }

    /// Starts an enrollment, and sets an app up.
    #[track_caller]
    pub(crate) fn start(&self) -> App {
        let started = self.json(&["mfa", "enroll"]);
        assert_eq!(started["state"], "started");
        App::new(started["secret"].as_str().unwrap())
    }

    /// Enrolls, and answers the app and the recovery codes.
    #[track_caller]
    pub(crate) fn enroll(&self) -> (App, Vec<String>) {
        let mut app = self.start();
        let verified = self.json(&["mfa", "verify", "--code", &app.code()]);
        (app, recovery_codes(&verified))
    }

    /// How her enrollment and her session stand.
    #[track_caller]
    pub(crate) fn state(&self) -> (String, Value) {
        let status = self.json(&["mfa", "status"]);
        let state = status["state"].as_str().unwrap().to_owned();
        (state, status["session"].clone())
    }

    /// How many sessions she has, as the administrator sees it.
    #[track_caller]
    pub(crate) fn sessions(&self) -> usize {
        let list = ["session", "list", "--identity", "anna"];
        self.session.json(&list)["data"].as_array().unwrap().len()
    }
}

/// The recovery codes of a document.
pub(crate) fn recovery_codes(document: &Value) -> Vec<String> {
    let codes = document["recoveryCodes"].as_array().unwrap().iter();
    codes
        .map(|code| code.as_str().unwrap().to_owned())
        .collect()
}
