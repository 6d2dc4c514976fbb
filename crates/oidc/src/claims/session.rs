//! Claims of access and refresh tokens.

use super::kind::Kind;
use super::terms::{ClaimsError, TokenId, TokenTerms, Validation};
use crate::amr::Amr;
use crate::client::Client;
use crate::login::AuthenticatedLogin;
use crate::scope::Scopes;
use portcullis_domain::api_session::OpenedBy;
use portcullis_domain::client_info::{EnvInfo, SdkInfo};
use portcullis_domain::ids::{ApiSessionId, IdentityId};
use serde::{Deserialize, Serialize};
use std::ops::Not as _;

/// Claims of an access token, which is a session on the REST APIs.
pub type AccessClaims = SessionClaims<'a'>;

/// Claims of a refresh token.
pub type RefreshClaims = SessionClaims<'r'>;

/// Claims of a token that carries a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionClaims<const KIND: char> {
    pub iss: String,
    pub jti: TokenId,
    /// In seconds since 1970, as all times of claims.
    pub iat: i64,
    pub nbf: i64,
    pub exp: i64,
    pub z_t: Kind<KIND>,
    #[serde(flatten)]
    pub session: SessionFacts,
}

/// What all tokens of a session tell, and what a refresh carries over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionFacts {
    /// The identity.
    pub sub: IdentityId,
    pub aud: [Client; 1],
    pub client_id: Client,
    /// The application: the client.
    pub z_aid: Client,
    pub scopes: Scopes,
    /// When the first factor was proved.
    pub auth_time: i64,
    pub amr: Vec<Amr>,
    /// The session, and the family of its refresh tokens.
    pub z_asid: ApiSessionId,
    /// The credential that opened it.
    pub z_authid: OpenedBy,
    /// Whether the identity was an administrator.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub z_ia: bool,
    /// Its external id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z_eid: Option<String>,
    /// Config types that the client asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub z_ct: Vec<String>,
    /// Fingerprints of the certificates that the token is bound to. Without any, it is bound to none.
    pub z_cfs: Option<Vec<String>>,
    /// Fingerprint of the certificate of the login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z_acf: Option<String>,
    pub z_sdk: Option<SdkInfo>,
    pub z_env: Option<EnvInfo>,
    /// Address of the client, with its port.
    pub z_ra: String,
    /// Whether the certificate of the login can be extended.
    pub z_ice: bool,
    /// Whether it may have expired.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub z_cae: bool,
    /// Whether it has to be extended.
    pub z_cer: bool,
    /// Whether it has to be extended with another key.
    pub z_ckrr: bool,
    /// Whether the client left out an intermediate certificate.
    pub z_iccc: bool,
}

/// What tokens tell of the holder's records at the time they are issued.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HolderFacts {
    pub is_admin: bool,
    pub external_id: Option<String>,
    /// Whether the policy allows expired certificates.
    pub allows_expired_certificates: bool,
    /// Whether the certificate has to be extended.
    pub is_extension_requested: bool,
    /// Whether that has to be with another key.
    pub is_key_roll_requested: bool,
}

impl SessionFacts {
    /// What the tokens of a new session tell. `certificate` is the fingerprint of one that was issued for it.
    pub fn new(
        login: &AuthenticatedLogin,
        holder: HolderFacts,
        certificate: Option<String>,
    ) -> Self {
        let (request, primary, client) = (login.request(), login.primary(), login.client());
        let of_login = primary.certificate.as_ref();
        let acf = of_login.map(|certificate| certificate.fingerprint.clone());
        let bound: Vec<_> = acf.clone().into_iter().chain(certificate).collect();
        Self {
            sub: primary.identity.clone(),
            aud: [request.client],
            client_id: request.client,
            z_aid: request.client,
            scopes: request.scopes.clone(),
            auth_time: primary.authenticated_at.as_second(),
            amr: login.amr(),
            z_asid: primary.session.clone(),
            z_authid: primary.opened_by.clone(),
            z_ia: holder.is_admin,
            z_eid: holder.external_id,
            z_ct: client.config_types.clone(),
            z_cfs: bound.is_empty().not().then_some(bound),
            z_acf: acf,
            z_sdk: client
                .sdk_info
                .is_empty()
                .not()
                .then(|| client.sdk_info.clone()),
            z_env: client
                .env_info
                .is_empty()
                .not()
                .then(|| client.env_info.clone()),
            z_ra: client.remote_address.to_string(),
            z_ice: of_login.is_some_and(|certificate| certificate.is_extendable),
            z_cae: holder.allows_expired_certificates,
            z_cer: holder.is_extension_requested,
            z_ckrr: holder.is_key_roll_requested,
            z_iccc: of_login.is_some_and(|certificate| certificate.has_improper_chain),
        }
    }

    /// The same session with the rights and marks that its holder has now.
    #[must_use]
    pub fn renewed(self, holder: HolderFacts) -> Self {
        Self {
            z_ia: holder.is_admin,
            z_eid: holder.external_id,
            z_cae: holder.allows_expired_certificates,
            z_cer: holder.is_extension_requested,
            z_ckrr: holder.is_key_roll_requested,
            ..self
        }
    }

    /// Whether tokens of the session count only together with a client certificate.
    pub fn is_bound(&self) -> bool {
        self.z_cfs.as_ref().is_some_and(|bound| !bound.is_empty())
    }

    /// Whether they count with the certificate of the login. That may have been renewed since, so its
    /// fingerprint decides nothing.
    pub fn is_bound_to_login(&self) -> bool {
        self.bound().any(|one| self.z_acf.as_ref() == Some(one))
    }

    /// Whether they count with a certificate with this fingerprint that was issued for the session.
    pub fn is_bound_to_issued(&self, fingerprint: &str) -> bool {
        let mut issued = self.bound().filter(|one| self.z_acf.as_ref() != Some(one));
        issued.any(|one| one == fingerprint)
    }

    fn bound(&self) -> impl Iterator<Item = &String> {
        self.z_cfs.iter().flatten()
    }
}

impl<const KIND: char> SessionClaims<KIND> {
    pub fn issue(session: SessionFacts, terms: &TokenTerms<'_>) -> Self {
        Self {
            iss: terms.issuer.to_string(),
            jti: terms.id.clone(),
            iat: terms.iat(),
            nbf: terms.iat(),
            exp: terms.exp(),
            z_t: Kind,
            session,
        }
    }

    /// Judges issuer, audience and times.
    ///
    /// # Errors
    ///
    /// [`ClaimsError`] for the first that does not hold.
    pub fn validate(&self, validation: &Validation<'_>) -> Result<(), ClaimsError> {
        let session = &self.session;
        validation.check_issuer(&self.iss)?;
        if session.aud != [session.client_id] || session.z_aid != session.client_id {
            return Err(ClaimsError::Audience);
        }
        validation.check_client(session.client_id)?;
        validation.check_begin(self.nbf)?;
        validation.check_begin(self.iat)?;
        validation.check_expiry(self.exp)
    }
}
