//! Enrollments: their life, their tokens, and the one time that each is redeemed.

use crate::support::{create, get, pending, read, redeem, revision, text};
use http::Method;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_pki::jwt::{verify, verify_with_certificate};
use portcullis_pki::{EnrollmentClaims, JwtError, certificates_from_pem};
use portcullis_testkit::{Harness, HarnessOptions, PASSWORD, Reply, client_key};
use serde_json::{Value, json};

const LATER: &str = "2031-04-06T00:00:00.000Z";

/// An identity with an enrollment: its id and the enrollment as the identity shows it.
async fn enrolling(controller: &Harness, admin: &str, name: &str, how: Value) -> (String, Value) {
    let id = create(controller, admin, name, json!({"enrollment": how})).await;
    let method = if how.get("ott").is_some() {
        "ott"
    } else {
        "updb"
    };
    let pending = pending(controller, admin, &id, method).await;
    (id, pending)
}

async fn choose(controller: &Harness, token: &str, password: &str) -> Reply {
    controller
        .request(Method::POST, &format!("/enroll?method=updb&token={token}"))
        .json(&json!({"password": password}))
        .send()
        .await
}

async fn authenticators(controller: &Harness, admin: &str, id: &str) -> Value {
    read(controller, admin, id).await["authenticators"].clone()
}

fn code(reply: &Reply) -> (u16, String) {
    reply.error()
}

fn refused(name: &str) -> (u16, String) {
    (400, name.to_owned())
}

