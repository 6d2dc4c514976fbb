//! Certificates whose ECDSA signature was rewritten: the same contents, another fingerprint.

use crate::enrollment::ottca::invited;
use crate::routers::edge_routers::{add_edge, edge};
use crate::routers::enrollment::{enroll, extend, requests};
use crate::support::credentials::{
    add_authority, bare, cert, client_of, send, shown, token_by, with_certificate,
};
use crate::support::third_party::{Authority, add, common_name_claim, knock, redeem_ottca};
use crate::support::{
    bad_request, disable_identity, find_identity_id, get, log_in_by_certificate, read, revision,
};
use http::Method;
use portcullis_pki::Certificate;
use portcullis_testkit::Harness;
use serde_json::{Value, json};

const IN_USE: (u16, &str) = (409, "CERT_IN_USE");

/// A chain whose leaf is the twin of another's.
fn twin_of(chain: &[Certificate], authority: &Certificate) -> Vec<Certificate> {
    let twin = chain[0].twin(chain.get(1).unwrap_or(authority)).unwrap();
    assert_ne!(twin.fingerprint(), chain[0].fingerprint());
    [&[twin], &chain[1..]].concat()
}

/// Both orders, right below the root and further down.
fn pairs(root: &Authority) -> Vec<[Vec<Certificate>; 2]> {
    let mut pairs = Vec::new();
    for issuer in [root, &root.below("upper").below("lower")] {
        let chain = issuer.chain("device");
        let twin = twin_of(&chain, &root.certificate);
        pairs.push([chain, twin]);
        let chain = issuer.chain("device");
        let twin = twin_of(&chain, &root.certificate);
        pairs.push([twin, chain]);
    }
    pairs
}

#[tokio::test]
async fn no_certificate_enrolls_with_a_token_and_again_as_its_twin() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    let ca = add(&controller, &admin, ("ca", &root), json!({})).await;
    for (number, [first, second]) in pairs(&root).iter().enumerate() {
        let name = |part| format!("{part} {number}");
        let (id, token) = invited(&controller, &admin, &name("first"), &ca).await;
        let (_, unspent) = invited(&controller, &admin, &name("second"), &ca).await;
        assert_eq!(redeem_ottca(&controller, &token, first).await.status, 200);
        let at = revision(&controller);
        let check = async || {
            let reply = redeem_ottca(&controller, &unspent, second).await;
            assert_eq!(reply.error(), (IN_USE.0, IN_USE.1.to_owned()));
            // Told is what is known, not what was presented.
            let known = first[0].fingerprint().to_string();
            let cause = json!({"data": {"fingerprint": known}});
            assert_eq!(reply.json()["error"]["cause"], cause);
        };
        check().await;
        assert_eq!(revision(&controller), at, "nothing is half-done");
        // Nor does it get around that its holder was shut out.
        disable_identity(&controller, &admin, &id).await;
        check().await;
    }
}

#[tokio::test]
async fn no_stranger_enrolls_and_again_as_its_twin() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    add(&controller, &admin, ("ca", &root), json!({})).await;
    for [first, second] in pairs(&root) {
        assert_eq!(knock(&controller, &first).await.status, 200);
        let at = revision(&controller);
        let reply = knock(&controller, &second).await;
        assert_eq!(reply.error(), (IN_USE.0, IN_USE.1.to_owned()));
        assert_eq!(revision(&controller), at, "nothing is half-done");
        let holder = log_in_by_certificate(&controller, &first).await.data();
        let id = holder["identityId"].as_str().unwrap();
        disable_identity(&controller, &admin, id).await;
        assert_eq!(knock(&controller, &second).await.error().1, IN_USE.1);
    }
}

#[tokio::test]
async fn certificate_that_names_its_holder_names_the_same_one_as_its_twin() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let root = Authority::root("root");
    add(&controller, &admin, ("ca", &root), common_name_claim()).await;
    let chain = root.chain("device");
    let twin = twin_of(&chain, &root.certificate);
    assert_eq!(knock(&controller, &chain).await.status, 200);
    let reply = knock(&controller, &twin).await;
    assert_eq!(reply.error(), bad_request("COULD_NOT_VALIDATE"));
    let id = find_identity_id(&controller, &admin, "ca-device").await;
    for one in [&chain, &twin] {
        let session = log_in_by_certificate(&controller, one).await.data();
        assert_eq!(session["identityId"], id);
    }
    disable_identity(&controller, &admin, &id).await;
    for one in [&chain, &twin] {
        let reply = log_in_by_certificate(&controller, one).await;
        assert_eq!(reply.error(), (401, "INVALID_AUTH".to_owned()));
    }
}

