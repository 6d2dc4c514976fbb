//! JWTs, of external signers and of the network itself, and key sets.

use crate::driver::{corpus, fuzz, place, text};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use portcullis_pki::external::{ClaimSelector, KeySet, PresentedToken};
use serde_json::json;

/// A signer with the key `k1`: what it publishes, and a token of it.
fn signer() -> (KeySet, String) {
    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
    let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
    let key = json!({"kid": "k1", "kty": "EC", "crv": "P-256", "x": encode(x), "y": encode(y)});
    let keys = KeySet::parse(json!({"keys": [key]}).to_string().as_bytes()).unwrap();
    let header = json!({"alg": "ES256", "kid": "k1", "typ": "JWT"}).to_string();
    let claims = json!({
        "iss": "https://idp.example.test", "aud": ["a", "b"], "sub": "somebody",
        "exp": 4_102_444_800_u64, "iat": 1, "nbf": 1.5, "groups": {"of/it": ["one", "two"]},
    });
    let signed = [header, claims.to_string()]
        .map(|part| encode(part.as_bytes()))
        .join(".");
    let signature = pair.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
    let token = format!("{signed}.{}", encode(signature.as_ref()));
    (keys, token)
}

#[test]
fn fuzzed_tokens_are_refused_unless_signed() {
    let (keys, token) = signer();
    let signed = |token: &str| token.rsplit_once('.').map(|(signed, _)| signed.to_owned());
    let original = signed(&token);
    let selectors = ["sub", "/groups/of~1it", "/aud/0"].map(|it| ClaimSelector::parse(it).unwrap());
    let mut inputs = corpus("tokens");
    inputs.push(token.into_bytes());
    fuzz("tokens", inputs, |input| {
        let text = text(input);
        let presented = match PresentedToken::parse(&text) {
            Ok(presented) => presented,
            Err(error) => return Ok(place(&error)),
        };
        let key_id = presented.key_id().unwrap_or_default();
        let claims = match presented.verify(keys.candidates(key_id)) {
            Ok(claims) => claims,
            Err(error) => return Ok(place(&error)),
        };
        if signed(&text) != original {
            return Err("a token is believed that nobody signed".to_owned());
        }
        let found = selectors.iter().filter(|it| claims.text(it).is_ok());
        Ok(format!("believed, {} claims", found.count()))
    });
}

#[test]
fn fuzzed_key_sets_are_read_or_refused() {
    fuzz("key sets", corpus("keysets"), |input| {
        let keys = match KeySet::parse(input) {
            Ok(keys) => keys,
            Err(error) => return Ok(place(&error)),
        };
        let reasons: String = keys.rejected().iter().map(|key| place(key)).collect();
        Ok(format!("{} keys, {reasons}", keys.len()))
    });
}

#[test]
fn fuzzed_selectors_of_claims_are_read_or_refused() {
    let inputs = ["sub", "/a/b", "/a~1b/~0", "/0/1"].map(|it| it.as_bytes().to_vec());
    fuzz("selectors of claims", inputs.into(), |input| {
        Ok(place(&ClaimSelector::parse(&text(input)).map(|_| ())))
    });
}
