//! The published key set (RFC 7517).

use crate::algorithm::SigningAlgorithm;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Serialize;

/// The keys that verify tokens of the controller.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct JwkSet {
    pub keys: Vec<Jwk>,
}

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Jwk {
    #[serde(rename = "use")]
    purpose: &'static str,
    /// Lower-case hex SHA-1 of the certificate, as in the header of tokens.
    kid: String,
    alg: SigningAlgorithm,
    #[serde(flatten)]
    parameters: Parameters,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kty")]
enum Parameters {
    #[serde(rename = "RSA")]
    Rsa { n: String, e: String },
    #[serde(rename = "EC")]
    Ec {
        crv: &'static str,
        x: String,
        y: String,
    },
}

/// A curve of keys that sign tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    P256,
    P384,
    P521,
}

impl Curve {
    const fn name(self) -> &'static str {
        match self {
            Self::P256 => "P-256",
            Self::P384 => "P-384",
            Self::P521 => "P-521",
        }
    }

    const fn algorithm(self) -> SigningAlgorithm {
        match self {
            Self::P256 => SigningAlgorithm::Es256,
            Self::P384 => SigningAlgorithm::Es384,
            Self::P521 => SigningAlgorithm::Es512,
        }
    }

    /// Length of a coordinate.
    const fn bytes(self) -> usize {
        match self {
            Self::P256 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }
}

impl Jwk {
    /// An RSA key of modulus and exponent, big-endian.
    pub fn rsa(kid: impl Into<String>, modulus: &[u8], exponent: &[u8]) -> Self {
        let parameters = Parameters::Rsa {
            n: URL_SAFE_NO_PAD.encode(without_zeros(modulus)),
            e: URL_SAFE_NO_PAD.encode(without_zeros(exponent)),
        };
        Self::new(kid.into(), SigningAlgorithm::Rs256, parameters)
    }

    /// An elliptic-curve key of both coordinates, big-endian.
    pub fn ec(kid: impl Into<String>, curve: Curve, x: &[u8], y: &[u8]) -> Self {
        let parameters = Parameters::Ec {
            crv: curve.name(),
            x: coordinate(curve, x),
            y: coordinate(curve, y),
        };
        Self::new(kid.into(), curve.algorithm(), parameters)
    }

    fn new(kid: String, alg: SigningAlgorithm, parameters: Parameters) -> Self {
        Self {
            purpose: "sig",
            kid,
            alg,
            parameters,
        }
    }

    pub fn kid(&self) -> &str {
        &self.kid
    }

    pub fn algorithm(&self) -> SigningAlgorithm {
        self.alg
    }
}

/// Encodes a coordinate in the full length of its curve (RFC 7518 section 6.2.1.2).
fn coordinate(curve: Curve, value: &[u8]) -> String {
    let value = without_zeros(value);
    let mut padded = vec![0; curve.bytes().saturating_sub(value.len())];
    padded.extend_from_slice(value);
    URL_SAFE_NO_PAD.encode(padded)
}

/// RFC 7518 section 2 wants numbers in as few bytes as possible; ASN.1 puts a zero before some.
fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number.get(zeros..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_have_the_members_of_their_type() {
        let set = JwkSet {
            keys: vec![
                Jwk::rsa("k1", &[0, 0xa5, 1], &[1, 0, 1]),
                Jwk::ec("k2", Curve::P256, &[0, 1], &[2; 32]),
            ],
        };
        let x = format!("{}E", "A".repeat(42));
        assert_eq!(
            serde_json::to_value(&set).unwrap(),
            json!({"keys": [
                {"use": "sig", "kid": "k1", "alg": "RS256", "kty": "RSA", "n": "pQE", "e": "AQAB"},
                {"use": "sig", "kid": "k2", "alg": "ES256", "kty": "EC", "crv": "P-256",
                 "x": x, "y": URL_SAFE_NO_PAD.encode([2; 32])},
            ]})
        );
        assert_eq!(set.keys[1].kid(), "k2");
    }

    #[test]
    fn coordinates_have_the_length_of_their_curve() {
        for (curve, length, algorithm) in [
            (Curve::P256, 43, SigningAlgorithm::Es256),
            (Curve::P384, 64, SigningAlgorithm::Es384),
            (Curve::P521, 88, SigningAlgorithm::Es512),
        ] {
            let key = Jwk::ec("k", curve, &[1], &[0; 67]);
            assert_eq!(key.algorithm(), algorithm);
            let json = serde_json::to_value(&key).unwrap();
            for coordinate in ["x", "y"] {
                assert_eq!(json[coordinate].as_str().unwrap().len(), length);
            }
        }
    }
}
