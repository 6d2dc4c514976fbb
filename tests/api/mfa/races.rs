//! TOTP: what many do at once, and only one may.

use crate::enrollment::races::{at_once, outcomes, rounds, tally};
use crate::support::mfa::{
    CodePlacement, CodeUse, Device, MfaFixture, TestUser, advance_clock, answer, begin, identity,
    is_full, own_mfa, remove, set_wrong_codes, status_and_code, texts, verify,
};
use http::Method;
use portcullis_domain::identity::TotpState;
use portcullis_storage::tables::RecordCounts;
use portcullis_testkit::{Harness, Reply};
use std::sync::Arc;

/// Rounds of a race in an ordinary run.
const ROUNDS: usize = 3;

/// The racers: a controller, somebody who is enrolled or not, and sessions.
struct Race {
    controller: Arc<Harness>,
    admin: String,
    person: TestUser,
    sessions: Vec<String>,
}

impl Race {
    async fn of_sessions(count: usize) -> Self {
        let MfaFixture {
            controller,
            admin,
            person,
        } = MfaFixture::new().await;
        let sessions = person.log_in_often(&controller, count).await;
        Self {
            controller: Arc::new(controller),
            admin,
            person,
            sessions,
        }
    }

    /// Enrolled through the first session; the others stay full.
    async fn enroll(&self) -> (Device, Vec<String>) {
        crate::support::mfa::enroll(&self.controller, &self.person.session).await
    }

    /// Sends one code through all sessions at once.
    async fn all(&self, purpose: CodeUse, code: &str) -> Vec<Reply> {
        self.each(purpose, |_| code.to_owned()).await
    }

    /// Sends a code through each session at once.
    async fn each(&self, purpose: CodeUse, code: impl Fn(usize) -> String) -> Vec<Reply> {
        let (method, path) = purpose.operation();
        at_once(self.sessions.len(), |number| {
            let controller = self.controller.clone();
            let session = self.sessions[number].clone();
            let (method, code) = (method.clone(), code(number));
            async move {
                let asked = (method, path);
                crate::support::mfa::request_with_code(
                    &controller,
                    &session,
                    asked,
                    CodePlacement::Body(&code),
                )
                .await
            }
        })
        .await
    }

    /// Nothing is half there.
    async fn check(&self) {
        let view = self.controller.engine.snapshot().unwrap();
        assert_eq!(RecordCounts::verify(&*view).unwrap(), []);
        let shown = own_mfa(
            &self.controller,
            &self.person.session,
            (Method::GET, ""),
            CodePlacement::Omitted,
        );
        let shown = match shown.await {
            reply if reply.status == 404 => TotpState::None,
            reply if reply.data()["isVerified"] == true => TotpState::Verified,
            _ => TotpState::Started,
        };
        let identity = identity(&self.controller, &self.person.id).await;
        assert_eq!(identity.attached.totp, shown);
    }
}

/// The outcome of a race for one code: one is let in, five are refused, and the others have to wait.
fn one_of(count: usize) -> std::collections::BTreeMap<String, usize> {
    outcomes([
        ("200", 1),
        ("MFA_INVALID_TOKEN", 5),
        ("SERVER_TOO_MANY_REQUESTS", count - 6),
    ])
}

/// S-04, S-11
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_code_completes_one_session() {
    for round in 0..rounds(ROUNDS) {
        for is_recovery in [false, true] {
            // A person may have hardly more sessions than these, so that each race has its own person.
            let mut race = Race::of_sessions(0).await;
            let (device, recovery) = race.enroll().await;
            race.sessions = race.person.log_in_often(&race.controller, 256).await;
            set_wrong_codes(&race.controller, &race.person.id, 0).await;
            advance_clock(&race.controller, 60);
            let code = if is_recovery {
                recovery[round % recovery.len()].clone()
            } else {
                device.code(&race.controller, 0)
            };
            let replies = race.all(CodeUse::Answer, &code).await;
            assert_eq!(tally(&replies), one_of(256), "recovery code: {is_recovery}");
            let mut full = 0;
            for session in &race.sessions {
                full += usize::from(is_full(&race.controller, session).await);
            }
            assert_eq!(full, 1, "recovery code: {is_recovery}");
            race.check().await;
        }
    }
}

/// Whatever it is given for.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_code_does_one_thing() {
    let race = Race::of_sessions(64).await;
    for purpose in [CodeUse::Read, CodeUse::Replace] {
        for is_recovery in [false, true] {
            remove(&race.controller, &race.admin, &race.person.id)
                .await
                .data();
            let (device, recovery) = race.enroll().await;
            let code = if is_recovery {
                recovery[0].clone()
            } else {
                device.code(&race.controller, 0)
            };
            let replies = race.all(purpose, &code).await;
            assert_eq!(
                tally(&replies),
                one_of(64),
                "{purpose:?}, recovery code: {is_recovery}"
            );
            let shown = replies.iter().find(|reply| reply.status == 200).unwrap();
            let left = texts(&shown.data()["recoveryCodes"]);
            let is_spent = is_recovery && purpose == CodeUse::Read;
            assert_eq!(left.len(), 20 - usize::from(is_spent), "{purpose:?}");
            // What was shown is what holds now.
            advance_clock(&race.controller, 60);
            set_wrong_codes(&race.controller, &race.person.id, 0).await;
            let done = answer(&race.controller, &race.person.session, &left[0]).await;
            assert_eq!(done.status, 200, "{}", done.text());
        }
    }
    race.check().await;
}

