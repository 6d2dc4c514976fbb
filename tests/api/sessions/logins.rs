//! Logging in: what it answers, what refuses it, and that nothing but its token counts afterwards.

use crate::support::{
    add_policy, create, current_session, disable_identity, find_identity_id, log_in_by_certificate,
    ott_enrollment, pending_enrollment, redeem, revision, shown_error, text,
};
use http::Method;
use insta::assert_snapshot;
use portcullis_domain::clock::SignedDuration;
use portcullis_pki::certificates_from_pem;
use portcullis_testkit::{ADMIN, Harness, PASSWORD, client_key_and_csr};
use serde_json::json;
use std::collections::BTreeSet;

const SECOND: SignedDuration = SignedDuration::from_secs(1);

#[tokio::test]
async fn login_answers_everything_that_clients_read() {
    let controller = Harness::start().await;
    let reply = controller
        .request(Method::POST, "/authenticate?method=password")
        .json(&json!({
            "username": ADMIN, "password": PASSWORD, "configTypes": ["all"],
            "envInfo": {"os": "linux", "arch": "arm64"}, "sdkInfo": {"type": "t", "version": "1"},
        }))
        .send()
        .await;
    let data = reply.data();
    assert_eq!(reply.json()["meta"], json!({}));
    let token = text(&data, "token");
    assert_eq!(reply.headers["zt-session"], token);
    assert_eq!(reply.headers["expiration-seconds"], "1800");
    assert_eq!(
        reply.headers["expires-at"],
        "2031-04-05 06:37:08.009 +0000 UTC"
    );
    let id = text(&data, "id");
    assert!(id.len() == 25 && id.starts_with('c'), "{id}");
    let identity = text(&data, "identityId");
    for (member, value) in [
        ("createdAt", json!("2031-04-05T06:07:08.009Z")),
        ("updatedAt", json!("2031-04-05T06:07:08.009Z")),
        ("lastActivityAt", json!("2031-04-05T06:07:08.009Z")),
        ("cachedLastActivityAt", json!("2031-04-05T06:07:08.009Z")),
        ("expiresAt", json!("2031-04-05T06:37:08.009Z")),
        ("expirationSeconds", json!(1800)),
        ("tags", json!({})),
        ("configTypes", json!(["all"])),
        ("ipAddress", json!("127.0.0.1")),
        ("authQueries", json!([])),
        ("isMfaRequired", json!(false)),
        ("isMfaComplete", json!(false)),
        ("isCertExtendable", json!(false)),
    ] {
        assert_eq!(data[member], value, "{member}");
    }
    for absent in [
        "improperClientCertChain",
        "isCertExtendRequested",
        "isCertKeyRollRequested",
    ] {
        assert!(data.get(absent).is_none(), "{absent}");
    }
    assert_eq!(
        data["_links"]["self"]["href"],
        format!("./api-sessions/{id}")
    );
    assert_eq!(
        data["_links"]["sessions"]["href"],
        format!("./api-sessions/{id}/sessions")
    );
    assert_eq!(data["identity"]["id"], identity);
    assert_eq!(data["identity"]["name"], ADMIN);
    assert_eq!(data["identity"]["entity"], "identities");

    // The same members again, and the headers only at login.
    controller.clock.advance(SECOND * 10);
    let again = current_session(&controller, token).await;
    let mut expected = data.clone();
    for (member, time) in [
        ("cachedLastActivityAt", "2031-04-05T06:07:18.009Z"),
        ("expiresAt", "2031-04-05T06:37:18.009Z"),
    ] {
        expected[member] = json!(time);
    }
    let mut shown = again.data();
    shown["lastActivityAt"] = expected["lastActivityAt"].clone();
    shown["updatedAt"] = expected["updatedAt"].clone();
    assert_eq!(shown, expected);
    for header in ["expires-at", "expiration-seconds", "zt-session"] {
        assert!(!again.headers.contains_key(header), "{header}");
    }

    let me = controller
        .request(Method::GET, "/current-identity")
        .session(token);
    let me = me.send().await.data();
    assert_eq!(me["envInfo"], json!({"os": "linux", "arch": "arm64"}));
    assert_eq!(me["sdkInfo"], json!({"type": "t", "version": "1"}));
    assert_eq!(me["_links"].as_object().unwrap().len(), 2);
}

