//! Claims of service session tokens, which clients present to routers.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

const AUDIENCE: &str = "openziti";

/// A year; in practice the API session ends earlier.
const LIFETIME: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Claims of a service session token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionClaims {
    /// URL of the controller, `https://<host>:<port>` without a slash at its end.
    pub iss: String,
    /// Id of the service.
    pub sub: String,
    /// Audience.
    pub aud: Vec<String>,
    /// Time of signing, in seconds since 1970.
    pub iat: i64,
    /// Time of expiry, in seconds since 1970.
    pub exp: i64,
    /// Id of the service session.
    pub jti: String,
    /// Id of the API session.
    pub z_asid: String,
    /// Id of the identity.
    pub z_iid: String,
    /// Token type: `s` for service sessions.
    pub z_t: String,
    /// Granted access: `Dial` or `Bind`.
    pub z_st: String,
    /// Whether the API session is a legacy session of the controller rather than one from OIDC.
    pub z_leg: bool,
}

/// The ids in a service session token.
#[derive(Debug, Clone, Copy)]
pub struct SessionTokenGrant<'g> {
    pub session: &'g str,
    pub api_session: &'g str,
    pub identity: &'g str,
    pub service: &'g str,
    /// Granted access: `Dial` or `Bind`.
    pub grant: &'g str,
}

impl SessionClaims {
    /// Claims of a token that is signed at `now`.
    pub fn new(issuer: impl Into<String>, granted: SessionTokenGrant<'_>, now: Timestamp) -> Self {
        let iat = now.as_second();
        Self {
            iss: issuer.into(),
            sub: granted.service.to_owned(),
            aud: vec![AUDIENCE.to_owned()],
            iat,
            exp: iat.saturating_add(LIFETIME.as_secs()),
            jti: granted.session.to_owned(),
            z_asid: granted.api_session.to_owned(),
            z_iid: granted.identity.to_owned(),
            z_t: "s".to_owned(),
            z_st: granted.grant.to_owned(),
            z_leg: true,
        }
    }
}
