//! Clocks that reach large numbers, are set back, or have slept: nothing ends early, and nothing lives
//! longer for it.

use crate::support::mfa::{answer, enroll, is_full, partial};
use crate::support::{
    bad_request, create, create_with_enrollment, current_session, ott_enrollment,
    pending_enrollment, redeem, text,
};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_pki::jwt;
use portcullis_testkit::{Harness, client_key_and_csr};
use serde_json::{Value, json};

const SECOND: SignedDuration = SignedDuration::from_secs(1);
const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// The last second that 32 bits with a sign can count.
const LAST_OF_31_BITS: &str = "2038-01-19T03:14:07Z";

#[tokio::test]
async fn nothing_wraps_when_seconds_take_more_than_31_bits() {
    let last: Timestamp = LAST_OF_31_BITS.parse().unwrap();
    let controller = Harness::start().await;
    controller.clock.set(last - HOUR);
    let admin = controller.admin().await;
    let person = controller.create_user(&admin, "person", json!({})).await;
    let (device, _) = enroll(&controller, &person).await;
    controller.clock.set(last - MINUTE);
    let session = controller.admin().await;
    let id = create(&controller, &session, "late", ott_enrollment()).await;
    let enrollment = pending_enrollment(&controller, &session, &id, "ott").await;

    // Beyond it: what began before goes on, and what it says of time is right.
    controller.clock.set(last + MINUTE);
    assert_eq!(current_session(&controller, &session).await.status, 200);
    let end: Timestamp = text(&enrollment, "expiresAt").parse().unwrap();
    assert!(end > last + HOUR, "{end}");
    let claims: Value = jwt::verify(
        text(&enrollment, "jwt"),
        &controller.server.public_key().unwrap(),
    )
    .unwrap();
    assert_eq!(claims["exp"], json!(end.as_second()));
    let token = partial(&controller, "person").await;
    let code = device.code(&controller, 0);
    assert_eq!(answer(&controller, &token, &code).await.status, 200);
    assert!(is_full(&controller, &token).await);

    let admin = controller.admin().await;
    let (late, enrollment_after) =
        create_with_enrollment(&controller, &admin, "later", json!({"ott": true})).await;
    assert!(!late.is_empty());
    let shown: Timestamp = text(&enrollment_after, "expiresAt").parse().unwrap();
    assert!(shown > last + HOUR, "{shown}");
    let (_key, csr) = client_key_and_csr();
    controller.clock.set(end - SECOND);
    redeem(&controller, text(&enrollment, "token"), &csr)
        .await
        .data();
    controller.clock.set(shown);
    let late = redeem(&controller, text(&enrollment_after, "token"), &csr).await;
    assert_eq!(late.error(), bad_request("ENROLLMENT_EXPIRED"));
    assert_eq!(
        current_session(&controller, &session).await.status,
        401,
        "idle for hours"
    );
}

/// As after a machine slept, or was an hour late: what was idle for so long is over, and the rest is as
/// before.
#[tokio::test]
async fn clock_that_jumps_ahead_ends_what_was_idle_and_nothing_else() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, enrollment) =
        create_with_enrollment(&controller, &admin, "x", json!({"ott": true})).await;
    let end: Timestamp = text(&enrollment, "expiresAt").parse().unwrap();
    controller.clock.advance(HOUR);
    assert_eq!(current_session(&controller, &admin).await.status, 401);
    let admin = controller.admin().await;
    assert_eq!(current_session(&controller, &admin).await.status, 200);
    let (_key, csr) = client_key_and_csr();
    controller.clock.set(end - SECOND);
    redeem(&controller, text(&enrollment, "token"), &csr)
        .await
        .data();
}

/// As after a clock that was ahead is set right: nobody is thrown out, and an idle session or an
/// enrollment ends when it said it would.
#[tokio::test]
async fn clock_that_is_set_back_ends_nothing_early_and_keeps_nothing_alive() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, kept) = create_with_enrollment(&controller, &admin, "x", json!({"ott": true})).await;
    let (_, late) = create_with_enrollment(&controller, &admin, "y", json!({"ott": true})).await;
    let end: Timestamp = text(&late, "expiresAt").parse().unwrap();
    let idle = controller.admin().await;
    let timeout = controller.app.settings().session_timeout;
    let opened = controller.app.env().now();
    controller.clock.advance(-HOUR);
    assert_eq!(current_session(&controller, &admin).await.status, 200);
    // In use, it lives on across the hour that comes twice.
    while controller.app.env().now() < opened + HOUR {
        controller.clock.advance(MINUTE * 20);
        assert_eq!(current_session(&controller, &admin).await.status, 200);
    }
    assert!(opened + timeout <= controller.app.env().now());
    assert_eq!(
        current_session(&controller, &idle).await.status,
        401,
        "it was idle"
    );
    let (_key, csr) = client_key_and_csr();
    redeem(&controller, text(&kept, "token"), &csr).await.data();
    controller.clock.set(end);
    let reply = redeem(&controller, text(&late, "token"), &csr).await;
    assert_eq!(reply.error(), bad_request("ENROLLMENT_EXPIRED"));
}
