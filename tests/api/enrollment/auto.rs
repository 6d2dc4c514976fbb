//! Strangers with a certificate of an authority that enrolls by itself.

use crate::support::third_party::{
    Authority, add, add_unverified, common_name_claim, ending_soon, expired, knock, patch, uri,
    verify,
};
use crate::support::{
    bad_request, create, find_identity_id, get, log_in_by_certificate, read, revision, text,
};
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::Harness;
use rcgen::{BasicConstraints, ExtendedKeyUsagePurpose, IsCa};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

async fn count(controller: &Harness, admin: &str) -> Value {
    let list = get(controller, admin, "/identities").await.json();
    list["meta"]["pagination"]["totalCount"].clone()
}

#[tokio::test]
async fn stranger_becomes_an_identity() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let roles = json!({"identityRoles": ["auto", "from-ca"]});
    add(&controller, &admin, ("partner", &root), roles).await;
    let chain = root.below("upper").below("lower").chain("device");
    let reply = knock(&controller, &chain).await;
    assert_eq!(reply.json(), json!({"data": {}, "meta": {}}));
    let id = find_identity_id(&controller, &admin, "partner-device").await;
    let shown = read(&controller, &admin, &id).await;
    let fingerprint = chain[0].fingerprint().to_string();
    for (member, value) in [
        ("roleAttributes", json!(["auto", "from-ca"])),
        ("isAdmin", json!(false)),
        ("permissions", json!(null)),
        ("externalId", json!(null)),
        ("typeId", json!("Default")),
        ("authPolicyId", json!("default")),
        ("enrollment", json!({})),
    ] {
        assert_eq!(shown[member], value, "{member}");
    }
    assert_eq!(shown["authenticators"]["cert"]["fingerprint"], fingerprint);
    let authenticator = text(&shown["authenticators"]["cert"], "id");
    let detail = get(
        &controller,
        &admin,
        &format!("/authenticators/{authenticator}"),
    )
    .await;
    assert_eq!(detail.data()["certPem"], chain[0].to_pem());
    assert_eq!(
        log_in_by_certificate(&controller, &chain).await.data()["identityId"],
        id
    );
    let at = revision(&controller);
    let again = knock(&controller, &chain).await;
    assert_eq!(again.error(), (409, "CERT_IN_USE".to_owned()));
    assert_eq!(again.json()["error"]["cause"], Value::Null);
    assert_eq!(revision(&controller), at, "nothing is half-done");
}

#[tokio::test]
async fn nobody_else_comes_in() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let leaf = [root.leaf("device")];
    for chain in [&leaf[..], &[]] {
        let reply = knock(&controller, chain).await;
        assert_eq!(reply.error(), bad_request("ENROLLMENT_NO_VALID_CAS"));
    }
    let ca = add_unverified(&controller, &admin, ("ca", &root), json!({})).await;
    let failed = bad_request("CERT_FAILED_VALIDATION");
    assert_eq!(
        knock(&controller, &leaf).await.error(),
        failed,
        "unverified"
    );
    verify(&controller, &admin, &ca, &root).await;
    let off = json!({"isAutoCaEnrollmentEnabled": false});
    assert_eq!(patch(&controller, &admin, &ca, off).await.status, 200);
    assert_eq!(knock(&controller, &leaf).await.error(), failed, "disabled");
    let on = json!({"isAutoCaEnrollmentEnabled": true, "isAuthEnabled": false});
    assert_eq!(patch(&controller, &admin, &ca, on).await.status, 200);

    let forged = Authority::root("root");
    let narrow = root.below_with("narrow", |params| {
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    });
    let for_servers = root.leaf_with("device", |params| {
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    });
    let at = revision(&controller);
    for (chain, why) in [
        (vec![], "nothing"),
        (vec![root.leaf_with("device", expired)], "expired"),
        (vec![for_servers], "for servers"),
        (vec![root.certificate.clone()], "the authority itself"),
        (vec![forged.leaf("device"), leaf[0].clone()], "filler"),
        (
            vec![forged.leaf("device"), root.certificate.clone()],
            "the root beside it",
        ),
        (
            narrow.below("too low").chain("device"),
            "below a path length of 0",
        ),
    ] {
        assert_eq!(knock(&controller, &chain).await.error(), failed, "{why}");
    }
    assert_eq!(revision(&controller), at, "nothing is half-done");
    let with_token = controller.request(Method::POST, "/enroll?method=ca&token=nope");
    assert_eq!(with_token.certificates(&leaf).send().await.status, 200);
}

#[tokio::test]
async fn expired_and_narrow_authorities_let_nobody_in() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let soon = Authority::root_with("soon", ending_soon);
    let narrow = Authority::root_with("narrow", |params| {
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    });
    add(&controller, &admin, ("soon", &soon), json!({})).await;
    add(&controller, &admin, ("narrow", &narrow), json!({})).await;
    let failed = bad_request("CERT_FAILED_VALIDATION");
    let below = narrow.below("below").chain("x");
    assert_eq!(knock(&controller, &below).await.error(), failed);
    assert_eq!(knock(&controller, &narrow.chain("y")).await.status, 200);
    assert_eq!(knock(&controller, &soon.chain("z")).await.status, 200);
    controller
        .clock
        .advance(SignedDuration::from_hours(24 * 365));
    assert_eq!(knock(&controller, &soon.chain("z")).await.error(), failed);
}

#[tokio::test]
async fn first_authority_that_fits_is_taken() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    // The same name twice, as after a renewal: the key decides.
    let (one, two) = (Authority::root("same"), Authority::root("same"));
    add(&controller, &admin, ("one", &one), json!({})).await;
    add(&controller, &admin, ("two", &two), json!({})).await;
    assert_eq!(knock(&controller, &two.chain("device")).await.status, 200);
    assert_eq!(knock(&controller, &one.chain("device")).await.status, 200);
    find_identity_id(&controller, &admin, "one-device").await;
    find_identity_id(&controller, &admin, "two-device").await;
}

