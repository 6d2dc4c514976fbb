//! Sessions that are stored between commands.

use crate::ext_jwt;
use crate::secret;
use portcullis_api::time::WireTime;
use portcullis_client::oidc::Tokens;
use portcullis_domain::clock::{self, SignedDuration, Timestamp};
use portcullis_domain::ids::IdentityId;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

/// How long before its end an access token is renewed, so that it does not end on the way.
const MARGIN: SignedDuration = SignedDuration::from_secs(10);

/// A stored session.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum StoredSession {
    Oidc(OidcSession),
    Token(SessionToken),
}

/// A session with a session token, of a controller that offers no other ones.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionToken {
    #[serde(serialize_with = "secret::serialize_exposed")]
    pub(crate) token: SecretString,
    /// Expiry at the time of the login; use extends it.
    #[serde(default)]
    pub(crate) expires_at: Option<WireTime>,
}

/// A session that was opened by OpenID Connect.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OidcSession {
    #[serde(serialize_with = "secret::serialize_exposed")]
    pub(crate) access_token: SecretString,
    /// When the access token expires, by the clock of this machine.
    pub(crate) access_expires_at: WireTime,
    /// Good for one renewal.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_some_exposed"
    )]
    pub(crate) refresh_token: Option<SecretString>,
    /// Until when it can be renewed, as far as the refresh token tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<WireTime>,
    /// Whose it is.
    pub(crate) identity_id: IdentityId,
}

impl StoredSession {
    /// When it expires unless it is used.
    pub(crate) fn expires_at(&self) -> Option<WireTime> {
        match self {
            Self::Oidc(session) => Some(session.expires_at()),
            Self::Token(session) => session.expires_at,
        }
    }

    /// The kind of session, for machines.
    pub(crate) fn protocol(&self) -> &'static str {
        match self {
            Self::Oidc(_) => "oidc",
            Self::Token(_) => "session-token",
        }
    }
}

impl OidcSession {
    /// The session that these tokens, which have just arrived, stand for.
    pub(crate) fn new(tokens: Tokens, now: Timestamp) -> Self {
        let lifetime = SignedDuration::try_from(tokens.expires_in).unwrap_or(SignedDuration::MAX);
        let refresh_token = tokens.refresh_token;
        Self {
            access_token: tokens.access_token,
            access_expires_at: WireTime(clock::saturating_add(now, lifetime)),
            expires_at: refresh_token
                .as_ref()
                .and_then(ext_jwt::expires_at)
                .map(WireTime),
            refresh_token,
            identity_id: tokens.identity,
        }
    }

    /// When it can no longer be renewed.
    pub(crate) fn expires_at(&self) -> WireTime {
        self.expires_at.unwrap_or(self.access_expires_at)
    }

    /// Whether another access token is needed: the controller has `refused` this one, or it expires.
    pub(crate) fn is_due(&self, refused: Option<&SecretString>, now: Timestamp) -> bool {
        let is_refused =
            refused.is_some_and(|it| it.expose_secret() == self.access_token.expose_secret());
        let is_over = clock::saturating_add(now, MARGIN) >= self.access_expires_at.0;
        is_refused || is_over && self.refresh_token.is_some()
    }

    /// Whether both were renewed equally often.
    pub(crate) fn has_tokens_of(&self, other: &Self) -> bool {
        self.access_token.expose_secret() == other.access_token.expose_secret()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn session(now: Timestamp) -> OidcSession {
        let tokens = Tokens {
            access_token: "a1".into(),
            refresh_token: Some("r1".into()),
            expires_in: Duration::from_mins(30),
            identity: IdentityId::from_wire("anna"),
        };
        OidcSession::new(tokens, now)
    }

    #[test]
    fn access_tokens_are_renewed_before_they_end() {
        let now: Timestamp = "2031-01-01T00:00:00Z".parse().unwrap();
        let later = |seconds| now + SignedDuration::from_secs(seconds);
        let mut session = session(now);
        assert!(!session.is_due(None, later(1789)));
        assert!(session.is_due(None, later(1790)));
        assert!(session.is_due(Some(&"a1".into()), now));
        assert!(
            !session.is_due(Some(&"a0".into()), now),
            "it was renewed since"
        );
        session.refresh_token = None;
        assert!(!session.is_due(None, later(9999)), "the controller tells");
    }

    #[test]
    fn sessions_survive_being_written() {
        let now: Timestamp = "2031-01-01T00:00:00Z".parse().unwrap();
        let stored = StoredSession::Oidc(session(now));
        let text = serde_json::to_string(&stored).unwrap();
        let again: StoredSession = serde_json::from_str(&text).unwrap();
        let StoredSession::Oidc(again) = again else {
            panic!("it is one by OpenID Connect");
        };
        assert_eq!(again.refresh_token.unwrap().expose_secret(), "r1");
        assert_eq!(
            again.access_expires_at.0,
            now + SignedDuration::from_mins(30)
        );
        assert!(
            !format!("{stored:?}").contains("r1"),
            "tokens are not shown"
        );
    }
}
