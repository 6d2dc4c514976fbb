//! Keys of external signers.

use std::fmt;

use aws_lc_rs::signature::ParsedPublicKey;

use crate::{
    certificate::Certificate,
    jwt::{self, Algorithm, Header, JwtError},
    key::{PublicKey, PublicKeyKind, UnsupportedKey},
};

/// A public key made ready to verify tokens, with the algorithms that it may be used with.
///
/// Which those are follows from the key: RS256, RS384, RS512, PS256, PS384 and PS512 for RSA, ES256,
/// ES384 and ES512 each for its own curve, `EdDSA` for Ed25519.
pub struct VerificationKey {
    kind: PublicKeyKind,
    ready: Vec<(&'static Algorithm, ParsedPublicKey)>,
}

impl VerificationKey {
    /// Takes the key of a certificate. Whether that is valid at present does not matter.
    ///
    /// # Errors
    ///
    /// [`UnsupportedKey`], also when the key is malformed.
    pub fn from_certificate(certificate: &Certificate) -> Result<Self, UnsupportedKey> {
        Self::from_public_key(&certificate.public_key()?)
    }

    /// Takes a key that was read elsewhere.
    ///
    /// # Errors
    ///
    /// [`UnsupportedKey`] when it is malformed, for example a point that is not on its curve.
    pub fn from_public_key(key: &PublicKey) -> Result<Self, UnsupportedKey> {
        let ready = jwt::fitting(key.kind())
            .map(|algorithm| {
                let parsed = ParsedPublicKey::new(algorithm.verification, key.raw());
                Ok((algorithm, parsed.or(Err(()))?))
            })
            .collect::<Result<_, ()>>();
        Ok(Self {
            kind: key.kind(),
            ready: ready.or(Err(UnsupportedKey {
                algorithm: format!("malformed {}", key.kind()),
            }))?,
        })
    }

    /// The kind of the key.
    pub fn kind(&self) -> PublicKeyKind {
        self.kind
    }

    /// Leaves only one algorithm, by its name; `None` if the key cannot be used with it.
    pub(super) fn restricted_to(mut self, name: &str) -> Option<Self> {
        self.ready.retain(|(algorithm, _)| algorithm.name == name);
        (!self.ready.is_empty()).then_some(self)
    }

    pub(super) fn verify(
        &self,
        header: &Header,
        signed: &[u8],
        signature: &[u8],
    ) -> Result<(), JwtError> {
        let ready = self
            .ready
            .iter()
            .find(|(algorithm, _)| algorithm.name == header.algorithm);
        let (_, key) = ready.ok_or(JwtError::WrongAlgorithm)?;
        key.verify_sig(signed, signature)
            .or(Err(JwtError::BadSignature))
    }
}

impl fmt::Debug for VerificationKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let algorithms = self.ready.iter().map(|(algorithm, _)| algorithm.name);
        write!(formatter, "VerificationKey({}: ", self.kind)?;
        formatter.debug_list().entries(algorithms).finish()?;
        formatter.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{external::jwk, jwt::Compact};
    use serde_json::json;

    /// Examples whose payload is no JSON, so that no token can be read from them.
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
            let key = jwk::read(&jwk).unwrap();
            let compact = Compact::read(token).unwrap();
            let mut signature = compact.signature().unwrap();
            let verify = |signature: &[u8]| key.verify(&compact.header, compact.signed, signature);
            assert_eq!(verify(&signature), Ok(()));
            signature[9] ^= 1;
            assert_eq!(verify(&signature), Err(JwtError::BadSignature));
        }
    }
}
