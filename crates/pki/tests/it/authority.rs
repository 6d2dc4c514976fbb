//! What stands in issued certificates.

use std::{collections::BTreeSet, sync::Arc};

use const_oid::{
    ObjectIdentifier,
    db::rfc5280::{ID_KP_CLIENT_AUTH, ID_KP_SERVER_AUTH},
};
use der::{Decode as _, Encode as _};
use portcullis_domain::ids::{ApiSessionId, ControllerId, IdentityId};
use portcullis_pki::{
    Authority, AuthorityError, Certificate, IssueError, KeyType, ServerNames, SigningKey,
    SpiffeError, SpiffeId, SpiffePath, Subject, TrustDomain, certificates_from_pem,
};
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages,
    SubjectKeyIdentifier,
};

use crate::support::{Network, Seeded, csr, domain, identity_id, named, now};

const KEY_USAGE: &str = "2.5.29.15";
const EXTENDED_KEY_USAGE: &str = "2.5.29.37";
const AUTHORITY_KEY_ID: &str = "2.5.29.35";
const ALTERNATIVE_NAME: &str = "2.5.29.17";

fn parsed(certificate: &Certificate) -> x509_cert::Certificate {
    x509_cert::Certificate::from_der(certificate.as_der()).unwrap()
}

fn extensions(certificate: &Certificate) -> Vec<(String, bool)> {
    let parsed = parsed(certificate);
    let extensions = parsed.tbs_certificate().extensions().unwrap();
    extensions
        .iter()
        .map(|e| (e.extn_id.to_string(), e.critical))
        .collect()
}

fn purposes(certificate: &Certificate) -> Vec<ObjectIdentifier> {
    let usage = parsed(certificate)
        .tbs_certificate()
        .get_extension::<ExtendedKeyUsage>();
    usage.unwrap().unwrap().1.0
}

fn key_usage(certificate: &Certificate) -> KeyUsage {
    parsed(certificate)
        .tbs_certificate()
        .get_extension()
        .unwrap()
        .unwrap()
        .1
}

fn seconds(certificate: &Certificate) -> i64 {
    certificate.not_after().as_second() - certificate.not_before().as_second()
}

#[test]
fn identity_certificate_follows_the_profile() {
    let network = Network::new(1);
    let leaf = network.identity();

    assert_eq!(leaf.not_before().to_string(), "2026-03-01T11:59:00Z");
    assert_eq!(seconds(&leaf), 31_536_060);
    assert_eq!(
        extensions(&leaf),
        [
            (KEY_USAGE, true),
            (EXTENDED_KEY_USAGE, false),
            (AUTHORITY_KEY_ID, false),
            (ALTERNATIVE_NAME, false)
        ]
        .map(|(oid, critical)| (oid.to_owned(), critical))
    );
    let usages =
        KeyUsages::DigitalSignature | KeyUsages::KeyEncipherment | KeyUsages::DataEncipherment;
    assert_eq!(key_usage(&leaf).0, usages);
    assert_eq!(purposes(&leaf), [ID_KP_CLIENT_AUTH]);
    assert_eq!(
        leaf.uri_names().collect::<Vec<_>>(),
        ["spiffe://example.test/identity/-aB3.dE6gH"]
    );
    assert_eq!(leaf.common_name().as_deref(), Some("device"));
    assert_eq!(&leaf.public_key().unwrap(), csr().public_key());
    assert!(!leaf.is_ca());

    let issuer = parsed(network.signing.certificate());
    let issuer = issuer.tbs_certificate();
    let leaf = parsed(&leaf);
    let leaf = leaf.tbs_certificate();
    assert_eq!(leaf.issuer(), issuer.subject());
    let above: SubjectKeyIdentifier = issuer.get_extension().unwrap().unwrap().1;
    let named: AuthorityKeyIdentifier = leaf.get_extension().unwrap().unwrap().1;
    assert_eq!(named.key_identifier.unwrap(), above.0);
    assert!(named.authority_cert_issuer.is_none());
}

