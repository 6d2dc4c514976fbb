//! Logins with certificates of third-party authorities.

use crate::support::third_party::{
    Authority, add, add_unverified, common_name_claim, email, ending_soon, knock, patch, remove,
    uri, verify,
};
use crate::support::{
    add_policy, create, current_session, disable_identity, find_identity_id, log_in_by_certificate,
    revision, send, text,
};
use portcullis_domain::clock::SignedDuration;
use portcullis_pki::Certificate;
use portcullis_testkit::Harness;
use rcgen::{BasicConstraints, ExtendedKeyUsagePurpose, IsCa};
use serde_json::{Value, json};

fn refusal() -> (u16, String) {
    (401, "INVALID_AUTH".to_owned())
}

async fn is_refused(controller: &Harness, chain: &[Certificate], why: &str) {
    assert_eq!(
        log_in_by_certificate(controller, chain).await.error(),
        refusal(),
        "{why}"
    );
}

#[tokio::test]
async fn authority_has_to_be_verified_enabled_and_there() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let ca = add(&controller, &admin, ("ca", &root), json!({})).await;
    let chain = root.chain("device");
    assert_eq!(knock(&controller, &chain).await.status, 200);
    let id = find_identity_id(&controller, &admin, "ca-device").await;
    let session = log_in_by_certificate(&controller, &chain).await.data();
    assert_eq!(session["identityId"], id);
    assert_eq!(session["isCertExtendable"], false);
    assert_eq!(session["improperClientCertChain"], Value::Null);
    let enable = async |enabled: bool| {
        let body = json!({"isAuthEnabled": enabled});
        assert_eq!(patch(&controller, &admin, &ca, body).await.status, 200);
    };
    enable(false).await;
    is_refused(&controller, &chain, "disabled").await;
    enable(true).await;
    let off = json!({"isAutoCaEnrollmentEnabled": false, "isOttCaEnrollmentEnabled": false});
    assert_eq!(patch(&controller, &admin, &ca, off).await.status, 200);
    assert_eq!(log_in_by_certificate(&controller, &chain).await.status, 200);
    disable_identity(&controller, &admin, &id).await;
    is_refused(&controller, &chain, "the identity is disabled").await;
    let path = format!("/identities/{id}/enable");
    let request = controller.manage(http::Method::POST, &path, &admin);
    assert_eq!(request.send().await.status, 200);
    assert_eq!(remove(&controller, &admin, &ca).await.status, 200);
    is_refused(&controller, &chain, "deleted").await;
    // The certificate is known again once the authority is, but not before it is verified.
    let ca = add_unverified(&controller, &admin, ("ca", &root), json!({})).await;
    is_refused(&controller, &chain, "unverified").await;
    verify(&controller, &admin, &ca, &root).await;
    assert_eq!(log_in_by_certificate(&controller, &chain).await.status, 200);
}

