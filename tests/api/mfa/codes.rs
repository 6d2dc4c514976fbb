//! TOTP: which codes are accepted, and that each is accepted once.

use crate::support::mfa::{
    CodeUse, Device, MfaFixture, advance_clock, answer, assert_refused, begin, is_full,
    set_wrong_codes, status_and_code, texts, verify, wrong_code_count,
};
use crate::support::{error_body, revision};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::mfa::TimeStep;
use portcullis_testkit::Harness;
use std::collections::BTreeSet;

/// S-01
#[tokio::test]
async fn a_code_is_accepted_once() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (device, _) = scene.enroll().await;
    let session = person.log_in(controller).await;
    let begin = controller.app.env().now();
    let code = device.code(controller, 0);
    assert_eq!(answer(controller, &session, &code).await.status, 200);
    for seconds in [0, 1, 29, 59] {
        controller
            .clock
            .set(begin + SignedDuration::from_secs(seconds));
        set_wrong_codes(controller, &person.id, 0).await;
        let new = person.log_in(controller).await;
        for session in [&session, &new] {
            assert_refused(&answer(controller, session, &code).await);
        }
        assert_eq!(
            wrong_code_count(controller, &person.id).await,
            2,
            "after {seconds} s"
        );
        assert!(!is_full(controller, &new).await, "after {seconds} s");
    }
    let new = person.log_in(controller).await;
    let next = device.code(controller, 0);
    assert_ne!(next, code);
    assert_eq!(answer(controller, &new, &next).await.status, 200);
    assert!(is_full(controller, &new).await);
}

/// S-02
#[tokio::test]
async fn a_code_is_accepted_once_over_all_that_takes_codes() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    // Full ones stay so when the identity enrolls through another one.
    let [session, other] = [
        person.log_in(controller).await,
        person.log_in(controller).await,
    ];
    for first in [
        CodeUse::Verify,
        CodeUse::Answer,
        CodeUse::Read,
        CodeUse::Replace,
    ] {
        for second in CodeUse::ENROLLED {
            for through in [&session, &other] {
                scene.remove().await.data();
                let (device, _) = begin(controller, &session).await;
                if first != CodeUse::Verify {
                    let code = device.code(controller, 0);
                    assert_eq!(verify(controller, &session, &code).await.status, 200);
                    advance_clock(controller, 30);
                }
                let code = device.code(controller, 0);
                assert_eq!(
                    first.submit(controller, &session, &code).await.status,
                    200,
                    "{first:?}"
                );
                let is_exception =
                    (first, second) == (CodeUse::Replace, CodeUse::Read) && through == &session;
                let reply = second.submit(controller, through, &code).await;
                let expected = if is_exception {
                    "200"
                } else {
                    "400 MFA_INVALID_TOKEN"
                };
                let what = format!("{first:?}, then {second:?}; other: {}", through == &other);
                assert_eq!(status_and_code(&reply), expected, "{what}");
            }
        }
    }
}

/// S-03
#[tokio::test]
async fn older_steps_are_refused_after_newer_ones() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (device, _) = scene.enroll().await;
    let session = person.log_in(controller).await;
    for accepted in [-1, 0, 1] {
        advance_clock(controller, 300);
        set_wrong_codes(controller, &person.id, 0).await;
        let code = device.code(controller, accepted);
        assert_eq!(
            answer(controller, &session, &code).await.status,
            200,
            "{accepted}"
        );
        for later in -1..=1 {
            let reply = answer(controller, &session, &device.code(controller, later)).await;
            if later > accepted {
                assert_eq!(reply.status, 200, "{later} after {accepted}");
                break;
            }
            assert_refused(&reply);
        }
    }
}

/// The beginning of a step some minutes from now.
fn beginning(controller: &Harness) -> (TimeStep, Timestamp) {
    let step = TimeStep(TimeStep::at(controller.app.env().now()).0 + 20);
    let second = i64::try_from(step.0 * TimeStep::SECONDS).unwrap();
    (step, Timestamp::from_second(second).unwrap())
}

