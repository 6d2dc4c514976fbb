//! How routers obtain their certificates.

use crate::enrollment::races::{at_once, outcomes, tally};
use crate::routers::edge_routers::{add, add_edge, add_transit, edge};
use crate::support::{get, revision, send, text};
use http::Method;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_pki::{
    Certificate, KeyType, ServerNames, SigningKey, SpiffeId, Subject, certificates_from_pem,
    create_csr_with_names,
};
use portcullis_testkit::{Harness, Reply};
use serde_json::{Value, json};
use std::sync::Arc;

/// A certificate request of a router named so, for these hosts and addresses.
fn request(name: &str, hosts: &[&str]) -> String {
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let names = ServerNames::parse(hosts.iter().copied()).unwrap();
    create_csr_with_names(&key, &Subject::new().common_name(name), &names).unwrap()
}

/// The body of an enrollment of a router.
pub(crate) fn requests(id: &str) -> Value {
    json!({
        "certCsr": request(id, &["client.example.test"]),
        "serverCertCsr": request(id, &["localhost", "127.0.0.1", "::1"]),
    })
}

async fn redeem(controller: &Harness, query: &str, body: &Value) -> Reply {
    let path = format!("/edge/client/v1/enroll?{query}");
    controller
        .request(Method::POST, &path)
        .json(body)
        .send()
        .await
}

pub(crate) async fn extend(controller: &Harness, chain: &[Certificate], body: &Value) -> Reply {
    let path = "/edge/client/v1/enroll/extend/router";
    let request = controller.request(Method::POST, path);
    request.certificates(chain).json(body).send().await
}

async fn token(controller: &Harness, admin: &str, id: &str) -> String {
    text(&edge(controller, admin, id).await, "enrollmentToken").to_owned()
}

/// Enrolls an edge router; answers its chain.
pub(crate) async fn enroll(controller: &Harness, admin: &str, id: &str) -> Vec<Certificate> {
    let token = token(controller, admin, id).await;
    let reply = redeem(
        controller,
        &format!("method=erott&token={token}"),
        &requests(id),
    )
    .await;
    certificates_from_pem(text(&reply.data(), "cert")).unwrap()
}

fn csr_fault() -> (u16, String) {
    (400, "COULD_NOT_PROCESS_CSR".to_owned())
}

#[tokio::test]
async fn an_edge_router_gets_two_certificates_for_its_token() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for query in ["method=erott&", ""] {
        let id = add_edge(&controller, &admin, &format!("r {query}"), json!({})).await;
        let token = token(&controller, &admin, &id).await;
        let query = format!("{query}token={token}");
        let reply = redeem(&controller, &query, &requests(&id)).await;
        let issued = reply.data();
        assert!(issued.get("controllers").is_none());
        assert!(text(&issued, "ca").contains("BEGIN CERTIFICATE"));
        for (member, names, is_for_servers) in [
            ("cert", vec!["client.example.test"], false),
            ("serverCert", vec!["localhost"], true),
        ] {
            let chain = certificates_from_pem(text(&issued, member)).unwrap();
            assert_eq!(chain.len(), 2, "{member}");
            let leaf = &chain[0];
            assert_eq!(leaf.common_name().as_deref(), Some(&*id));
            assert_eq!(leaf.dns_names().collect::<Vec<_>>(), names);
            assert_eq!(leaf.uri_names().count(), 0);
            assert_eq!(leaf.has_server_auth_usage(), is_for_servers, "{member}");
            assert!(leaf.is_issued_by(&chain[1]) && !leaf.is_ca());
            assert_eq!(leaf.covers_host("127.0.0.1"), is_for_servers);
        }
        let router = edge(&controller, &admin, &id).await;
        let leaf = &certificates_from_pem(text(&issued, "cert")).unwrap()[0];
        assert_eq!(router["isVerified"], true);
        assert_eq!(router["certPem"], issued["cert"]);
        assert_eq!(router["fingerprint"], leaf.fingerprint().to_string());
        assert!(router.get("enrollmentToken").is_none());
        let pending = format!("/enrollments?filter=edgeRouter%3D%22{id}%22");
        assert_eq!(get(&controller, &admin, &pending).await.data(), json!([]));
        // The token is spent.
        let again = redeem(&controller, &query, &requests(&id)).await;
        assert_eq!(again.error(), (400, "INVALID_ENROLLMENT_TOKEN".to_owned()));
    }
}