#[tokio::test]
async fn token_ends_on_the_second() {
    let (_key, csr) = client_key();
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
        let (id, enrollment) = enrolling(&controller, &admin, "x", given).await;
        let end: Timestamp = text(&enrollment, "expiresAt").parse().unwrap();
        controller
            .clock
            .set(end + SignedDuration::from_secs(offset));
        let token = text(&enrollment, "token");
        let reply = if how == "ott" {
            redeem(&controller, token, &csr).await
        } else {
            choose(&controller, token, PASSWORD).await
        };
        if is_good {
            reply.data();
            continue;
        }
        assert_eq!(
            code(&reply),
            refused("ENROLLMENT_EXPIRED"),
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
        let fresh = pending(&controller, &admin, &id, how).await;
        assert_eq!(fresh["id"], enrollment["id"]);
        assert_ne!(fresh["token"], enrollment["token"]);
        let reply = if how == "ott" {
            assert_eq!(
                code(&redeem(&controller, token, &csr).await),
                refused("INVALID_ENROLLMENT_TOKEN")
            );
            redeem(&controller, text(&fresh, "token"), &csr).await
        } else {
            assert_eq!(
                code(&choose(&controller, token, PASSWORD).await),
                refused("INVALID_ENROLLMENT_TOKEN")
            );
            choose(&controller, text(&fresh, "token"), PASSWORD).await
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
    let (_, enrollment) = enrolling(&controller, &admin, "x", json!({"ott": true})).await;
    assert_eq!(enrollment["expiresAt"], "2031-04-05T06:14:08.000Z");
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, enrollment) = enrolling(&controller, &admin, "x", json!({"ott": true})).await;
    assert_eq!(
        enrollment["expiresAt"], "2031-04-05T09:07:08.000Z",
        "180 minutes"
    );
}

#[tokio::test]
async fn refused_redemption_spends_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, enrollment) = enrolling(&controller, &admin, "x", json!({"ott": true})).await;
    let token = text(&enrollment, "token");
    let (_key, csr) = client_key();
    let tampered = csr.replace('A', "B");
    let truncated = &csr[..csr.len() / 2];
    let at = revision(&controller);
    for (query, content_type, body, expected) in [
        (
            format!("method=ott&token={token}"),
            "application/x-pem-file",
            "",
            "COULD_NOT_PROCESS_CSR",
        ),
        (
            format!("method=ott&token={token}"),
            "text/plain",
            "no request",
            "COULD_NOT_PROCESS_CSR",
        ),
        (
            format!("method=ott&token={token}"),
            "application/pkcs7",
            truncated,
            "COULD_NOT_PROCESS_CSR",
        ),
        (
            format!("method=ott&token={token}"),
            "text/plain",
            &tampered,
            "COULD_NOT_PROCESS_CSR",
        ),
        (
            format!("method=ott&token={token}"),
            "application/json",
            "{}",
            "COULD_NOT_PROCESS_CSR",
        ),
        (
            format!("token={token}"),
            "application/json",
            r#"{"clientCsr": ""}"#,
            "COULD_NOT_PROCESS_CSR",
        ),
        (
            format!("method=ott&token={token}"),
            "application/json",
            "{",
            "COULD_NOT_PARSE_BODY",
        ),
        (
            format!("method=ott&token={token}"),
            "application/json",
            r#"{"clientCsr": 1}"#,
            "COULD_NOT_PARSE_BODY",
        ),
        (
            format!("method=updb&token={token}"),
            "text/plain",
            &csr,
            "INVALID_ENROLL_METHOD",
        ),
        (
            format!("method=ottca&token={token}"),
            "text/plain",
            &csr,
            "INVALID_ENROLL_METHOD",
        ),
        (
            format!("method=ott&token={token}x"),
            "text/plain",
            &csr,
            "INVALID_ENROLLMENT_TOKEN",
        ),
        (
            format!("method=ott&token={}", &token[1..]),
            "text/plain",
            &csr,
            "INVALID_ENROLLMENT_TOKEN",
        ),
        (
            format!("method=ott&token={}", token.to_uppercase()),
            "text/plain",
            &csr,
            "INVALID_ENROLLMENT_TOKEN",
        ),
        (
            "method=ott&token=".to_owned(),
            "text/plain",
            &csr,
            "INVALID_ENROLLMENT_TOKEN",
        ),
        (
            "method=ott".to_owned(),
            "text/plain",
            &csr,
            "INVALID_ENROLLMENT_TOKEN",
        ),
        (
            String::new(),
            "text/plain",
            &csr,
            "INVALID_ENROLLMENT_TOKEN",
        ),
    ] {
        let path = format!("/enroll?{query}");
        let request = controller.request(Method::POST, &path);
        let reply = request.text(content_type, body).send().await;
        assert_eq!(
            code(&reply),
            refused(expected),
            "{query} {content_type}: {}",
            reply.text()
        );
        assert!(!reply.text().contains(token), "{}", reply.text());
    }
    let wrong_type = controller.request(Method::POST, &format!("/enroll?method=ott&token={token}"));
    let wrong_type = wrong_type
        .text("application/octet-stream", &csr)
        .send()
        .await;
    assert_eq!(code(&wrong_type), (415, "COULD_NOT_VALIDATE".to_owned()));
    assert_eq!(revision(&controller), at);
    assert_eq!(authenticators(&controller, &admin, &id).await, json!({}));
    redeem(&controller, token, &csr).await.data();
}

