//! Answers about tokens (RFC 7662 section 2.2).

use crate::claims::AccessClaims;
use crate::client::Client;
use portcullis_domain::ids::IdentityId;
use serde::Serialize;

/// Whether a token counts, and what it says if it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Introspection {
    active: bool,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    token: Option<ActiveToken>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct ActiveToken {
    scope: String,
    client_id: Client,
    token_type: &'static str,
    iss: String,
    sub: IdentityId,
    aud: [Client; 1],
    iat: i64,
    nbf: i64,
    exp: i64,
    jti: String,
}

impl Introspection {
    /// The answer about a token that does not count, or not for who asks. It does not tell why.
    pub const fn inactive() -> Self {
        Self {
            active: false,
            token: None,
        }
    }

    /// The answer about an access token that counts.
    pub fn active(claims: &AccessClaims) -> Self {
        let session = &claims.session;
        Self {
            active: true,
            token: Some(ActiveToken {
                scope: session.scopes.to_string(),
                client_id: session.client_id,
                token_type: "Bearer",
                iss: claims.iss.clone(),
                sub: session.sub.clone(),
                aud: session.aud,
                iat: claims.iat,
                nbf: claims.nbf,
                exp: claims.exp,
                jti: claims.jti.as_str().to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_told_of_tokens_that_do_not_count() {
        let told = serde_json::to_value(Introspection::inactive()).unwrap();
        assert_eq!(told, serde_json::json!({"active": false}));
    }
}
