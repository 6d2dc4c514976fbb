//! Names of the controller are the controller's: no other certificate gets one of them.

use crate::routers::edge_routers::{add_edge, add_transit, edge};
use crate::routers::enrollment::enroll;
use crate::support::log::Log;
use crate::support::{create, get, ott_enrollment, pending_enrollment, redeem, revision, text};
use http::Method;
use portcullis_pki::{Certificate, JwtSigner, KeyType, ServerNames, SigningKey, Subject};
use portcullis_pki::{certificates_from_pem, create_csr};
use portcullis_testkit::{Harness, Reply, SHARED_HOST};
use rcgen::{CertificateParams, DnType, KeyPair, SanType, string::Ia5String};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::sync::Arc;

/// A request for a certificate with a common name and names of any form.
fn request(common_name: &str, names: &[SanType]) -> String {
    let mut params = CertificateParams::default();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params
        .distinguished_name
        .push(DnType::CommonName, common_name);
    params.subject_alt_names = names.to_vec();
    let key = KeyPair::generate().unwrap();
    params.serialize_request(&key).unwrap().pem().unwrap()
}

fn dns(name: &str) -> SanType {
    SanType::DnsName(Ia5String::try_from(name).unwrap())
}

fn ip(address: &str) -> SanType {
    SanType::IpAddress(address.parse::<IpAddr>().unwrap())
}

fn uri(text: &str) -> SanType {
    SanType::URI(Ia5String::try_from(text).unwrap())
}

/// What nobody gets: names in the served certificate and in the configuration, and what covers them.
fn reserved() -> Vec<SanType> {
    vec![
        dns("ctrl.example.test"),
        dns("CTRL.Example.Test"),
        dns("ctrl.example.test."),
        dns("*.example.test"),
        dns("*.EXAMPLE.test"),
        ip("192.0.2.7"),
        ip("::ffff:192.0.2.7"),
        uri("https://ctrl.example.test:1280/"),
    ]
}

/// A way for a router to come to certificates: who it is, and how it asks.
struct Way {
    path: String,
    id: String,
    chain: Vec<Certificate>,
    is_transit: bool,
}

impl Way {
    async fn ask(&self, controller: &Harness, client: &str, server: &str) -> Reply {
        let request = controller.request(Method::POST, &self.path);
        let body = json!({"certCsr": client, "serverCertCsr": server});
        request.certificates(&self.chain).json(&body).send().await
    }

    /// All ways that there are, of routers of both kinds.
    async fn all(controller: &Harness, admin: &str) -> Vec<Self> {
        let first = add_edge(controller, admin, "first", json!({})).await;
        let again = add_edge(controller, admin, "again", json!({})).await;
        enroll(controller, admin, &again).await;
        let path = format!("/edge-routers/{again}/re-enroll");
        controller.manage(Method::POST, &path, admin).send().await;
        let transit = add_transit(controller, admin, "transit", json!({})).await;
        let extending = add_edge(controller, admin, "extending", json!({})).await;
        let chain = enroll(controller, admin, &extending).await;
        let mut ways = vec![Self {
            path: "/edge/client/v1/enroll/extend/router".to_owned(),
            id: extending,
            chain,
            is_transit: false,
        }];
        for id in [first, again] {
            let shown = edge(controller, admin, &id).await;
            ways.push(Self::by_token(id, &shown));
        }
        let path = format!("/transit-routers/{transit}");
        let shown = get(controller, admin, &path).await.data();
        ways.push(Self {
            is_transit: true,
            ..Self::by_token(transit, &shown)
        });
        ways
    }

    fn by_token(id: String, shown: &Value) -> Self {
        let token = text(shown, "enrollmentToken");
        Self {
            path: format!("/edge/client/v1/enroll?token={token}"),
            id,
            chain: Vec::new(),
            is_transit: false,
        }
    }
}

fn assert_refused(reply: &Reply, what: &str) {
    let expected = (400, "COULD_NOT_PROCESS_CSR".to_owned());
    assert_eq!(reply.error(), expected, "{what}: {}", reply.text());
}