#[test]
fn authorities_follow_their_profiles() {
    let network = Network::new(2);
    let decade = 3650 * 24 * 3600 + 60;
    for (authority, path_length, names) in [
        (&network.root, None, vec!["spiffe://example.test"]),
        (&network.signing, Some(0), vec![]),
    ] {
        let certificate = authority.certificate();
        let constraints: (bool, BasicConstraints) = parsed(certificate)
            .tbs_certificate()
            .get_extension()
            .unwrap()
            .unwrap();
        assert!(constraints.0, "critical");
        assert!(certificate.is_ca());
        assert_eq!(constraints.1.path_len_constraint, path_length);
        assert_eq!(
            key_usage(certificate).0,
            KeyUsages::KeyCertSign | KeyUsages::CRLSign
        );
        assert_eq!(seconds(certificate), decade);
        assert_eq!(certificate.uri_names().collect::<Vec<_>>(), names);
    }
    assert!(network.root.certificate().is_self_issued());
    assert!(!network.signing.certificate().is_self_issued());
    assert_eq!(network.signing.chain().count(), 2);
    assert_eq!(
        TrustDomain::from_chain(network.signing.chain()),
        Some(domain())
    );
}

#[test]
fn server_certificate_has_the_names_given() {
    let network = Network::new(3);
    let key = SigningKey::generate(KeyType::P384).unwrap();
    let path = SpiffePath::Controller(ControllerId::from_wire("ctrl-1"));
    let names = ServerNames::parse(["Ctrl.example.test", "localhost", "127.0.0.1", "::1", "::1"])
        .unwrap()
        .with_spiffe(SpiffeId::new(domain(), path).unwrap());
    let issue = || {
        let (subject, key) = (named("ctrl"), key.public_key());
        let entropy = &network.entropy;
        network
            .signing
            .issue_server_leaf(key, &subject, &names, now(), entropy)
            .unwrap()
    };
    let leaf = issue();

    for host in [
        "ctrl.example.test",
        "CTRL.EXAMPLE.TEST",
        "localhost",
        "127.0.0.1",
        "::1",
    ] {
        assert!(leaf.covers_host(host), "{host}");
    }
    for host in [
        "example.test",
        "x.ctrl.example.test",
        "127.0.0.2",
        "ctrl",
        "",
        "a b",
    ] {
        assert!(!leaf.covers_host(host), "{host}");
    }
    assert!(leaf.has_server_auth_usage());
    assert_eq!(purposes(&leaf), [ID_KP_SERVER_AUTH]);
    assert_eq!(seconds(&leaf), 31_536_060);
    assert_eq!(leaf.dns_names().count(), 2);
    let id = SpiffeId::from_certificate(&leaf).unwrap().unwrap();
    assert_eq!(id.to_string(), "spiffe://example.test/controller/ctrl-1");

    let renewed = issue();
    assert_ne!(renewed.fingerprint(), leaf.fingerprint());
    assert_eq!(
        renewed.key_fingerprint(),
        leaf.key_fingerprint(),
        "a renewal keeps the key"
    );
}

#[test]
fn client_certificate_of_the_controller_is_for_clients_only() {
    let network = Network::new(4);
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let path = SpiffePath::Controller(ControllerId::from_wire("ctrl-1"));
    let id = SpiffeId::new(domain(), path).unwrap();
    let leaf = network
        .signing
        .issue_client_leaf(
            key.public_key(),
            &named("ctrl"),
            &id,
            now(),
            &network.entropy,
        )
        .unwrap();
    assert_eq!(purposes(&leaf), [ID_KP_CLIENT_AUTH]);
    assert!(!leaf.has_server_auth_usage());
    assert_eq!(SpiffeId::from_certificate(&leaf), Ok(Some(id)));
}

#[test]
fn session_certificate_names_the_session() {
    let network = Network::new(5);
    let path = SpiffePath::ApiSessionCertificate {
        identity: identity_id(),
        session: ApiSessionId::from_wire("c1"),
        certificate: "c2".to_owned(),
    };
    let half_day = jiff::SignedDuration::from_hours(12);
    let issue = |path| {
        let entropy = &network.entropy;
        network
            .signing
            .issue_session_certificate(csr(), &domain(), path, half_day, now(), entropy)
    };
    let leaf = issue(path.clone()).unwrap();
    assert_eq!(leaf.subject(), "CN=-aB3.dE6gH");
    assert_eq!(seconds(&leaf), 12 * 3600);
    assert_eq!(
        SpiffeId::from_certificate(&leaf).unwrap().unwrap().path(),
        &path
    );

    let other = issue(SpiffePath::Identity(identity_id()));
    assert!(matches!(other, Err(IssueError::Spiffe(SpiffeError::Path))));
}

