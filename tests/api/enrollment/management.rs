//! Enrollments: how they are made and ended, and what their tokens say.

use crate::support::{
    bad_request, create, create_with_enrollment, get, merge, pending_enrollment, read, redeem,
    redeem_with_password, revision, shown_error, text,
};
use http::Method;
use insta::assert_snapshot;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_pki::jwt::{verify, verify_with_certificate};
use portcullis_pki::{EnrollmentClaims, JwtError};
use portcullis_testkit::{Harness, HarnessOptions, PASSWORD, client_key_and_csr};
use serde_json::{Value, json};

const LATER: &str = "2031-04-06T00:00:00.000Z";

#[tokio::test]
async fn ends_are_kept_to_the_millisecond_and_tokens_name_whole_seconds() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, enrollment) =
        create_with_enrollment(&controller, &admin, "x", json!({"ott": true})).await;
    let made = text(&enrollment, "expiresAt").to_owned();
    assert_eq!(made.split_once('.').unwrap().1, "009Z", "{made}");
    let path = format!("/enrollments/{}", text(&enrollment, "id"));
    let shown = get(&controller, &admin, &path).await.data();
    assert_eq!(shown["expiresAt"], made);

    let end = "2031-04-06T00:00:00.123Z";
    let refresh = controller.manage(Method::POST, &format!("{path}/refresh"), &admin);
    let body = json!({"expiresAt": "2031-04-06T00:00:00.1239Z"});
    refresh.json(&body).send().await.data();
    let shown = read(&controller, &admin, &id).await;
    let enrollment = &shown["enrollment"]["ott"];
    assert_eq!(enrollment["expiresAt"], end);
    let key = controller.server.public_key().unwrap();
    let raw: Value = verify(text(enrollment, "jwt"), &key).unwrap();
    let end: Timestamp = end.parse().unwrap();
    assert_eq!(raw["exp"], end.as_second(), "rounded down");

    // The enrollment ends when it says.
    let (_key, csr) = client_key_and_csr();
    let token = text(enrollment, "token");
    controller.clock.set(end);
    let late = redeem(&controller, token, &csr).await;
    assert_eq!(late.error(), bad_request("ENROLLMENT_EXPIRED"));
    controller.clock.set(end - SignedDuration::from_millis(1));
    redeem(&controller, token, &csr).await.data();
}

#[tokio::test]
async fn token_ends_on_the_second() {
    let (_key, csr) = client_key_and_csr();
    for (how, offset, is_good) in [
        ("ott", -1, true),
        ("ott", 0, false),
        ("ott", 1, false),
        ("updb", -1, true),
        ("updb", 0, false),
        ("updb", 1, false),
    ] {
        let controller = Harness::start().await;
        let admin = controller.admin().await;
        let given = if how == "ott" {
            json!({"ott": true})
        } else {
            json!({"updb": "someone"})
        };
        let (id, enrollment) = create_with_enrollment(&controller, &admin, "x", given).await;
        let end: Timestamp = text(&enrollment, "expiresAt").parse().unwrap();
        controller
            .clock
            .set(end + SignedDuration::from_secs(offset));
        let token = text(&enrollment, "token");
        let reply = if how == "ott" {
            redeem(&controller, token, &csr).await
        } else {
            redeem_with_password(&controller, token, PASSWORD).await
        };
        if is_good {
            reply.data();
            continue;
        }
        assert_eq!(
            reply.error(),
            bad_request("ENROLLMENT_EXPIRED"),
            "{how} {offset}"
        );
        let admin = controller.admin().await;
        let shown = read(&controller, &admin, &id).await;
        assert_eq!(shown["authenticators"], json!({}));
        assert_eq!(shown["enrollment"][how]["token"], token, "it stays listed");

        // Refreshing an expired enrollment gives it a new life.
        let path = format!("/enrollments/{}/refresh", text(&enrollment, "id"));
        let refresh = controller.manage(Method::POST, &path, &admin);
        refresh
            .json(&json!({"expiresAt": LATER}))
            .send()
            .await
            .data();
        let fresh = pending_enrollment(&controller, &admin, &id, how).await;
        assert_eq!(fresh["id"], enrollment["id"]);
        assert_ne!(fresh["token"], enrollment["token"]);
        let reply = if how == "ott" {
            assert_eq!(
                redeem(&controller, token, &csr).await.error(),
                bad_request("INVALID_ENROLLMENT_TOKEN")
            );
            redeem(&controller, text(&fresh, "token"), &csr).await
        } else {
            assert_eq!(
                redeem_with_password(&controller, token, PASSWORD)
                    .await
                    .error(),
                bad_request("INVALID_ENROLLMENT_TOKEN")
            );
            redeem_with_password(&controller, text(&fresh, "token"), PASSWORD).await
        };
        reply.data();
    }
}

