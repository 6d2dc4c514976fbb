//! JSON Web Keys of signers (RFC 7517, RFC 7518 section 6, RFC 8037 section 2).

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use serde_json::{Map, Value};

use super::VerificationKey;
use crate::{
    certificate::Certificate,
    key::{PublicKey, PublicKeyKind, UnsupportedKeyError},
};

/// A published key cannot be used to verify tokens.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JwkError {
    /// A member is missing or malformed.
    #[error("the field {member} of the key is missing or malformed")]
    Malformed {
        /// Name of the member.
        member: &'static str,
    },
    #[error("the key is not a JSON object")]
    NotAnObject,
    /// The type is not RSA, EC or OKP; in particular, the key is symmetric.
    #[error("unsupported key type; use RSA, EC or OKP (Ed25519)")]
    UnsupportedType,
    /// The key is for another purpose than verifying signatures.
    #[error("the key is not for verifying signatures (see its use and key_ops)")]
    WrongUse,
    /// The key names an algorithm that is not accepted or does not match it.
    #[error("the key's alg is not supported, or does not match the key")]
    WrongAlgorithm,
    /// The certificate of the key is unreadable, or contains a key of another type.
    #[error("the certificate in x5c is invalid, or its key is not of the type in kty")]
    Certificate,
    /// The certificate contains another key than the other members describe.
    #[error("the key of the certificate in x5c is not the one that crv, x, y, n and e describe")]
    KeyMismatch,
    #[error(transparent)]
    Unsupported(#[from] UnsupportedKeyError),
}

/// Parses one key: that of its certificate, which must match the bare key if both are given (RFC
/// 7517 section 4.7), or the bare key.
pub(super) fn parse(jwk: &Value) -> Result<VerificationKey, JwkError> {
    let jwk = Jwk(jwk.as_object().ok_or(JwkError::NotAnObject)?);
    let key_type = jwk.text("kty")?;
    if key_type.is_some_and(|given| !["RSA", "EC", "OKP"].contains(&given)) {
        return Err(JwkError::UnsupportedType);
    }
    jwk.check_use()?;
    // The certificate itself tells the type of its key, and some providers leave it at that.
    let key = match (jwk.certificate()?, key_type) {
        (Some(certificate), _) => certificate.public_key()?,
        (None, Some(key_type)) => jwk.bare_key(key_type)?,
        (None, None) => return Err(JwkError::Malformed { member: "kty" }),
    };
    if key_type.is_some_and(|given| given != key_type_name(key.kind())) {
        return Err(JwkError::Certificate);
    }
    jwk.check_bare_key(&key)?;
    let key = VerificationKey::from_public_key(&key)?;
    match jwk.text("alg")? {
        None => Ok(key),
        Some(name) => key.restrict_to(name).ok_or(JwkError::WrongAlgorithm),
    }
}

/// The id by which tokens refer to the key.
pub(super) fn key_id(jwk: &Value) -> Option<&str> {
    jwk.get("kid").and_then(Value::as_str)
}

fn key_type_name(kind: PublicKeyKind) -> &'static str {
    match kind {
        PublicKeyKind::Rsa { .. } => "RSA",
        PublicKeyKind::P256 | PublicKeyKind::P384 | PublicKeyKind::P521 => "EC",
        PublicKeyKind::Ed25519 => "OKP",
    }
}

/// The curve name of a key, if it has one (RFC 7518 section 6.2.1.1, RFC 8037 section 2).
fn curve_name(kind: PublicKeyKind) -> Option<&'static str> {
    match kind {
        PublicKeyKind::Rsa { .. } => None,
        PublicKeyKind::P256 => Some("P-256"),
        PublicKeyKind::P384 => Some("P-384"),
        PublicKeyKind::P521 => Some("P-521"),
        PublicKeyKind::Ed25519 => Some("Ed25519"),
    }
}

struct Jwk<'a>(&'a Map<String, Value>);

impl<'a> Jwk<'a> {
    /// A member that is not null; some providers write null for a missing one.
    fn member(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, member: &'static str) -> Result<Option<&'a str>, JwkError> {
        let text = |value: &'a Value| value.as_str().ok_or(JwkError::Malformed { member });
        self.member(member).map(text).transpose()
    }

    fn required(&self, member: &'static str) -> Result<&'a str, JwkError> {
        self.text(member)?.ok_or(JwkError::Malformed { member })
    }

    fn bytes(&self, member: &'static str) -> Result<Vec<u8>, JwkError> {
        let decoded = URL_SAFE_NO_PAD.decode(self.required(member)?);
        decoded.or(Err(JwkError::Malformed { member }))
    }

    fn list(&self, member: &'static str) -> Result<Option<Vec<&'a str>>, JwkError> {
        let Some(value) = self.member(member) else {
            return Ok(None);
        };
        let list = value.as_array().ok_or(JwkError::Malformed { member })?;
        let texts = list.iter().map(Value::as_str).collect::<Option<_>>();
        texts.map(Some).ok_or(JwkError::Malformed { member })
    }

    fn check_use(&self) -> Result<(), JwkError> {
        let purpose = self.text("use")?;
        let operations = self.list("key_ops")?;
        let is_for_others = purpose.is_some_and(|purpose| purpose != "sig")
            || operations.is_some_and(|operations| !operations.contains(&"verify"));
        if is_for_others {
            return Err(JwkError::WrongUse);
        }
        Ok(())
    }

    /// The first certificate of `x5c`, in the padded base64 of RFC 7517 section 4.7.
    fn certificate(&self) -> Result<Option<Certificate>, JwkError> {
        let chain = self.list("x5c")?.unwrap_or_default();
        let read = |text: &&str| {
            let der = STANDARD.decode(text).or(Err(JwkError::Certificate))?;
            Certificate::from_der(der).or(Err(JwkError::Certificate))
        };
        chain.first().map(read).transpose()
    }

    /// Checks the bare key that accompanies a certificate against it. It may be incomplete.
    fn check_bare_key(&self, key: &PublicKey) -> Result<(), JwkError> {
        let key_type = key_type_name(key.kind());
        let curve = self.text("crv")?;
        if curve.is_some() && curve != curve_name(key.kind()) {
            return Err(JwkError::KeyMismatch);
        }
        let whole: &[&str] = match key_type {
            "RSA" => &["n", "e"],
            "EC" => &["crv", "x", "y"],
            _ => &["crv", "x"],
        };
        let is_whole = whole.iter().all(|name| self.member(name).is_some());
        if is_whole && !self.bare_key(key_type)?.has_same_private_key(key) {
            return Err(JwkError::KeyMismatch);
        }
        Ok(())
    }

    fn bare_key(&self, key_type: &str) -> Result<PublicKey, JwkError> {
        let key = match key_type {
            "RSA" => PublicKey::from_rsa_components(&self.bytes("n")?, &self.bytes("e")?),
            "EC" => {
                let curve = self.required("crv")?;
                PublicKey::from_ec_components(curve, &self.bytes("x")?, &self.bytes("y")?)
            },
            _ if self.required("crv")? == "Ed25519" => PublicKey::from_ed25519(&self.bytes("x")?),
            _ => return Err(JwkError::UnsupportedType),
        };
        Ok(key?)
    }
}