#[tokio::test]
async fn no_authenticator_is_made_of_the_twin_of_another() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = bare(&controller, &admin, "bare").await;
    let (owner, chain) = with_certificate(&controller, &admin, "owner").await;
    let (_, authority) = add_authority(&controller, "ca", true).await;
    let foreign = client_of(&controller, &authority);
    let second = bare(&controller, &admin, "second").await;
    let post = || (Method::POST, "/authenticators");
    let made = send(&controller, &admin, post(), &cert(&second, &foreign)).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let at = revision(&controller);
    for (known, issuer) in [
        (&chain[0], controller.app.network().signing().certificate()),
        (&foreign, authority.certificate()),
    ] {
        let twin = known.twin(issuer).unwrap();
        for (one, field) in [(known, "certFingerprint"), (&twin, "certPem")] {
            let reply = send(&controller, &admin, post(), &cert(&id, one)).await;
            assert_eq!(reply.error(), bad_request("COULD_NOT_VALIDATE"));
            assert_eq!(reply.field(), field);
        }
    }
    assert_eq!(revision(&controller), at, "nothing is half-done");
    // What is gone stands in nobody's way.
    let path = format!("/identities/{owner}");
    let reply = controller
        .manage(Method::DELETE, &path, &admin)
        .send()
        .await;
    assert_eq!(reply.status, 200);
    let twin = chain[0].twin(controller.app.network().signing().certificate());
    let made = send(&controller, &admin, post(), &cert(&id, &twin.unwrap())).await;
    assert_eq!(made.status, 201, "{}", made.text());
}

#[tokio::test]
async fn twin_of_an_authenticator_is_a_stranger() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, chain) = with_certificate(&controller, &admin, "owner").await;
    let signing = controller.app.network().signing().certificate();
    let twin = twin_of(&chain, signing);
    let reply = log_in_by_certificate(&controller, &twin).await;
    assert_eq!(reply.error(), (401, "INVALID_AUTH".to_owned()));
    let token = token_by(&controller, &chain).await;
    for (presented, status) in [(&chain, 200), (&twin, 401), (&chain, 200)] {
        let request = controller.request(Method::GET, "/current-api-session");
        let reply = request.session(&token).certificates(presented).send().await;
        assert_eq!(reply.status, status);
    }
    // It renews nothing either.
    let authenticators = &read(&controller, &admin, &id).await["authenticators"];
    let authenticator = authenticators["cert"]["id"].as_str().unwrap();
    let before = shown(&controller, &admin, authenticator).await;
    let path = format!("/current-identity/authenticators/{authenticator}/extend");
    let (_key, csr) = portcullis_testkit::client_key_and_csr();
    let request = controller.request(Method::POST, &path).session(&token);
    let body = json!({"clientCertCsr": csr});
    let reply = request.certificates(&twin).json(&body).send().await;
    assert_eq!(reply.status, 401, "{}", reply.text());
    assert_eq!(shown(&controller, &admin, authenticator).await, before);
}

#[tokio::test]
async fn twin_of_a_session_certificate_is_good_as_long_as_it() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_id, own) = with_certificate(&controller, &admin, "owner").await;
    let token = token_by(&controller, &own).await;
    let (_key, csr) = portcullis_testkit::client_key_and_csr();
    let path = "/current-api-session/certificates";
    let request = controller.request(Method::POST, path).session(&token);
    let request = request.certificates(&own).json(&json!({"csr": csr}));
    let issued = request.send().await.data();
    let chain = issued["certificate"].as_str().unwrap();
    let chain = portcullis_pki::certificates_from_pem(chain).unwrap();
    let signing = controller.app.network().signing().certificate();
    let twin = twin_of(&chain, signing);
    let status = async |presented: &[Certificate]| {
        let request = controller.request(Method::GET, "/current-api-session");
        let request = request.session(&token).certificates(presented);
        request.send().await.status.as_u16()
    };
    assert_eq!((status(&chain).await, status(&twin).await), (200, 200));
    let path = format!("{path}/{}", issued["id"].as_str().unwrap());
    let request = controller.request(Method::DELETE, &path).session(&token);
    assert_eq!(request.certificates(&own).send().await.status, 200);
    assert_eq!((status(&chain).await, status(&twin).await), (401, 401));
}

#[tokio::test]
async fn router_is_known_by_its_certificate_and_not_by_the_twin() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({})).await;
    let chain = enroll(&controller, &admin, &id).await;
    let signing = controller.app.network().signing().certificate();
    let twin = twin_of(&chain, signing);
    let extended = async |chain: &[Certificate]| {
        let reply = extend(&controller, chain, &requests(&id)).await;
        reply.status.as_u16()
    };
    let switch = async |is_disabled: bool| {
        let path = format!("/edge-routers/{id}");
        let body = json!({"disabled": is_disabled});
        let reply = send(&controller, &admin, (Method::PATCH, &path), &body).await;
        assert_eq!(reply.status, 200);
    };
    let known: Value = edge(&controller, &admin, &id).await["fingerprint"].clone();
    assert_eq!(extended(&twin).await, 401);
    switch(true).await;
    assert_eq!((extended(&twin).await, extended(&chain).await), (401, 401));
    switch(false).await;
    assert_eq!(edge(&controller, &admin, &id).await["fingerprint"], known);
    assert_eq!(extended(&chain).await, 200);
    // Its old certificate is not revived by a twin, and no identity is made of either.
    assert_eq!((extended(&twin).await, extended(&chain).await), (401, 401));
    for one in [&twin, &chain] {
        let reply = log_in_by_certificate(&controller, one).await;
        assert_eq!(reply.error(), (401, "INVALID_AUTH".to_owned()));
        assert_eq!(knock(&controller, one).await.status, 400);
    }
    let list = get(&controller, &admin, "/edge-routers").await.json();
    assert_eq!(list["meta"]["pagination"]["totalCount"], 1);
}
