//! Bundles.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use portcullis_pki::{
    Certificate,
    pkcs7::{Pkcs7Error, decode_base64, decode_der, encode_base64, encode_der},
};

use crate::support::Network;

fn sorted(mut certificates: Vec<Certificate>) -> Vec<Certificate> {
    certificates.sort_by(|a, b| a.as_der().cmp(b.as_der()));
    certificates
}

#[test]
fn bundle_has_each_authority_once_and_no_others() {
    let network = Network::new(60);
    let root = network.root.certificate().clone();
    let signing = network.signing.certificate().clone();
    let given = [
        root.clone(),
        network.identity(),
        signing.clone(),
        root.clone(),
    ];
    let text = encode_base64(&given).unwrap();
    let expected = sorted(vec![root, signing]);
    assert_eq!(decode_base64(&text), Ok(expected.clone()));
    assert_eq!(decode_der(&encode_der(&given).unwrap()), Ok(expected));

    let lines: Vec<_> = text.split('\n').collect();
    let (last, others) = lines.split_last().unwrap();
    assert!(others.iter().all(|line| line.len() == 64));
    assert!((1..=64).contains(&last.len()), "no line break at the end");
}

#[test]
fn empty_bundle_is_a_bundle() {
    let none: [Certificate; 0] = [];
    assert_eq!(decode_base64(&encode_base64(&none).unwrap()), Ok(vec![]));
}

#[test]
fn white_space_does_not_matter() {
    let network = Network::new(61);
    let text = encode_base64([network.root.certificate()]).unwrap();
    for variant in [
        text.replace('\n', "\r\n"),
        text.replace('\n', ""),
        format!("{text}\n"),
    ] {
        assert_eq!(decode_base64(&variant).unwrap().len(), 1);
    }
}

#[test]
fn anything_else_is_refused() {
    let network = Network::new(62);
    let certificate = STANDARD.encode(network.identity().as_der());
    let table = [
        ("*", Pkcs7Error::NotBase64),
        ("", Pkcs7Error::Malformed),
        ("AAAA", Pkcs7Error::Malformed),
        (certificate.as_str(), Pkcs7Error::Malformed),
        ("MAA=", Pkcs7Error::Malformed),
    ];
    for (text, expected) in table {
        assert_eq!(decode_base64(text), Err(expected), "{text}");
    }
    assert_eq!(
        decode_base64(&"A".repeat(5_000_000)),
        Err(Pkcs7Error::TooLarge)
    );
}

#[test]
fn cut_and_damaged_bundles_never_panic() {
    let network = Network::new(63);
    let whole = encode_der([network.root.certificate()]).unwrap();
    for end in 0..whole.len() {
        assert!(decode_der(&whole[..end]).is_err());
    }
    let certificate = network.root.certificate();
    let length = certificate.as_der().len();
    let start = whole
        .windows(length)
        .position(|window| window == certificate.as_der())
        .unwrap();
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 0xff;
        let read = decode_der(&damaged).unwrap_or_default();
        if (start..start + length).contains(&place) {
            assert!(!read.contains(certificate), "byte {place}");
        }
    }
}
