//! Tokens: what stands in them, and which are believed.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::{SignedDuration, Timestamp};
use portcullis_pki::{
    Certificate, EnrollmentClaims, JwtError, JwtSigner, KeyType, ServerNames, SigningKey,
    jwt::{self, verify, verify_with_certificate},
};
use serde_json::{Value, json};

use crate::support::{Network, named, now};

fn server(network: &Network, key: &SigningKey) -> Certificate {
    let names = ServerNames::parse(["localhost"]).unwrap();
    let subject = named("server");
    let (key, entropy) = (key.public_key(), &network.entropy);
    network
        .signing
        .issue_server_leaf(key, &subject, &names, now(), entropy)
        .unwrap()
}

fn signer(network: &Network, key_type: KeyType) -> (JwtSigner, Certificate) {
    let key = SigningKey::generate(key_type).unwrap();
    let leaf = server(network, &key);
    (JwtSigner::new(Arc::new(key), &leaf).unwrap(), leaf)
}

fn expiry() -> Timestamp {
    now() + SignedDuration::from_hours(3)
}

fn claims() -> EnrollmentClaims {
    let controllers = vec!["tls:ctrl.example.test:6262".to_owned()];
    let issuer = "https://ctrl.example.test:1280";
    EnrollmentClaims::enrollment(issuer, "aB3", "ott", "the-token", expiry(), controllers)
}