#[tokio::test]
async fn logins_are_refused_alike() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    controller.create_user(&admin, "shut out", json!({})).await;
    let id = find_identity_id(&controller, &admin, "shut out").await;
    disable_identity(&controller, &admin, &id).await;
    let at = revision(&controller);
    let mut bodies = BTreeSet::new();
    for (username, password) in [
        ("nobody", PASSWORD),
        (ADMIN, "wrong-password"),
        ("Admin", PASSWORD),
        (" admin", PASSWORD),
        ("shut out", PASSWORD),
    ] {
        let login = controller.request(Method::POST, "/authenticate?method=password");
        let login = login.json(&json!({"username": username, "password": password}));
        let reply = login.send().await;
        bodies.insert(shown_error(&reply));
        assert!(!reply.text().contains(password));
    }
    let cert = controller.request(Method::POST, "/authenticate?method=cert");
    assert_eq!(cert.send().await.error(), (401, "INVALID_AUTH".to_owned()));
    assert_snapshot!(String::from_iter(bodies), @r#"
        401 Unauthorized
        {
          "error": {
            "code": "INVALID_AUTH",
            "message": "Authentication failed; check the credentials, and that the identity is enabled and may log in this way",
            "requestId": null
          },
          "meta": {
            "apiEnrollmentVersion": "0.0.1",
            "apiVersion": "0.0.1"
          }
        }
        "#);
    // One commit for each refused password, whatever was wrong: its time tells nothing.
    assert_eq!(revision(&controller), at + 5);

    for (query, body, status, code) in [
        ("?method=password", json!({}), 400, "COULD_NOT_VALIDATE"),
        (
            "?method=password",
            json!({"username": ADMIN}),
            400,
            "COULD_NOT_VALIDATE",
        ),
        (
            "?method=password",
            json!({"username": ADMIN, "password": ""}),
            400,
            "COULD_NOT_VALIDATE",
        ),
        (
            "?method=password",
            json!({"username": "abc", "password": PASSWORD}),
            400,
            "COULD_NOT_VALIDATE",
        ),
        (
            "?method=password",
            json!({"username": ADMIN, "password": "four"}),
            400,
            "COULD_NOT_VALIDATE",
        ),
        (
            "?method=password",
            json!({"username": 1, "password": PASSWORD}),
            400,
            "COULD_NOT_PARSE_BODY",
        ),
        (
            "?method=Password",
            json!({"username": ADMIN, "password": PASSWORD}),
            400,
            "COULD_NOT_VALIDATE",
        ),
        ("?method=fly", json!({}), 400, "COULD_NOT_VALIDATE"),
        (
            "",
            json!({"username": ADMIN, "password": PASSWORD}),
            400,
            "COULD_NOT_VALIDATE",
        ),
        ("?method=ext-jwt", json!({}), 401, "UNAUTHORIZED"),
    ] {
        let path = format!("/authenticate{query}");
        let reply = controller
            .request(Method::POST, &path)
            .json(&body)
            .send()
            .await;
        assert_eq!(reply.error(), (status, code.to_owned()), "{query} {body}");
        assert!(!reply.text().contains(PASSWORD));
    }
}

