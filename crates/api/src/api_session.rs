//! Wire types of API sessions.

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use crate::secret;
use crate::time::WireTime;
use portcullis_domain::access::AccessToken;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{ApiSessionId, IdentityId};
use portcullis_domain::signer::Signer;
use portcullis_domain::tags::Tags;
use portcullis_domain::view::{ApiSessionView, OpenFactorView};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// An API session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiSessionDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<ApiSessionId>,
    /// Authentication queries that are still open.
    #[serde(default)]
    pub auth_queries: Vec<AuthQuery>,
    /// Authenticator that opened it: an id, `extJwtId:<signer>`, or `internal` for a certificate that
    /// carries the external id of its holder.
    pub authenticator_id: String,
    /// When it was last used, including activity not yet written to the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_last_activity_at: Option<WireTime>,
    /// Configuration types that its client wants to see.
    #[serde(default)]
    pub config_types: Vec<String>,
    /// The identity it belongs to.
    pub identity: EntityRef,
    /// Id of the identity it belongs to.
    #[schemars(with = "String")]
    pub identity_id: IdentityId,
    /// Whether the client omitted an intermediate certificate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub improper_client_cert_chain: bool,
    /// Address of the client.
    #[serde(default)]
    pub ip_address: String,
    /// Whether an administrator requested extension of the certificate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cert_extend_requested: bool,
    /// Whether the certificate that opened it can be extended.
    #[serde(default)]
    pub is_cert_extendable: bool,
    /// Whether the requested extension needs a new key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cert_key_roll_requested: bool,
    /// Whether a TOTP code was accepted in this session.
    #[serde(default)]
    pub is_mfa_complete: bool,
    /// Whether its identity is enrolled in TOTP.
    #[serde(default)]
    pub is_mfa_required: bool,
    /// When it was last used, according to the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_activity_at: Option<WireTime>,
    /// Session token for the holder; an unusable placeholder UUID for administrators.
    #[serde(serialize_with = "secret::serialize")]
    #[schemars(with = "String")]
    pub token: SecretString,
    /// Idle timeout in seconds; shown to the holder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiration_seconds: Option<i64>,
    /// When it expires if it is not used; shown to the holder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<WireTime>,
}

/// An authentication query that the holder of a session still has to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthQuery {
    /// OAuth client id for the external provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Format of a code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Cow<'static, str>>,
    /// HTTP method with which the answer is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_method: Option<Cow<'static, str>>,
    /// URL to which the answer is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_url: Option<Cow<'static, str>>,
    /// Id of the external provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whether a TOTP enrollment exists; otherwise it has to be created first. Logins by OIDC always say
    /// it, sessions only if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_totp_enrolled: Option<bool>,
    /// Maximum length of a code in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// Minimum length of a code in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u32>,
    /// Provider of the query: `ziti` or `url`.
    pub provider: Cow<'static, str>,
    /// Scopes to request from the external provider.
    #[serde(default)]
    pub scopes: Option<Vec<String>>,
    /// Type of the query: `MFA`, `TOTP` or `EXT-JWT`.
    #[serde(default)]
    pub type_id: Cow<'static, str>,
}

impl From<&OpenFactorView> for AuthQuery {
    fn from(question: &OpenFactorView) -> Self {
        match question {
            OpenFactorView::Totp { is_enrolled } => Self::totp(*is_enrolled),
            OpenFactorView::Token(signer) => Self::token(signer),
        }
    }
}

impl AuthQuery {
    /// Query for a token of an external signer.
    fn token(signer: &Signer) -> Self {
        let settings = &signer.spec.settings;
        let scopes = &settings.scopes;
        Self {
            client_id: settings.client_id.clone(),
            format: None,
            http_method: None,
            http_url: settings.external_auth_url.clone().map(Cow::Owned),
            id: Some(signer.id.to_string()),
            is_totp_enrolled: None,
            max_length: None,
            min_length: None,
            provider: Cow::Borrowed("url"),
            scopes: (!scopes.is_empty()).then(|| scopes.iter().cloned().collect()),
            type_id: Cow::Borrowed("EXT-JWT"),
        }
    }

