//! Administration of authenticators: what is made, changed and taken away, and what each refusal
//! leaves as it was.

use crate::support::credentials::{
    add_authority, authenticator_of, bare, cert, client_of, foreign_authority,
    log_in_with_password, send, shown, token_by, updb, with_certificate, with_password,
};
use crate::support::{
    bad_request, current_session, edit_entity, get, log_in, log_in_by_certificate,
    pending_enrollment, read, redeem, redeem_with_password, revision, text,
};
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_pki::certificates_to_pem;
use portcullis_storage::tables::UniqueIndex;
use portcullis_testkit::{Harness, PASSWORD, client_key_and_csr};
use serde_json::json;

const ALL: (Method, &str) = (Method::POST, "/authenticators");
const LATER: &str = "2031-04-06T00:00:00.000Z";

#[tokio::test]
async fn password_that_an_administrator_gives_lets_its_owner_in() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = bare(&controller, &admin, "anna").await;
    let mut body = updb(&id, "anna-name");
    body["tags"] = json!({"kind": "test"});
    let made = send(&controller, &admin, ALL, &body).await.id();
    assert_eq!(log_in(&controller, "anna-name").await.status, 200);
    let detail = shown(&controller, &admin, &made).await;
    for (member, value) in [
        ("method", json!("updb")),
        ("username", json!("anna-name")),
        ("identityId", json!(id)),
        ("tags", json!({"kind": "test"})),
    ] {
        assert_eq!(detail[member], value, "{member}");
    }
    assert!(!detail.to_string().contains("password"), "{detail}");
}

#[tokio::test]
async fn creation_is_refused_for_each_fault_and_changes_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, _, _) = with_password(&controller, &admin, "taken", json!({})).await;
    let (owner, chain) = with_certificate(&controller, &admin, "owner").await;
    let id = bare(&controller, &admin, "bare").await;
    let full = bare(&controller, &admin, "full").await;
    send(&controller, &admin, ALL, &updb(&full, "full-name"))
        .await
        .id();
    let router = bare(&controller, &admin, "router").await;
    edit_entity(
        &controller,
        UniqueIndex::IdentityId,
        &router,
        |one: &mut Identity| {
            one.kind = IdentityType::Router;
        },
    )
    .await;
    let stranger = client_of(&controller, &foreign_authority(&controller, "stranger"));
    let (_, unverified) = add_authority(&controller, "unverified", false).await;
    let unproved = client_of(&controller, &unverified);
    let two = certificates_to_pem([&chain[0], &stranger]);
    let twice = "MAX_AUTHENTICATOR_METHODS_REACHED";
    let at = revision(&controller);
    for (body, status, code, field) in [
        (
            json!({"identityId": id}),
            400,
            "COULD_NOT_VALIDATE",
            "method",
        ),
        (
            json!({"identityId": id, "method": "fly"}),
            400,
            "COULD_NOT_VALIDATE",
            "method",
        ),
        (updb("nope", "somebody"), 404, "NOT_FOUND", ""),
        (
            updb(&id, "taken"),
            400,
            "COULD_NOT_VALIDATE",
            "updbUsername",
        ),
        (updb(&id, "abc"), 400, "COULD_NOT_VALIDATE", "username"),
        (updb(&full, "another"), 409, twice, ""),
        (
            updb(&router, "router-name"),
            400,
            "COULD_NOT_VALIDATE",
            "identityId",
        ),
        (cert(&owner, &chain[0]), 409, twice, ""),
        (
            cert(&id, &chain[0]),
            400,
            "COULD_NOT_VALIDATE",
            "certFingerprint",
        ),
        (
            cert(&id, &stranger),
            400,
            "CERTIFICATE_FAILED_VALIDATION",
            "",
        ),
        (
            cert(&id, &unproved),
            400,
            "CERTIFICATE_FAILED_VALIDATION",
            "",
        ),
        (
            json!({"identityId": id, "method": "cert", "certPem": "nope"}),
            400,
            "COULD_NOT_PARSE_PEM_BLOCK",
            "",
        ),
        (
            json!({"identityId": id, "method": "cert", "certPem": two}),
            400,
            "COULD_NOT_PARSE_PEM_BLOCK",
            "",
        ),
    ] {
        let reply = send(&controller, &admin, ALL, &body).await;
        assert_eq!(reply.error(), (status, code.to_owned()), "{body}");
        if !field.is_empty() {
            assert_eq!(reply.field(), field, "{body}");
        }
        assert!(!reply.text().contains(PASSWORD), "{body}");
    }
    assert_eq!(revision(&controller), at);
    assert_eq!(
        read(&controller, &admin, &id).await["authenticators"],
        json!({})
    );
}