/// Each has a recovery code of its own; the first to come takes them from the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn recovery_codes_are_replaced_once_by_as_many_codes() {
    let race = Race::of_sessions(20).await;
    let (_, recovery) = race.enroll().await;
    let replies = race
        .each(CodeUse::Replace, |number| recovery[number].clone())
        .await;
    assert_eq!(tally(&replies), one_of(20));
    let made = replies.iter().find(|reply| reply.status == 200).unwrap();
    let made = texts(&made.data()["recoveryCodes"]);
    advance_clock(&race.controller, 3600);
    let done = answer(&race.controller, &race.person.session, &made[0]).await;
    assert_eq!(done.status, 200, "{}", done.text());
    race.check().await;
}

/// Different recovery codes have nothing to do with each other.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn as_many_recovery_codes_complete_as_many_sessions() {
    let mut race = Race::of_sessions(0).await;
    let (device, recovery) = race.enroll().await;
    race.sessions = race.person.log_in_often(&race.controller, 20).await;
    let replies = race
        .each(CodeUse::Answer, |number| recovery[number].clone())
        .await;
    assert_eq!(tally(&replies), outcomes([("200", 20)]));
    let code = device.code(&race.controller, 0);
    let left = CodeUse::Read
        .submit(&race.controller, &race.person.session, &code)
        .await
        .data();
    assert_eq!(left["recoveryCodes"], serde_json::json!([]));
    race.check().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_enrollment_is_begun_and_finished_once() {
    let race = Race::of_sessions(64).await;
    let controller = &race.controller;
    for _ in 0..rounds(ROUNDS) {
        remove(controller, &race.admin, &race.person.id)
            .await
            .data();
        let replies = at_once(64, |number| {
            let (controller, session) = (controller.clone(), race.sessions[number].clone());
            async move {
                own_mfa(
                    &controller,
                    &session,
                    (Method::POST, ""),
                    CodePlacement::Omitted,
                )
                .await
            }
        })
        .await;
        assert_eq!(tally(&replies), outcomes([("201", 1), ("MFA_EXISTS", 63)]));
        race.check().await;

        let begun = replies.iter().find(|reply| reply.status == 201).unwrap();
        let device = Device::scan(begun.data()["provisioningUrl"].as_str().unwrap());
        let replies = race.all(CodeUse::Verify, &device.code(controller, 0)).await;
        assert_eq!(tally(&replies), outcomes([("200", 1), ("NOT_FOUND", 63)]));
        race.check().await;
        advance_clock(controller, 30);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_enrollment_is_removed_once() {
    let race = Race::of_sessions(64).await;
    for _ in 0..rounds(ROUNDS) {
        let (device, _) = race.enroll().await;
        let replies = race
            .all(CodeUse::Leave, &device.code(&race.controller, 0))
            .await;
        assert_eq!(tally(&replies), outcomes([("200", 1), ("NOT_FOUND", 63)]));
        race.check().await;
    }
}

/// Finishing, abandoning, removing and beginning anew: one comes after the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whoever_comes_first_the_record_and_the_identity_agree() {
    let race = Race::of_sessions(16).await;
    let controller = &race.controller;
    for round in 0..16 {
        remove(controller, &race.admin, &race.person.id)
            .await
            .data();
        let (device, _) = begin(controller, &race.person.session).await;
        let code = device.code(controller, 0);
        let replies = at_once(16, |number| {
            let (controller, session) = (controller.clone(), race.sessions[number].clone());
            let (admin, id, code) = (race.admin.clone(), race.person.id.clone(), code.clone());
            async move {
                match (number + round) % 4 {
                    0 => verify(&controller, &session, &code).await,
                    1 => {
                        own_mfa(
                            &controller,
                            &session,
                            (Method::DELETE, ""),
                            CodePlacement::Omitted,
                        )
                        .await
                    },
                    2 if number < 4 => remove(&controller, &admin, &id).await,
                    _ => {
                        own_mfa(
                            &controller,
                            &session,
                            (Method::POST, ""),
                            CodePlacement::Omitted,
                        )
                        .await
                    },
                }
            }
        })
        .await;
        for reply in &replies {
            let outcome = status_and_code(reply);
            let known = [
                "200",
                "201",
                "404 NOT_FOUND",
                "409 MFA_EXISTS",
                "400 MFA_INVALID_TOKEN",
            ];
            assert!(known.contains(&&*outcome), "round {round}: {outcome}");
        }
        race.check().await;
        advance_clock(controller, 30);
    }
}