fn part(token: &str, place: usize) -> String {
    let part = token.split('.').nth(place).unwrap();
    String::from_utf8(URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

#[test]
fn tokens_verify_with_the_leaf_for_every_kind_of_key() {
    let network = Network::new(50);
    for (key_type, alg, length) in [
        (KeyType::P256, "ES256", 64),
        (KeyType::P384, "ES384", 96),
        (KeyType::Rsa2048, "RS256", 256),
    ] {
        let (signer, leaf) = signer(&network, key_type);
        let token = signer.sign(&claims()).unwrap();
        let header: Value = serde_json::from_str(&part(&token, 0)).unwrap();
        let kid = leaf.fingerprint().to_string();
        assert_eq!(header, json!({"alg": alg, "kid": kid, "typ": "JWT"}));
        let signature = token.rsplit('.').next().unwrap();
        assert_eq!(URL_SAFE_NO_PAD.decode(signature).unwrap().len(), length);
        assert_eq!(
            verify_with_certificate(&token, leaf.as_der(), now()),
            Ok(claims())
        );
    }
}

#[test]
fn p521_signs_es512() {
    let pair = aws_lc_rs::signature::EcdsaKeyPair::generate(
        &aws_lc_rs::signature::ECDSA_P521_SHA512_ASN1_SIGNING,
    )
    .unwrap();
    let body = base64::engine::general_purpose::STANDARD.encode(pair.to_pkcs8v1().unwrap());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n");
    let key = SigningKey::from_pem(&pem).unwrap();
    let network = Network::new(51);
    let leaf = server(&network, &key);
    let token = JwtSigner::new(Arc::new(key), &leaf)
        .unwrap()
        .sign(&claims())
        .unwrap();
    assert!(part(&token, 0).starts_with(r#"{"alg":"ES512","#));
    assert_eq!(
        verify_with_certificate(&token, leaf.as_der(), now()),
        Ok(claims())
    );
}

#[test]
fn claims_have_the_shapes_that_clients_know() {
    let url = "https://ctrl.example.test:1280/";
    let table = [
        (
            claims(),
            json!({
                "iss": "https://ctrl.example.test:1280", "sub": "aB3", "aud": [""],
                "exp": expiry().as_second(), "jti": "the-token", "em": "ott",
                "ctrls": ["tls:ctrl.example.test:6262"],
            }),
        ),
        (
            EnrollmentClaims::network(url, "id"),
            json!({
                "iss": url, "sub": url, "aud": ["openziti-enroller"], "jti": "id",
                "em": "network", "ctrls": null,
            }),
        ),
        (
            EnrollmentClaims::certificate_authority(url, "ca1"),
            json!({
                "iss": url, "sub": "ca1", "aud": ["openziti-enroller"], "jti": "ca1",
                "em": "ca", "ctrls": null,
            }),
        ),
    ];
    for (claims, expected) in table {
        let written = serde_json::to_value(&claims).unwrap();
        assert_eq!(written, expected);
        assert_eq!(
            serde_json::from_value::<EnrollmentClaims>(written).unwrap(),
            claims
        );
    }
}

#[test]
fn the_key_id_is_read_before_the_signature_is_verified() {
    let network = Network::new(53);
    let (signer, _leaf) = signer(&network, KeyType::P256);
    let token = signer.sign(&claims()).unwrap();
    let key_id = signer.key_id().to_string();
    assert_eq!(jwt::key_id(&token), Ok(Some(key_id.clone())));
    let (unsigned, _signature) = token.rsplit_once('.').unwrap();
    assert_eq!(jwt::key_id(&format!("{unsigned}.AA")), Ok(Some(key_id)));
    assert_eq!(jwt::key_id("a.b"), Err(JwtError::Malformed));
}

#[test]
fn expiry_is_exact_to_the_second() {
    let network = Network::new(52);
    let (signer, leaf) = signer(&network, KeyType::P256);
    let token = signer.sign(&claims()).unwrap();
    let second = SignedDuration::from_secs(1);
    let at = |instant| verify_with_certificate(&token, leaf.as_der(), instant);
    assert!(at(expiry() - second).is_ok());
    assert_eq!(at(expiry()), Err(JwtError::Expired));
    let lasting = signer
        .sign(&EnrollmentClaims::network("https://x/", "id"))
        .unwrap();
    assert!(verify_with_certificate(&lasting, leaf.as_der(), Timestamp::MAX).is_ok());
}

#[test]
fn other_keys_do_not_verify() {
    let network = Network::new(53);
    let (signer, leaf) = signer(&network, KeyType::P256);
    let token = signer.sign(&claims()).unwrap();
    let other = SigningKey::generate(KeyType::P256).unwrap();
    let other_leaf = server(&network, &other);
    let verify_with = |der: &[u8]| verify_with_certificate(&token, der, now());
    assert_eq!(
        verify_with(other_leaf.as_der()),
        Err(JwtError::BadSignature)
    );
    assert_eq!(verify_with(b"no certificate"), Err(JwtError::Certificate));
    let rsa = SigningKey::generate(KeyType::Rsa2048).unwrap();
    let refused = verify_with(server(&network, &rsa).as_der());
    assert_eq!(refused, Err(JwtError::WrongAlgorithm));
    let mismatch = JwtSigner::new(Arc::new(other), &leaf).unwrap_err();
    assert_eq!(mismatch, JwtError::KeyMismatch);
}

#[test]
fn claims_that_are_no_object_are_not_signed() {
    let network = Network::new(54);
    let (signer, _) = signer(&network, KeyType::P256);
    for claims in [json!([1]), json!("text"), json!(null)] {
        assert_eq!(signer.sign(&claims), Err(JwtError::Claims));
    }
}

#[test]
fn malformed_tokens_are_refused() {
    use JwtError::{CriticalExtension, Malformed, TooLarge, WrongAlgorithm};
    let network = Network::new(55);
    let (signer, leaf) = signer(&network, KeyType::P256);
    let key = leaf.public_key().unwrap();
    let token = signer.sign(&claims()).unwrap();
    let (_, rest) = token.split_once('.').unwrap();
    let with_header = |header: &str| format!("{}.{rest}", URL_SAFE_NO_PAD.encode(header));
    let deep = format!(r#"{{"alg":"ES256","x":{}"#, "[".repeat(10_000));
    let table = [
        (String::new(), Malformed),
        ("..".to_owned(), Malformed),
        (".".repeat(60_000), Malformed),
        (".".repeat(1_000_000), TooLarge),
        (with_header(&"a".repeat(10_000_000)), TooLarge),
        (with_header(&deep), Malformed),
        (with_header("[]"), Malformed),
        (with_header(r#"{"typ":"JWT"}"#), Malformed),
        (with_header(r#"{"alg":"ES256","alg":"none"}"#), Malformed),
        (with_header(r#"{"alg":"none"}"#), WrongAlgorithm),
        (with_header(r#"{"alg":"HS256"}"#), WrongAlgorithm),
        (with_header(r#"{"alg":"es256"}"#), WrongAlgorithm),
        (with_header(r#"{"alg":"ES384"}"#), WrongAlgorithm),
        (with_header(r#"{"alg":"RS256"}"#), WrongAlgorithm),
        (
            with_header(r#"{"alg":"ES256","crit":["b64"],"b64":false}"#),
            CriticalExtension,
        ),
        (
            with_header(r#"{"alg":"ES256","crit":null}"#),
            CriticalExtension,
        ),
        (with_header(r#"{"alg":"ES256"}"#), JwtError::BadSignature),
        (format!("{token}="), Malformed),
        (format!("{token}\n"), Malformed),
        (format!("{token}."), Malformed),
        (format!(" {token}"), Malformed),
        (token.replacen('.', ".+", 1), JwtError::BadSignature),
        (token.rsplit_once('.').unwrap().0.to_owned(), Malformed),
        (
            format!("{}.", token.rsplit_once('.').unwrap().0),
            JwtError::BadSignature,
        ),
    ];
    for (token, expected) in table {
        let start: String = token.chars().take(80).collect();
        assert_eq!(
            verify::<EnrollmentClaims>(&token, &key),
            Err(expected),
            "{start}"
        );
    }
}

#[test]
fn claims_named_twice_are_refused_even_when_signed() {
    let network = Network::new(56);
    let key = Arc::new(SigningKey::generate(KeyType::P256).unwrap());
    let leaf = server(&network, &key);
    let signer = JwtSigner::new(key, &leaf).unwrap();
    let twice = r#"{"iss":"a","sub":"b","jti":"c","em":"ott","em":"ca"}"#;
    let raw: Box<serde_json::value::RawValue> = serde_json::from_str(twice).unwrap();
    let token = signer.sign(&raw).unwrap();
    let verified = verify::<EnrollmentClaims>(&token, signer.public_key());
    assert_eq!(verified, Err(JwtError::Malformed));
}

#[test]
fn every_character_of_a_token_matters() {
    let network = Network::new(57);
    let (signer, leaf) = signer(&network, KeyType::P256);
    let key = leaf.public_key().unwrap();
    let token = signer.sign(&claims()).unwrap();
    for place in 0..token.len() {
        let mut damaged = token.clone().into_bytes();
        damaged[place] = if damaged[place] == b'A' { b'B' } else { b'A' };
        let damaged = String::from_utf8(damaged).unwrap();
        assert!(
            verify::<EnrollmentClaims>(&damaged, &key).is_err(),
            "character {place}"
        );
    }
}
