//! Enrollment with a token and a certificate of a third-party authority.

use crate::support::third_party::{
    Authority, add, add_unverified, ending_soon, expired, patch, redeem_ottca, remove, verify,
};
use crate::support::{
    bad_request, create, get, log_in_by_certificate, pending_enrollment, read, revision,
    shown_error, text,
};
use http::Method;
use insta::assert_snapshot;
use portcullis_domain::clock::SignedDuration;
use portcullis_pki::{Certificate, certificates_from_pem, certificates_to_pem};
use portcullis_testkit::Harness;
use rcgen::{BasicConstraints, ExtendedKeyUsagePurpose, IsCa};
use serde_json::{Value, json};
use std::sync::Arc;

/// An identity that is to present a certificate of an authority: its id and token.
pub(crate) async fn invited(
    controller: &Harness,
    admin: &str,
    name: &str,
    ca: &str,
) -> (String, String) {
    let how = json!({"enrollment": {"ottca": ca}});
    let id = create(controller, admin, name, how).await;
    let enrollment = pending_enrollment(controller, admin, &id, "ottca").await;
    (id, text(&enrollment, "token").to_owned())
}

#[tokio::test]
async fn certificate_becomes_the_authenticator() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let ca = add(&controller, &admin, ("ca", &root), json!({})).await;
    let (id, token) = invited(&controller, &admin, "laptop", &ca).await;
    // More than is needed, and in any order.
    let issuer = root.below("upper").below("lower");
    let mut chain = issuer.chain("laptop");
    let verified = chain.clone();
    chain.push(Authority::root("stray").certificate);
    chain[1..].reverse();
    let reply = redeem_ottca(&controller, &token, &chain).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.headers["content-type"], "application/json");
    let data = reply.data();
    assert_eq!(
        data.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["controllers"]
    );

    let shown = read(&controller, &admin, &id).await;
    let fingerprint = chain[0].fingerprint().to_string();
    assert_eq!(shown["authenticators"]["cert"]["fingerprint"], fingerprint);
    assert_eq!(shown["enrollment"], json!({}));
    let authenticator = text(&shown["authenticators"]["cert"], "id");
    let detail = get(
        &controller,
        &admin,
        &format!("/authenticators/{authenticator}"),
    )
    .await;
    let detail = detail.data();
    let mut expected = verified;
    expected.push(root.certificate.clone());
    assert_eq!(detail["certPem"], certificates_to_pem(&expected));
    assert_eq!(detail["isIssuedByNetwork"], Value::Null);
    assert_eq!(
        log_in_by_certificate(&controller, &chain).await.data()["identityId"],
        id
    );
    let again = redeem_ottca(&controller, &token, &chain).await;
    assert_eq!(again.error(), bad_request("INVALID_ENROLLMENT_TOKEN"));
}

#[tokio::test]
async fn certificates_that_prove_nothing_spend_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (root, other) = (Authority::root("root"), Authority::root("other"));
    let ca = add(&controller, &admin, ("ca", &root), json!({})).await;
    add(&controller, &admin, ("other", &other), json!({})).await;
    let (id, token) = invited(&controller, &admin, "laptop", &ca).await;
    let good = root.leaf("laptop");
    let same_name = Authority::root("root");
    let with = |edit: fn(&mut rcgen::CertificateParams)| vec![root.leaf_with("laptop", edit)];
    let narrow = root.below_with("narrow", |params| {
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    });
    let forged = Authority::root("forged");
    let at = revision(&controller);
    for (chain, why) in [
        (vec![], "nothing"),
        (vec![other.leaf("laptop")], "of another authority"),
        (vec![same_name.leaf("laptop")], "of one with the same name"),
        (with(expired), "expired"),
        (
            with(|params| {
                params.not_before = rcgen::date_time_ymd(2040, 1, 1);
                params.not_after = rcgen::date_time_ymd(2041, 1, 1);
            }),
            "of the future",
        ),
        (
            with(|params| {
                params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
            }),
            "for servers",
        ),
        (vec![root.certificate.clone()], "the authority itself"),
        (vec![root.below("between").certificate], "an authority"),
        (
            vec![root.below("between").leaf("x")],
            "without what is between",
        ),
        (
            narrow.below("too low").chain("x"),
            "below a path length of 0",
        ),
        (
            vec![forged.leaf("laptop"), good.clone()],
            "with a good one as filler",
        ),
        (
            vec![
                forged.leaf("laptop"),
                good.clone(),
                good.clone(),
                root.certificate.clone(),
            ],
            "with good ones twice",
        ),
        (vec![good.clone(); 10], "more than anybody looks at"),
        (vec![controller.server.clone()], "of the network"),
    ] {
        let reply = redeem_ottca(&controller, &token, &chain).await;
        assert_eq!(
            reply.error(),
            bad_request("CERTIFICATE_FAILED_VALIDATION"),
            "{why}"
        );
    }
    assert_eq!(revision(&controller), at, "nothing is half-done");
    assert_eq!(
        read(&controller, &admin, &id).await["authenticators"],
        json!({})
    );
    let reply = redeem_ottca(&controller, &token, &[good]).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[tokio::test]
