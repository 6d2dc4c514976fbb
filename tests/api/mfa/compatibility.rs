//! TOTP by the rules of OpenZiti (ruling 7), for fleets that depend on them.

use crate::support::mfa::{
    CodeUse, MfaFixture, advance_clock, answer, assert_refused, assert_throttled, set_wrong_codes,
    texts, wrong_code_count,
};
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::HarnessOptions;
use portcullis_totp::Rules;

async fn start() -> MfaFixture {
    MfaFixture::with(HarnessOptions {
        code_rules: Rules::OPENZITI,
        ..HarnessOptions::default()
    })
    .await
}

#[tokio::test]
async fn codes_are_accepted_again_and_again_inside_a_wider_window() {
    let scene = start().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (device, _) = scene.enroll().await;
    for milliseconds in [0_i64, 29_999] {
        advance_clock(controller, 600);
        let into = controller.app.env().now().as_millisecond() % 30_000;
        controller
            .clock
            .advance(SignedDuration::from_millis(milliseconds - into));
        // In no order: older ones are accepted after newer ones.
        for steps in [2, -2, 0, 1, -1, 2, 0, 0, -2] {
            let session = person.log_in(controller).await;
            let reply = answer(controller, &session, &device.code(controller, steps)).await;
            assert_eq!(reply.status, 200, "{steps} at {milliseconds} ms");
        }
        for steps in [-3, 3] {
            set_wrong_codes(controller, &person.id, 0).await;
            let reply = answer(controller, &person.session, &device.code(controller, steps)).await;
            assert_refused(&reply);
        }
        assert_eq!(wrong_code_count(controller, &person.id).await, 1);
    }
}

#[tokio::test]
async fn one_code_does_for_everything() {
    let scene = start().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (device, _) = scene.enroll().await;
    // The one that finished the enrollment.
    let code = device.code(controller, -1);
    for purpose in [
        CodeUse::Answer,
        CodeUse::Replace,
        CodeUse::Read,
        CodeUse::Replace,
        CodeUse::Read,
        CodeUse::Leave,
    ] {
        let reply = purpose.submit(controller, &person.session, &code).await;
        assert_eq!(reply.status, 200, "{purpose:?}: {}", reply.text());
    }
}

#[tokio::test]
async fn recovery_codes_are_spent_all_the_same() {
    let scene = start().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    let (device, recovery) = scene.enroll().await;
    assert_eq!(answer(controller, session, &recovery[0]).await.status, 200);
    assert_refused(&answer(controller, session, &recovery[0]).await);
    let code = device.code(controller, 0);
    let shown = CodeUse::Read
        .submit(controller, session, &code)
        .await
        .data();
    assert_eq!(texts(&shown["recoveryCodes"]), recovery[1..]);
}

#[tokio::test]
async fn wrong_codes_are_counted_all_the_same() {
    let scene = start().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    let (device, _) = scene.enroll().await;
    for _ in 0..5 {
        assert_refused(&answer(controller, session, &device.wrong_code(controller)).await);
    }
    let code = device.code(controller, 0);
    assert_eq!(
        assert_throttled(&answer(controller, session, &code).await),
        1
    );
    set_wrong_codes(controller, &scene.person.id, 100).await;
    assert_eq!(
        assert_throttled(&answer(controller, session, &code).await),
        3600
    );
}