#[tokio::test]
async fn only_the_leaf_whose_key_is_proved_says_who_logs_in() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (root, attacker) = (Authority::root("root"), Authority::root("attacker"));
    let known = Authority::root("known");
    add(&controller, &admin, ("ca", &root), json!({})).await;
    add(&controller, &admin, ("known", &known), json!({})).await;
    let victim = root.chain("victim");
    let own = known.chain("attacker");
    for chain in [&victim, &own] {
        assert_eq!(knock(&controller, chain).await.status, 200);
    }
    let victim_id = find_identity_id(&controller, &admin, "ca-victim").await;
    let own_id = find_identity_id(&controller, &admin, "known-attacker").await;
    let forged = Authority::root("root").leaf("victim");
    let [victim, own] = [&victim[0], &own[0]];
    let at = revision(&controller);
    for chain in [
        vec![forged.clone(), victim.clone()],
        vec![forged.clone(), victim.clone(), root.certificate.clone()],
        vec![forged.clone(), root.certificate.clone(), victim.clone()],
        vec![
            forged.clone(),
            forged.clone(),
            victim.clone(),
            victim.clone(),
        ],
        vec![
            attacker.leaf("victim"),
            attacker.certificate.clone(),
            victim.clone(),
        ],
        vec![root.certificate.clone(), victim.clone()],
        vec![forged.clone(), controller.server.clone()],
        vec![],
    ] {
        is_refused(&controller, &chain, &format!("{chain:?}")).await;
    }
    let narrow = root.below_with("narrow", |params| {
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    });
    is_refused(
        &controller,
        &narrow.below("low").chain("victim"),
        "path length 0",
    )
    .await;
    let for_servers = root.leaf_with("victim", |params| {
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    });
    is_refused(&controller, &[for_servers], "for servers").await;
    is_refused(&controller, &root.chain("victim"), "another certificate").await;
    assert_eq!(revision(&controller), at);
    // Whatever stands beside it, the first one counts.
    for chain in [
        vec![own.clone(), victim.clone()],
        vec![own.clone(), victim.clone(), root.certificate.clone()],
        vec![own.clone(), own.clone(), victim.clone()],
    ] {
        assert_eq!(
            log_in_by_certificate(&controller, &chain).await.data()["identityId"],
            own_id
        );
    }
    let beside = [victim.clone(), own.clone()];
    assert_eq!(
        log_in_by_certificate(&controller, &beside).await.data()["identityId"],
        victim_id
    );
}

#[tokio::test]
async fn external_ids_are_compared_as_a_whole() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let claim = |location: &str, matcher: &str, criteria: &str| {
        json!({"externalIdClaim": {
            "location": location, "matcher": matcher, "matcherCriteria": criteria,
            "parser": "NONE", "parserCriteria": "", "index": 0,
        }})
    };
    let more = claim("SAN_URI", "ALL", "");
    let ca = add(&controller, &admin, ("ca", &root), more).await;
    let wanted = "spiffe://a.example/device";
    let uri_id = create(&controller, &admin, "by uri", json!({"externalId": wanted})).await;
    let mail_id = create(
        &controller,
        &admin,
        "by mail",
        json!({"externalId": "anne"}),
    )
    .await;
    let with_uri = |name: &str| [root.leaf_with("device", |params| uri(params, name))];
    let with_mail = |name: &str| [root.leaf_with("device", |params| email(params, name))];
    for other in [
        "spiffe://a.example.evil/device",
        "spiffe://a/device",
        "spiffe://b.a.example/device",
        "spiffe://x@a.example/device",
        "spiffe://A.EXAMPLE/device",
        "SPIFFE://a.example/device",
        "spiffe://a.example/%64evice",
        "spiffe://a.example/device/",
        "spiffe://a.example//device",
        "spiffe://a.example/device?",
        " spiffe://a.example/device",
    ] {
        is_refused(&controller, &with_uri(other), other).await;
    }
    let session = log_in_by_certificate(&controller, &with_uri(wanted))
        .await
        .data();
    assert_eq!(session["identityId"], uri_id);
    assert_eq!(session["authenticatorId"], "internal");

    let by_mail = claim("SAN_EMAIL", "SUFFIX", "@partner.example");
    assert_eq!(patch(&controller, &admin, &ca, by_mail).await.status, 200);
    for other in [
        "anne@partner.example.evil",
        "anne@evil-partner.example",
        "anne@PARTNER.example",
        "anne@x@partner.example",
        "@partner.example",
    ] {
        is_refused(&controller, &with_mail(other), other).await;
    }
    let session = log_in_by_certificate(&controller, &with_mail("anne@partner.example"))
        .await
        .data();
    assert_eq!(session["identityId"], mail_id);
    is_refused(
        &controller,
        &with_uri(wanted),
        "the claim is another one now",
    )
    .await;
}