#[tokio::test]
async fn nothing_but_the_whole_token_opens_a_session() {
    let controller = Harness::start().await;
    let token = controller.admin().await;
    let mut others = BTreeSet::new();
    for cut in 1..token.len() {
        others.insert(token[..cut].to_owned());
        others.insert(token[cut..].to_owned());
    }
    for position in 0..token.len() {
        for bit in 0..7 {
            let mut bytes = token.clone().into_bytes();
            bytes[position] ^= 1 << bit;
            others.insert(String::from_utf8(bytes).unwrap());
        }
    }
    others.insert(token.to_uppercase());
    others.insert(token.replace('-', ""));
    others.insert(format!("{token}{token}"));
    others.insert(format!("{token},{token}"));
    others.insert(format!("Bearer {token}"));
    others.remove(&token);
    let mut tried = 0;
    for other in others {
        // What a header cannot carry cannot be presented.
        let Ok(value) = http::HeaderValue::try_from(other.as_str()) else {
            continue;
        };
        let request = controller.request(Method::GET, "/current-api-session");
        let reply = request
            .session(value.to_str().unwrap_or_default())
            .send()
            .await;
        assert_eq!(reply.status, 401, "{other:?}");
        tried += 1;
    }
    assert!(tried > 250, "{tried}");
    current_session(&controller, &token).await.data();
}

#[tokio::test]
async fn requests_cannot_name_another_principal() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = controller.create_user(&admin, "user", json!({})).await;
    let own = find_identity_id(&controller, &admin, "user").await;
    let other = find_identity_id(&controller, &admin, ADMIN).await;
    let session = text(&current_session(&controller, &admin).await.data(), "id").to_owned();
    for path in ["/current-identity", "/current-api-session"] {
        for query in [
            "",
            "?id=ID",
            "?identityId=ID",
            "?asIdentity=ID",
            "?apiSessionId=SESSION&token=TOKEN",
        ] {
            let query = query
                .replace("ID", &other)
                .replace("SESSION", &session)
                .replace("TOKEN", &admin);
            let request = controller.request(Method::GET, &format!("{path}{query}"));
            let shown = request
                .session(&user)
                .header("zt-session", &admin)
                .header("authorization", &format!("Bearer {admin}"))
                .header("x-client-certpem", "AAAA")
                .header("x-edge-router-proxy-request", "1")
                .header("ziti-identity", &other)
                .json(&json!({"id": other, "identityId": other, "token": admin}))
                .send()
                .await
                .data();
            let id = if path == "/current-identity" {
                &shown["id"]
            } else {
                &shown["identityId"]
            };
            assert_eq!(id, own.as_str(), "{path}{query}");
        }
    }
    let end = controller.request(
        Method::DELETE,
        &format!("/current-api-session?id={session}"),
    );
    end.session(&user)
        .json(&json!({"id": session}))
        .send()
        .await
        .data();
    current_session(&controller, &admin).await.data();
    assert_eq!(current_session(&controller, &user).await.status, 401);
}

/// A policy that looks at dates looks at those of the authority that issued the certificate, too.
#[tokio::test]
async fn certificates_are_good_no_longer_than_their_authority() {
    let controller = Harness::start().await;
    add_policy(&controller, "strict", |policy| {
        policy.spec.primary.cert.allow_expired_certs = false;
    })
    .await;
    // The authority is valid for ten years, what it issues for one.
    let day = SignedDuration::from_hours(24);
    controller.clock.advance(day * 3600);
    let admin = controller.admin().await;
    let mut chains = Vec::new();
    for (name, policy) in [("strict", "strict"), ("lenient", "default")] {
        let mut body = ott_enrollment();
        body["authPolicyId"] = json!(policy);
        let id = create(&controller, &admin, name, body).await;
        let token = pending_enrollment(&controller, &admin, &id, "ott").await;
        let redeemed = redeem(&controller, text(&token, "token"), &client_key_and_csr().1).await;
        chains.push(certificates_from_pem(text(&redeemed.data(), "cert")).unwrap());
    }
    let statuses = async || {
        let mut statuses = Vec::new();
        for chain in &chains {
            let reply = log_in_by_certificate(&controller, chain).await;
            statuses.push(reply.status.as_u16());
        }
        statuses
    };
    assert_eq!(statuses().await, [200, 200]);
    controller.clock.advance(day * 100);
    assert_eq!(statuses().await, [401, 200]);
}
