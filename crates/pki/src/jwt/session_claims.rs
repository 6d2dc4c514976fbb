//! Claims of the tokens by which clients show routers what they were granted.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

const AUDIENCE: &str = "openziti";

/// A year; in truth the API session bounds it.
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
    /// When the token was signed, in seconds since 1970.
    pub iat: i64,
    /// When it ends at the latest, in seconds since 1970.
    pub exp: i64,
    /// Id of the service session.
    pub jti: String,
    /// Id of the API session.
    pub z_asid: String,
    /// Id of the identity.
    pub z_iid: String,
    /// What kind of token this is: `s`, a service session's.
    pub z_t: String,
    /// What was granted: `Dial` or `Bind`.
    pub z_st: String,
    /// Whether the API session is one of the controller's own, not one made over OIDC.
    pub z_leg: bool,
}

/// What a service session token tells, by id.
#[derive(Debug, Clone, Copy)]
pub struct Granted<'g> {
    /// The service session.
    pub session: &'g str,
    /// Its API session.
    pub api_session: &'g str,
    /// The identity of that.
    pub identity: &'g str,
    /// The service.
    pub service: &'g str,
    /// What was granted: `Dial` or `Bind`.
    pub grant: &'g str,
}

impl SessionClaims {
    /// Claims of a token that is signed `now`.
    pub fn new(issuer: impl Into<String>, granted: Granted<'_>, now: Timestamp) -> Self {
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