/// The codes around the present one that are accepted, each tried as if no other had been.
async fn accepted(scene: &MfaFixture, device: &Device, session: &str, at: Timestamp) -> Vec<i64> {
    let (controller, id) = (&scene.controller, &scene.person.id);
    controller.clock.set(at);
    let mut accepted = Vec::new();
    // Oldest first, so that none is refused for the sake of another.
    for steps in -3..=3 {
        set_wrong_codes(controller, id, 0).await;
        let reply = answer(controller, session, &device.code(controller, steps)).await;
        if reply.status == 200 {
            accepted.push(steps);
        } else {
            assert_refused(&reply);
        }
    }
    accepted
}

/// S-07
#[tokio::test]
async fn codes_of_one_step_either_side_are_accepted() {
    let scene = MfaFixture::new().await;
    let controller = &scene.controller;
    let (device, _) = scene.enroll().await;
    let session = scene.person.log_in(controller).await;
    for milliseconds in [0, 1, 15_000, 29_999] {
        let (_, begin) = beginning(controller);
        let at = begin + SignedDuration::from_millis(milliseconds);
        let accepted = accepted(&scene, &device, &session, at).await;
        assert_eq!(
            accepted,
            [-1, 0, 1],
            "{milliseconds} ms after the step began"
        );
    }
}

/// S-07: one code from before it is accepted until after.
#[tokio::test]
async fn a_code_is_good_from_thirty_seconds_before_its_step_to_thirty_after() {
    let scene = MfaFixture::new().await;
    let (controller, id) = (&scene.controller, &scene.person.id);
    let (device, _) = scene.enroll().await;
    let session = scene.person.log_in(controller).await;
    for (milliseconds, is_good) in [
        (-30_001, false),
        (-30_000, true),
        (-1, true),
        (0, true),
        (29_999, true),
        (30_000, true),
        (59_999, true),
        (60_000, false),
        (90_000, false),
    ] {
        set_wrong_codes(controller, id, 0).await;
        let (_, begin) = beginning(controller);
        controller.clock.set(begin);
        let code = device.code(controller, 0);
        controller
            .clock
            .set(begin + SignedDuration::from_millis(milliseconds));
        let reply = answer(controller, &session, &code).await;
        assert_eq!(
            reply.status == 200,
            is_good,
            "{milliseconds} ms: {}",
            reply.text()
        );
    }
}

/// S-06
#[tokio::test]
async fn a_clock_that_is_set_back_revives_no_code() {
    let scene = MfaFixture::new().await;
    let (controller, id) = (&scene.controller, &scene.person.id);
    let (device, _) = scene.enroll().await;
    let session = scene.person.log_in(controller).await;
    for accepted in [0, 1] {
        set_wrong_codes(controller, id, 0).await;
        advance_clock(controller, 600);
        let newest = device.code(controller, accepted);
        assert_eq!(answer(controller, &session, &newest).await.status, 200);
        advance_clock(controller, -90);
        // As many steps as the clock was set back, and the one that was used early.
        let until_new = 3 + accepted;
        for steps in 0..until_new {
            set_wrong_codes(controller, id, 0).await;
            for around in -1..=1 {
                if steps + around <= until_new {
                    let code = device.code(controller, around);
                    assert_refused(&answer(controller, &session, &code).await);
                }
            }
            advance_clock(controller, 30);
        }
        set_wrong_codes(controller, id, 0).await;
        assert_refused(&answer(controller, &session, &newest).await);
        advance_clock(controller, 30);
        let code = device.code(controller, 0);
        assert_eq!(
            answer(controller, &session, &code).await.status,
            200,
            "time has passed"
        );
    }
}

#[tokio::test]
async fn leading_zeros_belong_to_a_code() {
    let scene = MfaFixture::new().await;
    let controller = &scene.controller;
    let (device, _) = scene.enroll().await;
    let session = scene.person.log_in(controller).await;
    while !device.code(controller, 0).starts_with('0') {
        advance_clock(controller, 30);
    }
    let code = device.code(controller, 0);
    for short in [code.trim_start_matches('0'), &format!(" {}", &code[1..])] {
        assert_refused(&answer(controller, &session, short).await);
    }
    assert_eq!(answer(controller, &session, &code).await.status, 200);
}