#[tokio::test]
async fn certificate_is_given_in_every_form_of_the_request() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for (number, (path, content_type, is_named)) in [
        ("/enroll?method=ott&token=T", "application/x-pem-file", true),
        ("/enroll?token=T", "text/plain; charset=us-ascii", false),
        (
            "/edge/v1/enroll?token=T&method=ott",
            "application/pkcs7",
            true,
        ),
        (
            "/edge/client/v1/enroll?method=ott&token=T",
            "application/json",
            true,
        ),
        ("/enroll/ott", "application/json", true),
    ]
    .into_iter()
    .enumerate()
    {
        let (id, enrollment) = enrolling(
            &controller,
            &admin,
            &format!("n{number}"),
            json!({"ott": true}),
        )
        .await;
        let token = text(&enrollment, "token");
        let (key, csr) = client_key();
        let body = match (path, content_type) {
            ("/enroll/ott", _) => json!({"token": token, "clientCsr": csr}).to_string(),
            (_, "application/json") => json!({"clientCsr": csr}).to_string(),
            _ => csr,
        };
        let request = controller.request(Method::POST, &path.replace('T', token));
        let reply = request.text(content_type, &body).send().await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        assert_eq!(reply.headers["content-type"], "application/json", "{path}");
        let data = reply.data();
        assert!(data.get("ca").is_none(), "{path}");
        assert_eq!(data.get("controllers").is_some(), is_named, "{path}");
        if is_named {
            let bindings = data["controllers"][0]["apiAddresses"].as_object().unwrap();
            assert!(
                bindings
                    .keys()
                    .all(|name| name == "edge-client" || name == "edge-oidc")
            );
            assert!(data["controllers"][0].get("ctrlAddress").is_none());
        }
        let chain = certificates_from_pem(text(&data, "cert")).unwrap();
        assert_eq!(chain.len(), 2, "leaf and intermediate, no root");
        let leaf = &chain[0];
        let expected = format!("spiffe://example.test/identity/{id}");
        assert_eq!(leaf.uri_names().collect::<Vec<_>>(), [expected]);
        assert_eq!(leaf.public_key().unwrap(), *key.public_key());
        let shown = authenticators(&controller, &admin, &id).await;
        assert_eq!(shown["cert"]["fingerprint"], leaf.fingerprint().to_string());
        assert_eq!(shown.as_object().unwrap().len(), 1);
        let path = format!("/enrollments/{}", text(&enrollment, "id"));
        let gone = get(&controller, &admin, &path).await;
        assert_eq!(code(&gone), (404, "NOT_FOUND".to_owned()));
    }
}

#[tokio::test]
async fn password_is_chosen_with_the_token() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, enrollment) = enrolling(&controller, &admin, "x", json!({"updb": "someone"})).await;
    let token = text(&enrollment, "token");
    let long = "x".repeat(101);
    let at = revision(&controller);
    for (body, field) in [
        (json!({}), "password"),
        (json!({"password": ""}), "password"),
        (json!({"password": null}), "password"),
        (json!({"password": "four"}), "password"),
        (json!({"password": long}), "password"),
        (json!({"password": PASSWORD, "username": "abc"}), "username"),
    ] {
        let request =
            controller.request(Method::POST, &format!("/enroll?method=updb&token={token}"));
        let reply = request.json(&body).send().await;
        assert_eq!(code(&reply), refused("COULD_NOT_VALIDATE"), "{body}");
        assert_eq!(reply.field(), field, "{body}");
        assert!(!reply.text().contains(&long), "a password is not repeated");
    }
    let bare = controller.request(Method::POST, &format!("/enroll?method=updb&token={token}"));
    assert_eq!(bare.send().await.field(), "password");
    let wrong = redeem(&controller, token, "csr").await;
    assert_eq!(code(&wrong), refused("INVALID_ENROLL_METHOD"));
    assert_eq!(revision(&controller), at);

    // A username in the body does not count: the enrollment knows whose it is.
    let request = controller.request(Method::POST, &format!("/enroll?method=updb&token={token}"));
    let body = json!({"password": PASSWORD, "username": "somebody else"});
    let data = request.json(&body).send().await.data();
    assert_eq!(data["username"], "someone");
    assert!(data.get("cert").is_none());
    let again = choose(&controller, token, PASSWORD).await;
    assert_eq!(code(&again), refused("INVALID_ENROLLMENT_TOKEN"));
    assert_eq!(
        authenticators(&controller, &admin, &id).await["updb"]["username"],
        "someone"
    );
    controller.login("someone", PASSWORD).await;

    // A username in use shows itself when the enrollment is redeemed; the token is not spent.
    let (_, other) = enrolling(&controller, &admin, "y", json!({"updb": "someone"})).await;
    let taken = choose(&controller, text(&other, "token"), "another-password").await;
    assert_eq!(code(&taken), refused("COULD_NOT_VALIDATE"));
    assert!(!taken.text().contains("another-password"));
    let taken = choose(&controller, text(&other, "token"), "another-password").await;
    assert_eq!(code(&taken), refused("COULD_NOT_VALIDATE"));
}

