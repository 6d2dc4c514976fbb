//! Renewed certificates and those of sessions, as OpenSSL sees them.

use portcullis_domain::ids::ApiSessionId;
use portcullis_pki::{Certificate, Csr, SpiffePath, TrustAnchors, VerifyAt};

use super::maker::{Maker, P256};
use crate::support::{Network, domain, identity_id, now};

/// A request that asks for more than its subject and key.
fn request(maker: &Maker, name: &str) -> Csr {
    maker.key(name, &P256);
    let key = format!("{name}.key");
    maker.run(&[
        "req",
        "-new",
        "-config",
        "openssl.cnf",
        "-key",
        &key,
        "-out",
        "asked.csr",
        "-subj",
        "/O=Portcullis/CN=asked for",
        "-addext",
        "subjectAltName=URI:spiffe://example.test/identity/victim,email:a@evil.test",
        "-addext",
        "basicConstraints=critical,CA:TRUE",
    ]);
    let text = String::from_utf8(maker.read("asked.csr")).unwrap();
    Csr::from_pem(&text).unwrap()
}

fn shown(maker: &Maker, certificate: &Certificate, what: &[&str]) -> String {
    maker.write("shown.pem", certificate.to_pem());
    let arguments = [
        &["x509", "-in", "shown.pem", "-noout", "-nameopt", "RFC2253"],
        what,
    ]
    .concat();
    maker.run(&arguments).trim().to_owned()
}

fn public_key(maker: &Maker, name: &str) -> String {
    let key = format!("{name}.key");
    maker
        .run(&["pkey", "-in", &key, "-pubout"])
        .trim()
        .to_owned()
}

fn names(maker: &Maker, certificate: &Certificate) -> String {
    let shown = shown(maker, certificate, &["-ext", "subjectAltName"]);
    shown.lines().last().unwrap().trim().to_owned()
}

#[test]
fn a_renewed_certificate_keeps_the_name_and_has_the_new_key() {
    let Some(maker) = Maker::new() else { return };
    let network = Network::new(120);
    let current = network.issue(&request(&maker, "old"));
    let later = now() + jiff::SignedDuration::from_hours(400 * 24);
    let renewed = network
        .signing
        .renew_identity(&request(&maker, "new"), &current, later, &network.entropy)
        .unwrap();

    assert_eq!(
        names(&maker, &renewed),
        "URI:spiffe://example.test/identity/-aB3.dE6gH"
    );
    assert_eq!(names(&maker, &renewed), names(&maker, &current));
    assert_eq!(
        shown(&maker, &renewed, &["-pubkey"]),
        public_key(&maker, "new")
    );
    assert_eq!(
        shown(&maker, &current, &["-pubkey"]),
        public_key(&maker, "old")
    );
    let dates = shown(&maker, &renewed, &["-dates"]);
    assert_eq!(
        dates,
        "notBefore=Apr  5 11:59:00 2027 GMT\nnotAfter=Apr  4 12:00:00 2028 GMT"
    );
    assert!(!renewed.is_ca());
    let anchors = TrustAnchors::new(vec![network.root.certificate().clone()]).unwrap();
    let verified = |at| {
        anchors
            .verify_client_chain(&renewed, &network.intermediates(), at)
            .is_ok()
    };
    assert!(verified(VerifyAt::Now(later)));
    assert!(!verified(VerifyAt::Now(now())));
}

#[test]
fn all_names_of_the_current_certificate_are_kept() {
    let Some(maker) = Maker::new() else { return };
    let several =
        "subjectAltName=URI:spiffe://example.test/identity/a,email:a@example.test,DNS:a.test";
    let current = maker.make("current", "current", several);
    let network = Network::new(121);
    let renewed = network
        .signing
        .renew_identity(&request(&maker, "new"), &current, now(), &network.entropy)
        .unwrap();
    let expected = "URI:spiffe://example.test/identity/a, email:a@example.test, DNS:a.test";
    assert_eq!(names(&maker, &renewed), expected);
}

#[test]
fn a_session_certificate_names_identity_and_session_for_twelve_hours() {
    let Some(maker) = Maker::new() else { return };
    let network = Network::new(122);
    let path = SpiffePath::ApiSessionCertificate {
        identity: identity_id(),
        session: ApiSessionId::from_wire("cm1"),
        certificate: "x.Y-z".to_owned(),
    };
    let issued = network
        .signing
        .issue_session_certificate(
            &request(&maker, "session"),
            &domain(),
            path,
            jiff::SignedDuration::from_hours(12),
            now(),
            &network.entropy,
        )
        .unwrap();
    assert_eq!(
        shown(&maker, &issued, &["-subject"]),
        "subject=CN=-aB3.dE6gH"
    );
    let expected = "URI:spiffe://example.test/identity/-aB3.dE6gH/apiSession/cm1\
                    /apiSessionCertificate/x.Y-z";
    assert_eq!(names(&maker, &issued), expected);
    let dates = shown(&maker, &issued, &["-dates"]);
    assert_eq!(
        dates,
        "notBefore=Mar  1 11:59:00 2026 GMT\nnotAfter=Mar  1 23:59:00 2026 GMT"
    );
    let purpose = shown(&maker, &issued, &["-ext", "extendedKeyUsage"]);
    assert!(
        purpose.ends_with("TLS Web Client Authentication"),
        "{purpose}"
    );
    assert_eq!(
        shown(&maker, &issued, &["-pubkey"]),
        public_key(&maker, "session")
    );
}
