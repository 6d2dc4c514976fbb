//! Claims of tokens that routers judge.

use super::kind::Kind;
use super::terms::TokenId;
use crate::client::Client;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::ids::{ApiSessionId, IdentityId, ServiceId, SessionId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::session::Session;
use serde::{Deserialize, Serialize};

const AUDIENCE: &str = "openziti";

/// Claims of the token of a service session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceSessionClaims {
    /// URL of the controller, `https://<host>:<port>`.
    pub iss: String,
    /// The service.
    pub sub: ServiceId,
    pub aud: [String; 1],
    pub iat: i64,
    pub exp: i64,
    /// The service session.
    pub jti: SessionId,
    /// The API session.
    pub z_asid: ApiSessionId,
    /// The identity.
    pub z_iid: IdentityId,
    pub z_t: Kind<'s'>,
    /// `Dial` or `Bind`.
    pub z_st: ServiceGrant,
    /// Whether the API session is a legacy one.
    pub z_leg: bool,
}

impl ServiceSessionClaims {
    /// How long such a token is good: a year. In practice the API session ends earlier.
    pub const LIFETIME: SignedDuration = SignedDuration::from_hours(365 * 24);

    /// Claims of a token for a service session; `controller` is the URL of the controller, `is_legacy` tells
    /// whether the API session is not one of OIDC.
    pub fn issue(controller: &str, session: &Session, is_legacy: bool, now: Timestamp) -> Self {
        let iat = now.as_second();
        Self {
            iss: controller.to_owned(),
            sub: session.service.clone(),
            aud: [AUDIENCE.to_owned()],
            iat,
            exp: iat.saturating_add(Self::LIFETIME.as_secs()),
            jti: session.id.clone(),
            z_asid: session.api_session.clone(),
            z_iid: session.identity.clone(),
            z_t: Kind,
            z_st: session.grant,
            z_leg: is_legacy,
        }
    }

    /// Whether it is for routers and has not expired at `now`. At the second of its expiry it is over.
    pub fn counts_at(&self, now: Timestamp) -> bool {
        self.aud == [AUDIENCE] && now.as_second() < self.exp
    }
}

/// Claims of a token that tells routers that the holder of a session has shown a TOTP code. It has no expiry:
/// posture checks compare its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TotpClaims {
    /// URL of the controller, `https://<host>:<port>`.
    pub iss: String,
    /// The identity.
    pub sub: IdentityId,
    /// As in the access token.
    pub aud: [Client; 1],
    /// When the code was accepted.
    pub iat: i64,
    pub jti: TokenId,
    /// The API session.
    pub z_asid: ApiSessionId,
    pub z_t: Kind<'t'>,
}

impl TotpClaims {
    /// Claims of a token about a code that an identity gave at `now` on its session, which `client` opened;
    /// `controller` is the URL of the controller.
    pub fn issue(
        controller: &str,
        (identity, session): (IdentityId, ApiSessionId),
        client: Client,
        id: TokenId,
        now: Timestamp,
    ) -> Self {
        Self {
            iss: controller.to_owned(),
            sub: identity,
            aud: [client],
            iat: now.as_second(),
            jti: id,
            z_asid: session,
            z_t: Kind,
        }
    }
}