#[tokio::test]
async fn the_token_may_stand_in_the_body() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({})).await;
    let post = async |body: Value| {
        let request = controller.request(Method::POST, "/edge/client/v1/enroll/erott");
        request.json(&body).send().await
    };
    let requests = requests(&id);
    let mut body =
        json!({"clientCsr": requests["certCsr"], "serverCsr": requests["serverCertCsr"]});
    assert_eq!(
        post(body.clone()).await.error().1,
        "INVALID_ENROLLMENT_TOKEN"
    );
    body["token"] = token(&controller, &admin, &id).await.into();
    assert!(post(body.clone()).await.data()["serverCert"].is_string());
    assert_eq!(post(body).await.error().1, "INVALID_ENROLLMENT_TOKEN");
    assert_eq!(edge(&controller, &admin, &id).await["isVerified"], true);
}

#[tokio::test]
async fn a_transit_router_enrolls_under_whatever_name_it_asks_for() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_transit(&controller, &admin, "t", json!({})).await;
    let one = format!("/transit-routers/{id}");
    let token = text(
        &get(&controller, &admin, &one).await.data(),
        "enrollmentToken",
    )
    .to_owned();
    let query = format!("method=trott&token={token}");
    for body in [json!({}), json!({"certCsr": request(&id, &[])})] {
        let reply = redeem(&controller, &query, &body).await;
        assert_eq!(reply.error(), csr_fault(), "{body}");
    }
    let issued = redeem(&controller, &query, &requests("somebody"))
        .await
        .data();
    let leaf = &certificates_from_pem(text(&issued, "cert")).unwrap()[0];
    assert_eq!(leaf.common_name().as_deref(), Some(&*id));
    let shown = get(&controller, &admin, &one).await.data();
    assert_eq!(shown["isVerified"], true);
    assert_eq!(shown["fingerprint"], leaf.fingerprint().to_string());
    assert!(shown.get("enrollmentToken").is_none());
}

#[tokio::test]
async fn refused_requests_spend_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({})).await;
    let token = token(&controller, &admin, &id).await;
    let good = requests(&id);
    let with = |member: &str, csr: Value| {
        let mut body = good.clone();
        body[member] = csr;
        body
    };
    let missing = (400, "MISSING_OR_INVALID_CSR".to_owned());
    let before = revision(&controller);
    let damaged = text(&good, "certCsr").replace('A', "B");
    for (body, expected) in [
        (json!({}), missing.clone()),
        (with("certCsr", Value::Null), missing.clone()),
        (with("serverCertCsr", json!("")), missing),
        (with("certCsr", json!(request("wrong", &[]))), csr_fault()),
        (with("certCsr", json!("no request")), csr_fault()),
        (with("serverCertCsr", json!("no request")), csr_fault()),
        (with("certCsr", json!(damaged)), csr_fault()),
    ] {
        let reply = redeem(&controller, &format!("method=erott&token={token}"), &body).await;
        assert_eq!(reply.error(), expected, "{body}");
    }
    for (query, code) in [
        (
            format!("method=trott&token={token}"),
            "INVALID_ENROLL_METHOD",
        ),
        (format!("method=ott&token={token}"), "INVALID_ENROLL_METHOD"),
        (
            "method=erott&token=nope".to_owned(),
            "INVALID_ENROLLMENT_TOKEN",
        ),
        ("method=erott".to_owned(), "INVALID_ENROLLMENT_TOKEN"),
    ] {
        let reply = redeem(&controller, &query, &good).await;
        assert_eq!(reply.error(), (400, code.to_owned()), "{query}");
    }
    assert_eq!(revision(&controller), before);
    let expired = SignedDuration::from_mins(181);
    controller.clock.advance(expired);
    let reply = redeem(&controller, &format!("method=erott&token={token}"), &good).await;
    assert_eq!(reply.error(), (400, "ENROLLMENT_EXPIRED".to_owned()));
    controller.clock.advance(-expired);
    assert_eq!(revision(&controller), before);
    enroll(&controller, &admin, &id).await;
}

