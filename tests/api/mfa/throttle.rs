//! TOTP: wrong codes make one wait, and in the end lock (S-09).
//!
//! That the count outlives the process is shown where processes are: here it is shown to stand in
//! the record of the identity, which all attempts are judged by.

use crate::support::mfa::{
    CodePlacement, CodeUse, Device, MfaFixture, TestUser, advance_clock, answer, assert_refused,
    assert_throttled, begin, enroll, identity, is_full, own_mfa, set_wrong_codes, verify,
    wrong_code_count,
};
use crate::support::{error_body, log_in, revision};
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::Harness;
use serde_json::json;

/// How long one has to wait after so many wrong codes in a row, seconds.
fn wait(in_a_row: u32) -> u32 {
    match in_a_row {
        0..5 => 0,
        5..17 => 1 << (in_a_row - 5),
        _ => 3600,
    }
}

fn pass_but_one_millisecond(controller: &Harness, seconds: u32) {
    let time = SignedDuration::from_secs(seconds.into()) - SignedDuration::from_millis(1);
    controller.clock.advance(time);
}

async fn wrong(controller: &Harness, session: &str, device: &Device) {
    let code = device.wrong_code(controller);
    assert_refused(&answer(controller, session, &code).await);
}

async fn right(controller: &Harness, session: &str, device: &Device) {
    let code = device.code(controller, 0);
    let reply = answer(controller, session, &code).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[tokio::test]
async fn each_wrong_code_after_the_fifth_doubles_the_wait_and_the_hundredth_locks() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (device, recovery) = scene.enroll().await;
    let session = person.log_in(controller).await;
    for in_a_row in 0..100 {
        let wait = wait(in_a_row);
        if wait > 0 {
            // To the millisecond, and for right and wrong codes alike; both leave no trace.
            let before = identity(controller, &person.id).await;
            for (reached, left) in [(0, wait), (1, 1)] {
                if reached == 1 {
                    pass_but_one_millisecond(controller, wait);
                }
                let at = revision(controller);
                let mut bodies = Vec::new();
                for code in [
                    &device.wrong_code(controller),
                    &device.code(controller, 0),
                    &recovery[0],
                ] {
                    let reply = answer(controller, &session, code).await;
                    assert_eq!(assert_throttled(&reply), left, "after {in_a_row}");
                    bodies.push(error_body(&reply));
                }
                bodies.dedup();
                assert_eq!(bodies.len(), 1);
                assert_eq!(revision(controller), at, "after {in_a_row}");
            }
            assert_eq!(identity(controller, &person.id).await, before);
            controller.clock.advance(SignedDuration::from_millis(1));
        }
        wrong(controller, &session, &device).await;
        assert_eq!(wrong_code_count(controller, &person.id).await, in_a_row + 1);
    }
    for days in [0, 1, 365] {
        advance_clock(controller, days * 24 * 3600);
        for code in [
            &device.wrong_code(controller),
            &device.code(controller, 0),
            &recovery[0],
        ] {
            let reply = answer(controller, &session, code).await;
            assert_eq!(assert_throttled(&reply), 3600, "{days} days later");
        }
    }
    assert!(!is_full(controller, &session).await);
    assert_eq!(wrong_code_count(controller, &person.id).await, 100);

    // Out of this leads the administrator alone.
    scene.remove().await.data();
    assert_eq!(identity(controller, &person.id).await.wrong_codes, None);
    let session = person.log_in(controller).await;
    let (device, _) = enroll(controller, &session).await;
    let session = person.log_in(controller).await;
    for _ in 0..5 {
        wrong(controller, &session, &device).await;
    }
    assert_throttled(&answer(controller, &session, &device.code(controller, 0)).await);
}

