//! From where the right password is looked at while strangers guess.

use crate::authenticators::password_throttle::{STRANGER, gets_in, guess, start};
use crate::support::credentials::{authenticator_of, send};
use crate::support::{create_with_enrollment, edit_entity};
use http::Method;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::password_throttle::PasswordThrottle;
use portcullis_storage::tables::UniqueIndex;
use portcullis_testkit::{Harness, PASSWORD};
use serde_json::json;

/// As many strangers as may guess for nothing guess once each, at `user`.
async fn crowd(controller: &Harness) {
    for last in 1..=20 {
        guess(controller, &format!("198.51.100.{last}"), 1).await;
    }
}

#[tokio::test]
async fn whoever_chose_the_password_is_known_there() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let how = json!({"updb": "user"});
    let (_, enrollment) = create_with_enrollment(&controller, &admin, "user", how).await;
    let token = enrollment["token"].as_str().unwrap();
    let path = format!("/edge/client/v1/enroll?method=updb&token={token}");
    let redemption = controller.request(Method::POST, &path);
    let body = json!({"password": PASSWORD});
    redemption
        .json(&body)
        .from("203.0.113.9")
        .send()
        .await
        .data();
    crowd(&controller).await;
    assert!(!gets_in(&controller, STRANGER).await);
    assert!(gets_in(&controller, "203.0.113.9").await);
}

/// Stores that are older than the throttle know of no source, but of sessions.
#[tokio::test]
async fn whoever_has_a_session_there_is_known() {
    let (controller, _, _) = start(json!({})).await;
    assert!(gets_in(&controller, "2001:db8::1").await);
    edit_entity(
        &controller,
        UniqueIndex::AuthenticatorUsername,
        "user",
        |one: &mut Authenticator| {
            if let Credential::Updb(updb) = &mut one.credential {
                updb.throttle = PasswordThrottle::default();
            }
        },
    )
    .await;
    crowd(&controller).await;
    assert!(!gets_in(&controller, STRANGER).await);
    // Its wrong passwords are its own, and it is known from then on.
    guess(&controller, "2001:db8::2", 5).await;
    assert!(!gets_in(&controller, "2001:db8::3").await);
    controller.clock.advance(SignedDuration::from_millis(999));
    crowd(&controller).await;
    assert!(gets_in(&controller, "127.0.0.1").await);
    controller.clock.advance(SignedDuration::from_millis(1));
    assert!(gets_in(&controller, "2001:db8::4").await);
}

/// Those who retry all the time are always first; but each of them is new only once.
#[tokio::test]
async fn owner_at_a_new_place_gets_in_past_those_who_guess_without_a_pause() {
    let (controller, _, _) = start(json!({})).await;
    crowd(&controller).await;
    for minute in 0..10 {
        for last in 1..=2 {
            guess(&controller, &format!("198.51.100.{last}"), 1).await;
        }
        if gets_in(&controller, STRANGER).await {
            assert!(minute > 0);
            return;
        }
        controller.clock.advance(SignedDuration::from_mins(1));
    }
    panic!("the owner was kept out for ten minutes");
}

#[tokio::test]
async fn password_that_an_administrator_sets_makes_all_sources_unknown() {
    let (controller, admin, id) = start(json!({})).await;
    let own = authenticator_of(&controller, &admin, &id, "updb").await;
    let session = controller.login("user", PASSWORD).await;
    let body = json!({"currentPassword": PASSWORD, "password": PASSWORD});
    let path = format!("/edge/client/v1/current-identity/authenticators/{own}");
    let change = controller.request(Method::PATCH, &path).session(&session);
    change.json(&body).send().await.data();
    crowd(&controller).await;
    assert!(
        gets_in(&controller, "127.0.0.1").await,
        "it is its own change"
    );

    let path = format!("/authenticators/{own}");
    let same = json!({"password": PASSWORD});
    send(&controller, &admin, (Method::PATCH, &path), &same)
        .await
        .data();
    crowd(&controller).await;
    assert!(!gets_in(&controller, "127.0.0.1").await);
    assert!(!gets_in(&controller, STRANGER).await);
    controller.clock.advance(SignedDuration::from_secs(1));
    assert!(gets_in(&controller, "127.0.0.1").await);
}