#[test]
fn proof_names_the_token_for_an_hour() {
    let network = Network::new(9);
    let prove = || {
        network
            .root
            .issue_verification_certificate("tok.en", now(), &network.entropy)
    };
    let proof = prove().unwrap();
    assert_eq!(proof.common_name().as_deref(), Some("tok.en"));
    assert_eq!(proof.issuer(), network.root.certificate().subject());
    assert_eq!(seconds(&proof), 3600 + 60, "backdated by a minute");
    assert!(!proof.is_ca());
    let names = [proof.uri_names().count(), proof.dns_names().count()];
    assert_eq!(names, [0, 0]);
    let other = prove().unwrap();
    assert_ne!(proof.key_fingerprint(), other.key_fingerprint());
}

#[test]
fn renewal_keeps_the_names() {
    let network = Network::new(6);
    let current = network.identity();
    let later = now() + jiff::SignedDuration::from_hours(24);
    let renewed = network
        .signing
        .renew_identity(csr(), &current, later, &network.entropy)
        .unwrap();
    assert_eq!(
        renewed.uri_names().collect::<Vec<_>>(),
        current.uri_names().collect::<Vec<_>>()
    );
    assert_eq!(seconds(&renewed), 31_536_060);
    assert_ne!(renewed.serial_number(), current.serial_number());
}

#[test]
fn id_that_cannot_stand_in_a_name_is_refused() {
    let network = Network::new(7);
    for id in ["a/apiSession/b", "", ".."] {
        let id = IdentityId::from_wire(id);
        let entropy = &network.entropy;
        let refused = network
            .signing
            .issue_identity(csr(), &domain(), &id, now(), entropy);
        assert!(
            matches!(refused, Err(IssueError::Spiffe(SpiffeError::Id))),
            "{id}"
        );
    }
}

#[test]
fn ten_thousand_serials_are_positive_and_differ() {
    let network = Network::new(8);
    let mut seen = BTreeSet::new();
    let mut long = 0;
    for _ in 0..10_000 {
        let certificate = network.identity();
        let parsed = parsed(&certificate);
        let serial = parsed.tbs_certificate().serial_number().as_bytes().to_vec();
        assert!(serial.len() <= 20 && serial[0] < 0x80, "{serial:02x?}");
        long += usize::from(serial.len() >= 19);
        assert!(seen.insert(serial));
    }
    assert!(long > 9_900, "serials have about 159 random bits");
}

#[test]
fn fresh_authority_needs_matching_parts() {
    let network = Network::new(9);
    let key = || SigningKey::generate(KeyType::P256).unwrap();
    let root = network.root.certificate().clone();
    let table = [
        (vec![], AuthorityError::NoCertificate),
        (vec![network.identity()], AuthorityError::NotCa),
        (vec![root], AuthorityError::KeyMismatch),
    ];
    for (chain, expected) in table {
        assert_eq!(Authority::new(chain, key()).unwrap_err(), expected);
    }
}

#[test]
fn authority_survives_its_files() {
    let network = Network::new(10);
    let chain: String = network.signing.chain().map(Certificate::to_pem).collect();
    let key = network.signing.key().to_pkcs8_pem().unwrap();
    let both = format!("{}{chain}", key.as_str());
    let again = Authority::new(
        certificates_from_pem(&both).unwrap(),
        SigningKey::from_pem(&both).unwrap(),
    )
    .unwrap();
    assert_eq!(again.certificate(), network.signing.certificate());

    let leaf = network.identity();
    let pem = again.chain_pem(&leaf);
    assert!(pem.ends_with("-----END CERTIFICATE-----\n"));
    let chain = certificates_from_pem(&pem).unwrap();
    assert_eq!(
        chain,
        [leaf, network.signing.certificate().clone()],
        "the root is left out"
    );
}

#[test]
fn empty_subject_makes_the_name_critical() {
    let entropy = Seeded::new(11);
    let key = Arc::new(SigningKey::generate(KeyType::P256).unwrap());
    let network = Network::new(11);
    let names = ServerNames::parse(["localhost"]).unwrap();
    let leaf = network
        .signing
        .issue_server_leaf(key.public_key(), &Subject::new(), &names, now(), &entropy)
        .unwrap();
    assert_eq!(
        extensions(&leaf).last().unwrap(),
        &(ALTERNATIVE_NAME.to_owned(), true)
    );
    assert!(
        parsed(&leaf)
            .tbs_certificate()
            .subject()
            .to_der()
            .unwrap()
            .ends_with(&[0x30, 0])
    );
}
