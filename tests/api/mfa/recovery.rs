//! TOTP: recovery codes.

use crate::support::mfa::{
    CodePlacement, CodeUse, MfaFixture, advance_clock, answer, assert_refused, begin, is_full,
    own_mfa, set_wrong_codes, texts, verify,
};
use crate::support::text;
use http::Method;
use portcullis_domain::clock::Timestamp;
use std::collections::BTreeSet;

#[tokio::test]
async fn recovery_codes_have_the_form_that_people_know() {
    let scene = MfaFixture::new().await;
    let (_, begun) = begin(&scene.controller, &scene.person.session).await;
    let codes = texts(&begun["recoveryCodes"]);
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), 20);
    for code in &codes {
        let is_known = |byte: u8| byte.is_ascii_uppercase() || (b'2'..=b'7').contains(&byte);
        assert!(code.len() == 6 && code.bytes().all(is_known), "{code}");
        assert!(
            code.bytes().any(|byte| byte.is_ascii_uppercase()),
            "{code} could be a TOTP code"
        );
    }
}

#[tokio::test]
async fn each_recovery_code_lets_in_once() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (device, codes) = scene.enroll().await;
    for (number, code) in codes.iter().enumerate() {
        let session = person.log_in(controller).await;
        assert_refused(&answer(controller, &session, &code.to_lowercase()).await);
        assert_eq!(
            answer(controller, &session, code).await.status,
            200,
            "{number}"
        );
        assert!(is_full(controller, &session).await);
        let again = person.log_in(controller).await;
        assert_refused(&answer(controller, &again, code).await);
        assert!(!is_full(controller, &again).await);
    }
    // None is left: codes of the app are accepted as ever.
    let session = person.log_in(controller).await;
    let code = device.code(controller, 0);
    assert_eq!(answer(controller, &session, &code).await.status, 200);
    advance_clock(controller, 30);
    let code = device.code(controller, 0);
    let left = CodeUse::Read
        .submit(controller, &session, &code)
        .await
        .data();
    assert_eq!(left["recoveryCodes"], serde_json::json!([]));
}

/// And whichever it was given for, in the header or in the body.
#[tokio::test]
async fn a_spent_code_is_not_shown_any_more() {
    let scene = MfaFixture::new().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    let (device, codes) = scene.enroll().await;
    assert_eq!(answer(controller, session, &codes[4]).await.status, 200);
    let asked = (Method::GET, "/recovery-codes");
    for (given, spent) in [
        (CodePlacement::Body(&codes[0]), &[0, 4][..]),
        (CodePlacement::Header(&codes[7]), &[0, 4, 7]),
    ] {
        let shown = own_mfa(controller, session, asked.clone(), given)
            .await
            .data();
        let left: Vec<_> = (0..20).filter(|place| !spent.contains(place)).collect();
        let left: Vec<_> = left.into_iter().map(|place| codes[place].clone()).collect();
        assert_eq!(texts(&shown["recoveryCodes"]), left, "{given:?}");
        for place in spent {
            set_wrong_codes(controller, &scene.person.id, 0).await;
            assert_refused(
                &CodeUse::Read
                    .submit(controller, session, &codes[*place])
                    .await,
            );
        }
    }
    set_wrong_codes(controller, &scene.person.id, 0).await;
    let code = device.code(controller, 0);
    let shown = CodeUse::Read
        .submit(controller, session, &code)
        .await
        .data();
    assert_eq!(
        shown["recoveryCodes"].as_array().unwrap().len(),
        17,
        "a TOTP code spends none"
    );
}

#[tokio::test]
async fn new_codes_take_the_place_of_all_old_ones() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    let (device, mut codes) = scene.enroll().await;
    for is_recovery in [false, true, false] {
        advance_clock(controller, 60);
        assert_eq!(
            answer(controller, &person.session, &codes[19]).await.status,
            200
        );
        let code = if is_recovery {
            codes[18].clone()
        } else {
            device.code(controller, 0)
        };
        let made = CodeUse::Replace
            .submit(controller, &person.session, &code)
            .await;
        assert_eq!(made.status, 200);
        let changed: Timestamp = text(&made.data(), "updatedAt").parse().unwrap();
        assert_eq!(changed, controller.app.env().now());
        let new = texts(&made.data()["recoveryCodes"]);
        assert_eq!(new.iter().collect::<BTreeSet<_>>().len(), 20);
        assert!(new.iter().all(|code| !codes.contains(code)));
        for old in [0, 18, 19] {
            set_wrong_codes(controller, &person.id, 0).await;
            assert_refused(&answer(controller, &person.session, &codes[old]).await);
        }
        assert_eq!(
            answer(controller, &person.session, &new[0]).await.status,
            200
        );
        let shown = CodeUse::Read
            .submit(controller, &person.session, &new[1])
            .await
            .data();
        assert_eq!(
            texts(&shown["recoveryCodes"]),
            new[2..],
            "recovery: {is_recovery}"
        );
        codes = new;
    }
}

/// A recovery code for new ones shows nothing a second time: it is among the old ones.
#[tokio::test]
async fn a_recovery_code_for_new_ones_is_spent() {
    let scene = MfaFixture::new().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    let (_, codes) = scene.enroll().await;
    assert_eq!(
        CodeUse::Replace
            .submit(controller, session, &codes[0])
            .await
            .status,
        200
    );
    for purpose in CodeUse::ENROLLED {
        set_wrong_codes(controller, &scene.person.id, 0).await;
        assert_refused(&purpose.submit(controller, session, &codes[0]).await);
    }
}

#[tokio::test]
async fn recovery_codes_finish_no_enrollment_and_are_not_spent_by_the_attempt() {
    let scene = MfaFixture::new().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    let (device, begun) = begin(controller, session).await;
    let codes = texts(&begun["recoveryCodes"]);
    assert_refused(&verify(controller, session, &codes[0]).await);
    let code = device.code(controller, 0);
    assert_eq!(verify(controller, session, &code).await.status, 200);
    assert_eq!(answer(controller, session, &codes[0]).await.status, 200);
}

#[tokio::test]
async fn a_recovery_code_and_a_totp_code_do_not_use_each_other_up() {
    let scene = MfaFixture::new().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    let (device, codes) = scene.enroll().await;
    let code = device.code(controller, -1);
    assert_refused(&answer(controller, session, &code).await);
    assert_eq!(answer(controller, session, &codes[0]).await.status, 200);
    let code = device.code(controller, 0);
    assert_eq!(answer(controller, session, &code).await.status, 200);
    assert_eq!(answer(controller, session, &codes[1]).await.status, 200);
    assert_refused(&answer(controller, session, &code).await);
    assert_refused(&answer(controller, session, &codes[0]).await);
}

/// Removed against a recovery code, the enrollment takes the others along.
#[tokio::test]
async fn recovery_codes_end_with_their_enrollment() {
    let scene = MfaFixture::new().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    let (_, old) = scene.enroll().await;
    assert_eq!(
        CodeUse::Leave
            .submit(controller, session, &old[0])
            .await
            .status,
        200
    );
    let (_, new) = scene.enroll().await;
    for code in &old[0..3] {
        assert_refused(&answer(controller, session, code).await);
    }
    assert_eq!(answer(controller, session, &new[0]).await.status, 200);
}
