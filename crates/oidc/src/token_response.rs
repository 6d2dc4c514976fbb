//! Answers of the token endpoint (RFC 6749 section 5.1, RFC 8693 section 2.2.1) and about users.

use crate::claims::SessionFacts;
use crate::scope::{Scope, Scopes};
use crate::token_request::RequestedType;
use portcullis_domain::ids::IdentityId;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Serialize, Serializer};

/// Tokens that are issued.
#[derive(Debug, Clone, Serialize)]
pub struct TokenResponse {
    #[serde(serialize_with = "expose")]
    access_token: SecretString,
    /// Of an exchange.
    #[serde(skip_serializing_if = "Option::is_none")]
    issued_token_type: Option<&'static str>,
    token_type: &'static str,
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "expose_some"
    )]
    pub refresh_token: Option<SecretString>,
    /// Lifetime of the token in `access_token`, in seconds.
    expires_in: i64,
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "expose_some"
    )]
    pub id_token: Option<SecretString>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    scope: String,
    /// A certificate of the session, in PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_cert: Option<String>,
}

impl TokenResponse {
    /// An access token for `scopes`. What comes with it is set in the members.
    pub fn new(access_token: SecretString, expires_in: i64, scopes: &Scopes) -> Self {
        Self {
            access_token,
            issued_token_type: None,
            token_type: "Bearer",
            refresh_token: None,
            expires_in,
            id_token: None,
            state: None,
            scope: scopes.to_string(),
            session_cert: None,
        }
    }

    pub fn access_token(&self) -> &str {
        self.access_token.expose_secret()
    }

    /// The answer to an exchange for `requested`, an access token or a refresh token.
    #[must_use]
    pub fn exchanged_for(mut self, requested: RequestedType) -> Self {
        self.issued_token_type = Some(requested.urn());
        self
    }

    /// The answer to an exchange for an ID token. It stands in `access_token`, although it is none.
    pub fn of_id_token(id_token: SecretString, expires_in: i64, scopes: &Scopes) -> Self {
        Self {
            token_type: "N_A",
            issued_token_type: Some(RequestedType::IdToken.urn()),
            ..Self::new(id_token, expires_in, scopes)
        }
    }
}

fn expose<S: Serializer>(token: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(token.expose_secret())
}

#[expect(clippy::ref_option, reason = "serde passes a reference")]
fn expose_some<S: Serializer>(
    token: &Option<SecretString>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match token {
        Some(token) => expose(token, serializer),
        None => serializer.serialize_none(),
    }
}

/// Answer to whoever asks about the user of an access token (OpenID Connect Core section 5.3.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UserInfo {
    pub sub: IdentityId,
    /// With the scope `profile`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl UserInfo {
    /// What the scopes of a session let its client know of an identity with this name; `None` without the
    /// scope `openid`.
    pub fn new(session: &SessionFacts, name: &str) -> Option<Self> {
        let scopes = &session.scopes;
        scopes.contains(Scope::OpenId).then(|| Self {
            sub: session.sub.clone(),
            name: scopes.contains(Scope::Profile).then(|| name.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::HolderFacts;
    use crate::login::Login;
    use crate::testing::{client_details, password_of, request};
    use serde_json::json;

    #[test]
    fn answers_have_the_recorded_members() {
        let scopes = Scopes::parse(Some("openid offline_access")).unwrap();
        let mut response = TokenResponse::new("at".into(), 1799, &scopes);
        assert_eq!(
            serde_json::to_value(&response).unwrap(),
            json!({
                "access_token": "at", "token_type": "Bearer", "expires_in": 1799,
                "scope": "openid offline_access",
            })
        );
        response.refresh_token = Some("rt".into());
        response.id_token = Some("it".into());
        let response = response.exchanged_for(RequestedType::RefreshToken);
        assert_eq!(
            serde_json::to_value(&response).unwrap(),
            json!({
                "access_token": "at", "token_type": "Bearer", "expires_in": 1799,
                "refresh_token": "rt", "id_token": "it", "scope": "openid offline_access",
                "issued_token_type": "urn:ietf:params:oauth:token-type:refresh_token",
            })
        );
        assert!(!format!("{response:?}").contains("\"rt\""));
        let response = TokenResponse::of_id_token("it".into(), 1799, &scopes);
        assert_eq!(
            serde_json::to_value(&response).unwrap(),
            json!({
                "access_token": "it", "token_type": "N_A", "expires_in": 1799,
                "scope": "openid offline_access",
                "issued_token_type": "urn:ietf:params:oauth:token-type:id_token",
            })
        );
    }

    #[test]
    fn user_information_follows_the_scopes() {
        let login = Login::begin(request())
            .authenticate(password_of("alice"), client_details(), [], [])
            .unwrap();
        let login = login.authenticated().unwrap();
        let mut session = SessionFacts::new(login, HolderFacts::default(), None);
        for (scopes, expected) in [
            ("openid", Some(json!({"sub": "alice"}))),
            (
                "openid profile",
                Some(json!({"sub": "alice", "name": "Alice"})),
            ),
            ("profile", None),
        ] {
            session.scopes = Scopes::parse(Some(scopes)).unwrap();
            let info = UserInfo::new(&session, "Alice");
            let told = info.map(|info| serde_json::to_value(info).unwrap());
            assert_eq!(told, expected, "{scopes}");
        }
    }
}
