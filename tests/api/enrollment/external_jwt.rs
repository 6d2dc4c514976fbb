//! Becoming an identity by a token of an external signer.

use crate::support::idp::{Idp, bearing, enroll_with, log_in_with, patch_signer};
use crate::support::{
    add_policy, create, edit_entity, find_identity_id, get, read, revision, text,
};
use http::Method;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::clock::SignedDuration;
use portcullis_pki::certificates_from_pem;
use portcullis_storage::tables::{IDENTITY, UniqueIndex};
use portcullis_testkit::{Harness, client_key_and_csr};
use serde_json::{Value, json};
use std::sync::Arc;

/// A signer whose holders may become identities in both ways.
async fn scene() -> (Harness, String, Idp, String) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let idp = Idp::new(&controller, "idp");
    let how = json!({
        "enrollToCertEnabled": true, "enrollToTokenEnabled": true,
        "enrollNameClaimsSelector": "name", "enrollAttributeClaimsSelector": "/roles",
    });
    let signer = idp.register(&controller, &admin, how).await;
    (controller, admin, idp, signer)
}

/// A token of `sub` that says how the identity is to be called.
fn token(controller: &Harness, idp: &Idp, sub: &str, name: &str) -> String {
    let mut claims = idp.claims(controller, sub);
    claims["name"] = json!(name);
    claims["roles"] = json!(["staff", "", "blue"]);
    idp.sign(&idp.header(), &claims)
}

#[tokio::test]
async fn a_token_becomes_an_identity_with_a_certificate() {
    let (controller, admin, idp, _) = scene().await;
    let (_, csr) = client_key_and_csr();
    let reply = enroll_with(&controller, &token(&controller, &idp, "ada@x", "Ada"), &csr).await;
    let data = reply.data();
    assert_eq!(reply.headers["content-type"], "application/json");
    assert_eq!(data["controllers"].as_array().unwrap().len(), 1);
    let chain = certificates_from_pem(text(&data, "cert")).unwrap();
    assert!(!certificates_from_pem(text(&data, "ca")).unwrap().is_empty());

    let made = read(
        &controller,
        &admin,
        &find_identity_id(&controller, &admin, "Ada").await,
    )
    .await;
    assert_eq!(text(&made, "externalId"), "ada@x");
    assert_eq!(made["roleAttributes"], json!(["blue", "staff"]));
    assert_eq!(
        (&made["isAdmin"], &made["authPolicyId"]),
        (&json!(false), &json!("default"))
    );
    let fingerprint = chain[0].fingerprint().to_string();
    assert_eq!(made["authenticators"]["cert"]["fingerprint"], fingerprint);
    let login = controller
        .request(Method::POST, "/authenticate?method=cert")
        .certificates(&chain)
        .send()
        .await;
    assert_eq!(login.data()["identityId"], made["id"]);
}

#[tokio::test]
async fn a_token_becomes_an_identity_that_goes_on_with_tokens() {
    let (controller, admin, idp, signer) = scene().await;
    let token = token(&controller, &idp, "ada@x", "Ada");
    let request = controller
        .request(Method::POST, "/enroll?method=token")
        .header("ziti-token-issuer-id", &signer)
        .json(&json!({}));
    let data = bearing(request, &[&token]).send().await.data();
    let members: Vec<_> = data.as_object().unwrap().keys().collect();
    assert_eq!(members, ["controllers"]);
    let login = log_in_with(&controller, &[&token]).await.data();
    assert_eq!(
        text(&login, "identityId"),
        find_identity_id(&controller, &admin, "Ada").await
    );

    let at = revision(&controller);
    for csr in [String::new(), client_key_and_csr().1] {
        let again = enroll_with(&controller, &token, &csr).await;
        let enrolled = (409, "ENROLLMENT_IDENTITY_ALREADY_ENROLLED".to_owned());
        assert_eq!(again.error(), enrolled);
    }
    assert_eq!(revision(&controller), at);
}

