//! Wire types of authenticators.

mod request;

pub use request::{
    AuthenticatorCreate, AuthenticatorPatch, AuthenticatorUpdate, IdentityExtendEnrollmentRequest,
    IdentityExtendValidateEnrollmentRequest, NewCredential, RequestExtendAuthenticator,
    WithCurrentPassword,
};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use crate::time::WireTime;
use portcullis_domain::authenticator::Credential;
use portcullis_domain::ids::{AuthenticatorId, IdentityId};
use portcullis_domain::view::AuthenticatorView;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// An authenticator of an identity, without secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthenticatorDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<AuthenticatorId>,
    /// The certificate and its intermediates, PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert_pem: Option<String>,
    /// When an administrator requested extension of the certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extend_requested_at: Option<WireTime>,
    /// Lower-case hex SHA-1 of the certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The identity it belongs to.
    pub identity: EntityRef,
    /// Id of the identity it belongs to.
    #[schemars(with = "String")]
    pub identity_id: IdentityId,
    /// Whether an administrator requested extension of the certificate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_extend_requested: bool,
    /// Whether the certificate was issued by the network's own CA.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_issued_by_network: bool,
    /// Whether the requested extension needs a new key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_key_roll_requested: bool,
    /// Whether the last login presented the full chain up to the root.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last_auth_resolved_to_root: bool,
    /// Whether the last extension changed the key; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_extend_rolled_keys: Option<bool>,
    /// `cert` or `updb`.
    pub method: Cow<'static, str>,
    /// The username.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
}

impl AuthenticatorDetail {
    /// An authenticator of the caller, with a link below `current-identity`.
    pub fn of_caller(view: AuthenticatorView) -> Self {
        let path = format!("current-identity/authenticators/{}", view.authenticator.id);
        let mut detail = Self::from(view);
        detail.base.links = Links::with_self(path);
        detail
    }
}

impl From<AuthenticatorView> for AuthenticatorDetail {
    fn from(view: AuthenticatorView) -> Self {
        let method = view.authenticator.method();
        let authenticator = view.authenticator;
        let identity_id = authenticator.identity;
        let mut detail = Self {
            base: Base {
                links: Links::with_self(format!("authenticators/{}", authenticator.id))
                    .with("identities", format!("identities/{identity_id}")),
                created_at: authenticator.created_at.into(),
                id: authenticator.id,
                tags: authenticator.tags,
                updated_at: authenticator.updated_at.into(),
            },
            cert_pem: None,
            extend_requested_at: None,
            fingerprint: None,
            identity: view.identity.into(),
            identity_id,
            is_extend_requested: false,
            is_issued_by_network: false,
            is_key_roll_requested: false,
            last_auth_resolved_to_root: false,
            last_extend_rolled_keys: None,
            method: Cow::Borrowed(method),
            username: None,
        };
        match authenticator.credential {
            Credential::Cert(cert) => {
                detail.is_issued_by_network = cert.is_issued_by_network;
                detail.last_auth_resolved_to_root = cert.last_login_reached_root;
                let open = cert.open_extension();
                detail.is_extend_requested = open.is_some();
                detail.is_key_roll_requested = cert.must_roll_key();
                detail.last_extend_rolled_keys = cert.last_renewal_rolled_key;
                detail.extend_requested_at =
                    cert.extension.map(|request| request.requested_at.into());
                detail.cert_pem = Some(cert.pem);
                detail.fingerprint = Some(cert.fingerprint);
            },
            Credential::Updb(updb) => detail.username = Some(updb.username),
        }
        detail
    }
}

/// The new certificate of an extended authenticator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdentityExtendCerts {
    /// CA certificates that clients have to trust, PEM.
    pub ca: String,
    /// The new certificate and its intermediates without the root, PEM.
    pub client_cert: String,
}

impl IdentityExtendCerts {
    /// A certificate and the CA certificates of the network.
    pub fn new(client_cert: String, authorities: &str) -> Self {
        Self {
            ca: ca_bundle(authorities),
            client_cert,
        }
    }
}

/// CA certificates as OpenZiti sends them in these responses: after a line feed.
pub(crate) fn ca_bundle(authorities: &str) -> String {
    format!("\n{authorities}")
}
