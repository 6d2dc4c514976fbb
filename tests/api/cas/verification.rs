//! The proof that the key of an authority is held.

use crate::support::third_party::{
    Authority, add_unverified, common_name_claim, expired, prove, verify,
};
use crate::support::{bad_request, get, revision, text};
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_pki::Certificate;
use portcullis_testkit::{Harness, client_key_and_csr};
use rcgen::{ExtendedKeyUsagePurpose, KeyUsagePurpose};
use serde_json::{Value, json};

async fn token_of(controller: &Harness, admin: &str, id: &str) -> String {
    let shown = get(controller, admin, &format!("/cas/{id}")).await.data();
    text(&shown, "verificationToken").to_owned()
}

#[tokio::test]
async fn proofs_are_refused_in_the_order_of_their_faults() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (root, other) = (Authority::root("root"), Authority::root("root"));
    let id = add_unverified(&controller, &admin, ("ca", &root), json!({})).await;
    let token = token_of(&controller, &admin, &id).await;
    let good = root.leaf(&token).to_pem();
    let key = client_key_and_csr().0.to_pkcs8_pem().unwrap().to_string();
    let between = root.below("between");
    let damaged = "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n";
    let at = revision(&controller);
    for (proof, code) in [
        ("not PEM at all", "COULD_NOT_PARSE_BODY"),
        ("-----BEGIN CERTIFICATE-----\nAQID", "COULD_NOT_PARSE_BODY"),
        (&key, "EXPECTED_PEM_CERTIFICATE"),
        (&format!("{key}{good}"), "EXPECTED_PEM_CERTIFICATE"),
        (&format!("{good}{good}"), "EXPECTED_PEM_CERTIFICATE"),
        (damaged, "COULD_NOT_PARSE_DER_BLOCK"),
        (&root.leaf("somebody").to_pem(), "INVALID_COMMON_NAME"),
        (&root.leaf("").to_pem(), "INVALID_COMMON_NAME"),
        (
            &root.leaf(&token.to_uppercase()).to_pem(),
            "INVALID_COMMON_NAME",
        ),
        (&other.leaf("somebody").to_pem(), "INVALID_COMMON_NAME"),
        (
            &other.leaf(&token).to_pem(),
            "CERTIFICATE_FAILED_VALIDATION",
        ),
        (
            &between.leaf(&token).to_pem(),
            "CERTIFICATE_FAILED_VALIDATION",
        ),
        (
            &root.leaf_with(&token, expired).to_pem(),
            "CERTIFICATE_FAILED_VALIDATION",
        ),
        (
            &Authority::root(&token).pem(),
            "CERTIFICATE_FAILED_VALIDATION",
        ),
    ] {
        let reply = prove(&controller, &admin, &id, proof).await;
        assert_eq!(reply.error(), bad_request(code), "{proof}");
        assert!(!reply.text().contains(key.lines().nth(1).unwrap()));
    }
    let nothing = prove(&controller, &admin, &id, "").await;
    assert_eq!(nothing.error(), bad_request("COULD_NOT_VALIDATE"));
    assert_eq!(nothing.field(), "certificate");
    let path = format!("/cas/{id}/verify");
    let request = controller.manage(Method::POST, &path, &admin);
    let as_json = request.json(&json!({})).send().await;
    assert_eq!(as_json.error(), bad_request("COULD_NOT_PARSE_BODY"));
    let request = controller.manage(Method::POST, &path, &admin);
    let as_html = request.text("text/html", &good).send().await;
    assert_eq!(as_html.status, 415);
    let unknown = prove(&controller, &admin, "nope", &good).await;
    assert_eq!(unknown.error(), (404, "NOT_FOUND".to_owned()));
    assert_eq!(unknown.json()["error"]["cause"], Value::Null);
    assert_eq!(revision(&controller), at, "nothing is half-done");
    let shown = get(&controller, &admin, &format!("/cas/{id}")).await.data();
    assert_eq!(shown["isVerified"], false);
}

#[tokio::test]
async fn one_proof_for_any_purpose_is_enough_and_no_second_one_is_taken() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let id = add_unverified(&controller, &admin, ("ca", &root), json!({})).await;
    let token = token_of(&controller, &admin, &id).await;
    let proof = root.leaf_with(&token, |params| {
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::CodeSigning];
    });
    controller.clock.advance(SignedDuration::from_secs(5));
    let reply = prove(&controller, &admin, &id, &proof.to_pem()).await;
    assert_eq!(reply.json(), json!({"data": {}, "meta": {}}));
    let shown = get(&controller, &admin, &format!("/cas/{id}")).await.data();
    assert_eq!(shown["isVerified"], true);
    assert_eq!(shown["verificationToken"], token);
    assert_eq!(shown["_links"]["verify"], Value::Null);
    assert_eq!(shown["updatedAt"], "2031-04-05T06:07:13.009Z");
    for again in [proof.to_pem(), "hello".to_owned()] {
        let reply = prove(&controller, &admin, &id, &again).await;
        assert_eq!(reply.error(), (409, "CA_ALREADY_VERIFIED".to_owned()));
    }
}

#[tokio::test]
async fn whatever_the_key_has_signed_is_a_proof() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let makes: [fn(&Authority, &str) -> Certificate; 3] = [
        |root, token| root.version_one(token),
        |root, token| root.below(token).certificate,
        |root, token| {
            root.leaf_with(token, |params| {
                params.key_usages = vec![KeyUsagePurpose::CrlSign];
            })
        },
    ];
    for (place, make) in makes.into_iter().enumerate() {
        let (root, other) = (Authority::root("root"), Authority::root("root"));
        let name = format!("ca{place}");
        let id = add_unverified(&controller, &admin, (&name, &root), json!({})).await;
        let token = token_of(&controller, &admin, &id).await;
        let forged = make(&other, &token).to_pem();
        let reply = prove(&controller, &admin, &id, &forged).await;
        assert_eq!(reply.error(), bad_request("CERTIFICATE_FAILED_VALIDATION"));
        let proof = make(&root, &token).to_pem();
        let reply = prove(&controller, &admin, &id, &proof).await;
        assert_eq!(reply.status, 200, "{place}");
    }
}

#[tokio::test]
async fn authority_that_has_expired_since_is_not_verified() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root_with("root", crate::support::third_party::ending_soon);
    let id = add_unverified(&controller, &admin, ("ca", &root), json!({})).await;
    controller
        .clock
        .advance(SignedDuration::from_hours(24 * 365));
    let admin = controller.admin().await;
    let proof = root
        .leaf(&token_of(&controller, &admin, &id).await)
        .to_pem();
    let reply = prove(&controller, &admin, &id, &proof).await;
    assert_eq!(reply.error(), bad_request("CERTIFICATE_FAILED_VALIDATION"));
}

#[tokio::test]
async fn authorities_with_claims_are_verified_by_administrators() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let more = json!({"permissions": ["ca"]});
    let keeper = controller.create_user(&admin, "keeper", more).await;
    let root = Authority::root("root");
    let id = add_unverified(&controller, &admin, ("ca", &root), common_name_claim()).await;
    let proof = root
        .leaf(&token_of(&controller, &admin, &id).await)
        .to_pem();
    let reply = prove(&controller, &keeper, &id, &proof).await;
    assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
    verify(&controller, &admin, &id, &root).await;
}