#[tokio::test]
async fn a_right_code_that_came_too_early_is_not_used_up() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (device, recovery) = scene.enroll().await;
    let session = person.log_in(controller).await;
    for code in [device.code(controller, 1), recovery[0].clone()] {
        set_wrong_codes(controller, &person.id, 7).await;
        assert_throttled(&answer(controller, &session, &code).await);
        advance_clock(controller, 4);
        assert_eq!(answer(controller, &session, &code).await.status, 200);
        assert_eq!(wrong_code_count(controller, &person.id).await, 0);
    }
}

#[tokio::test]
async fn a_right_code_begins_the_count_anew() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (mut device, mut recovery) = scene.enroll().await;
    for purpose in [
        CodeUse::Answer,
        CodeUse::Read,
        CodeUse::Replace,
        CodeUse::Leave,
    ] {
        for is_recovery in [false, true] {
            for _ in 0..5 {
                wrong(controller, &person.session, &device).await;
            }
            let code = device.code(controller, 0);
            assert_throttled(&purpose.submit(controller, &person.session, &code).await);
            advance_clock(controller, 30);
            let code = if is_recovery {
                recovery.pop().unwrap()
            } else {
                device.code(controller, 0)
            };
            let reply = purpose.submit(controller, &person.session, &code).await;
            assert_eq!(reply.status, 200, "{purpose:?} {}", reply.text());
            assert_eq!(
                wrong_code_count(controller, &person.id).await,
                0,
                "{purpose:?}"
            );
            advance_clock(controller, 30);
            if purpose == CodeUse::Replace {
                recovery = crate::support::mfa::texts(&reply.data()["recoveryCodes"]);
            }
            if purpose == CodeUse::Leave {
                (device, recovery) = scene.enroll().await;
            }
        }
    }
}

/// Whatever a code is given for, and through whichever session.
#[tokio::test]
async fn there_is_one_count_for_an_identity() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (device, _) = scene.enroll().await;
    let others = TestUser::new(controller, &scene.admin, "bert").await;
    let (other_device, _) = enroll(controller, &others.session).await;
    let partial = person.log_in(controller).await;
    for (number, (session, purpose)) in (1..).zip([
        (&person.session, CodeUse::Answer),
        (&person.session, CodeUse::Read),
        (&person.session, CodeUse::Replace),
        (&person.session, CodeUse::Leave),
        (&partial, CodeUse::Answer),
    ]) {
        let code = device.wrong_code(controller);
        assert_refused(&purpose.submit(controller, session, &code).await);
        assert_eq!(
            wrong_code_count(controller, &person.id).await,
            number,
            "{purpose:?}"
        );
    }
    let new = person.log_in(controller).await;
    for session in [&person.session, &partial, &new] {
        assert_throttled(&answer(controller, session, &device.code(controller, 0)).await);
    }
    assert_eq!(wrong_code_count(controller, &others.id).await, 0);
    right(controller, &others.session, &other_device).await;
}

/// Codes that are refused for different reasons count alike; what is no code does not.
#[tokio::test]
async fn every_code_that_could_be_one_counts() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (device, recovery, used) = scene.enroll_and_use_codes().await;
    for (code, counts) in [
        (&*device.wrong_code(controller), 1),
        (&used, 1),
        (&device.code(controller, -1), 1),
        (&recovery[0], 1),
        ("AAAAAA", 1),
        ("12345", 0),
        ("1234567", 0),
        ("aaaaaa", 0),
        ("12 456", 0),
        ("", 0),
    ] {
        set_wrong_codes(controller, &person.id, 0).await;
        let at = revision(controller);
        assert_refused(&answer(controller, &person.session, code).await);
        assert_eq!(
            wrong_code_count(controller, &person.id).await,
            counts,
            "{code}"
        );
        assert_eq!(revision(controller), at + u64::from(counts), "{code}");
    }
    // Nor are they looked at while one has to wait.
    set_wrong_codes(controller, &person.id, 9).await;
    assert_refused(&answer(controller, &person.session, "12345").await);
    assert_eq!(wrong_code_count(controller, &person.id).await, 9);
}