#[tokio::test]
async fn certificate_of_a_verified_authority_is_taken_even_if_it_has_expired() {
    let controller = Harness::start().await;
    let (_, authority) = add_authority(&controller, "verified", true).await;
    let certificate = client_of(&controller, &authority);
    controller
        .clock
        .advance(SignedDuration::from_hours(24 * 400));
    let admin = controller.login("admin", PASSWORD).await;
    let id = bare(&controller, &admin, "device").await;
    let made = send(&controller, &admin, ALL, &cert(&id, &certificate))
        .await
        .id();
    let detail = shown(&controller, &admin, &made).await;
    assert_eq!(detail["fingerprint"], certificate.fingerprint().to_string());
    assert_eq!(detail["certPem"], certificate.to_pem());
    assert!(detail.get("isIssuedByNetwork").is_none(), "{detail}");
}

#[tokio::test]
async fn certificate_of_the_network_can_be_given_to_another_identity() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (first, chain) = with_certificate(&controller, &admin, "first").await;
    let second = bare(&controller, &admin, "second").await;
    let old = authenticator_of(&controller, &admin, &first, "cert").await;
    let path = format!("/authenticators/{old}");
    send(&controller, &admin, (Method::DELETE, &path), &json!({}))
        .await
        .data();
    let made = send(&controller, &admin, ALL, &cert(&second, &chain[0]))
        .await
        .id();
    assert_eq!(
        shown(&controller, &admin, &made).await["isIssuedByNetwork"],
        true
    );
    let session = log_in_by_certificate(&controller, &chain).await.data();
    assert_eq!(session["identityId"], second.as_str());
}

#[tokio::test]
async fn new_password_ends_what_the_old_one_opened() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, authenticator, token) = with_password(&controller, &admin, "anna", json!({})).await;
    let path = format!("/authenticators/{authenticator}");
    let merging = (Method::PATCH, path.as_str());

    // A username and tags are no secrets: what they opened stays open.
    let renamed = json!({"username": "berta", "tags": {"a": 1}});
    send(&controller, &admin, merging.clone(), &renamed)
        .await
        .data();
    assert_eq!(current_session(&controller, &token).await.status, 200);
    assert_eq!(log_in(&controller, "anna").await.status, 401);
    assert_eq!(log_in(&controller, "berta").await.status, 200);

    let changed = json!({"password": "another-secret"});
    send(&controller, &admin, merging.clone(), &changed)
        .await
        .data();
    assert_eq!(current_session(&controller, &token).await.status, 401);
    assert_eq!(log_in(&controller, "berta").await.status, 401);
    let reply = log_in_with_password(&controller, "berta", "another-secret").await;
    assert_eq!(reply.status, 200);

    let replacement = json!({"username": "clara", "password": PASSWORD});
    send(&controller, &admin, (Method::PUT, &path), &replacement)
        .await
        .data();
    assert_eq!(log_in(&controller, "clara").await.status, 200);
    let detail = shown(&controller, &admin, &authenticator).await;
    assert_eq!(
        detail["tags"],
        json!({}),
        "what is left out is at its default"
    );
    let at = revision(&controller);
    send(&controller, &admin, merging, &json!({})).await.data();
    assert_eq!(
        revision(&controller),
        at,
        "nothing to change changes nothing"
    );
}