#[tokio::test]
async fn no_router_gets_a_name_of_the_controller() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for way in Way::all(&controller, &admin).await {
        let before = revision(&controller);
        let good = request(&way.id, &[dns("router.example.test")]);
        for name in reserved() {
            let bad = request(&way.id, &[dns("router.example.test"), name.clone()]);
            for (client, server) in [(&good, &bad), (&bad, &good)] {
                let reply = way.ask(&controller, client, server).await;
                let what = format!("{} {name:?}", way.path);
                assert_refused(&reply, &what);
                let said = reply.text();
                assert!(said.contains("edge.enrollment.sharedHosts"), "{said}");
            }
        }
        for name in ["*.com", "*.test"] {
            let bad = request(&way.id, &[dns(name)]);
            let reply = way.ask(&controller, &good, &bad).await;
            assert_refused(&reply, name);
            assert!(reply.text().contains(name), "{}", reply.text());
        }
        assert_eq!(revision(&controller), before);

        let names = [
            dns("localhost"),
            dns("router.example.test"),
            dns("*.routers.example.test"),
            dns(SHARED_HOST),
            ip("127.0.0.1"),
            ip("::1"),
            ip("192.0.2.8"),
            uri("https://router.example.test/"),
        ];
        let good = request(&way.id, &names);
        let issued = way.ask(&controller, &good, &good).await.data();
        let leaf = &certificates_from_pem(text(&issued, "serverCert")).unwrap()[0];
        assert_eq!(
            leaf.dns_names().collect::<Vec<_>>(),
            [
                "localhost",
                "router.example.test",
                "*.routers.example.test",
                SHARED_HOST
            ]
        );
        assert!(!leaf.covers_host("ctrl.example.test"));
    }
}

#[tokio::test]
async fn the_log_says_why_a_request_was_refused() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let way = Way::all(&controller, &admin).await.remove(0);
    let log = Log::read();
    let good = request(&way.id, &[]);
    let bad = request(&way.id, &[dns("ctrl.example.test")]);
    assert_refused(&way.ask(&controller, &good, &bad).await, "name");
    let written = log.take();
    assert!(
        written.contains("server CSR: \\\"ctrl.example.test\\\" belongs to the controller"),
        "{written}"
    );
}

/// Clients that find no DNS name in a certificate go by its common name, where some take a `*` within
/// a label for a wildcard.
#[tokio::test]
async fn the_common_name_of_a_router_is_its_id_whatever_it_asks_for() {
    let mail = SanType::Rfc822Name(Ia5String::try_from("a@example.test").unwrap());
    let asked = [
        ("ctrl.example.test", Vec::new()),
        ("c*.example.test", vec![mail.clone()]),
        ("*trl.example.test", Vec::new()),
        ("ctr*.example.test", vec![uri("https://router.test/")]),
    ];
    for (name, alternative) in asked {
        let controller = Harness::start().await;
        let admin = controller.admin().await;
        for way in Way::all(&controller, &admin).await {
            let what = format!("{} {name}", way.path);
            let server = request(name, &alternative);
            // Edge routers have to ask for their id, transit routers get it anyway.
            let mut client = request(name, &alternative);
            let before = revision(&controller);
            if !way.is_transit {
                assert_refused(&way.ask(&controller, &client, &server).await, &what);
                client = request(&way.id, &alternative);
            }
            assert_eq!(revision(&controller), before);
            let issued = way.ask(&controller, &client, &server).await.data();
            for member in ["cert", "serverCert"] {
                let leaf = &certificates_from_pem(text(&issued, member)).unwrap()[0];
                assert_eq!(leaf.common_name().as_deref(), Some(&*way.id), "{what}");
            }
        }
    }
}

#[tokio::test]
async fn no_router_has_a_name_of_the_controller_for_an_id() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let create = async |id: &str| {
        let request = controller.request(Method::POST, "/fabric/v1/routers");
        let body = json!({"id": id, "name": id, "cost": 0, "noTraversal": false});
        request.session(&admin).json(&body).send().await
    };
    let before = revision(&controller);
    for id in ["ctrl.example.test", "CTRL.Example.test.", "192.0.2.7"] {
        let reply = create(id).await;
        assert_eq!((reply.status.as_u16(), &*reply.field()), (400, "id"));
        assert!(reply.text().contains("name of the controller"));
    }
    assert_eq!(revision(&controller), before);
    assert_eq!(create(SHARED_HOST).await.status, 201);
    assert_eq!(create("r1.example.test").await.status, 201);
}