#[tokio::test]
async fn enrollments_are_created_for_identities_that_exist() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "x", json!({})).await;
    let good = json!({"identityId": id, "method": "ott", "expiresAt": LATER});
    let post = async |over: Value| {
        let mut body = good.clone();
        crate::support::merge(&mut body, over);
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
        assert_eq!(code(&reply), refused(expected), "{over}: {}", reply.text());
        let cause = &reply.json()["error"]["cause"];
        match expected {
            "COULD_NOT_VALIDATE" => assert_eq!(cause["field"], field, "{over}"),
            _ => assert!(text(cause, "message").contains(field), "{over}: {cause}"),
        }
    }
    assert_eq!(revision(&controller), at);

    let enrollment = post(json!({})).await.id();
    let second = post(json!({})).await;
    assert_eq!(code(&second), (409, "ENROLLMENT_EXISTS".to_owned()));
    controller
        .clock
        .set("2031-04-07T00:00:00Z".parse().unwrap());
    let admin = controller.admin().await;
    let expired = controller.manage(Method::POST, "/enrollments", &admin);
    let body = json!({"identityId": id, "method": "ott", "expiresAt": "2032-01-01T00:00:00Z"});
    let expired = expired.json(&body).send().await;
    assert_eq!(
        code(&expired),
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
        assert_eq!(code(&reply), refused("COULD_NOT_VALIDATE"), "{past}");
        assert_eq!(reply.field(), "expiresAt");
    }
    let shown = get(&controller, &admin, &path).await.data();
    let token = text(&shown, "token").to_owned();
    let remove = controller.manage(Method::DELETE, &path, &admin);
    assert_eq!(remove.send().await.json(), json!({"data": {}, "meta": {}}));
    assert_eq!(
        code(&get(&controller, &admin, &path).await),
        (404, "NOT_FOUND".to_owned())
    );
    let (_key, csr) = client_key();
    assert_eq!(
        code(&redeem(&controller, &token, &csr).await),
        refused("INVALID_ENROLLMENT_TOKEN")
    );
}

#[tokio::test]
async fn deletion_of_the_identity_takes_its_enrollments_along() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, enrollment) = enrolling(&controller, &admin, "x", json!({"ott": true})).await;
    controller
        .manage(Method::DELETE, &format!("/identities/{id}"), &admin)
        .send()
        .await
        .data();
    let (_key, csr) = client_key();
    let reply = redeem(&controller, text(&enrollment, "token"), &csr).await;
    assert_eq!(code(&reply), refused("INVALID_ENROLLMENT_TOKEN"));
    assert_eq!(
        get(&controller, &admin, "/enrollments").await.data(),
        json!([])
    );
    // Name and all are free again.
    enrolling(&controller, &admin, "x", json!({"ott": true})).await;
}

#[tokio::test]
async fn second_certificate_joins_the_first() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, first) = enrolling(&controller, &admin, "x", json!({"ott": true})).await;
    let (_key, csr) = client_key();
    let old = redeem(&controller, text(&first, "token"), &csr)
        .await
        .data();
    let body = json!({"identityId": id, "method": "ott", "expiresAt": LATER});
    controller
        .manage(Method::POST, "/enrollments", &admin)
        .json(&body)
        .send()
        .await
        .id();
    let second = pending(&controller, &admin, &id, "ott").await;
    let (_key, csr) = client_key();
    let new = redeem(&controller, text(&second, "token"), &csr)
        .await
        .data();
    for cert in [old, new] {
        let chain = certificates_from_pem(text(&cert, "cert")).unwrap();
        let login = controller.request(Method::POST, "/authenticate?method=cert");
        let session = login.certificates(&chain).send().await.data();
        assert_eq!(session["identityId"], id.as_str());
        assert_eq!(session["isCertExtendable"], true);
    }
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
        let (id, enrollment) = enrolling(&controller, &admin, name, how).await;
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
