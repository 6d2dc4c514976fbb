//! Keys of signers, from certificates and as they are published.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use portcullis_pki::{
    Certificate, JwtSigner, KeyType, PublicKeyKind, SigningKey,
    external::{JwkError, JwtError, KeySet, KeySetError, PresentedToken, VerificationKey},
};
use serde_json::{Value, json};

use super::signer::{ALGORITHMS, Signer, encode, key_set, verify};
use crate::support::{Seeded, domain, named, now};

/// A self-signed certificate of a signer and its tokens.
fn certified(seed: u64) -> (Certificate, JwtSigner) {
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let pem = key.to_pkcs8_pem().unwrap();
    let entropy = Seeded::new(seed);
    let root =
        portcullis_pki::Authority::create_root(key, &named("idp"), &domain(), now(), &entropy);
    let certificate = root.unwrap().certificate().clone();
    let key = Arc::new(SigningKey::from_pem(&pem).unwrap());
    let signer = JwtSigner::new(key, &certificate).unwrap();
    (certificate, signer)
}

fn refusal(jwk: Value) -> JwkError {
    let keys = key_set(&[jwk]);
    assert!(keys.is_empty());
    keys.rejected()[0].reason.clone()
}

#[test]
fn tokens_verify_with_the_certificate_of_the_signer() {
    let (certificate, signer) = certified(100);
    let token = signer.sign(&json!({"sub": "a"})).unwrap();
    let token = PresentedToken::parse(&token).unwrap();
    assert_eq!(
        token.key_id(),
        Some(certificate.fingerprint().to_string().as_str())
    );
    let key = VerificationKey::from_certificate(&certificate).unwrap();
    assert_eq!(key.kind(), PublicKeyKind::P256);
    assert!(token.verify([&key]).is_ok());
    let (other, _) = certified(101);
    let other = VerificationKey::from_certificate(&other).unwrap();
    assert_eq!(token.verify([&other]).err(), Some(JwtError::BadSignature));
    assert!(token.verify([&other, &key]).is_ok(), "any of several");
}

#[test]
fn the_first_certificate_of_a_key_counts() {
    let (certificate, signer) = certified(102);
    let x5c = |certificate: &Certificate| STANDARD.encode(certificate.as_der());
    let bare = Signer::new("ES256");
    let mut jwk = bare.jwk();
    let own = bare.token(&json!({"sub": "a"}));
    let first = json!({"kty": "EC", "kid": "k1", "x5c": [x5c(&certificate), "not looked at"]});
    let keys = key_set(&[first]);
    let token = signer.sign(&json!({"sub": "a"})).unwrap();
    let token = PresentedToken::parse(&token).unwrap();
    assert!(token.verify(keys.candidates("k1")).is_ok());
    assert_eq!(verify(&own, &keys), Err(JwtError::BadSignature));

    let only = json!({"kty": "EC", "kid": "k1", "x5c": [x5c(&certificate)]});
    assert_eq!(key_set(&[only]).len(), 1);
    for (x5c, expected) in [
        (json!(["AAAA"]), JwkError::Certificate),
        (json!(["*"]), JwkError::Certificate),
        (json!("AAAA"), JwkError::Malformed { member: "x5c" }),
    ] {
        jwk["x5c"] = x5c;
        assert_eq!(refusal(jwk.clone()), expected);
    }
    for absent in [json!([]), json!(null)] {
        jwk["x5c"] = absent;
        assert_eq!(verify(&own, &key_set(&[jwk.clone()])), Ok(()));
    }
    let mixed = json!({"kty": "RSA", "kid": "k1", "x5c": [x5c(&certificate)]});
    assert_eq!(refusal(mixed), JwkError::Certificate);
}