#[tokio::test]
async fn names_follow_the_format() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let ca = add(&controller, &admin, ("ca", &root), json!({})).await;
    let asked = async |common_name: &str, body: Option<Value>| {
        let leaf = [root.leaf(common_name)];
        let request = controller.request(Method::POST, "/enroll/ca");
        let request = match &body {
            Some(body) => request.json(body),
            None => request,
        };
        let reply = request.certificates(&leaf).send().await;
        assert_eq!(reply.json(), json!({"data": {}, "meta": {}}));
        let fingerprint = leaf[0].fingerprint();
        let filter = format!("/authenticators?filter=certFingerprint%3D%22{fingerprint}%22");
        let identity = get(&controller, &admin, &filter).await.data()[0]["identity"].clone();
        (
            text(&identity, "id").to_owned(),
            text(&identity, "name").to_owned(),
        )
    };
    let name = json!({"name": "wanted"});
    for (format, expected) in [
        ("[requestedName]", "wanted"),
        ("[caId]/[commonName]", &format!("{ca}/[caName]")),
        ("[nobody] is [requestedName]", "[nobody] is wanted"),
    ] {
        let format = json!({"identityNameFormat": format});
        assert_eq!(patch(&controller, &admin, &ca, format).await.status, 200);
        let (_id, shown) = asked("[caName]", Some(name.clone())).await;
        assert_eq!(shown, expected);
    }
    for format in ["[identityId]", "[requestedName]", "[commonName]"] {
        let format = json!({"identityNameFormat": format});
        assert_eq!(patch(&controller, &admin, &ca, format).await.status, 200);
        let (id, shown) = asked("", None).await;
        assert_eq!(shown, id);
    }
}

#[tokio::test]
async fn taken_names_get_one_counter() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    add(&controller, &admin, ("ca", &root), json!({})).await;
    create(&controller, &admin, "ca-n000002", json!({})).await;
    for _ in 0..5 {
        assert_eq!(knock(&controller, &root.chain("n")).await.status, 200);
    }
    let list = get(
        &controller,
        &admin,
        "/identities?filter=name%20contains%20%22ca-n%22",
    )
    .await;
    let list = list.data();
    let mut names: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|one| text(one, "name"))
        .collect();
    names.sort_unstable();
    let expected = [
        "ca-n",
        "ca-n000001",
        "ca-n000002",
        "ca-n000003",
        "ca-n000004",
        "ca-n000005",
    ];
    assert_eq!(names, expected);
}

#[tokio::test]
async fn claims_make_identities_without_authenticators() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let claim = json!({"externalIdClaim": {
        "location": "SAN_URI", "matcher": "SCHEME", "matcherCriteria": "spiffe",
        "parser": "SPLIT", "parserCriteria": "/", "index": 3,
    }});
    add(&controller, &admin, ("ca", &root), claim).await;
    let leaf = |names: &[&str]| {
        [root.leaf_with("device", |params| {
            for name in names {
                uri(params, name);
            }
        })]
    };
    let at = revision(&controller);
    for names in [
        &[][..],
        &["https://partner.example/user-7"],
        &["spiffe://partner.example/"],
        &["spiffes://partner.example/user-7"],
    ] {
        let reply = knock(&controller, &leaf(names)).await;
        assert_eq!(
            reply.error(),
            bad_request("MISSING_CERT_CLAIM"),
            "{names:?}"
        );
    }
    assert_eq!(revision(&controller), at, "nothing is half-done");
    let seven = leaf(&["https://x/y/z/other", "spiffe://partner.example/user-7"]);
    assert_eq!(knock(&controller, &seven).await.status, 200);
    let id = find_identity_id(&controller, &admin, "ca-device").await;
    let shown = read(&controller, &admin, &id).await;
    assert_eq!(shown["externalId"], "user-7");
    assert_eq!(shown["authenticators"], json!({}));
    // Any certificate that names it is its own, and none makes it a second time.
    let renewed = leaf(&["spiffe://partner.example/user-7"]);
    let reply = knock(&controller, &renewed).await;
    assert_eq!(reply.error(), bad_request("COULD_NOT_VALIDATE"));
    assert_eq!(reply.field(), "externalId");
    assert_eq!(
        log_in_by_certificate(&controller, &renewed).await.data()["identityId"],
        id
    );
    assert_eq!(count(&controller, &admin).await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_certificate_makes_one_identity() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let (plain, claiming) = (Authority::root("plain"), Authority::root("claiming"));
    add(&controller, &admin, ("plain", &plain), json!({})).await;
    add(
        &controller,
        &admin,
        ("claiming", &claiming),
        common_name_claim(),
    )
    .await;
    for (chain, loser) in [
        (plain.chain("device"), "CERT_IN_USE"),
        (claiming.chain("device"), "COULD_NOT_VALIDATE"),
    ] {
        let before = count(&controller, &admin).await.as_u64().unwrap();
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..256 {
            let (controller, chain) = (controller.clone(), chain.clone());
            tasks.spawn(async move {
                let reply = knock(&controller, &chain).await;
                match reply.status.as_u16() {
                    200 => "200".to_owned(),
                    _ => reply.error().1,
                }
            });
        }
        let mut tally = BTreeMap::<String, usize>::new();
        for outcome in tasks.join_all().await {
            *tally.entry(outcome).or_default() += 1;
        }
        assert_eq!(
            tally,
            [("200".to_owned(), 1), (loser.to_owned(), 255)].into()
        );
        assert_eq!(count(&controller, &admin).await, before + 1);
    }
}