/// A stolen session is not to become a password, nor to keep out whom it was stolen from.
#[tokio::test]
async fn administrators_change_their_own_password_with_the_current_one_alone() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let second = controller.admin().await;
    let boss = controller
        .create_user(&admin, "boss", json!({"isAdmin": true}))
        .await;
    let id = crate::support::find_identity_id(&controller, &admin, "admin").await;
    let authenticator = authenticator_of(&controller, &admin, &id, "updb").await;
    let path = format!("/authenticators/{authenticator}");
    let re_enroll = format!("{path}/re-enroll");
    let at = revision(&controller);
    let whole = json!({"username": "admin", "password": "another-secret"});
    for (operation, body) in [
        (
            (Method::PATCH, &path),
            json!({"password": "another-secret"}),
        ),
        ((Method::PATCH, &path), json!({"username": "somebody"})),
        ((Method::PUT, &path), whole.clone()),
        ((Method::DELETE, &path), json!({})),
        (
            (Method::POST, &re_enroll),
            json!({"expiresAt": "2040-01-01T00:00:00Z"}),
        ),
    ] {
        let (method, path) = operation;
        let reply = send(&controller, &admin, (method.clone(), path), &body).await;
        let expected = (401, "UNAUTHORIZED".to_owned());
        assert_eq!(reply.error(), expected, "{method} {path} {body}");
    }
    assert_eq!(revision(&controller), at);
    let tags = json!({"tags": {"a": 1}});
    let tagged = send(&controller, &admin, (Method::PATCH, &path), &tags).await;
    assert_eq!(tagged.status, 200, "{}", tagged.text());

    let own = format!("/current-identity/authenticators/{authenticator}");
    let change = json!({"password": "another-secret", "currentPassword": PASSWORD});
    let changed = send(&controller, &admin, (Method::PATCH, &own), &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    assert_eq!(
        current_session(&controller, &admin).await.status,
        200,
        "it stays"
    );
    assert_eq!(current_session(&controller, &second).await.status, 401);

    let changed = send(&controller, &boss, (Method::PUT, &path), &whole).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    assert_eq!(current_session(&controller, &admin).await.status, 401);
}

#[tokio::test]
async fn changes_are_refused_for_each_fault_and_change_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, _, _) = with_password(&controller, &admin, "taken", json!({})).await;
    let (_, own, token) = with_password(&controller, &admin, "anna", json!({})).await;
    let (id, _) = with_certificate(&controller, &admin, "device").await;
    let certificate = authenticator_of(&controller, &admin, &id, "cert").await;
    let at = revision(&controller);
    let unfit = (409, "CAN_NOT_UPDATE_AUTHENTICATOR".to_owned());
    let missing = (404, "NOT_FOUND".to_owned());
    for (method, id, body, refusal) in [
        (
            Method::PATCH,
            own.as_str(),
            json!({"username": "taken"}),
            bad_request("COULD_NOT_VALIDATE"),
        ),
        (
            Method::PATCH,
            &own,
            json!({"username": "abc"}),
            bad_request("COULD_NOT_VALIDATE"),
        ),
        (
            Method::PATCH,
            &own,
            json!({"password": "abcd"}),
            bad_request("COULD_NOT_VALIDATE"),
        ),
        (
            Method::PATCH,
            &own,
            json!({"password": 5}),
            bad_request("COULD_NOT_PARSE_BODY"),
        ),
        (
            Method::PUT,
            &own,
            json!({"username": "anna"}),
            bad_request("COULD_NOT_VALIDATE"),
        ),
        (
            Method::PUT,
            &own,
            json!({"password": "opensesame"}),
            bad_request("COULD_NOT_VALIDATE"),
        ),
        (
            Method::PATCH,
            &certificate,
            json!({"tags": {}}),
            unfit.clone(),
        ),
        (Method::PATCH, &certificate, json!({}), unfit.clone()),
        (
            Method::PUT,
            &certificate,
            json!({"username": "device", "password": "opensesame"}),
            unfit,
        ),
        (Method::PATCH, "nope", json!({}), missing.clone()),
        (Method::DELETE, "nope", json!({}), missing),
    ] {
        let path = format!("/authenticators/{id}");
        let reply = send(&controller, &admin, (method, &path), &body).await;
        assert_eq!(reply.error(), refusal, "{id} {body}");
    }
    assert_eq!(revision(&controller), at);
    assert_eq!(current_session(&controller, &token).await.status, 200);
}