/// RFC 7517 section 4.7: the certificate is for the very key that the other members describe.
#[test]
fn what_is_said_beside_a_certificate_is_true() {
    let (certificate, _) = certified(105);
    let x5c = json!([STANDARD.encode(certificate.as_der())]);
    let point = certificate.public_key().unwrap();
    let point = &point.as_der()[point.as_der().len() - 64..];
    let [x, y] = [&point[..32], &point[32..]].map(|half| json!(encode(half)));
    let good = json!({"kty": "EC", "kid": "k1", "x5c": x5c, "crv": "P-256", "x": x, "y": y});
    assert_eq!(key_set(std::slice::from_ref(&good)).len(), 1);
    for part in ["crv", "x", "y"] {
        let mut partial = good.clone();
        partial[part] = Value::Null;
        assert_eq!(key_set(&[partial]).len(), 1, "{part}");
    }
    for curve in ["P-384", "Ed25519", "p-256", ""] {
        let wrong = json!({"kty": "EC", "kid": "k1", "x5c": x5c, "crv": curve});
        assert_eq!(refusal(wrong), JwkError::KeyMismatch, "{curve}");
    }
    let mut other = Signer::new("ES256").jwk();
    other["x5c"] = x5c;
    assert_eq!(refusal(other), JwkError::KeyMismatch);
}

#[test]
fn type_of_a_key_is_taken_from_its_certificate() {
    let (certificate, signer) = certified(103);
    let x5c = json!([STANDARD.encode(certificate.as_der())]);
    let token = signer.sign(&json!({"sub": "a"})).unwrap();
    let token = PresentedToken::parse(&token).unwrap();
    for untyped in [
        json!({"kid": "k1", "x5c": x5c}),
        json!({"kid": "k1", "kty": null, "x5c": x5c, "use": "sig"}),
    ] {
        let keys = key_set(&[untyped]);
        assert!(token.verify(keys.candidates("k1")).is_ok());
    }
    for (member, value, expected) in [
        ("kty", json!("RSA"), JwkError::Certificate),
        ("kty", json!("oct"), JwkError::UnsupportedType),
        ("use", json!("enc"), JwkError::WrongUse),
        ("alg", json!("RS256"), JwkError::WrongAlgorithm),
        ("x5c", json!([]), JwkError::Malformed { member: "kty" }),
    ] {
        let mut jwk = json!({"kid": "k1", "x5c": x5c});
        jwk[member] = value;
        assert_eq!(refusal(jwk.clone()), expected, "{jwk}");
    }
}

#[test]
fn keys_for_other_purposes_are_left_out() {
    let signer = Signer::new("RS256");
    for (member, value, expected) in [
        ("use", json!("sig"), None),
        ("use", json!(null), None),
        ("use", json!("enc"), Some(JwkError::WrongUse)),
        ("use", json!(""), Some(JwkError::WrongUse)),
        ("use", json!(1), Some(JwkError::Malformed { member: "use" })),
        ("key_ops", json!(["verify"]), None),
        ("key_ops", json!(["sign", "verify"]), None),
        ("key_ops", json!(["encrypt"]), Some(JwkError::WrongUse)),
        ("key_ops", json!([]), Some(JwkError::WrongUse)),
        (
            "key_ops",
            json!("verify"),
            Some(JwkError::Malformed { member: "key_ops" }),
        ),
        ("alg", json!("RS512"), None),
        ("alg", json!("RSA-OAEP"), Some(JwkError::WrongAlgorithm)),
        ("alg", json!("ES256"), Some(JwkError::WrongAlgorithm)),
        ("alg", json!("HS256"), Some(JwkError::WrongAlgorithm)),
        ("alg", json!("none"), Some(JwkError::WrongAlgorithm)),
        ("kty", json!("oct"), Some(JwkError::UnsupportedType)),
        ("kty", json!("AKP"), Some(JwkError::UnsupportedType)),
        (
            "kty",
            json!(null),
            Some(JwkError::Malformed { member: "kty" }),
        ),
        (
            "kid",
            json!(null),
            Some(JwkError::Malformed { member: "kid" }),
        ),
    ] {
        let mut jwk = signer.jwk();
        jwk[member] = value.clone();
        let keys = key_set(&[jwk]);
        let reason = keys
            .rejected()
            .first()
            .map(|refused| refused.reason.clone());
        assert_eq!(reason, expected, "{member} {value}");
    }
}

