//! TOTP: the states of an enrollment and what leads from one to the next.

use crate::support::mfa::{
    CodePlacement, answer, assert_refused, begin, enroll, own_mfa, partial, verify,
};
use crate::support::{current_session, find_identity_id, get};
use http::Method;
use portcullis_testkit::Harness;
use serde_json::{Value, json};

/// Starts a controller with the user `anne`; answers the administrator's session and the user's.
async fn start() -> (Harness, String, String) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = controller.create_user(&admin, "anne", json!({})).await;
    (controller, admin, user)
}

#[tokio::test]
async fn an_enrollment_is_begun_shown_and_finished() {
    let (controller, admin, user) = start().await;
    let missing = own_mfa(
        &controller,
        &user,
        (Method::GET, ""),
        CodePlacement::Omitted,
    )
    .await;
    assert_eq!(missing.error(), (404, "NOT_FOUND".to_owned()));

    let (device, begun) = begin(&controller, &user).await;
    assert_eq!(begun["_links"]["self"]["href"], "./current-identity/mfa");
    assert_eq!(begun["recoveryCodes"].as_array().unwrap().len(), 20);
    let shown = own_mfa(
        &controller,
        &user,
        (Method::GET, ""),
        CodePlacement::Omitted,
    )
    .await;
    let shown = shown.data();
    for member in ["id", "recoveryCodes", "provisioningUrl"] {
        assert_eq!(shown[member], begun[member], "{member}");
    }
    assert_eq!(shown["isVerified"], false);

    let done = verify(&controller, &user, &device.code(&controller, 0)).await;
    assert_eq!(done.status, 200);
    assert_eq!(done.json(), json!({"data": {}, "meta": {}}));
    let shown = own_mfa(
        &controller,
        &user,
        (Method::GET, ""),
        CodePlacement::Omitted,
    )
    .await;
    let shown = shown.data();
    assert_eq!(shown["isVerified"], true);
    assert_eq!(shown.get("recoveryCodes"), Some(&Value::Null));
    assert_eq!(shown.get("provisioningUrl"), None);
    let session = current_session(&controller, &user).await.data();
    assert_eq!(
        (&session["isMfaRequired"], &session["isMfaComplete"]),
        (&json!(true), &json!(true))
    );
    let id = find_identity_id(&controller, &admin, "anne").await;
    let seen = get(&controller, &admin, &format!("/identities/{id}")).await;
    assert_eq!(seen.data()["isMfaEnabled"], true);
}

#[tokio::test]
async fn a_session_is_full_when_its_second_factor_is_answered() {
    let (controller, _admin, user) = start().await;
    let (device, recovery) = enroll(&controller, &user).await;
    for code in [device.code(&controller, 0), recovery[7].clone()] {
        let session = partial(&controller, "anne").await;
        let services = controller.request(Method::GET, "/edge/client/v1/services");
        assert_eq!(services.session(&session).send().await.status, 401);
        assert_refused(&answer(&controller, &session, &device.wrong_code(&controller)).await);
        assert_eq!(answer(&controller, &session, &code).await.status, 200);
        let shown = current_session(&controller, &session).await.data();
        assert_eq!(
            (&shown["authQueries"], &shown["isMfaComplete"]),
            (&json!([]), &json!(true))
        );
        let services = controller.request(Method::GET, "/edge/client/v1/services");
        assert_eq!(services.session(&session).send().await.status, 200);
        let again = partial(&controller, "anne").await;
        assert_refused(&answer(&controller, &again, &code).await);
    }
}

#[tokio::test]
async fn the_url_names_the_identity_whatever_it_is_called() {
    let (controller, admin, user) = start().await;
    let id = find_identity_id(&controller, &admin, "anne").await;
    begin(&controller, &user).await;
    for (name, label) in [
        ("laptop-07", "laptop-07"),
        ("anne's laptop", "anne's%20laptop"),
        ("a?b#c%d&e=f", "a%3Fb%23c%25d&e=f"),
        ("x:y/z", "x%3Ay%2Fz"),
        ("Zoë", "Zo%C3%AB"),
    ] {
        let path = format!("/identities/{id}");
        let rename = controller.manage(Method::PATCH, &path, &admin);
        rename.json(&json!({"name": name})).send().await.data();
        let shown = own_mfa(
            &controller,
            &user,
            (Method::GET, ""),
            CodePlacement::Omitted,
        )
        .await
        .data();
        let url = shown["provisioningUrl"].as_str().unwrap();
        let (begin, secret) = url.split_once("&secret=").unwrap();
        let expected = format!("otpauth://totp/openziti.io:{label}?issuer=openziti.io");
        assert_eq!(begin, expected, "{name}");
        assert_eq!(secret.len(), 32, "160 bits in base32");

        let drawn = own_mfa(
            &controller,
            &user,
            (Method::GET, "/qr-code"),
            CodePlacement::Omitted,
        )
        .await;
        assert_eq!(
            (drawn.status.as_u16(), &drawn.headers["content-type"]),
            (200, &"image/png".parse().unwrap())
        );
        assert!(drawn.body.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
    }
}

/// Whoever has a name that no QR code has room for can still type the secret.
#[tokio::test]
async fn a_url_may_be_too_long_for_a_qr_code() {
    let (controller, admin, user) = start().await;
    let id = find_identity_id(&controller, &admin, "anne").await;
    let (device, _) = begin(&controller, &user).await;
    let path = format!("/identities/{id}");
    let rename = controller.manage(Method::PATCH, &path, &admin);
    let name = "ä".repeat(1000);
    rename.json(&json!({"name": name})).send().await.data();
    let drawn = own_mfa(
        &controller,
        &user,
        (Method::GET, "/qr-code"),
        CodePlacement::Omitted,
    )
    .await;
    assert_eq!(drawn.error(), (404, "NOT_FOUND".to_owned()));
    assert!(!drawn.text().contains("secret="), "{}", drawn.text());
    let shown = own_mfa(
        &controller,
        &user,
        (Method::GET, ""),
        CodePlacement::Omitted,
    )
    .await
    .data();
    assert!(
        shown["provisioningUrl"]
            .as_str()
            .unwrap()
            .contains("%C3%A4%C3%A4")
    );
    let done = verify(&controller, &user, &device.code(&controller, 0)).await;
    assert_eq!(done.status, 200);
}