/// For routers of both kinds, whose tokens are redeemed by methods of their own.
#[tokio::test]
async fn tokens_of_routers_end_on_the_second() {
    for (all, method) in [("/edge-routers", "erott"), ("/transit-routers", "trott")] {
        for (offset, is_good) in [(-1, true), (0, false), (1, false)] {
            let controller = Harness::start().await;
            let admin = controller.admin().await;
            let id = add(&controller, &admin, all, "r", json!({})).await;
            let shown = get(&controller, &admin, &format!("{all}/{id}"))
                .await
                .data();
            let end: Timestamp = text(&shown, "enrollmentExpiresAt").parse().unwrap();
            let token = text(&shown, "enrollmentToken");
            controller
                .clock
                .set(end + SignedDuration::from_secs(offset));
            let at = revision(&controller);
            let query = format!("method={method}&token={token}");
            let reply = redeem(&controller, &query, &requests(&id)).await;
            if is_good {
                assert_eq!(reply.status, 200, "{method} {offset}: {}", reply.text());
            } else {
                let expected = (400, "ENROLLMENT_EXPIRED".to_owned());
                assert_eq!(reply.error(), expected, "{method} {offset}");
                assert_eq!(revision(&controller), at, "{method} {offset}");
            }
        }
    }
}

/// The names of sessions in certificates of the network open sessions.
#[tokio::test]
async fn no_router_gets_the_name_of_somebody_else() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({})).await;
    let query = format!("token={}", token(&controller, &admin, &id).await);
    let domain = controller.app.network().trust_domain().clone();
    let before = revision(&controller);
    for name in ["identity/a", "controller/ctrl-1"] {
        let name = SpiffeId::parse(&format!("spiffe://{domain}/{name}")).unwrap();
        let names = ServerNames::parse(["localhost"]).unwrap().with_spiffe(name);
        let key = SigningKey::generate(KeyType::P256).unwrap();
        let csr = create_csr_with_names(&key, &Subject::new().common_name(&id), &names).unwrap();
        for member in ["certCsr", "serverCertCsr"] {
            let mut body = requests(&id);
            body[member] = csr.clone().into();
            let reply = redeem(&controller, &query, &body).await;
            assert_eq!(reply.error(), csr_fault(), "{member}");
            assert!(reply.text().contains("spiffe://"), "{}", reply.text());
        }
    }
    assert_eq!(revision(&controller), before);
}

#[tokio::test]
async fn an_identity_s_token_makes_no_router_nor_the_other_way_round() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_id, enrollment) =
        crate::support::create_with_enrollment(&controller, &admin, "i", json!({"ott": true}))
            .await;
    let query = format!("method=erott&token={}", text(&enrollment, "token"));
    let reply = redeem(&controller, &query, &requests("i")).await;
    assert_eq!(reply.error(), (400, "INVALID_ENROLL_METHOD".to_owned()));
}

#[tokio::test]
async fn enrollments_of_routers_are_not_refreshed_but_made_anew() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({})).await;
    let path = format!("/enrollments?filter=edgeRouter%3D%22{id}%22");
    let enrollment = get(&controller, &admin, &path).await.data()[0]["id"].clone();
    let refresh = format!("/enrollments/{}/refresh", enrollment.as_str().unwrap());
    let before = revision(&controller);
    let body = json!({"expiresAt": "2040-01-01T00:00:00Z"});
    let reply = send(&controller, &admin, (Method::POST, &refresh), &body).await;
    assert_eq!(reply.error(), (400, "INVALID_ENROLL_METHOD".to_owned()));
    assert_eq!(revision(&controller), before);
}

#[tokio::test]
async fn a_router_extends_by_the_certificate_of_its_connection() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({})).await;
    let old = enroll(&controller, &admin, &id).await;
    let issued = extend(&controller, &old, &requests(&id)).await.data();
    assert_eq!(issued.as_object().unwrap().len(), 2);
    let new = certificates_from_pem(text(&issued, "cert")).unwrap();
    let router = edge(&controller, &admin, &id).await;
    assert_eq!(router["fingerprint"], new[0].fingerprint().to_string());
    // The old one proves nothing any more.
    let unauthorized = (401, "UNAUTHORIZED".to_owned());
    let before = revision(&controller);
    for chain in [&old[..], &[], &old[1..]] {
        let reply = extend(&controller, chain, &requests(&id)).await;
        assert_eq!(reply.error(), unauthorized);
    }
    let other = add_edge(&controller, &admin, "other", json!({})).await;
    let reply = extend(&controller, &new, &requests(&other)).await;
    assert_eq!(reply.error(), csr_fault());
    for (member, field) in [("certCsr", "certCsr"), ("serverCertCsr", "serverCertCsr")] {
        let mut body = requests(&id);
        body[member] = Value::Null;
        let reply = extend(&controller, &new, &body).await;
        assert_eq!((reply.status.as_u16(), &*reply.field()), (400, field));
    }
    assert_eq!(revision(&controller), before + 1);
    controller
        .clock
        .advance(SignedDuration::from_hours(366 * 24));
    let late = extend(&controller, &new, &requests(&id)).await;
    assert_eq!(late.error(), unauthorized);
    controller
        .clock
        .advance(-SignedDuration::from_hours(366 * 24));
    assert_eq!(extend(&controller, &new, &requests(&id)).await.status, 200);
}

