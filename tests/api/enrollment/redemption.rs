//! Redeeming enrollments: the proof, what comes of it, and what is left of a refused one.

use crate::support::{
    add_policy, bad_request, create, create_with_enrollment, disable_identity, get,
    pending_enrollment, read, redeem, redeem_with_password, revision, text,
};
use http::Method;
use portcullis_domain::auth_policy::UpdbRules;
use portcullis_pki::certificates_from_pem;
use portcullis_testkit::{Harness, PASSWORD, client_key_and_csr};
use serde_json::{Value, json};

const LATER: &str = "2031-04-06T00:00:00.000Z";

async fn authenticators(controller: &Harness, admin: &str, id: &str) -> Value {
    read(controller, admin, id).await["authenticators"].clone()
}

#[tokio::test]
async fn disabled_identity_is_not_enrolled_until_it_is_enabled() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_key, csr) = client_key_and_csr();
    for method in [json!({"ott": true}), json!({"updb": "somebody"})] {
        let name = method.to_string();
        let has_password = method.get("updb").is_some();
        let (id, enrollment) = create_with_enrollment(&controller, &admin, &name, method).await;
        let token = text(&enrollment, "token");
        let redemption = async || {
            if has_password {
                redeem_with_password(&controller, token, PASSWORD).await
            } else {
                redeem(&controller, token, &csr).await
            }
        };
        disable_identity(&controller, &admin, &id).await;
        let at = revision(&controller);
        let refusal = redemption().await;
        assert_eq!(refusal.error(), (401, "UNAUTHORIZED".to_owned()), "{name}");
        assert!(refusal.text().contains("disabled"), "{}", refusal.text());
        assert_eq!(revision(&controller), at, "{name}");
        assert_eq!(authenticators(&controller, &admin, &id).await, json!({}));

        let enable = format!("/identities/{id}/enable");
        let enabled = controller.manage(Method::POST, &enable, &admin);
        assert_eq!(enabled.send().await.status, 200);
        assert_eq!(redemption().await.status, 200, "{name}");
    }
}

#[tokio::test]
async fn refused_redemption_spends_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, enrollment) =
        create_with_enrollment(&controller, &admin, "x", json!({"ott": true})).await;
    let token = text(&enrollment, "token");
    let (_key, csr) = client_key_and_csr();
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
            reply.error(),
            bad_request(expected),
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
    assert_eq!(wrong_type.error(), (415, "COULD_NOT_VALIDATE".to_owned()));
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
        let (id, enrollment) = create_with_enrollment(
            &controller,
            &admin,
            &format!("n{number}"),
            json!({"ott": true}),
        )
        .await;
        let token = text(&enrollment, "token");
        let (key, csr) = client_key_and_csr();
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
        assert_eq!(gone.error(), (404, "NOT_FOUND".to_owned()));
    }
}

#[tokio::test]
async fn password_is_chosen_with_the_token() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, enrollment) =
        create_with_enrollment(&controller, &admin, "x", json!({"updb": "someone"})).await;
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
        assert_eq!(reply.error(), bad_request("COULD_NOT_VALIDATE"), "{body}");
        assert_eq!(reply.field(), field, "{body}");
        assert!(!reply.text().contains(&long), "a password is not repeated");
    }
    let bare = controller.request(Method::POST, &format!("/enroll?method=updb&token={token}"));
    assert_eq!(bare.send().await.field(), "password");
    let wrong = redeem(&controller, token, "csr").await;
    assert_eq!(wrong.error(), bad_request("INVALID_ENROLL_METHOD"));
    assert_eq!(revision(&controller), at);

    // A username in the body does not count: the enrollment knows whose it is.
    let request = controller.request(Method::POST, &format!("/enroll?method=updb&token={token}"));
    let body = json!({"password": PASSWORD, "username": "somebody else"});
    let data = request.json(&body).send().await.data();
    assert_eq!(data["username"], "someone");
    assert!(data.get("cert").is_none());
    let again = redeem_with_password(&controller, token, PASSWORD).await;
    assert_eq!(again.error(), bad_request("INVALID_ENROLLMENT_TOKEN"));
    assert_eq!(
        authenticators(&controller, &admin, &id).await["updb"]["username"],
        "someone"
    );
    controller.login("someone", PASSWORD).await;

    // A username in use shows itself when the enrollment is redeemed; the token is not spent.
    let (_, other) =
        create_with_enrollment(&controller, &admin, "y", json!({"updb": "someone"})).await;
    let refusal =
        redeem_with_password(&controller, text(&other, "token"), "another-password").await;
    assert_eq!(refusal.error(), bad_request("COULD_NOT_VALIDATE"));
    assert!(!refusal.text().contains("another-password"));
    let refusal =
        redeem_with_password(&controller, text(&other, "token"), "another-password").await;
    assert_eq!(refusal.error(), bad_request("COULD_NOT_VALIDATE"));
}

#[tokio::test]
async fn second_certificate_joins_the_first() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, first) = create_with_enrollment(&controller, &admin, "x", json!({"ott": true})).await;
    let (_key, csr) = client_key_and_csr();
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
    let second = pending_enrollment(&controller, &admin, &id, "ott").await;
    let (_key, csr) = client_key_and_csr();
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

type Rule = fn(&mut UpdbRules);

#[tokio::test]
async fn password_meets_the_rules_of_the_identitys_policy() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let rules: [(&str, Rule, &str, &str); 4] = [
        (
            "long",
            |rules| rules.min_password_length = 12,
            "elevenchars",
            "twelve chars",
        ),
        (
            "number",
            |rules| rules.require_number_char = true,
            "no digits here",
            "1 digit here",
        ),
        (
            "special",
            |rules| rules.require_special_char = true,
            "letters4and5digits",
            "letters-and-more",
        ),
        (
            "mixed",
            |rules| rules.require_mixed_case = true,
            "all in lower case",
            "Not all in lower case",
        ),
    ];
    for (policy, rule, bad, good) in rules {
        add_policy(&controller, policy, |policy| {
            rule(&mut policy.spec.primary.updb);
        })
        .await;
        let more = json!({"authPolicyId": policy, "enrollment": {"updb": policy}});
        let id = create(&controller, &admin, policy, more).await;
        let enrollment = pending_enrollment(&controller, &admin, &id, "updb").await;
        let token = text(&enrollment, "token");
        let at = revision(&controller);
        let refusal = redeem_with_password(&controller, token, bad).await;
        assert_eq!(
            refusal.error(),
            bad_request("COULD_NOT_VALIDATE"),
            "{policy}"
        );
        assert_eq!(refusal.field(), "password", "{policy}");
        assert!(!refusal.text().contains(bad), "{policy}");
        assert_eq!(revision(&controller), at, "{policy}");
        assert_eq!(
            redeem_with_password(&controller, token, good).await.status,
            200,
            "{policy}"
        );
        controller.login(policy, good).await;
    }
}
