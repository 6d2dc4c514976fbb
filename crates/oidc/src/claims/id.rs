//! Claims of ID tokens (OpenID Connect Core section 2).

use super::kind::AbsentKind;
use super::session::SessionFacts;
use super::terms::{ClaimsError, TokenTerms, Validation};
use crate::algorithm::SigningAlgorithm;
use crate::amr::Amr;
use crate::client::Client;
use portcullis_domain::ids::{ApiSessionId, IdentityId};
use serde::{Deserialize, Serialize};

/// Claims of an ID token, which tells a client who has logged in. It opens nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdClaims {
    pub iss: String,
    /// The identity.
    pub sub: IdentityId,
    pub aud: [Client; 1],
    pub azp: Client,
    pub client_id: Client,
    pub iat: i64,
    pub exp: i64,
    /// When the first factor was proved.
    pub auth_time: i64,
    pub amr: Vec<Amr>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c_hash: Option<String>,
    /// Name of the identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its external id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z_eid: Option<String>,
    /// Whether it is an administrator.
    pub z_ia: bool,
    /// The session, which a logout with this token ends. OpenZiti's tokens lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z_asid: Option<ApiSessionId>,
    #[serde(default, skip_serializing)]
    z_t: AbsentKind,
}

/// What an ID token is issued together with.
#[derive(Debug, Clone, Copy, Default)]
pub struct IdTokenOrigin<'o> {
    /// Of the authorization request.
    pub nonce: Option<&'o str>,
    /// The code that it comes for.
    pub code: Option<&'o str>,
    /// The access token that comes with it.
    pub access_token: Option<&'o str>,
}

impl IdClaims {
    /// Claims of a token that is signed with `algorithm` for the holder called `name`.
    pub fn issue(
        session: &SessionFacts,
        terms: &TokenTerms<'_>,
        name: Option<String>,
        origin: IdTokenOrigin<'_>,
        algorithm: SigningAlgorithm,
    ) -> Self {
        let hash = |value| algorithm.half_hash(value);
        Self {
            iss: terms.issuer.to_string(),
            sub: session.sub.clone(),
            aud: session.aud,
            azp: session.client_id,
            client_id: session.client_id,
            iat: terms.iat(),
            exp: terms.exp(),
            auth_time: session.auth_time,
            amr: session.amr.clone(),
            nonce: origin.nonce.map(str::to_owned),
            at_hash: origin.access_token.map(hash),
            c_hash: origin.code.map(hash),
            name,
            z_eid: session.z_eid.clone(),
            z_ia: session.z_ia,
            z_asid: Some(session.z_asid.clone()),
            z_t: AbsentKind,
        }
    }

    /// Judges issuer and audience of an `id_token_hint`, which may have expired (OpenID Connect RP-Initiated
    /// Logout section 2).
    ///
    /// # Errors
    ///
    /// [`ClaimsError`] for the first that does not hold.
    pub fn validate_hint(&self, validation: &Validation<'_>) -> Result<(), ClaimsError> {
        validation.check_issuer(&self.iss)?;
        if self.aud != [self.client_id] || self.azp != self.client_id {
            return Err(ClaimsError::Audience);
        }
        validation.check_client(self.client_id)?;
        validation.check_begin(self.iat)
    }
}