#[tokio::test]
async fn claim_comes_before_the_authenticator_and_only_nothing_leads_back_to_it() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let ca = add(&controller, &admin, ("ca", &root), json!({})).await;
    let (named, nameless) = (root.chain("anne"), root.chain(""));
    for chain in [&named, &nameless] {
        assert_eq!(knock(&controller, chain).await.status, 200);
    }
    assert_eq!(
        patch(&controller, &admin, &ca, common_name_claim())
            .await
            .status,
        200
    );
    is_refused(&controller, &named, "no identity has the external id").await;
    let opened_by =
        log_in_by_certificate(&controller, &nameless).await.data()["authenticatorId"].clone();
    assert_ne!(opened_by, "internal");
    let anne = create(&controller, &admin, "anne", json!({"externalId": "anne"})).await;
    assert_eq!(
        log_in_by_certificate(&controller, &named).await.data()["identityId"],
        anne
    );
}

#[tokio::test]
async fn policies_decide_about_certificates_and_their_time() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_policy(&controller, "strict", |policy| {
        policy.spec.primary.cert.allow_expired_certs = false;
    })
    .await;
    add_policy(&controller, "none", |policy| {
        policy.spec.primary.cert.allowed = false;
    })
    .await;
    let root = Authority::root("root");
    let soon = Authority::root_with("soon", ending_soon);
    add(&controller, &admin, ("root", &root), json!({})).await;
    add(&controller, &admin, ("soon", &soon), json!({})).await;
    let short = [root.leaf_with("short", ending_soon)];
    let below = soon.chain("below");
    for (chain, name) in [(&short[..], "root-short"), (&below[..], "soon-below")] {
        assert_eq!(knock(&controller, chain).await.status, 200);
        let id = find_identity_id(&controller, &admin, name).await;
        let govern = async |policy: &str| {
            let request =
                controller.manage(http::Method::PATCH, &format!("/identities/{id}"), &admin);
            let reply = request.json(&json!({"authPolicyId": policy})).send().await;
            assert_eq!(reply.status, 200);
        };
        govern("none").await;
        is_refused(&controller, chain, "certificates are not allowed").await;
        govern("strict").await;
        assert_eq!(log_in_by_certificate(&controller, chain).await.status, 200);
    }
    controller
        .clock
        .advance(SignedDuration::from_hours(24 * 365));
    let admin = controller.admin().await;
    // Neither the certificate nor what vouches for it may be over.
    for (chain, name) in [(&short[..], "root-short"), (&below[..], "soon-below")] {
        is_refused(&controller, chain, "expired").await;
        let id = find_identity_id(&controller, &admin, name).await;
        let request = controller.manage(http::Method::PATCH, &format!("/identities/{id}"), &admin);
        let reply = request
            .json(&json!({"authPolicyId": "default"}))
            .send()
            .await;
        assert_eq!(reply.status, 200);
        assert_eq!(
            log_in_by_certificate(&controller, chain).await.status,
            200,
            "{name}"
        );
    }
}

#[tokio::test]
async fn of_an_authority_and_its_renewal_that_counts_which_knows_the_holder() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let old = Authority::root_with("root", ending_soon);
    let new = old.renewed_with("root", |_params| {});
    let anne = create(&controller, &admin, "anne", json!({"externalId": "anne"})).await;
    let plain = add(&controller, &admin, ("old", &old), json!({})).await;
    let device = old.chain("device");
    assert_eq!(knock(&controller, &device).await.status, 200);
    let device_id = find_identity_id(&controller, &admin, "old-device").await;
    let claiming = add(&controller, &admin, ("new", &new), common_name_claim()).await;
    for (first, second) in [(&plain, &claiming), (&claiming, &plain)] {
        let by_device = log_in_by_certificate(&controller, &device).await.data();
        assert_eq!(by_device["identityId"], device_id);
        let by_claim = log_in_by_certificate(&controller, &old.chain("anne"))
            .await
            .data();
        assert_eq!(by_claim["identityId"], anne);
        is_refused(&controller, &old.chain("nobody"), "known to neither").await;
        // The same with the claim at the other one.
        let none = json!({"externalIdClaim": null});
        assert_eq!(patch(&controller, &admin, second, none).await.status, 200);
        let claim = common_name_claim();
        assert_eq!(patch(&controller, &admin, first, claim).await.status, 200);
    }
    // The old one is over, and no policy minds while the new one is not.
    add_policy(&controller, "strict", |policy| {
        policy.spec.primary.cert.allow_expired_certs = false;
    })
    .await;
    let path = format!("/identities/{anne}");
    let request = controller.manage(http::Method::PATCH, &path, &admin);
    let reply = request
        .json(&json!({"authPolicyId": "strict"}))
        .send()
        .await;
    assert_eq!(reply.status, 200);
    controller
        .clock
        .advance(SignedDuration::from_hours(24 * 365));
    assert_eq!(
        log_in_by_certificate(&controller, &old.chain("anne"))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn certificates_for_every_purpose_are_for_clients_too() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    add(&controller, &admin, ("ca", &root), json!({})).await;
    let chain = [root.leaf_with("any", |params| {
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::Any];
    })];
    assert_eq!(knock(&controller, &chain).await.status, 200);
    assert_eq!(log_in_by_certificate(&controller, &chain).await.status, 200);
}