#[tokio::test]
async fn deleted_authenticator_takes_its_sessions_and_no_others() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, chain) = with_certificate(&controller, &admin, "both").await;
    let password = send(&controller, &admin, ALL, &updb(&id, "both"))
        .await
        .id();
    let by_password = controller.login("both", PASSWORD).await;
    let by_certificate = token_by(&controller, &chain).await;
    let path = format!("/authenticators/{password}");
    send(&controller, &admin, (Method::DELETE, &path), &json!({}))
        .await
        .data();
    assert_eq!(current_session(&controller, &by_password).await.status, 401);
    assert_eq!(log_in(&controller, "both").await.status, 401);
    assert_eq!(
        current_session(&controller, &by_certificate).await.status,
        200
    );
    assert_eq!(get(&controller, &admin, &path).await.status, 404);

    // The count beside the identity went down with it: another one can be made and used.
    send(&controller, &admin, ALL, &updb(&id, "both"))
        .await
        .id();
    assert_eq!(log_in(&controller, "both").await.status, 200);
    let certificate = authenticator_of(&controller, &admin, &id, "cert").await;
    let path = format!("/authenticators/{certificate}");
    send(&controller, &admin, (Method::DELETE, &path), &json!({}))
        .await
        .data();
    assert_eq!(
        current_session(&controller, &by_certificate).await.status,
        401
    );
    assert_eq!(log_in_by_certificate(&controller, &chain).await.status, 401);
}

#[tokio::test]
async fn re_enrollment_puts_an_enrollment_in_the_place_of_a_password() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, authenticator, token) = with_password(&controller, &admin, "anna", json!({})).await;
    let path = format!("/authenticators/{authenticator}/re-enroll");
    let post = (Method::POST, path.as_str());
    let at = revision(&controller);
    for body in [json!({}), json!({"expiresAt": "2001-01-01T00:00:00Z"})] {
        let reply = send(&controller, &admin, post.clone(), &body).await;
        assert_eq!(reply.error(), bad_request("COULD_NOT_VALIDATE"), "{body}");
        assert_eq!(reply.field(), "expiresAt");
    }
    assert_eq!(revision(&controller), at);
    let later = json!({"expiresAt": LATER});
    let created = send(&controller, &admin, post.clone(), &later).await;
    let enrollment = pending_enrollment(&controller, &admin, &id, "updb").await;
    assert_eq!(enrollment["id"], created.id().as_str());
    assert_eq!(enrollment["expiresAt"], LATER);
    assert_eq!(current_session(&controller, &token).await.status, 401);
    assert_eq!(log_in(&controller, "anna").await.status, 401);
    assert_eq!(
        send(&controller, &admin, post, &later).await.error(),
        (404, "NOT_FOUND".to_owned())
    );
    redeem_with_password(&controller, text(&enrollment, "token"), PASSWORD)
        .await
        .data();
    assert_eq!(
        log_in(&controller, "anna").await.status,
        200,
        "the name is the same"
    );
}

