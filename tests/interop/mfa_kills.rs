//! Property S-05: what was accepted once is not accepted again after the end of the process between
//! any two instructions.

use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use support::api::CLIENT;
use support::mfa::MfaSetup;
use support::tools::are_available;
use support::{Api, Controller, TestDirectory, Tool, TotpProgram, wait};

/// Rounds without another wish; `PORTCULLIS_KILL_ROUNDS` sets any number.
const ROUNDS: usize = 12;

/// Users that answer at the same time.
const USERS: usize = 5;

const PASSWORD: &str = "a-persons-password";

/// A user, what it was enrolled with, and the recovery codes that it has not tried.
struct User {
    name: String,
    set_up: MfaSetup,
}

impl User {
    fn enroll(admin: &Api, number: usize) -> Self {
        let name = format!("user-{number}");
        let session = admin.create_user(&name, PASSWORD);
        let set_up = session.enroll_in_mfa(TotpProgram::Oathtool);
        Self { name, set_up }
    }

    /// A code, if there is one that was not tried; else a recovery code.
    fn credential(&mut self) -> Credential {
        match self.set_up.app.long_lived_code() {
            Some(code) => Credential::Code(code),
            None => Credential::Recovery(self.set_up.recovery.pop().expect("few are tried")),
        }
    }
}

#[derive(Debug)]
enum Credential {
    Code(String),
    Recovery(String),
}

impl Credential {
    fn text(&self) -> &str {
        match self {
            Self::Code(text) | Self::Recovery(text) => text,
        }
    }
}

/// One answer to a second factor that was under way when the controller was killed.
struct Try {
    session: Api,
    credential: Credential,
    /// Whether the user has read that it was accepted.
    is_acknowledged: bool,
}

impl Try {
    /// Answers the second factor, whatever comes of it.
    fn send(mut self, acknowledged: &AtomicUsize) -> Self {
        let status = ["--output", "/dev/null", "--write-out", "%{http_code}"];
        let outcome = self
            .session
            .curl(&format!("{CLIENT}/authenticate/mfa"))
            .json("POST", &json!({"code": self.credential.text()}))
            .arguments(status)
            .output();
        match outcome.text().as_str() {
            "200" => {
                self.is_acknowledged = true;
                acknowledged.fetch_add(1, Ordering::SeqCst);
            },
            // No answer: it may have been accepted or not.
            "000" => {},
            other => panic!("{other} for {:?}", self.credential),
        }
        self
    }

    /// Compares what is there with what was acknowledged; answers whether it was accepted.
    ///
    /// The session and the code change in one step: where the session is full, the code is spent.
    fn check(&self, round: usize, others: &Api) -> bool {
        let what = format!("round {round}: {:?}", self.credential);
        let is_full = self.session.is_full();
        assert!(is_full || !self.is_acknowledged, "{what} has come undone");
        if !is_full {
            let again = self.session.answer_mfa(self.credential.text());
            match self.credential {
                Credential::Recovery(_) => assert_eq!(again.status, 200, "{what} is lost"),
                // Its time may be over.
                Credential::Code(_) => assert!([200, 400].contains(&again.status), "{what}"),
            }
            assert_eq!(self.session.is_full(), again.status == 200, "{what}");
        }
        for session in [&self.session, others] {
            let again = session.answer_mfa(self.credential.text());
            let refused = (400, "MFA_INVALID_TOKEN".to_owned());
            assert_eq!(again.error(), refused, "{what} is good twice");
        }
        is_full
    }
}

#[test]
fn accepted_codes_stay_spent_through_kills() {
    if !are_available(&[Tool::Curl, Tool::Oathtool]) {
        return;
    }
    let rounds = std::env::var("PORTCULLIS_KILL_ROUNDS")
        .map_or(ROUNDS, |rounds| rounds.parse().expect("a number of rounds"));
    let site = TestDirectory::new();
    let mut controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let mut users: Vec<_> = (0..USERS)
        .map(|number| User::enroll(&admin, number))
        .collect();
    let mut enrolled = USERS;
    let (mut accepted, mut unread) = (0, 0);
    for round in 0..rounds {
        // Users that have run out of codes make room for others.
        for user in &mut users {
            if user.set_up.recovery.is_empty() {
                *user = User::enroll(&admin, enrolled);
                enrolled += 1;
            }
        }
        let tries = users.iter_mut().map(|user| Try {
            session: admin.log_in(&user.name, PASSWORD),
            credential: user.credential(),
            is_acknowledged: false,
        });
        let tries = tries.collect();
        let tries = send_and_kill(&site, controller, tries, round);
        controller = site.quickstart().start();
        for (tried, user) in tries.iter().zip(&users) {
            let others = admin.log_in(&user.name, PASSWORD);
            if tried.check(round, &others) {
                accepted += 1;
                unread += usize::from(!tried.is_acknowledged);
            }
        }
    }
    println!("{rounds} rounds, {accepted} codes accepted, {unread} of them without an answer");
    assert!(controller.terminate().success());
}

/// Sends everything at once. The controller is killed when so many are accepted, another number
/// each round: by what was read, or by what it has written down, which comes before the answer.
fn send_and_kill(
    site: &TestDirectory,
    controller: Controller,
    tries: Vec<Try>,
    round: usize,
) -> Vec<Try> {
    let acknowledged = AtomicUsize::new(0);
    let before = passes(site);
    let goal = 1 + round % USERS;
    thread::scope(|scope| {
        let under_way: Vec<_> = tries
            .into_iter()
            .map(|tried| scope.spawn(|| tried.send(&acknowledged)))
            .collect();
        let reached = wait::until(wait::DEFAULT_TIMEOUT, || {
            let count = match round % 2 {
                0 => acknowledged.load(Ordering::SeqCst),
                _ => passes(site) - before,
            };
            (count >= goal).then_some(()).ok_or(count)
        });
        controller.kill();
        reached.expect("codes are accepted");
        let done = under_way.into_iter().map(thread::ScopedJoinHandle::join);
        done.map(|tried| tried.expect("it is sent")).collect()
    })
}

/// Second factors that the audit trail tells of.
fn passes(site: &TestDirectory) -> usize {
    site.logged().matches("api-session.pass-mfa").count()
}