/// They are what `openssl x509 -req` makes.
#[tokio::test]
async fn certificates_of_version_one_let_in_right_below_an_authority() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    add(&controller, &admin, ("ca", &root), json!({})).await;
    let chain = [root.version_one("device")];
    assert_eq!(knock(&controller, &chain).await.status, 200);
    assert_eq!(log_in_by_certificate(&controller, &chain).await.status, 200);

    let between = root.below("between");
    let far = [between.version_one("far"), between.certificate.clone()];
    assert_ne!(knock(&controller, &far).await.status, 200);
    is_refused(&controller, &far, "an authority in between").await;
    let forged = Authority::root("root");
    is_refused(&controller, &[forged.version_one("device")], "another key").await;
}

#[tokio::test]
async fn certificates_that_let_nobody_in_disturb_nothing_else() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    add(&controller, &admin, ("ca", &root), json!({})).await;
    for leaf in [
        Authority::root("unknown").version_one("device"),
        root.below("device").certificate,
    ] {
        let chain = [leaf];
        assert_ne!(knock(&controller, &chain).await.status, 200);
        is_refused(&controller, &chain, "no certificate of a client").await;
        let request = controller.request(http::Method::POST, "/authenticate?method=password");
        let reply = request
            .json(&json!({"username": portcullis_testkit::ADMIN, "password": portcullis_testkit::PASSWORD}))
            .certificates(&chain)
            .send()
            .await;
        assert_eq!(reply.status, 200);
    }
}

/// Of an intermediate and its renewal, that counts which is good today.
#[tokio::test]
async fn expired_intermediate_beside_its_renewal_does_no_harm() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_policy(&controller, "fresh", |policy| {
        policy.spec.primary.cert.allow_expired_certs = false;
    })
    .await;
    let root = Authority::root("root");
    add(&controller, &admin, ("ca", &root), json!({})).await;
    let old = root.below_with("between", |params| {
        params.not_after = rcgen::date_time_ymd(2031, 6, 1);
    });
    let renewed = old.renewed_below(&root, "between", |_params| {});
    let chain = [old.leaf("device"), old.certificate.clone(), renewed];
    knock(&controller, &chain).await.data();
    let id = find_identity_id(&controller, &admin, "ca-device").await;
    let path = format!("/identities/{id}");
    let under = json!({"authPolicyId": "fresh"});
    send(&controller, &admin, (http::Method::PATCH, &path), &under)
        .await
        .data();
    controller
        .clock
        .advance(SignedDuration::from_hours(24 * 90));
    let login = log_in_by_certificate(&controller, &chain).await;
    assert_eq!(login.status, 200, "{}", login.text());
    let token = text(&login.data(), "token").to_owned();
    assert_eq!(current_session(&controller, &token).await.status, 200);
    is_refused(&controller, &chain[..2], "the old one alone").await;
}
