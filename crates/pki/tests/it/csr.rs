//! Requests: which are accepted, and that damaged ones never are.

use std::sync::OnceLock;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use portcullis_pki::{Csr, CsrError, KeyType, PublicKeyKind, SigningKey, create_csr};
use proptest::prelude::*;

use crate::support::{Network, named};

fn request() -> &'static str {
    static REQUEST: OnceLock<String> = OnceLock::new();
    REQUEST.get_or_init(|| {
        create_csr(
            &SigningKey::generate(KeyType::P256).unwrap(),
            &named("device"),
        )
        .unwrap()
    })
}

fn der(pem: &str) -> Vec<u8> {
    let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    STANDARD.decode(body).unwrap()
}

#[test]
fn own_requests_are_accepted() {
    for (key_type, kind) in [
        (KeyType::P256, PublicKeyKind::P256),
        (KeyType::P384, PublicKeyKind::P384),
        (KeyType::Rsa2048, PublicKeyKind::Rsa { bits: 2048 }),
    ] {
        let key = SigningKey::generate(key_type).unwrap();
        let csr = Csr::from_pem(&create_csr(&key, &named("x")).unwrap()).unwrap();
        assert_eq!(csr.public_key(), key.public_key());
        assert_eq!(csr.public_key().kind(), kind);
    }
}

#[test]
fn white_space_does_not_matter() {
    let expected = Csr::from_pem(request()).unwrap();
    let text = request();
    for variant in [
        text.replace('\n', "\r\n"),
        text.replace('\n', "\n   "),
        text.trim_end().to_owned(),
        format!("\n\n\t{text}\n\n"),
        text.replace("CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"),
        format!("Certificate Request:\n    Data:\n{text}"),
    ] {
        assert_eq!(Csr::from_pem(&variant).as_ref(), Ok(&expected), "{variant}");
    }
}

#[test]
fn other_texts_are_refused_by_what_they_are() {
    let network = Network::new(40);
    let key = network.root.key().to_pkcs8_pem().unwrap();
    let certificate = network.identity().to_pem();
    let relabelled = certificate.replace("CERTIFICATE", "CERTIFICATE REQUEST");
    let table = [
        (String::new(), CsrError::Empty),
        (" \n\t".to_owned(), CsrError::Empty),
        ("hello".to_owned(), CsrError::NotPem),
        (request().replace("END", "FIN"), CsrError::NotPem),
        (request().replacen('M', "*", 1), CsrError::NotPem),
        (certificate, CsrError::NotACsr),
        (relabelled, CsrError::NotACsr),
        (key.to_string(), CsrError::NotACsr),
        (format!("{0}{0}", request()), CsrError::SeveralBlocks),
        ("x".repeat(64 * 1024 + 1), CsrError::TooLarge),
        (
            "-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----".to_owned(),
            CsrError::Empty,
        ),
    ];
    for (text, expected) in table {
        assert_eq!(Csr::from_pem(&text), Err(expected), "{text}");
    }
}

#[test]
fn key_of_another_is_not_accepted() {
    // The public keys of two requests have equal lengths, so that one can be put over the other.
    let other = create_csr(
        &SigningKey::generate(KeyType::P256).unwrap(),
        &named("device"),
    )
    .unwrap();
    let (mut mine, other) = (der(request()), der(&other));
    let key = Csr::from_der(&other)
        .unwrap()
        .public_key()
        .as_der()
        .to_vec();
    let own = Csr::from_der(&mine).unwrap().public_key().as_der().to_vec();
    let place = mine
        .windows(own.len())
        .position(|window| window == own)
        .unwrap();
    mine[place..place + key.len()].copy_from_slice(&key);
    assert_eq!(Csr::from_der(&mine), Err(CsrError::BadSignature));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        rng_seed: prop::test_runner::RngSeed::Fixed(41),
        ..ProptestConfig::default()
    })]

    #[test]
    fn damaged_requests_never_verify(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 1..4),
    ) {
        let whole = der(request());
        let mut damaged = whole.clone();
        for (place, change) in changes {
            let place = place.index(damaged.len());
            damaged[place] = damaged[place].wrapping_add(change);
        }
        prop_assume!(damaged != whole);
        prop_assert!(Csr::from_der(&damaged).is_err());
    }

    #[test]
    fn cut_and_stretched_requests_never_verify(
        cut in any::<prop::sample::Index>(),
        added in prop::collection::vec(any::<u8>(), 0..8),
    ) {
        let whole = der(request());
        let mut damaged = whole[..cut.index(whole.len())].to_vec();
        damaged.extend(added);
        prop_assume!(damaged != whole);
        prop_assert!(Csr::from_der(&damaged).is_err());
    }

    #[test]
    fn arbitrary_bytes_and_texts_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        text in ".{0,300}",
    ) {
        prop_assert!(Csr::from_der(&bytes).is_err());
        prop_assert!(Csr::from_pem(&text).is_err());
        let label = "CERTIFICATE REQUEST";
        let body = STANDARD.encode(&bytes);
        let wrapped = format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----");
        prop_assert!(Csr::from_pem(&wrapped).is_err());
    }
}

#[test]
fn every_single_byte_matters() {
    let whole = der(request());
    for place in 0..whole.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[place] ^= flip;
            assert!(Csr::from_der(&damaged).is_err(), "byte {place}");
        }
    }
}
