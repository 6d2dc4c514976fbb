//! Tokens that are made to be believed, or to hurt.

use aws_lc_rs::hmac;
use portcullis_pki::external::{ClaimSelector, JwtError, KeySet, PresentedToken};
use proptest::prelude::*;
use serde_json::json;

use super::signer::{ALGORITHMS, Signer, encode, key_set, verify};

const CLAIMS: &str = r#"{"iss":"https://idp.example.test","sub":"a"}"#;

#[test]
fn a_key_is_used_with_its_own_algorithms_only() {
    for signer in ALGORITHMS.map(Signer::new) {
        let keys = signer.key_set();
        for named in ALGORITHMS {
            let token = signer.sign(&json!({"alg": named}).to_string(), CLAIMS);
            let both_rsa = [named, signer.algorithm]
                .iter()
                .all(|name| name.starts_with("RS") || name.starts_with("PS"));
            let expected = match (named == signer.algorithm, both_rsa) {
                (true, _) => Ok(()),
                (false, true) => Err(JwtError::BadSignature),
                (false, false) => Err(JwtError::WrongAlgorithm),
            };
            assert_eq!(
                verify(&token, &keys),
                expected,
                "{named} by {}",
                signer.algorithm
            );
        }
    }
}

#[test]
fn algorithms_that_prove_nothing_are_refused() {
    for signer in ["ES256", "RS256", "EdDSA"].map(Signer::new) {
        let keys = signer.key_set();
        for name in [
            "none", "None", "NONE", "", "HS256", "HS384", "HS512", "es256", "rs256", "RSA1_5",
        ] {
            let header = json!({"alg": name, "kid": "k1"}).to_string();
            let token = signer.sign(&header, CLAIMS);
            assert_eq!(
                verify(&token, &keys),
                Err(JwtError::WrongAlgorithm),
                "{name}"
            );
            let (unsigned, _) = token.rsplit_once('.').unwrap();
            let unsigned = format!("{unsigned}.");
            assert_eq!(
                verify(&unsigned, &keys),
                Err(JwtError::WrongAlgorithm),
                "{name}"
            );
        }
    }
}

#[test]
fn the_public_key_is_no_secret() {
    let signer = Signer::new("RS256");
    let jwk = signer.jwk();
    let message = format!(
        "{}.{}",
        encode(r#"{"alg":"HS256","kid":"k1"}"#),
        encode(CLAIMS)
    );
    for secret in [jwk.to_string(), jwk["n"].as_str().unwrap().to_owned()] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        let tag = hmac::sign(&key, message.as_bytes());
        let token = format!("{message}.{}", encode(tag));
        assert_eq!(
            verify(&token, &signer.key_set()),
            Err(JwtError::WrongAlgorithm)
        );
    }
}

#[test]
fn keys_that_a_token_brings_along_are_not_used() {
    let (trusted, attacker) = (Signer::new("ES256"), Signer::new("ES256"));
    let header = json!({
        "alg": "ES256", "kid": "k1", "jwk": attacker.jwk(), "jku": "https://evil.example.test",
        "x5c": ["AAAA"], "x5u": "https://evil.example.test",
    });
    let token = attacker.sign(&header.to_string(), CLAIMS);
    assert_eq!(
        verify(&token, &trusted.key_set()),
        Err(JwtError::BadSignature)
    );
    assert_eq!(verify(&token, &attacker.key_set()), Ok(()));
}

#[test]
fn a_key_that_names_its_algorithm_is_used_with_no_other() {
    let signer = Signer::new("PS256");
    for (named, expected) in [("PS256", Ok(())), ("RS256", Err(JwtError::WrongAlgorithm))] {
        let mut jwk = signer.jwk();
        jwk["alg"] = named.into();
        let token = signer.token(&json!({"sub": "a"}));
        assert_eq!(verify(&token, &key_set(&[jwk])), expected, "{named}");
    }
}

