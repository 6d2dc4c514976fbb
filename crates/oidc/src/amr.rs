//! Authentication methods in tokens (claim `amr`, RFC 8176).

use crate::method::LoginMethod;
use portcullis_domain::ids::SignerId;
use serde::{Deserialize, Serialize};

const TOTP: &str = "totp";
const SIGNER_PREFIX: &str = "ejs:";

/// A factor that was proved, as tokens name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Amr {
    /// The first factor.
    Method(LoginMethod),
    Totp,
    /// A token of this external signer.
    ExternalSigner(SignerId),
}

/// A token names a factor that no token of this controller names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown authentication method")]
pub struct AmrError;

impl From<Amr> for String {
    fn from(amr: Amr) -> Self {
        match amr {
            Amr::Method(method) => method.name().to_owned(),
            Amr::Totp => TOTP.to_owned(),
            Amr::ExternalSigner(signer) => format!("{SIGNER_PREFIX}{signer}"),
        }
    }
}

impl TryFrom<String> for Amr {
    type Error = AmrError;

    fn try_from(text: String) -> Result<Self, AmrError> {
        if text == TOTP {
            return Ok(Self::Totp);
        }
        if let Some(signer) = text.strip_prefix(SIGNER_PREFIX) {
            return Ok(Self::ExternalSigner(SignerId::from_wire(signer)));
        }
        LoginMethod::from_name(&text)
            .map(Self::Method)
            .ok_or(AmrError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for (amr, name) in [
            (Amr::Method(LoginMethod::Password), "\"password\""),
            (Amr::Method(LoginMethod::Certificate), "\"cert\""),
            (Amr::Method(LoginMethod::ExternalJwt), "\"ext-jwt\""),
            (Amr::Totp, "\"totp\""),
            (Amr::ExternalSigner(SignerId::from_wire("s1")), "\"ejs:s1\""),
        ] {
            assert_eq!(serde_json::to_string(&amr).unwrap(), name);
            assert_eq!(serde_json::from_str::<Amr>(name).unwrap(), amr);
        }
        assert!(serde_json::from_str::<Amr>("\"pwd\"").is_err());
    }
}