/// A router may be older than the name of the controller that is its id.
#[tokio::test]
async fn a_router_whose_id_became_a_name_of_the_controller_gets_no_certificate() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let app = &controller.app;
    let (network, env) = (app.network(), app.env());
    let issue = |name: &str| {
        let subject = Subject::new().common_name(name);
        let names = ServerNames::parse([name]).unwrap();
        let signing = network.signing();
        let leaf =
            signing.issue_server_leaf(key.public_key(), &subject, &names, env.now(), &*env.entropy);
        leaf.unwrap()
    };
    // Its certificate, which somebody else could have issued.
    let own = issue("new.example.net");
    let body = json!({
        "id": "new.example.net", "name": "r", "cost": 0, "noTraversal": false,
        "fingerprint": own.fingerprint().to_string(),
    });
    let create = controller.request(Method::POST, "/fabric/v1/routers");
    assert_eq!(create.session(&admin).json(&body).send().await.status, 201);
    let signer = JwtSigner::new(Arc::new(key), &own).unwrap();
    let served = [own.clone()];
    let id = "00000000-0000-4000-8000-00000000000b";
    network
        .renew_certificate(own.clone(), &served, signer, id)
        .unwrap();
    let way = Way {
        path: "/edge/client/v1/enroll/extend/router".to_owned(),
        id: "new.example.net".to_owned(),
        chain: vec![own],
        is_transit: true,
    };
    let before = revision(&controller);
    let asked = request("r", &[]);
    let reply = way.ask(&controller, &asked, &asked).await;
    assert_refused(&reply, "id");
    assert!(
        reply.text().contains("under another id"),
        "{}",
        reply.text()
    );
    assert_eq!(revision(&controller), before);
}

#[tokio::test]
async fn names_of_a_renewed_server_certificate_count_at_once() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let way = Way::all(&controller, &admin).await.remove(0);
    let asked = request(&way.id, &[dns("new.example.net")]);
    let network = controller.app.network();
    let key = Arc::new(SigningKey::generate(KeyType::P256).unwrap());
    let names = ServerNames::parse(["new.example.net", "ctrl.example.test"]).unwrap();
    let renewed = network
        .signing()
        .issue_server_leaf(
            key.public_key(),
            &Subject::new().common_name("ctrl"),
            &names,
            controller.app.env().now(),
            &*controller.app.env().entropy,
        )
        .unwrap();
    let signer = || JwtSigner::new(key.clone(), &renewed).unwrap();
    let id = "00000000-0000-4000-8000-00000000000b";
    let served = [renewed.clone()];
    network
        .renew_certificate(renewed.clone(), &served, signer(), id)
        .unwrap();
    assert_refused(&way.ask(&controller, &asked, &asked).await, "new name");
    // A name that is not served any more is nobody's.
    network
        .renew_certificate(renewed.clone(), &[], signer(), id)
        .unwrap();
    let reply = way.ask(&controller, &asked, &asked).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let of_file = request(&way.id, &[dns("ctrl.example.test")]);
    let chain = certificates_from_pem(text(&reply.data(), "cert")).unwrap();
    let way = Way { chain, ..way };
    assert_refused(
        &way.ask(&controller, &of_file, &of_file).await,
        "name of the file",
    );
}

#[tokio::test]
async fn no_identity_gets_a_name_of_the_controller() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "device", ott_enrollment()).await;
    let token = pending_enrollment(&controller, &admin, &id, "ott").await["token"].clone();
    let token = token.as_str().unwrap();
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let csr = |name: &str| create_csr(&key, &Subject::new().common_name(name)).unwrap();
    for name in [
        "ctrl.example.test",
        "CTRL.example.test.",
        "192.0.2.7",
        "*.example.test",
    ] {
        let reply = redeem(&controller, token, &csr(name)).await;
        assert_refused(&reply, name);
        assert!(reply.text().contains("edge.enrollment.sharedHosts"));
    }
    let reply = redeem(&controller, token, &csr("c*.example.test")).await;
    assert_refused(&reply, "partial wildcard");
    assert!(reply.text().contains("must not contain '*'"));
    // Alternative names that an identity asks for are not looked at: it gets its own.
    let asking = request("device", &[dns("ctrl.example.test")]);
    let issued = redeem(&controller, token, &asking).await.data();
    let leaf = &certificates_from_pem(text(&issued, "cert")).unwrap()[0];
    assert_eq!(leaf.dns_names().count(), 0);
}