#[test]
fn malformed_tokens_are_refused_whoever_signed_them() {
    use JwtError::{CriticalExtension, Malformed, TooLarge};
    let signer = Signer::new("ES256");
    let with_header = |header: &str| signer.sign(header, CLAIMS);
    let with_claims = |claims: &str| signer.sign(r#"{"alg":"ES256"}"#, claims);
    let good = with_claims(CLAIMS);
    let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let parts: Vec<&str> = good.split('.').collect();
    let table = [
        (String::new(), Malformed),
        ("..".to_owned(), Malformed),
        (".".repeat(60_000), Malformed),
        (".".repeat(1_000_000), TooLarge),
        (with_header(&"a".repeat(10_000_000)), TooLarge),
        (
            with_header(&format!(r#"{{"alg":"ES256","x":{}}}"#, nested(10_000))),
            Malformed,
        ),
        (
            with_claims(&format!(r#"{{"x":{}}}"#, nested(10_000))),
            Malformed,
        ),
        (with_header("[]"), Malformed),
        (with_header("{}"), Malformed),
        (with_header(r#"{"alg":null}"#), Malformed),
        (with_header(r#"{"alg":["ES256"]}"#), Malformed),
        (with_header(r#"{"alg":"ES256","kid":1}"#), Malformed),
        (with_header(r#"{"alg":"none","alg":"ES256"}"#), Malformed),
        (with_header(r#"{"alg":"ES256","x":1,"x":2}"#), Malformed),
        (with_header(r#"{"alg":"ES256"} {}"#), Malformed),
        (
            with_header(r#"{"alg":"ES256","crit":["b64"],"b64":false}"#),
            CriticalExtension,
        ),
        (
            with_header(r#"{"alg":"ES256","crit":[]}"#),
            CriticalExtension,
        ),
        (with_claims(r#"{"sub":"a","sub":"b"}"#), Malformed),
        (with_claims(r#"{"sub":"a","\u0073ub":"b"}"#), Malformed),
        (with_claims(r#"{"a":{"b":1,"b":2}}"#), Malformed),
        (with_claims("[]"), Malformed),
        (with_claims("text"), Malformed),
        (with_claims(""), Malformed),
        (format!("{good}="), Malformed),
        (format!("{good}=="), Malformed),
        (format!("{good}\n"), Malformed),
        (format!(" {good}"), Malformed),
        (format!("{good}."), Malformed),
        (format!("{good}.e30"), Malformed),
        (
            format!("{}=.{}.{}", parts[0], parts[1], parts[2]),
            Malformed,
        ),
        (
            format!("{}.{}\r\n.{}", parts[0], parts[1], parts[2]),
            Malformed,
        ),
        (format!("{}.{}", parts[0], parts[1]), Malformed),
        (
            format!("{}.{}.{}+/", parts[0], parts[1], parts[2]),
            Malformed,
        ),
    ];
    let keys = signer.key_set();
    assert_eq!(verify(&good, &keys), Ok(()));
    for (token, expected) in table {
        let start: String = token.chars().take(80).collect();
        assert_eq!(verify(&token, &keys), Err(expected), "{start}");
    }
}

#[test]
fn a_flipped_bit_never_verifies() {
    for signer in ["ES256", "RS256", "EdDSA"].map(Signer::new) {
        let keys = signer.key_set();
        let token = signer.token(&json!({"iss": "i", "sub": "a"}));
        assert_eq!(verify(&token, &keys), Ok(()));
        for place in 0..token.len() {
            for bit in 0..7 {
                let mut damaged = token.clone().into_bytes();
                damaged[place] ^= 1 << bit;
                let damaged = String::from_utf8(damaged).unwrap();
                assert!(
                    verify(&damaged, &keys).is_err(),
                    "bit {bit} of character {place}"
                );
            }
        }
    }
}

#[test]
fn nothing_shows_the_token() {
    let signer = Signer::new("ES256");
    let token = signer.token(&json!({"sub": "somebody"}));
    let shown = format!("{:?}", PresentedToken::parse(&token).unwrap());
    let (_, signature) = token.rsplit_once('.').unwrap();
    assert!(
        !shown.contains(signature) && !shown.contains("somebody"),
        "{shown}"
    );
}

proptest! {
    #[test]
    fn no_text_makes_reading_panic(text in any::<String>(), bytes in any::<Vec<u8>>()) {
        let _ = PresentedToken::parse(&text);
        let _ = ClaimSelector::parse(&text);
        let _ = KeySet::parse(text.as_bytes());
        let _ = KeySet::parse(&bytes);
    }

    #[test]
    fn no_part_makes_reading_panic(
        header in "\\{(\"(alg|kid|crit)\":(\"ES256\"|1|null),?){0,3}\\}",
        claims in "\\{(\"(iss|aud|exp|nbf)\":(\"a\"|-?[0-9]{1,25}(\\.[0-9]+)?|1e3[0-9]{2}|\\[\"a\"\\]),?){0,3}\\}",
        signature in any::<Vec<u8>>(),
    ) {
        let token = format!("{}.{}.{}", encode(header), encode(claims), encode(signature));
        if let Ok(token) = PresentedToken::parse(&token) {
            prop_assert_eq!(token.verify([]).err(), Some(JwtError::UnknownKey));
        }
    }

    #[test]
    fn no_member_of_a_key_makes_reading_panic(
        key_type in "RSA|EC|OKP|oct",
        curve in "P-256|P-384|P-521|Ed25519|X25519",
        numbers in any::<[Vec<u8>; 4]>(),
    ) {
        let [n, e, x, y] = numbers.map(encode);
        let jwk = json!({"kty": key_type, "kid": "k1", "crv": curve, "n": n, "e": e, "x": x, "y": y});
        let keys = key_set(&[jwk]);
        prop_assert_eq!(keys.len() + keys.rejected().len(), 1);
    }
}