#[test]
fn broken_keys_are_left_out_and_do_not_harm_others() {
    let good = Signer::new("ES256");
    let short = Signer::new("ES512").jwk();
    let zeros = encode([0; 32]);
    let broken = [
        json!("no object"),
        json!({"kty": "EC", "kid": "k1", "crv": "P-256", "x": zeros, "y": zeros}),
        json!({"kty": "EC", "kid": "k1", "crv": "P-256", "x": short["x"], "y": short["y"]}),
        json!({"kty": "EC", "kid": "k1", "crv": "secp256k1", "x": zeros, "y": zeros}),
        json!({"kty": "EC", "kid": "k1", "crv": "P-256", "x": zeros}),
        json!({"kty": "EC", "kid": "k1", "crv": "P-256", "x": format!("{zeros}="), "y": zeros}),
        json!({"kty": "OKP", "kid": "k1", "crv": "X25519", "x": zeros}),
        json!({"kty": "OKP", "kid": "k1", "crv": "Ed25519", "x": encode([1; 31])}),
        json!({"kty": "RSA", "kid": "k1", "n": encode([0xff; 128]), "e": "AQAB"}),
        json!({"kty": "RSA", "kid": "k1", "n": encode([0xff; 2048]), "e": "AQAB"}),
        json!({"kty": "RSA", "kid": "k1", "n": encode([0xff; 256]), "e": "AA"}),
        json!({"kty": "RSA", "kid": "k1", "n": encode([0xff; 256]), "e": "Ag"}),
        json!({"kty": "RSA", "kid": "k1", "n": "", "e": "AQAB"}),
        json!({"kty": "oct", "kid": "k1", "k": zeros}),
    ];
    for jwk in &broken {
        let keys = key_set(&[jwk.clone(), good.jwk(), jwk.clone()]);
        assert_eq!((keys.len(), keys.rejected().len()), (1, 2), "{jwk}");
        assert_eq!(verify(&good.token(&json!({"sub": "a"})), &keys), Ok(()));
    }
    let weak = refusal(broken[8].clone());
    assert_eq!(
        weak.to_string(),
        "unsupported public key (RSA 1024); use ECDSA P-256, P-384 or P-521, Ed25519, or RSA of 2048 to 8192 bits"
    );
}

#[test]
fn all_keys_of_one_name_are_tried() {
    let signers = ["ES256", "ES256", "RS256", "EdDSA"].map(Signer::new);
    let keys = key_set(&signers.each_ref().map(Signer::jwk));
    assert_eq!(keys.candidates("k1").count(), 4);
    assert_eq!(keys.candidates("K1").count(), 0);
    for signer in &signers {
        assert_eq!(verify(&signer.token(&json!({"sub": "a"})), &keys), Ok(()));
    }
    let stranger = Signer::new("ES256").token(&json!({"sub": "a"}));
    assert!(verify(&stranger, &keys).is_err());
}

#[test]
fn sets_are_bounded_and_have_to_be_sets() {
    let jwk = Signer::new("EdDSA").jwk();
    assert_eq!(key_set(&vec![jwk.clone(); 128]).len(), 128);
    let parse = |text: &str| KeySet::parse(text.as_bytes()).map(|keys| keys.len());
    let many = json!({"keys": vec![jwk; 129]}).to_string();
    assert_eq!(parse(&many), Err(KeySetError::TooManyKeys));
    assert_eq!(
        parse(&" ".repeat(1024 * 1024 + 1)),
        Err(KeySetError::TooLarge)
    );
    let deep = format!(r#"{{"keys":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    for text in [
        "",
        "[]",
        "{}",
        "<html>",
        r#"{"keys":{}}"#,
        r#"{"keys":[],"keys":[]}"#,
        &deep,
    ] {
        assert_eq!(parse(text), Err(KeySetError::Malformed));
    }
    assert_eq!(parse(r#"{"keys":[],"more":1}"#), Ok(0));
}

#[test]
fn a_key_shows_what_it_may_be_used_with() {
    let names: Vec<String> = ALGORITHMS
        .map(|name| {
            format!(
                "{:?}",
                Signer::new(name).key_set().candidates("k1").next().unwrap()
            )
        })
        .to_vec();
    assert_eq!(names[0], r#"VerificationKey(ECDSA P-256: ["ES256"])"#);
    assert!(names[3].ends_with(r#"["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"])"#));
    assert_eq!(names[9], r#"VerificationKey(Ed25519: ["EdDSA"])"#);
}
