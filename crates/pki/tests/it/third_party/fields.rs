//! What is read from certificates and texts of others.

use portcullis_pki::{Certificate, CertificateError, PemError};

use super::maker::{LEAF, Maker};
use crate::support::Network;

#[test]
fn several_names_are_given_in_their_order() {
    let Some(maker) = Maker::new() else { return };
    let names = "subjectAltName=URI:spiffe://b.test/x,email:z@example.test,DNS:host.test,\
                 URI:https://a.test/?q=1,email:a@example.test,URI:urn:c,IP:127.0.0.1";
    let made = maker.make("several", "several", &format!("{LEAF}\n{names}"));
    let uris: Vec<&str> = made.uri_names().collect();
    assert_eq!(uris, ["spiffe://b.test/x", "https://a.test/?q=1", "urn:c"]);
    let mails: Vec<&str> = made.email_names().collect();
    assert_eq!(mails, ["z@example.test", "a@example.test"]);
    assert_eq!(made.dns_names().collect::<Vec<_>>(), ["host.test"]);
    assert_eq!(made.common_name().as_deref(), Some("several"));

    let none = maker.make("none", "none", LEAF);
    assert_eq!(none.uri_names().count() + none.email_names().count(), 0);
}

#[test]
fn texts_that_are_not_one_certificate_are_told_apart() {
    let network = Network::new(110);
    let leaf = network.identity();
    let text = leaf.to_pem();
    let key = network.root.key().to_pkcs8_pem().unwrap();
    let other = |label: &str| CertificateError::UnexpectedLabel {
        label: label.to_owned(),
    };
    let relabelled = text.replace("CERTIFICATE", "CERTIFICATE REQUEST");
    let (first_line, _) = text.split_once('\n').unwrap();
    for (given, expected) in [
        (String::new(), CertificateError::NotPem),
        ("no PEM".to_owned(), CertificateError::NotPem),
        (
            first_line.to_owned(),
            CertificateError::Pem(PemError::Unterminated),
        ),
        (
            text.replace('M', "*"),
            CertificateError::Pem(PemError::NotBase64),
        ),
        (relabelled, other("CERTIFICATE REQUEST")),
        (format!("{text}{}", key.as_str()), other("PRIVATE KEY")),
        (format!("{}{text}", key.as_str()), other("PRIVATE KEY")),
        (text.repeat(2), CertificateError::MultipleCertificates),
    ] {
        assert_eq!(
            Certificate::from_single_pem(&given),
            Err(expected),
            "{given}"
        );
    }
    let empty = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
    let refused = Certificate::from_single_pem(empty).unwrap_err();
    assert!(
        matches!(refused, CertificateError::Malformed(_)),
        "{refused}"
    );
    assert_eq!(
        Certificate::from_single_pem(&format!("\n {text}\n")),
        Ok(leaf)
    );
}