#[tokio::test]
async fn refusals_come_in_their_order_and_change_nothing() {
    let (controller, admin, idp, signer) = scene().await;
    add_policy(&controller, "closed", |policy| {
        policy.spec.primary.cert.allowed = false;
        policy.spec.primary.ext_jwt.allowed = false;
    })
    .await;
    create(
        &controller,
        &admin,
        "Taken",
        json!({"externalId": "taken@x"}),
    )
    .await;
    let say = |sub: &str, name: &str| token(&controller, &idp, sub, name);
    let nameless = idp.token(&controller, "ada@x");
    let mut claims = idp.claims(&controller, "ada@x");
    claims["name"] = json!("Ada");
    claims["roles"] = json!(["#all"]);
    let marked = idp.sign(&idp.header(), &claims);
    let bad_csr = "-----BEGIN CERTIFICATE REQUEST-----\nAA==\n-----END CERTIFICATE REQUEST-----\n";
    let (good_csr, none) = (client_key_and_csr().1, String::new());
    let everything = json!({"enrollToCertEnabled": true, "enrollToTokenEnabled": true});
    let nothing = json!({"enrollToCertEnabled": false, "enrollToTokenEnabled": false});
    let invalid = (400, "INVALID_ENROLLMENT_TOKEN");
    let enrolled = (409, "ENROLLMENT_IDENTITY_ALREADY_ENROLLED");
    let forbidden = (409, "INVALID_ENROLLMENT_NOT_ALLOWED");
    let mut at = revision(&controller);
    for (rules, token, csr, (status, code)) in [
        (&everything, "garbage".to_owned(), bad_csr, invalid),
        (&everything, nameless.clone(), bad_csr, invalid),
        (&nothing, say("taken@x", "Taken"), bad_csr, enrolled),
        (&nothing, say("ada@x", "Taken"), bad_csr, forbidden),
        (&nothing, say("ada@x", "Taken"), &none, forbidden),
        (
            &everything,
            say("ada@x", "Taken"),
            bad_csr,
            (400, "COULD_NOT_PROCESS_CSR"),
        ),
        (
            &everything,
            say("ada@x", "Taken"),
            &good_csr,
            (400, "COULD_NOT_VALIDATE"),
        ),
        (
            &everything,
            say("ada@x", "Taken"),
            &none,
            (400, "COULD_NOT_VALIDATE"),
        ),
        (&everything, say("ada@x", " "), &none, invalid),
        (
            &everything,
            marked.clone(),
            &none,
            (400, "COULD_NOT_VALIDATE"),
        ),
    ] {
        let before = revision(&controller);
        patch_signer(&controller, &admin, &signer, rules.clone())
            .await
            .data();
        at += revision(&controller) - before;
        let reply = enroll_with(&controller, &token, csr).await;
        assert_eq!(
            reply.error(),
            (status, code.to_owned()),
            "{rules} {}",
            reply.text()
        );
        assert_eq!(revision(&controller), at, "a refusal changes nothing");
        if code == "COULD_NOT_VALIDATE" && token != marked {
            assert_eq!(reply.field(), "name");
        }
    }
    // A policy that closed after the signer was made counts as it is now.
    edit_entity(
        &controller,
        UniqueIndex::AuthPolicyId,
        "default",
        |policy: &mut AuthPolicy| {
            policy.spec.primary.ext_jwt.allowed = false;
        },
    )
    .await;
    let reply = enroll_with(&controller, &say("ada@x", "Ada"), &none).await;
    assert_eq!(
        reply.error(),
        (409, "INVALID_ENROLLMENT_NOT_ALLOWED".to_owned())
    );
    assert_eq!(
        enroll_with(&controller, &say("ada@x", "Ada"), &good_csr)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn a_token_is_missed_where_there_is_none() {
    let (controller, ..) = scene().await;
    let none = controller
        .request(Method::POST, "/enroll/token")
        .json(&json!({}));
    let none = none.send().await;
    assert_eq!(none.error(), (400, "COULD_NOT_VALIDATE".to_owned()));
    assert_eq!(none.field(), "Authorization");
    for (path, credential) in [
        ("/enroll/token", "Basic YTpi"),
        ("/enroll/token", "bearer x"),
        ("/enroll?method=token", "Bearer "),
    ] {
        let request = controller.request(Method::POST, path).json(&json!({}));
        let reply = request.header("authorization", credential).send().await;
        assert_eq!(
            reply.error(),
            (400, "INVALID_ENROLLMENT_TOKEN".to_owned()),
            "{credential}"
        );
    }
}

#[tokio::test]
async fn a_token_is_good_until_it_expires() {
    let (controller, _, idp, _) = scene().await;
    let tokens = ["a", "b", "c"].map(|name| token(&controller, &idp, name, name));
    controller.clock.advance(SignedDuration::from_secs(599));
    assert_eq!(enroll_with(&controller, &tokens[0], "").await.status, 200);
    for token in &tokens[1..] {
        controller.clock.advance(SignedDuration::from_secs(1));
        let reply = enroll_with(&controller, token, "").await;
        assert_eq!(reply.error(), (400, "INVALID_ENROLLMENT_TOKEN".to_owned()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_many_at_once_becomes_the_identity() {
    let (controller, admin, idp, _) = scene().await;
    let controller = Arc::new(controller);
    let token = token(&controller, &idp, "ada@x", "Ada");
    let (_, csr) = client_key_and_csr();
    let mut tries = tokio::task::JoinSet::new();
    for number in 0..256 {
        let (controller, token) = (controller.clone(), token.clone());
        let csr = if number % 2 == 0 {
            csr.clone()
        } else {
            String::new()
        };
        tries.spawn(async move { enroll_with(&controller, &token, &csr).await });
    }
    let replies = tries.join_all().await;
    let (good, bad): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 200);
    assert_eq!(good.len(), 1);
    for reply in bad {
        assert_eq!(reply.error().1, "ENROLLMENT_IDENTITY_ALREADY_ENROLLED");
    }
    let list = get(
        &controller,
        &admin,
        "/authenticators?filter=true%20limit%20none",
    )
    .await
    .data();
    let certificates = of_certificates(&list);
    let has_certificate = good[0].data().get("cert").is_some();
    assert_eq!(
        certificates,
        usize::from(has_certificate),
        "no orphan is left"
    );
}

fn of_certificates(list: &Value) -> usize {
    let all = list.as_array().unwrap().iter();
    all.filter(|one| one["method"] == "cert").count()
}

#[tokio::test]
async fn a_signer_that_changes_meanwhile_makes_nobody() {
    let (controller, admin, idp, signer) = scene().await;
    let token = token(&controller, &idp, "ada@x", "Ada");
    let hold = crate::support::hold::Hold::take(&controller);
    let path = format!("/external-jwt-signers/{signer}");
    let off = json!({"enabled": false});
    let mut off = Box::pin(
        controller
            .manage(Method::PATCH, &path, &admin)
            .json(&off)
            .send(),
    );
    let waits = tokio::time::timeout(std::time::Duration::ZERO, &mut off).await;
    assert!(waits.is_err());
    // The token is good when it is judged; only then is the change let through.
    let first = controller.engine.allocate(IDENTITY);
    let release = async {
        crate::support::hold::drawn(&controller, IDENTITY, 1, first).await;
        drop(hold);
    };
    let (off, late, ()) = tokio::join!(off, enroll_with(&controller, &token, ""), release);
    assert_eq!(off.status, 200);
    assert_eq!(late.error(), (400, "INVALID_ENROLLMENT_TOKEN".to_owned()));
    let filter = "/identities?filter=name%3D%22Ada%22";
    assert_eq!(get(&controller, &admin, filter).await.data(), json!([]));
}