#[tokio::test]
async fn a_router_does_not_extend_once_its_authority_has_expired() {
    let controller = Harness::start().await;
    let end = controller.app.network().signing().certificate().not_after();
    controller.clock.set(end - SignedDuration::from_hours(24));
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({})).await;
    let chain = enroll(&controller, &admin, &id).await;
    controller.clock.set(end + SignedDuration::from_secs(1));
    assert!(chain[0].not_after() > controller.app.env().now());
    let before = revision(&controller);
    let late = extend(&controller, &chain, &requests(&id)).await;
    assert_eq!(late.error(), (401, "UNAUTHORIZED".to_owned()));
    assert!(late.text().contains("has expired"), "{}", late.text());
    assert_eq!(revision(&controller), before);
    controller.clock.set(end);
    assert_eq!(
        extend(&controller, &chain, &requests(&id)).await.status,
        200
    );
}

#[tokio::test]
async fn whoever_enrolls_anew_has_to_come_with_the_new_token() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({})).await;
    let unused = token(&controller, &admin, &id).await;
    let path = format!("/edge-routers/{id}/re-enroll");
    let re_enroll = async || controller.manage(Method::POST, &path, &admin).send().await;
    assert_eq!(re_enroll().await.json(), json!({"data": {}, "meta": {}}));
    let reply = redeem(&controller, &format!("token={unused}"), &requests(&id)).await;
    assert_eq!(reply.error().1, "INVALID_ENROLLMENT_TOKEN");
    let chain = enroll(&controller, &admin, &id).await;
    assert_eq!(re_enroll().await.status, 200);
    let router = edge(&controller, &admin, &id).await;
    assert_eq!(
        (&router["isVerified"], &router["certPem"]),
        (&json!(false), &Value::Null)
    );
    assert!(router.get("fingerprint").is_none() && router["enrollmentToken"].is_string());
    let reply = extend(&controller, &chain, &requests(&id)).await;
    assert_eq!(reply.error().0, 401);
    enroll(&controller, &admin, &id).await;
    assert_eq!(edge(&controller, &admin, &id).await["isVerified"], true);
}

#[tokio::test]
async fn a_disabled_router_gets_no_certificate() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add(
        &controller,
        &admin,
        "/edge-routers",
        "r",
        json!({"disabled": true}),
    )
    .await;
    let one = format!("/edge-routers/{id}");
    let token = token(&controller, &admin, &id).await;
    let query = format!("method=erott&token={token}");
    let switch = async |is_disabled: bool| {
        let body = json!({"disabled": is_disabled});
        send(&controller, &admin, (Method::PATCH, &one), &body)
            .await
            .status
    };
    let before = revision(&controller);
    let reply = redeem(&controller, &query, &requests(&id)).await;
    assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
    assert_eq!(revision(&controller), before);
    assert_eq!(switch(false).await, 200);
    let chain = enroll(&controller, &admin, &id).await;
    assert_eq!(switch(true).await, 200);
    assert_eq!(
        extend(&controller, &chain, &requests(&id)).await.error().0,
        401
    );
    assert_eq!(switch(false).await, 200);
    assert_eq!(
        extend(&controller, &chain, &requests(&id)).await.status,
        200
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_redemptions_one_succeeds() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({})).await;
    let query = format!("token={}", token(&controller, &admin, &id).await);
    let bodies: Vec<Value> = (0..64).map(|_| requests(&id)).collect();
    let replies = at_once(bodies.len(), |number| {
        let (controller, query, body) = (controller.clone(), query.clone(), bodies[number].clone());
        async move { redeem(&controller, &query, &body).await }
    })
    .await;
    let expected = [("200", 1), ("INVALID_ENROLLMENT_TOKEN", bodies.len() - 1)];
    assert_eq!(tally(&replies), outcomes(expected));
}

#[tokio::test]
async fn the_certificate_of_a_router_opens_no_session() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({"isTunnelerEnabled": true})).await;
    let chain = enroll(&controller, &admin, &id).await;
    let reply = crate::support::log_in_by_certificate(&controller, &chain).await;
    assert_eq!(reply.error(), (401, "INVALID_AUTH".to_owned()));
}
