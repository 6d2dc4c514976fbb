//! What an ID token has to say (OpenID Connect Core section 3.1.3.7).
//!
//! It comes from the token endpoint over TLS, whose server is trusted, so the signature need not be
//! checked (item 6 there); whoever could forge the answer could forge the key set as well.

use super::CLIENT_ID;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::ids::IdentityId;
use serde::Deserialize;
use sha2::{Digest as _, Sha256, Sha384, Sha512};

/// How far the clocks of the provider and of this machine may be apart.
const LEEWAY: SignedDuration = SignedDuration::from_mins(5);

/// An ID token is not one for this login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdTokenError {
    #[error("the ID token is missing")]
    Missing,
    #[error("the ID token is malformed")]
    Malformed,
    #[error("the ID token comes from another issuer")]
    Issuer,
    #[error("the ID token is for another client")]
    Audience,
    #[error("the ID token has expired; is the clock of this machine right?")]
    Expired,
    #[error("the ID token belongs to another login")]
    Nonce,
    #[error("the ID token belongs to another access token")]
    AccessToken,
    #[error("the ID token is about another identity")]
    Subject,
}

/// What the token is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expectation<'e> {
    pub(crate) issuer: &'e str,
    /// Of the login; a refresh has none.
    pub(crate) nonce: Option<&'e str>,
    /// Who was logged in before a refresh.
    pub(crate) subject: Option<&'e IdentityId>,
    pub(crate) access_token: &'e str,
    pub(crate) now: Timestamp,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Audience,
    azp: Option<String>,
    exp: i64,
    nonce: Option<String>,
    at_hash: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

impl Audience {
    /// Whether it is this client and nobody else.
    fn is_own(&self) -> bool {
        match self {
            Self::One(one) => one == CLIENT_ID,
            Self::Several(several) => {
                matches!(several.as_slice(), [one] if one == CLIENT_ID)
            },
        }
    }
}

/// Checks a token, and answers whom it is about.
pub(crate) fn check(token: &str, expected: &Expectation<'_>) -> Result<IdentityId, IdTokenError> {
    let mut parts = token.split('.');
    let (Some(header), Some(claims), Some(_), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(IdTokenError::Malformed);
    };
    let header: Header = decode(header)?;
    let claims: Claims = decode(claims)?;
    if claims.iss != expected.issuer {
        return Err(IdTokenError::Issuer);
    }
    let is_own_party = claims.azp.is_none_or(|party| party == CLIENT_ID);
    if !claims.aud.is_own() || !is_own_party {
        return Err(IdTokenError::Audience);
    }
    let end = Timestamp::from_second(claims.exp).map_err(|_range| IdTokenError::Malformed)?;
    if expected.now.duration_since(end) >= LEEWAY {
        return Err(IdTokenError::Expired);
    }
    if expected.nonce.is_some() && claims.nonce.as_deref() != expected.nonce {
        return Err(IdTokenError::Nonce);
    }
    if let Some(hash) = claims.at_hash
        && half_hash(&header.alg, expected.access_token) != Some(hash)
    {
        return Err(IdTokenError::AccessToken);
    }
    match expected.subject {
        Some(subject) if subject.as_str() != claims.sub => Err(IdTokenError::Subject),
        _ => Ok(IdentityId::from_wire(&claims.sub)),
    }
}

fn decode<T: serde::de::DeserializeOwned>(part: &str) -> Result<T, IdTokenError> {
    let bytes = URL_SAFE_NO_PAD.decode(part);
    let bytes = bytes.map_err(|_base64| IdTokenError::Malformed)?;
    serde_json::from_slice(&bytes).map_err(|_json| IdTokenError::Malformed)
}

/// The left half of the hash that belongs to a signature algorithm (section 3.1.3.6).
fn half_hash(algorithm: &str, text: &str) -> Option<String> {
    let digest = match algorithm.get(2..)? {
        "256" => Sha256::digest(text).to_vec(),
        "384" => Sha384::digest(text).to_vec(),
        "512" => Sha512::digest(text).to_vec(),
        _ => return None,
    };
    Some(URL_SAFE_NO_PAD.encode(digest.get(..digest.len() / 2)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const ISSUER: &str = "https://c.test:1280/oidc";

    fn claims() -> Value {
        json!({
            "iss": ISSUER, "sub": "anna", "aud": ["native"], "azp": "native",
            "exp": 2_000_000_000, "nonce": "n1", "at_hash": half_hash("ES384", "a1"),
        })
    }

    fn token(claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        format!("{}.{}.c2ln", part(&json!({"alg": "ES384"})), part(claims))
    }

    fn expected() -> Expectation<'static> {
        Expectation {
            issuer: ISSUER,
            nonce: Some("n1"),
            subject: None,
            access_token: "a1",
            now: Timestamp::from_second(1_999_999_000).unwrap(),
        }
    }

    #[test]
    fn holder_is_told() {
        let id = check(&token(&claims()), &expected()).unwrap();
        assert_eq!(id.as_str(), "anna");
        let mut one = claims();
        one["aud"] = json!("native");
        assert!(check(&token(&one), &expected()).is_ok());
    }

    #[test]
    fn whatever_is_not_of_this_login_is_refused() {
        for (member, value, error) in [
            ("iss", json!("https://c.test/oidc"), IdTokenError::Issuer),
            ("aud", json!(["openziti"]), IdTokenError::Audience),
            ("aud", json!(["native", "other"]), IdTokenError::Audience),
            ("aud", json!([]), IdTokenError::Audience),
            ("azp", json!("openziti"), IdTokenError::Audience),
            ("exp", json!(1_999_990_000), IdTokenError::Expired),
            ("nonce", json!("n2"), IdTokenError::Nonce),
            ("nonce", Value::Null, IdTokenError::Nonce),
            ("at_hash", json!("AAAA"), IdTokenError::AccessToken),
            ("sub", json!(7), IdTokenError::Malformed),
        ] {
            let mut claims = claims();
            claims[member] = value.clone();
            assert_eq!(
                check(&token(&claims), &expected()),
                Err(error),
                "{member} {value}"
            );
        }
        for malformed in ["", "a.b", "a.b.c", "a.b.c.d"] {
            assert_eq!(check(malformed, &expected()), Err(IdTokenError::Malformed));
        }
    }

    #[test]
    fn refresh_keeps_to_the_holder() {
        let (anna, other) = (IdentityId::from_wire("anna"), IdentityId::from_wire("bob"));
        let mut claims = claims();
        claims["nonce"] = Value::Null;
        let of = |subject| Expectation {
            nonce: None,
            subject: Some(subject),
            ..expected()
        };
        let token = token(&claims);
        assert!(check(&token, &of(&anna)).is_ok());
        assert_eq!(check(&token, &of(&other)), Err(IdTokenError::Subject));
    }
}