async fn authority_has_to_be_verified_and_enabled() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let ca = add_unverified(&controller, &admin, ("ca", &root), json!({})).await;
    let (_id, token) = invited(&controller, &admin, "laptop", &ca).await;
    let leaf = [root.leaf("laptop")];
    let not_valid = bad_request("ENROLLMENT_CA_NOT_VALID");
    assert_eq!(
        redeem_ottca(&controller, &token, &leaf).await.error(),
        not_valid
    );
    // The authority is judged before the certificate.
    assert_eq!(
        redeem_ottca(&controller, &token, &[]).await.error(),
        not_valid
    );
    verify(&controller, &admin, &ca, &root).await;
    let enable = async |enabled: bool| {
        let body = json!({"isOttCaEnrollmentEnabled": enabled});
        assert_eq!(patch(&controller, &admin, &ca, body).await.status, 200);
    };
    enable(false).await;
    assert_eq!(
        redeem_ottca(&controller, &token, &leaf).await.error(),
        not_valid
    );
    enable(true).await;
    // Logins and strangers are another matter.
    let off = json!({"isAuthEnabled": false, "isAutoCaEnrollmentEnabled": false});
    assert_eq!(patch(&controller, &admin, &ca, off).await.status, 200);
    assert_eq!(redeem_ottca(&controller, &token, &leaf).await.status, 200);

    let (_id, token) = invited(&controller, &admin, "another", &ca).await;
    assert_eq!(remove(&controller, &admin, &ca).await.status, 200);
    let reply = redeem_ottca(&controller, &token, &[root.leaf("another")]).await;
    assert_eq!(reply.error(), bad_request("INVALID_ENROLLMENT_TOKEN"));
}

#[tokio::test]
async fn authority_vouches_no_longer_than_it_is_valid() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root_with("root", ending_soon);
    let ca = add(&controller, &admin, ("ca", &root), json!({})).await;
    let id = create(&controller, &admin, "laptop", json!({})).await;
    let body = json!({
        "identityId": id, "method": "ottca", "caId": ca, "expiresAt": "2040-01-01T00:00:00Z",
    });
    let request = controller.manage(Method::POST, "/enrollments", &admin);
    assert_eq!(request.json(&body).send().await.status, 201);
    let token = text(
        &pending_enrollment(&controller, &admin, &id, "ottca").await,
        "token",
    )
    .to_owned();
    controller
        .clock
        .advance(SignedDuration::from_hours(24 * 365));
    let reply = redeem_ottca(&controller, &token, &[root.leaf("laptop")]).await;
    assert_eq!(reply.error(), bad_request("CERTIFICATE_FAILED_VALIDATION"));
}

#[tokio::test]
async fn certificates_in_use_are_named() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let ca = add(&controller, &admin, ("ca", &root), json!({})).await;
    let leaf = [root.leaf("laptop")];
    let (_id, first) = invited(&controller, &admin, "first", &ca).await;
    let (second_id, second) = invited(&controller, &admin, "second", &ca).await;
    assert_eq!(redeem_ottca(&controller, &first, &leaf).await.status, 200);
    let at = revision(&controller);
    let reply = redeem_ottca(&controller, &second, &leaf).await;
    let fingerprint = leaf[0].fingerprint().to_string();
    let shown = shown_error(&reply).replace(&fingerprint, "FINGERPRINT");
    assert_snapshot!(shown, @r#"
        409 Conflict
        {
          "error": {
            "cause": {
              "data": {
                "fingerprint": "FINGERPRINT"
              }
            },
            "code": "CERT_IN_USE",
            "message": "The certificate is already used by another authenticator; use another certificate",
            "requestId": null
          },
          "meta": {
            "apiEnrollmentVersion": "0.0.1",
            "apiVersion": "0.0.1"
          }
        }
        "#);
    assert_eq!(revision(&controller), at);
    // Through the path of the method, with the token in the body.
    let request = controller.request(Method::POST, "/enroll/ottca");
    let request = request.json(&json!({"token": second}));
    let other = [root.leaf("laptop")];
    let reply = request.certificates(&other).send().await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(
        log_in_by_certificate(&controller, &other).await.data()["identityId"],
        second_id
    );
}