#[tokio::test]
async fn life_is_as_long_as_configured() {
    let mut options = HarnessOptions::default();
    options.settings.enrollment_duration = SignedDuration::from_mins(7);
    let controller = Harness::start_with(options).await;
    let admin = controller.admin().await;
    let (_, enrollment) =
        create_with_enrollment(&controller, &admin, "x", json!({"ott": true})).await;
    assert_eq!(enrollment["expiresAt"], "2031-04-05T06:14:08.009Z");
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, enrollment) =
        create_with_enrollment(&controller, &admin, "x", json!({"ott": true})).await;
    assert_eq!(
        enrollment["expiresAt"], "2031-04-05T09:07:08.009Z",
        "180 minutes"
    );
}

#[tokio::test]
async fn enrollments_are_created_for_identities_that_exist() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "x", json!({})).await;
    let good = json!({"identityId": id, "method": "ott", "expiresAt": LATER});
    let post = async |over: Value| {
        let mut body = good.clone();
        merge(&mut body, over);
        let request = controller.manage(Method::POST, "/enrollments", &admin);
        request.json(&body).send().await
    };
    let at = revision(&controller);
    for (over, expected, field) in [
        (json!({"identityId": "nope"}), "INVALID_FIELD", "identityId"),
        (
            json!({"expiresAt": "2031-04-05T06:07:08.009Z"}),
            "INVALID_FIELD",
            "expiresAt",
        ),
        (
            json!({"expiresAt": "2001-01-01T00:00:00Z"}),
            "INVALID_FIELD",
            "expiresAt",
        ),
        (json!({"method": "updb"}), "INVALID_FIELD", "username"),
        (
            json!({"method": "updb", "username": ""}),
            "INVALID_FIELD",
            "username",
        ),
        (json!({"method": "ottca"}), "INVALID_FIELD", "caId"),
        (
            json!({"method": "ottca", "caId": "nope"}),
            "INVALID_FIELD",
            "caId",
        ),
        (json!({"method": "erott"}), "COULD_NOT_VALIDATE", "method"),
        (json!({"method": "OTT"}), "COULD_NOT_VALIDATE", "method"),
        (json!({"method": null}), "COULD_NOT_VALIDATE", "method"),
        (
            json!({"identityId": null}),
            "COULD_NOT_VALIDATE",
            "identityId",
        ),
        (
            json!({"expiresAt": null}),
            "COULD_NOT_VALIDATE",
            "expiresAt",
        ),
        (json!({"expiresAt": "tomorrow"}), "COULD_NOT_PARSE_BODY", ""),
        (json!({"expiresAt": 5}), "COULD_NOT_PARSE_BODY", ""),
    ] {
        let reply = post(over.clone()).await;
        assert_eq!(
            reply.error(),
            bad_request(expected),
            "{over}: {}",
            reply.text()
        );
        let cause = &reply.json()["error"]["cause"];
        match expected {
            "COULD_NOT_VALIDATE" => assert_eq!(cause["field"], field, "{over}"),
            _ => assert!(text(cause, "message").contains(field), "{over}: {cause}"),
        }
    }
    assert_eq!(revision(&controller), at);

    let enrollment = post(json!({})).await.id();
    let second = post(json!({})).await;
    assert_snapshot!(shown_error(&second).replace(&enrollment, "ENROLLMENT"), @r#"
        409 Conflict
        {
          "error": {
            "cause": {
              "field": "method",
              "reason": "the identity already has an enrollment of this method; refresh or delete that one",
              "value": "ott"
            },
            "code": "ENROLLMENT_EXISTS",
            "message": "The identity already has an enrollment of this method; refresh or delete that one",
            "requestId": null
          },
          "meta": {
            "apiEnrollmentVersion": "0.0.1",
            "apiVersion": "0.0.1"
          }
        }
        "#);
    controller
        .clock
        .set("2031-04-07T00:00:00Z".parse().unwrap());
    let admin = controller.admin().await;
    let expired = controller.manage(Method::POST, "/enrollments", &admin);
    let body = json!({"identityId": id, "method": "ott", "expiresAt": "2032-01-01T00:00:00Z"});
    let expired = expired.json(&body).send().await;
    assert_eq!(
        expired.error(),
        (409, "ENROLLMENT_EXISTS".to_owned()),
        "expired ones count"
    );
    let other = json!({"identityId": id, "method": "updb", "username": "someone", "expiresAt": "2032-01-01T00:00:00Z"});
    let request = controller.manage(Method::POST, "/enrollments", &admin);
    request.json(&other).send().await.id();

    let path = format!("/enrollments/{enrollment}");
    for past in ["2001-01-01T00:00:00Z", "2031-04-07T00:00:00Z"] {
        let request = controller.manage(Method::POST, &format!("{path}/refresh"), &admin);
        let reply = request.json(&json!({"expiresAt": past})).send().await;
        assert_eq!(reply.error(), bad_request("COULD_NOT_VALIDATE"), "{past}");
        assert_eq!(reply.field(), "expiresAt");
    }
    let shown = get(&controller, &admin, &path).await.data();
    let token = text(&shown, "token").to_owned();
    let remove = controller.manage(Method::DELETE, &path, &admin);
    assert_eq!(remove.send().await.json(), json!({"data": {}, "meta": {}}));
    assert_eq!(
        get(&controller, &admin, &path).await.error(),
        (404, "NOT_FOUND".to_owned())
    );
    let (_key, csr) = client_key_and_csr();
    assert_eq!(
        redeem(&controller, &token, &csr).await.error(),
        bad_request("INVALID_ENROLLMENT_TOKEN")
    );
}

