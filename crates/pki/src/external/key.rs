//! Keys of external signers.

use std::fmt;

use aws_lc_rs::signature::ParsedPublicKey;

use crate::{
    certificate::Certificate,
    jwt::{self, Algorithm, Header, JwtError},
    key::{PublicKey, PublicKeyKind, UnsupportedKeyError},
};

/// A public key prepared for verifying tokens, with the algorithms that it may be used with.
///
/// The key determines the algorithms: RS256, RS384, RS512, PS256, PS384 and PS512 for RSA, ES256,
/// ES384 and ES512 each for its own curve, `EdDSA` for Ed25519.
pub struct VerificationKey {
    kind: PublicKeyKind,
    algorithms: Vec<(&'static Algorithm, ParsedPublicKey)>,
}

impl VerificationKey {
    /// Prepares the key of a certificate, whose validity period does not matter.
    ///
    /// # Errors
    ///
    /// [`UnsupportedKeyError`], also if the key is malformed.
    pub fn from_certificate(certificate: &Certificate) -> Result<Self, UnsupportedKeyError> {
        Self::from_public_key(&certificate.public_key()?)
    }

    /// Prepares a public key.
    ///
    /// # Errors
    ///
    /// [`UnsupportedKeyError`] if it is malformed, for example a point that is not on its curve.
    pub fn from_public_key(key: &PublicKey) -> Result<Self, UnsupportedKeyError> {
        let ready = jwt::algorithms_for(key.kind())
            .map(|algorithm| {
                let parsed = ParsedPublicKey::new(algorithm.verification, key.raw());
                Ok((algorithm, parsed.or(Err(()))?))
            })
            .collect::<Result<_, ()>>();
        Ok(Self {
            kind: key.kind(),
            algorithms: ready.or(Err(UnsupportedKeyError {
                algorithm: format!("malformed {}", key.kind()),
            }))?,
        })
    }

    pub fn kind(&self) -> PublicKeyKind {
        self.kind
    }

    /// Restricts the key to one algorithm by its name; `None` if the key does not support it.
    pub(super) fn restrict_to(mut self, name: &str) -> Option<Self> {
        self.algorithms
            .retain(|(algorithm, _)| algorithm.name == name);
        (!self.algorithms.is_empty()).then_some(self)
    }

    pub(super) fn verify(
        &self,
        header: &Header,
        signed: &[u8],
        signature: &[u8],
    ) -> Result<(), JwtError> {
        let ready = self
            .algorithms
            .iter()
            .find(|(algorithm, _)| algorithm.name == header.algorithm);
        let (_, key) = ready.ok_or(JwtError::WrongAlgorithm)?;
        key.verify_sig(signed, signature)
            .or(Err(JwtError::BadSignature))
    }
}

impl fmt::Debug for VerificationKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let algorithms = self.algorithms.iter().map(|(algorithm, _)| algorithm.name);
        write!(formatter, "VerificationKey({}: ", self.kind)?;
        formatter.debug_list().entries(algorithms).finish()?;
        formatter.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{external::jwk, jwt::CompactToken};
    use serde_json::json;

    /// Examples whose payload is not JSON, so that they do not parse as tokens.
    #[test]
    fn published_signatures_over_other_payloads_verify() {
        // RFC 7515 appendix A.4.
        let p521 = json!({
            "kty": "EC", "crv": "P-521",
            "x": concat!(
                "AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_",
                "NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk"
            ),
            "y": concat!(
                "ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDl",
                "y79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2"
            ),
        });
        let es512 = concat!(
            "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.",
            "AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZq",
            "wqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8Kp",
            "EHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn"
        );
        // RFC 8037 appendix A.
        let ed25519 = json!({
            "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        });
        let eddsa = concat!(
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.",
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5B",
            "hVsPt9g7sVvpAr_MuM0KAg"
        );
        for (jwk, token) in [(p521, es512), (ed25519, eddsa)] {
            let key = jwk::parse(&jwk).unwrap();
            let compact = CompactToken::parse(token).unwrap();
            let mut signature = compact.signature().unwrap();
            let verify = |signature: &[u8]| key.verify(&compact.header, compact.signed, signature);
            assert_eq!(verify(&signature), Ok(()));
            signature[9] ^= 1;
            assert_eq!(verify(&signature), Err(JwtError::BadSignature));
        }
    }
}