#[tokio::test]
async fn tokens_are_for_their_own_method_and_time() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let ca = add(&controller, &admin, ("ca", &root), json!({})).await;
    let (id, token) = invited(&controller, &admin, "laptop", &ca).await;
    let leaf = [root.leaf("laptop")];
    let wrong = async |path: &str| {
        let request = controller.request(Method::POST, path);
        let request = request.text("text/plain", "").certificates(&leaf);
        request.send().await.error()
    };
    for method in ["ott", "updb", "erott"] {
        let path = format!("/enroll?method={method}&token={token}");
        assert_eq!(wrong(&path).await, bad_request("INVALID_ENROLL_METHOD"));
    }
    for path in ["/enroll?method=ottca", "/enroll?method=ottca&token=nope"] {
        assert_eq!(wrong(path).await, bad_request("INVALID_ENROLLMENT_TOKEN"));
    }
    let ends = pending_enrollment(&controller, &admin, &id, "ottca").await["expiresAt"].clone();
    assert_eq!(ends, "2031-04-05T09:07:08.009Z");
    controller.clock.advance(SignedDuration::from_mins(180));
    let reply = redeem_ottca(&controller, &token, &leaf).await;
    assert_eq!(reply.error(), bad_request("ENROLLMENT_EXPIRED"));
    let admin = controller.admin().await;
    let enrollment = pending_enrollment(&controller, &admin, &id, "ottca").await;
    let path = format!("/enrollments/{}/refresh", text(&enrollment, "id"));
    let request = controller.manage(Method::POST, &path, &admin);
    let later = json!({"expiresAt": "2031-04-05T10:00:00Z"});
    assert_eq!(request.json(&later).send().await.status, 200);
    let old = redeem_ottca(&controller, &token, &leaf).await;
    assert_eq!(old.error(), bad_request("INVALID_ENROLLMENT_TOKEN"));
    let enrollment = pending_enrollment(&controller, &admin, &id, "ottca").await;
    let fresh = text(&enrollment, "token");
    let last = SignedDuration::from_secs(52 * 60 + 50);
    controller.clock.advance(last);
    assert_eq!(redeem_ottca(&controller, fresh, &leaf).await.status, 200);
}

#[tokio::test]
async fn unknown_authorities_are_told_when_the_enrollment_is_made() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "there", json!({})).await;
    let at = revision(&controller);
    let body = json!({"name": "x", "isAdmin": false, "enrollment": {"ottca": "nope"}});
    let request = controller.manage(Method::POST, "/identities", &admin);
    let reply = request.json(&body).send().await;
    assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()));
    assert_eq!(reply.field(), "caId");
    for ca in [json!("nope"), json!(""), json!(null)] {
        let body = json!({
            "identityId": id, "method": "ottca", "caId": ca, "expiresAt": "2040-01-01T00:00:00Z",
        });
        let request = controller.manage(Method::POST, "/enrollments", &admin);
        assert_eq!(
            request.json(&body).send().await.error(),
            bad_request("INVALID_FIELD")
        );
    }
    assert_eq!(revision(&controller), at, "nothing is half-done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_token_takes_one_certificate_and_one_certificate_one_token() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let ca = add(&controller, &admin, ("ca", &root), json!({})).await;
    let (id, token) = invited(&controller, &admin, "laptop", &ca).await;
    let leaves: Vec<_> = (0..256).map(|_| root.leaf("laptop")).collect();
    let tries = leaves.iter().map(|leaf| (token.clone(), leaf.clone()));
    let codes = all_at_once(&controller, tries.collect()).await;
    assert_eq!(
        codes,
        [(1, "200"), (255, "INVALID_ENROLLMENT_TOKEN")].map(owned)
    );
    let used = text(
        &read(&controller, &admin, &id).await["authenticators"]["cert"],
        "fingerprint",
    )
    .to_owned();
    let unused = leaves
        .iter()
        .find(|leaf| leaf.fingerprint().to_string() != used)
        .unwrap();
    let mut tries = Vec::new();
    for number in 0..64 {
        let name = format!("identity {number}");
        let (_id, token) = invited(&controller, &admin, &name, &ca).await;
        tries.push((token, unused.clone()));
    }
    let codes = all_at_once(&controller, tries).await;
    assert_eq!(codes, [(1, "200"), (63, "CERT_IN_USE")].map(owned));
    let left = get(&controller, &admin, "/enrollments").await.json();
    assert_eq!(left["meta"]["pagination"]["totalCount"], 63);
    let list = get(
        &controller,
        &admin,
        "/authenticators?filter=method%3D%22cert%22",
    )
    .await;
    assert_eq!(list.data().as_array().unwrap().len(), 2);
    let chain = certificates_from_pem(list.data()[0]["certPem"].as_str().unwrap()).unwrap();
    assert_eq!(chain.len(), 2);
}

fn owned((count, name): (usize, &str)) -> (usize, String) {
    (count, name.to_owned())
}

/// Presents certificates for tokens all at once; how often each outcome came.
async fn all_at_once(
    controller: &Arc<Harness>,
    tries: Vec<(String, Certificate)>,
) -> Vec<(usize, String)> {
    let mut tasks = tokio::task::JoinSet::new();
    for (token, leaf) in tries {
        let controller = controller.clone();
        tasks.spawn(async move {
            let reply = redeem_ottca(&controller, &token, &[leaf]).await;
            match reply.status.as_u16() {
                200 => "200".to_owned(),
                _ => reply.error().1,
            }
        });
    }
    let mut tally = std::collections::BTreeMap::<String, usize>::new();
    for outcome in tasks.join_all().await {
        *tally.entry(outcome).or_default() += 1;
    }
    tally
        .into_iter()
        .map(|(name, count)| (count, name))
        .collect()
}