    /// Query of a login by OIDC.
    pub fn of_oidc_login(question: &OpenFactorView) -> Self {
        match question {
            OpenFactorView::Totp { is_enrolled } => Self {
                format: Some(Cow::Borrowed("numeric")),
                http_url: Some(Cow::Borrowed("./oidc/login/totp")),
                is_totp_enrolled: Some(*is_enrolled),
                max_length: Some(8),
                min_length: Some(6),
                type_id: Cow::Borrowed("TOTP"),
                ..Self::totp(*is_enrolled)
            },
            OpenFactorView::Token(signer) => Self::token(signer),
        }
    }

    /// Query for a TOTP code.
    pub fn totp(is_enrolled: bool) -> Self {
        Self {
            client_id: None,
            format: Some(Cow::Borrowed("alphaNumeric")),
            http_method: Some(Cow::Borrowed("POST")),
            http_url: Some(Cow::Borrowed("./authenticate/mfa")),
            id: None,
            is_totp_enrolled: is_enrolled.then_some(true),
            // Recovery codes are alphanumeric too; clients validate by these bounds.
            max_length: Some(6),
            min_length: Some(4),
            provider: Cow::Borrowed("ziti"),
            scopes: None,
            type_id: Cow::Borrowed("MFA"),
        }
    }
}

impl ApiSessionDetail {
    /// The session as shown to its holder, with `token`.
    pub fn for_holder(view: ApiSessionView, token: SecretString) -> Self {
        let unused = ApiSession::expires_at(view.last_activity_at, view.timeout);
        let expires_at = view.ends_at.map_or(unused, |end| end.min(unused));
        // Clients log in again this long after the last use.
        let left = expires_at.duration_since(view.last_activity_at);
        let seconds = left.min(view.timeout).as_secs().max(0);
        let auth_queries = view.open_factors.iter().map(AuthQuery::from).collect();
        let access_token = view.access_token.clone();
        let last_activity_at = view.last_activity_at;
        let detail = Self {
            auth_queries,
            expiration_seconds: Some(seconds),
            expires_at: Some(expires_at.into()),
            ..Self::for_administrator(view, token)
        };
        match access_token {
            Some(access_token) => detail.of_access_token(&access_token, last_activity_at),
            None => detail,
        }
    }

    /// A session of OIDC as it looks through its access token, which was last used at `now`.
    fn of_access_token(mut self, token: &AccessToken, now: Timestamp) -> Self {
        self.base.created_at = token.issued_at.into();
        self.base.updated_at = token.issued_at.into();
        self.expiration_seconds = Some(token.expires_at.duration_since(now).as_secs().max(0));
        self.expires_at = Some(token.expires_at.into());
        self
    }

    /// The session as shown to administrators: without expiry and authentication queries, and with
    /// `placeholder` for the token, a UUID that is stable for this session and unusable.
    pub fn for_administrator(view: ApiSessionView, placeholder: SecretString) -> Self {
        let session = view.session;
        Self {
            base: Base {
                links: Links::of_api_session(&session.id),
                created_at: session.created_at.into(),
                id: session.id,
                tags: Tags::default(),
                // The record of a session changes whenever its last use is written to the store.
                updated_at: session.last_activity_at.max(session.created_at).into(),
            },
            auth_queries: Vec::new(),
            authenticator_id: session.opened_by.into(),
            cached_last_activity_at: Some(view.last_activity_at.into()),
            config_types: session.config_types,
            identity: view.identity.into(),
            identity_id: session.identity,
            improper_client_cert_chain: session.improper_client_cert_chain,
            ip_address: session.ip_address,
            is_cert_extend_requested: view.extension.is_some(),
            is_cert_extendable: session.is_cert_extendable,
            is_cert_key_roll_requested: view.extension.is_some_and(|request| request.roll_key),
            is_mfa_complete: session.totp.is_complete(),
            // With OIDC the login itself asks for a code.
            is_mfa_required: session.totp.is_required && session.oidc.is_none(),
            last_activity_at: Some(session.last_activity_at.into()),
            token: placeholder,
            expiration_seconds: None,
            expires_at: None,
        }
    }
}