#[tokio::test]
async fn deletion_of_the_identity_takes_its_enrollments_along() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, enrollment) =
        create_with_enrollment(&controller, &admin, "x", json!({"ott": true})).await;
    controller
        .manage(Method::DELETE, &format!("/identities/{id}"), &admin)
        .send()
        .await
        .data();
    let (_key, csr) = client_key_and_csr();
    let reply = redeem(&controller, text(&enrollment, "token"), &csr).await;
    assert_eq!(reply.error(), bad_request("INVALID_ENROLLMENT_TOKEN"));
    assert_eq!(
        get(&controller, &admin, "/enrollments").await.data(),
        json!([])
    );
    // Name and all are free again.
    create_with_enrollment(&controller, &admin, "x", json!({"ott": true})).await;
}

#[tokio::test]
async fn jwt_says_what_clients_need_and_verifies_with_the_server() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let key = controller.server.public_key().unwrap();
    for (name, how, method) in [
        ("x", json!({"ott": true}), "ott"),
        ("y", json!({"updb": "someone"}), "updb"),
    ] {
        let (id, enrollment) = create_with_enrollment(&controller, &admin, name, how).await;
        let jwt = text(&enrollment, "jwt");
        let now = controller.app.env().now();
        let claims = verify_with_certificate(jwt, controller.server.as_der(), now).unwrap();
        let end: Timestamp = text(&enrollment, "expiresAt").parse().unwrap();
        assert_eq!(
            claims,
            EnrollmentClaims {
                iss: "https://ctrl.example.test:1280".to_owned(),
                sub: id.clone(),
                aud: vec![String::new()],
                exp: Some(end.as_second()),
                jti: text(&enrollment, "token").to_owned(),
                em: method.to_owned(),
                ctrls: Some(vec!["tls:ctrl.example.test:6262".to_owned()]),
            }
        );
        let raw: Value = verify(jwt, &key).unwrap();
        assert!(raw.get("iat").is_none() && raw.get("nbf").is_none());
        assert_eq!(raw["exp"], end.as_second(), "whole seconds");
        let late = verify_with_certificate(jwt, controller.server.as_der(), end);
        assert!(matches!(late, Err(JwtError::Expired)));
        let path = format!("/enrollments/{}", text(&enrollment, "id"));
        let shown = get(&controller, &admin, &path).await.data();
        assert_eq!(shown["jwt"], jwt, "made once, not at each read");
        assert_eq!(shown["method"], method);
        assert_eq!(shown["identityId"], id.as_str());
        assert_eq!(shown["createdAt"], "2031-04-05T06:07:08.009Z");
        assert!(shown.get("username").is_none() && shown.get("caId").is_none());
        let token: [&str; 5] = text(&shown, "token")
            .split('-')
            .collect::<Vec<_>>()
            .try_into()
            .unwrap();
        assert_eq!(token.map(str::len), [8, 4, 4, 4, 12]);
        assert!(token[2].starts_with('4'), "a random UUID");
    }
    let network = controller
        .request(Method::GET, "/network-jwts")
        .send()
        .await
        .data();
    assert_eq!(network[0]["name"], "default");
    let claims: EnrollmentClaims = verify(text(&network[0], "token"), &key).unwrap();
    assert_eq!(
        (claims.em.as_str(), claims.iss.as_str()),
        ("network", "https://ctrl.example.test:1280/")
    );
    let header = text(&network[0], "token")
        .split('.')
        .next()
        .unwrap()
        .to_owned();
    let header: Value = serde_json::from_slice(&base64url(&header)).unwrap();
    let kid = controller.server.fingerprint().to_string();
    assert_eq!(header, json!({"alg": "ES256", "kid": kid, "typ": "JWT"}));
}

/// Decodes the alphabet of RFC 4648 section 5.
fn base64url(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut bits = 0_u32;
    let mut held = 0;
    let mut bytes = Vec::new();
    for byte in text.bytes() {
        let value = ALPHABET.iter().position(|one| *one == byte).unwrap();
        bits = bits << 6 | u32::try_from(value).unwrap();
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xFF).unwrap());
        }
    }
    bytes
}