#[tokio::test]
async fn beginning_anew_does_not_begin_the_count_anew() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let session = &person.session;
    for round in 1..=5 {
        let (device, _) = begin(controller, session).await;
        let code = device.wrong_code(controller);
        assert_refused(&verify(controller, session, &code).await);
        assert_eq!(wrong_code_count(controller, &person.id).await, round);
        let left = own_mfa(
            controller,
            session,
            (Method::DELETE, ""),
            CodePlacement::Omitted,
        )
        .await;
        assert_eq!(left.status, 200, "leaving takes no code, and so no waiting");
        assert_eq!(wrong_code_count(controller, &person.id).await, round);
    }
    let (device, begun) = begin(controller, session).await;
    let recovery = begun["recoveryCodes"][0].as_str().unwrap();
    let code = device.code(controller, 0);
    for code in [&code, recovery] {
        assert_throttled(&verify(controller, session, code).await);
    }
    advance_clock(controller, 1);
    assert_eq!(verify(controller, session, &code).await.status, 200);
    assert_eq!(wrong_code_count(controller, &person.id).await, 0);
}

/// A recovery code that is given to verify is one more wrong code.
#[tokio::test]
async fn recovery_codes_that_are_given_to_verify_count() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (_, begun) = begin(controller, &person.session).await;
    let code = begun["recoveryCodes"][0].as_str().unwrap();
    assert_refused(&verify(controller, &person.session, code).await);
    assert_eq!(wrong_code_count(controller, &person.id).await, 1);
}

#[tokio::test]
async fn a_clock_that_is_set_back_makes_nobody_wait_for_longer() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (device, recovery) = scene.enroll().await;
    advance_clock(controller, 10 * 24 * 3600);
    for (number, back) in [2, 90, 24 * 3600].into_iter().enumerate() {
        set_wrong_codes(controller, &person.id, 11).await;
        advance_clock(controller, -back);
        let code = device.wrong_code(controller);
        assert_eq!(
            assert_throttled(&answer(controller, &person.session, &code).await),
            64
        );
        pass_but_one_millisecond(controller, 64);
        assert_eq!(
            assert_throttled(&answer(controller, &person.session, &code).await),
            1
        );
        controller.clock.advance(SignedDuration::from_millis(1));
        // One of the app would be older than the last one.
        let reply = answer(controller, &person.session, &recovery[number]).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(
            wrong_code_count(controller, &person.id).await,
            0,
            "{back} s back"
        );
    }
}

#[tokio::test]
async fn wrong_codes_have_nothing_to_do_with_passwords() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let session = controller.create_user(&admin, "carl", json!({})).await;
    let (device, _) = enroll(&controller, &session).await;
    let id = crate::support::find_identity_id(&controller, &admin, "carl").await;
    set_wrong_codes(&controller, &id, 100).await;
    assert_throttled(&answer(&controller, &session, &device.code(&controller, 0)).await);
    let data = log_in(&controller, "carl").await.data();
    assert_eq!(data["authQueries"][0]["typeId"], "MFA");
    assert_eq!(
        wrong_code_count(&controller, &id).await,
        100,
        "a login forgives nothing"
    );
    let shown = crate::support::read(&controller, &admin, &id).await;
    assert_eq!(shown["disabled"], false);

    // Nor the other way round.
    set_wrong_codes(&controller, &id, 0).await;
    for _ in 0..2 {
        let refused =
            crate::support::log_in_with_password(&controller, "carl", "wrong-password").await;
        assert_eq!(refused.error().0, 401);
    }
    assert_eq!(wrong_code_count(&controller, &id).await, 0);
    let failed = identity(&controller, &id).await;
    for _ in 0..3 {
        let code = device.wrong_code(&controller);
        assert_refused(&answer(&controller, &session, &code).await);
    }
    let mut after = identity(&controller, &id).await;
    assert_eq!(after.wrong_codes.take().unwrap().in_a_row, 3);
    assert_eq!(after, failed, "nothing else is counted");
}