#[tokio::test]
async fn re_enrollment_of_certificates_leads_back_to_their_authority() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let later = json!({"expiresAt": LATER});
    let (id, chain) = with_certificate(&controller, &admin, "device").await;
    let session = token_by(&controller, &chain).await;
    let authenticator = authenticator_of(&controller, &admin, &id, "cert").await;
    let path = format!("/authenticators/{authenticator}/re-enroll");

    // One enrollment of that method is there already: nothing changes.
    let other = json!({"identityId": id, "method": "ott", "expiresAt": LATER});
    let standing = send(&controller, &admin, (Method::POST, "/enrollments"), &other)
        .await
        .id();
    let at = revision(&controller);
    let reply = send(&controller, &admin, (Method::POST, &path), &later).await;
    assert_eq!(reply.error(), (409, "ENROLLMENT_EXISTS".to_owned()));
    assert_eq!(revision(&controller), at);
    assert_eq!(current_session(&controller, &session).await.status, 200);
    let delete = format!("/enrollments/{standing}");
    send(&controller, &admin, (Method::DELETE, &delete), &json!({}))
        .await
        .data();

    send(&controller, &admin, (Method::POST, &path), &later)
        .await
        .id();
    assert_eq!(current_session(&controller, &session).await.status, 401);
    assert_eq!(log_in_by_certificate(&controller, &chain).await.status, 401);
    let enrollment = pending_enrollment(&controller, &admin, &id, "ott").await;
    let (_key, csr) = client_key_and_csr();
    redeem(&controller, text(&enrollment, "token"), &csr)
        .await
        .data();

    let (ca, authority) = add_authority(&controller, "verified", true).await;
    let foreign = bare(&controller, &admin, "foreign").await;
    let body = cert(&foreign, &client_of(&controller, &authority));
    let made = send(&controller, &admin, ALL, &body).await.id();
    let path = format!("/authenticators/{made}/re-enroll");
    let enrollment = send(&controller, &admin, (Method::POST, &path), &later)
        .await
        .id();
    let shown = get(&controller, &admin, &format!("/enrollments/{enrollment}"))
        .await
        .data();
    assert_eq!(shown["method"], "ottca", "{shown}");
    assert_eq!(shown["caId"], ca.as_str(), "{shown}");
}

#[tokio::test]
async fn extension_is_asked_for_and_told_at_login() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, chain) = with_certificate(&controller, &admin, "device").await;
    let authenticator = authenticator_of(&controller, &admin, &id, "cert").await;
    let path = format!("/authenticators/{authenticator}/request-extend");
    let headers = async || {
        let reply = log_in_by_certificate(&controller, &chain).await;
        let all = reply.headers.get_all("ziti-authenticator-extend-requested");
        all.iter().filter(|value| *value == "true").count()
    };
    assert_eq!(headers().await, 0);
    for (body, count, rolls) in [
        (json!({"rollKeys": false}), 1, None),
        (json!({"rollKeys": true}), 2, Some(&json!(true))),
    ] {
        send(&controller, &admin, (Method::POST, &path), &body)
            .await
            .data();
        assert_eq!(headers().await, count, "{body}");
        let detail = shown(&controller, &admin, &authenticator).await;
        assert_eq!(detail["isExtendRequested"], true);
        assert_eq!(detail.get("isKeyRollRequested"), rolls, "{body}");
        assert_eq!(detail["extendRequestedAt"], "2031-04-05T06:07:08.009Z");
    }
    let (_, password, _) = with_password(&controller, &admin, "anna", json!({})).await;
    for (id, refusal) in [
        (password.as_str(), (401, "UNAUTHORIZED".to_owned())),
        ("nope", (404, "NOT_FOUND".to_owned())),
    ] {
        let path = format!("/authenticators/{id}/request-extend");
        let reply = send(&controller, &admin, (Method::POST, &path), &json!({})).await;
        assert_eq!(reply.error(), refusal, "{id}");
    }
}

/// However they come about, one identity has a bounded number of them.
#[tokio::test]
async fn identity_has_a_bounded_number_of_authenticators() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = bare(&controller, &admin, "device").await;
    edit_entity(
        &controller,
        UniqueIndex::IdentityId,
        &id,
        |one: &mut Identity| {
            one.attached.authenticators = 64;
        },
    )
    .await;
    let at = revision(&controller);
    let reply = send(&controller, &admin, ALL, &updb(&id, "device")).await;
    assert_eq!(
        reply.error(),
        (409, "MAX_AUTHENTICATOR_METHODS_REACHED".to_owned())
    );
    assert_eq!(revision(&controller), at);
}