/// What happens between new recovery codes and the reading of them with the same code.
#[derive(Debug, Clone, Copy)]
enum Between {
    Nothing,
    /// The last moment at which the code is inside its window.
    LastMoment,
    /// It is outside.
    AfterTheWindow,
    /// Another session tries the same.
    OtherSession,
    /// A wrong code.
    WrongCode,
    /// It was read by it already.
    Read,
    /// A code of the next step.
    NextCode,
    /// A recovery code.
    RecoveryCode,
    /// The same code for something else.
    OtherUse,
}

/// S-02, its exception.
#[tokio::test]
async fn the_code_for_new_recovery_codes_shows_them_once() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (device, _) = scene.enroll().await;
    let other = person.log_in(controller).await;
    let next = device.code(controller, 0);
    assert_eq!(answer(controller, &other, &next).await.status, 200);
    for (between, is_shown) in [
        (Between::Nothing, true),
        (Between::LastMoment, true),
        (Between::AfterTheWindow, false),
        (Between::OtherSession, true),
        (Between::WrongCode, true),
        (Between::Read, false),
        (Between::NextCode, false),
        (Between::RecoveryCode, false),
        (Between::OtherUse, true),
    ] {
        set_wrong_codes(controller, &person.id, 0).await;
        let (_, begin) = beginning(controller);
        controller.clock.set(begin);
        let code = device.code(controller, 0);
        let made = CodeUse::Replace
            .submit(controller, &person.session, &code)
            .await
            .data();
        let codes = texts(&made["recoveryCodes"]);
        match between {
            Between::Nothing => {},
            Between::LastMoment => {
                controller
                    .clock
                    .set(begin + SignedDuration::from_millis(59_999));
            },
            Between::AfterTheWindow => advance_clock(controller, 60),
            Between::OtherSession => {
                assert_refused(&CodeUse::Read.submit(controller, &other, &code).await);
            },
            Between::WrongCode => {
                let wrong = device.wrong_code(controller);
                assert_refused(
                    &CodeUse::Read
                        .submit(controller, &person.session, &wrong)
                        .await,
                );
            },
            Between::Read => {
                let read = CodeUse::Read
                    .submit(controller, &person.session, &code)
                    .await
                    .data();
                assert_eq!(texts(&read["recoveryCodes"]), codes);
            },
            Between::NextCode => {
                let next = device.code(controller, 1);
                assert_eq!(answer(controller, &other, &next).await.status, 200);
            },
            Between::RecoveryCode => {
                assert_eq!(answer(controller, &other, &codes[0]).await.status, 200);
            },
            Between::OtherUse => {
                for purpose in [CodeUse::Answer, CodeUse::Replace, CodeUse::Leave] {
                    assert_refused(&purpose.submit(controller, &person.session, &code).await);
                }
            },
        }
        let reply = CodeUse::Read
            .submit(controller, &person.session, &code)
            .await;
        if is_shown {
            assert_eq!(texts(&reply.data()["recoveryCodes"]), codes, "{between:?}");
        } else {
            assert_eq!(
                status_and_code(&reply),
                "400 MFA_INVALID_TOKEN",
                "{between:?}"
            );
        }
    }
}

/// S-10: whatever is refused takes one commit and gets one answer.
#[tokio::test]
async fn every_refused_code_takes_the_same_way() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (device, recovery, used) = scene.enroll_and_use_codes().await;
    let mut bodies = BTreeSet::new();
    for (code, what) in [
        (device.wrong_code(controller), "wrong"),
        (used, "replayed"),
        (device.code(controller, -1), "older"),
        (device.code(controller, 2), "too early"),
        (recovery[0].clone(), "spent"),
        ("ZZZZZZ".to_owned(), "no recovery code"),
    ] {
        for purpose in CodeUse::ENROLLED {
            set_wrong_codes(controller, &person.id, 0).await;
            let before = revision(controller);
            let reply = purpose.submit(controller, &person.session, &code).await;
            assert_refused(&reply);
            assert_eq!(revision(controller), before + 1, "{what}, {purpose:?}");
            assert_eq!(
                wrong_code_count(controller, &person.id).await,
                1,
                "{what}, {purpose:?}"
            );
            let headers: Vec<_> = reply.headers.keys().map(ToString::to_string).collect();
            bodies.insert((error_body(&reply).to_string(), headers));
        }
    }
    assert_eq!(bodies.len(), 1, "{bodies:?}");
}
