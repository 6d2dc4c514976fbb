//! Claims of enrollment tokens.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};

const ENROLLER: &str = "openziti-enroller";

/// Claims of an enrollment token, a network token or the token of a certificate authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnrollmentClaims {
    /// URL of the controller's client API, whose TLS certificate verifies the token.
    pub iss: String,
    /// Id of the identity, router or authority to enroll; the issuer in a network token.
    pub sub: String,
    /// Audience. An enrollment token has one empty string here.
    #[serde(default, deserialize_with = "one_or_many")]
    pub aud: Vec<String>,
    /// Time of expiry in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exp: Option<i64>,
    /// The one-time secret of the enrollment; a plain id in the other tokens.
    pub jti: String,
    /// Method: `ott`, `ottca`, `updb`, `erott`, `trott`, `network` or `ca`.
    pub em: String,
    /// Addresses of the control channel, for routers; `null` if there are none.
    #[serde(default)]
    pub ctrls: Option<Vec<String>>,
}

impl EnrollmentClaims {
    /// Claims of an enrollment by `method`. `issuer` is `https://<host>:<port>` without a trailing
    /// slash.
    pub fn enrollment(
        issuer: impl Into<String>,
        subject: impl Into<String>,
        method: impl Into<String>,
        token: impl Into<String>,
        expires_at: Timestamp,
        controllers: Vec<String>,
    ) -> Self {
        Self {
            iss: issuer.into(),
            sub: subject.into(),
            aud: vec![String::new()],
            exp: Some(expires_at.as_second()),
            jti: token.into(),
            em: method.into(),
            ctrls: Some(controllers),
        }
    }

    /// Claims of the token for joining without an enrollment. `issuer` has a trailing slash here, and
    /// `id` is a random UUID.
    pub fn network(issuer: &str, id: impl Into<String>) -> Self {
        Self::non_expiring(issuer, issuer, id.into(), "network")
    }

    /// Claims of the token for clients with certificates of a third-party authority. `issuer` has a
    /// trailing slash here.
    pub fn certificate_authority(issuer: &str, ca_id: &str) -> Self {
        Self::non_expiring(issuer, ca_id, ca_id.to_owned(), "ca")
    }

    fn non_expiring(issuer: &str, subject: &str, id: String, method: &str) -> Self {
        Self {
            iss: issuer.to_owned(),
            sub: subject.to_owned(),
            aud: vec![ENROLLER.to_owned()],
            exp: None,
            jti: id,
            em: method.to_owned(),
            ctrls: None,
        }
    }

    /// Whether the token has expired at `now`. Without `exp` it never does.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.exp.is_some_and(|expiry| expiry <= now.as_second())
    }
}

/// Deserializes an audience, which may be a single string (RFC 7519 section 4.1.3).
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Audience {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Audience::deserialize(deserializer)? {
        Audience::One(one) => vec![one],
        Audience::Many(many) => many,
    })
}
