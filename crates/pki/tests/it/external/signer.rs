//! A signer with a key of any accepted kind.

use aws_lc_rs::{
    rand::SystemRandom,
    rsa::KeySize,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING,
        ECDSA_P521_SHA512_FIXED_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair,
        KeyPair as _, RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA256,
        RSA_PSS_SHA384, RSA_PSS_SHA512, RsaEncoding, RsaKeyPair,
    },
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use der::{Decode as _, asn1::UintRef};
use portcullis_pki::external::{JwtError, KeySet, PresentedToken};
use serde_json::{Value, json};

pub(crate) const ALGORITHMS: [&str; 10] = [
    "ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "EdDSA",
];

enum Pair {
    Ecdsa(&'static str, Box<EcdsaKeyPair>),
    Rsa(&'static dyn RsaEncoding, Box<RsaKeyPair>),
    Ed25519(Ed25519KeyPair),
}

pub(crate) struct Signer {
    pub(crate) algorithm: &'static str,
    pair: Pair,
}

impl Signer {
    pub(crate) fn new(algorithm: &'static str) -> Self {
        let ecdsa = |curve, algorithm: &'static EcdsaSigningAlgorithm| {
            Pair::Ecdsa(curve, Box::new(EcdsaKeyPair::generate(algorithm).unwrap()))
        };
        let rsa = |encoding| {
            let pair = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
            Pair::Rsa(encoding, Box::new(pair))
        };
        let pair = match algorithm {
            "ES256" => ecdsa("P-256", &ECDSA_P256_SHA256_FIXED_SIGNING),
            "ES384" => ecdsa("P-384", &ECDSA_P384_SHA384_FIXED_SIGNING),
            "ES512" => ecdsa("P-521", &ECDSA_P521_SHA512_FIXED_SIGNING),
            "RS256" => rsa(&RSA_PKCS1_SHA256),
            "RS384" => rsa(&RSA_PKCS1_SHA384),
            "RS512" => rsa(&RSA_PKCS1_SHA512),
            "PS256" => rsa(&RSA_PSS_SHA256),
            "PS384" => rsa(&RSA_PSS_SHA384),
            "PS512" => rsa(&RSA_PSS_SHA512),
            _ => Pair::Ed25519(Ed25519KeyPair::generate().unwrap()),
        };
        Self { algorithm, pair }
    }

    /// The public key as signers publish it, named `k1`.
    pub(crate) fn jwk(&self) -> Value {
        match &self.pair {
            Pair::Ecdsa(curve, pair) => {
                let point = &pair.public_key().as_ref()[1..];
                let (x, y) = point.split_at(point.len() / 2);
                json!({"kid": "k1", "kty": "EC", "crv": curve, "x": encode(x), "y": encode(y)})
            },
            Pair::Rsa(_, pair) => {
                let parts: Vec<UintRef<'_>> = Vec::from_der(pair.public_key().as_ref()).unwrap();
                let [n, e] = [parts[0], parts[1]].map(|part| encode(part.as_bytes()));
                json!({"kid": "k1", "kty": "RSA", "n": n, "e": e})
            },
            Pair::Ed25519(pair) => {
                let x = encode(pair.public_key().as_ref());
                json!({"kid": "k1", "kty": "OKP", "crv": "Ed25519", "x": x})
            },
        }
    }

    pub(crate) fn key_set(&self) -> KeySet {
        key_set(&[self.jwk()])
    }

    /// A token of the two texts, whatever they say.
    pub(crate) fn sign(&self, header: &str, claims: &str) -> String {
        let signed = format!("{}.{}", encode(header), encode(claims));
        let signature = self.sign_bytes(signed.as_bytes());
        format!("{signed}.{}", encode(signature))
    }

    /// A token of the signer's own algorithm, with key id `k1`.
    pub(crate) fn token(&self, claims: &Value) -> String {
        let header = json!({"alg": self.algorithm, "kid": "k1"});
        self.sign(&header.to_string(), &claims.to_string())
    }

    fn sign_bytes(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.pair {
            Pair::Ecdsa(_, pair) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
            Pair::Ed25519(pair) => pair.sign(message).as_ref().to_vec(),
            Pair::Rsa(encoding, pair) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(*encoding, &random, message, &mut signature)
                    .unwrap();
                signature
            },
        }
    }
}

pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(crate) fn key_set(keys: &[Value]) -> KeySet {
    KeySet::parse(json!({ "keys": keys }).to_string().as_bytes()).unwrap()
}

/// Verifies a token with the keys that it names.
pub(crate) fn verify(token: &str, keys: &KeySet) -> Result<(), JwtError> {
    let token = PresentedToken::parse(token)?;
    let key_id = token.key_id().unwrap_or("k1").to_owned();
    token.verify(keys.candidates(&key_id)).map(|_| ())
}
