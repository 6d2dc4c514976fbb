//! Identities in responses.

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use crate::secret;
use crate::time::WireTime;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::client_info::{EnvInfo, SdkInfo};
use portcullis_domain::enrollment::{Enrollment, EnrollmentMethod, EnrollmentSecrets};
use portcullis_domain::identity::{Precedence, TotpState};
use portcullis_domain::ids::{
    AuthPolicyId, AuthenticatorId, CaId, EnrollmentId, IdentityId, ServiceId,
};
use portcullis_domain::permission::PermissionSet;
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::tags::AppData;
use portcullis_domain::view::{CaRef, EdgeRouterConnection, IdentityView};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// An identity.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdentityDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<IdentityId>,
    /// Application data.
    #[serde(default)]
    #[schemars(with = "crate::schema::Object")]
    pub app_data: AppData,
    /// Authentication policy, if it can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_policy: Option<EntityRef>,
    /// Id of its authentication policy.
    #[schemars(with = "String")]
    pub auth_policy_id: AuthPolicyId,
    /// Authenticators of the identity.
    pub authenticators: IdentityAuthenticators,
    /// Default cost of its terminators.
    #[serde(default)]
    pub default_hosting_cost: u16,
    /// Default precedence of its terminators.
    #[serde(default)]
    #[schemars(with = "crate::schema::word::Precedence")]
    pub default_hosting_precedence: Precedence,
    /// Whether the identity is disabled now.
    #[serde(default)]
    pub disabled: bool,
    /// When the identity was disabled; stays set after a temporary disablement has run out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<WireTime>,
    /// When the disablement ends; absent if it lasts until the identity is enabled again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_until: Option<WireTime>,
    /// `online`, `offline` or `unknown`, as edge routers report it.
    #[serde(default)]
    pub edge_router_connection_status: Cow<'static, str>,
    /// Its pending enrollments, expired ones included.
    pub enrollment: IdentityEnrollments,
    /// Device information that its client reported at the last login.
    #[serde(default)]
    #[schemars(with = "crate::schema::EnvInfo")]
    pub env_info: EnvInfo,
    /// External id, by which external JWT signers and third-party CAs name the identity.
    pub external_id: Option<String>,
    /// Whether it has an API session.
    #[serde(default)]
    pub has_api_session: bool,
    /// Whether it is connected to an edge router.
    #[serde(default)]
    pub has_edge_router_connection: bool,
    /// The network interfaces that its client reported.
    pub interfaces: Option<Vec<Value>>,
    /// Whether the identity is an administrator.
    pub is_admin: bool,
    /// Whether it is the default administrator, created at initialization.
    #[serde(default)]
    pub is_default_admin: bool,
    /// Whether it has a verified TOTP enrollment.
    #[serde(default)]
    pub is_mfa_enabled: bool,
    /// Its name.
    pub name: String,
    /// Permissions on the management API; `null` if never set.
    #[schemars(with = "Option<Vec<String>>")]
    pub permissions: Option<PermissionSet>,
    /// Role attributes, by which policies select it.
    #[schemars(with = "Vec<String>")]
    pub role_attributes: RoleAttributes,
    /// SDK information that its client reported at the last login.
    #[serde(default)]
    #[schemars(with = "crate::schema::SdkInfo")]
    pub sdk_info: SdkInfo,
    /// Cost of its terminators by service.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, u16>")]
    pub service_hosting_costs: BTreeMap<ServiceId, u16>,
    /// Precedence of its terminators by service.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, crate::schema::word::Precedence>")]
    pub service_hosting_precedences: BTreeMap<ServiceId, Precedence>,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: EntityRef,
    /// Id of its type.
    #[serde(rename = "typeId")]
    pub kind_id: Cow<'static, str>,
}

/// Authenticators of an identity, one per method.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IdentityAuthenticators {
    /// Certificate authenticator; the most recent if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert: Option<CertSummary>,
    /// The username.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updb: Option<UpdbSummary>,
}

/// Certificate authenticator of an identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CertSummary {
    /// Lower-case hex SHA-1 of the certificate.
    #[serde(default)]
    pub fingerprint: String,
    /// Id of the authenticator.
    #[schemars(with = "String")]
    pub id: AuthenticatorId,
}

/// Username and password authenticator of an identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UpdbSummary {
    /// Id of the authenticator.
    #[schemars(with = "String")]
    pub id: AuthenticatorId,
    /// The username.
    #[serde(default)]
    pub username: String,
}

/// Pending enrollments of an identity, one per method.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct IdentityEnrollments {
    /// One-time token, completed with a certificate signing request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ott: Option<PendingEnrollment>,
    /// One-time token, completed with a certificate of a third-party CA.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ottca: Option<PendingEnrollment>,
    /// By choosing a password for a username.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updb: Option<PendingEnrollment>,
}

/// A pending enrollment of an identity.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingEnrollment {
    /// Third-party CA whose certificate is required, if its name is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<EntityRef>,
    /// Id of the third-party CA.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub ca_id: Option<CaId>,
    /// When it expires.
    pub expires_at: WireTime,
    /// Its id.
    #[schemars(with = "String")]
    pub id: EnrollmentId,
    /// Enrollment JWT, which is handed to the user; absent for callers that may only read enrollments.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    #[schemars(with = "Option<String>")]
    pub jwt: Option<SecretString>,
    /// Enrollment token; absent for callers that may only read enrollments.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    #[schemars(with = "Option<String>")]
    pub token: Option<SecretString>,
}

impl IdentityDetail {
    /// The identity of the caller, with links below `current-identity`.
    pub fn of_caller(view: IdentityView) -> Self {
        Self::with_links(view, |_id, _policy| {
            Links::with_self("current-identity").with("mfa", "current-identity/mfa")
        })
    }

    fn with_links(
        view: IdentityView,
        links: impl FnOnce(&IdentityId, &AuthPolicyId) -> Links,
    ) -> Self {
        let disabled = view.identity.is_disabled(view.as_of);
        let identity = view.identity;
        let spec = identity.spec;
        let policy = spec.auth_policy;
        Self {
            auth_policy: view
                .policy_name
                .map(|name| EntityRef::new("auth-policies", policy.as_str(), name)),
            base: Base {
                links: links(&identity.id, &policy),
                created_at: identity.created_at.into(),
                id: identity.id,
                tags: spec.tags,
                updated_at: identity.updated_at.into(),
            },
            app_data: spec.app_data,
            auth_policy_id: policy,
            authenticators: view.authenticators.into_iter().collect(),
            default_hosting_cost: spec.hosting.default_cost,
            default_hosting_precedence: spec.hosting.default_precedence,
            disabled,
            disabled_at: identity.disabled.map(|since| since.at.into()),
            disabled_until: identity
                .disabled
                .and_then(|since| since.until)
                .map(Into::into),
            edge_router_connection_status: Cow::Borrowed(view.edge_router_connection.name()),
            enrollment: enrollments(view.enrollments, view.ca),
            env_info: identity.env_info,
            external_id: spec.external_id,
            has_api_session: view.has_api_session,
            has_edge_router_connection: view.edge_router_connection == EdgeRouterConnection::Online,
            interfaces: None,
            is_admin: spec.is_admin,
            is_default_admin: identity.is_default_admin,
            is_mfa_enabled: identity.attached.totp == TotpState::Verified,
            name: spec.name.as_str().to_owned(),
            permissions: spec.permissions,
            role_attributes: spec.role_attributes,
            sdk_info: identity.sdk_info,
            service_hosting_costs: spec.hosting.costs,
            service_hosting_precedences: spec.hosting.precedences,
            kind: identity.kind.into(),
            kind_id: Cow::Borrowed(identity.kind.name()),
        }
    }
}

impl From<IdentityView> for IdentityDetail {
    fn from(view: IdentityView) -> Self {
        Self::with_links(view, Links::of_identity)
    }
}

/// The pending enrollments, with the CA of the `ottca` enrollment.
fn enrollments(
    enrollments: Vec<(Enrollment, Option<EnrollmentSecrets>)>,
    ca: Option<CaRef>,
) -> IdentityEnrollments {
    let mut shown: IdentityEnrollments = enrollments.into_iter().collect();
    if let Some(pending) = &mut shown.ottca {
        pending.ca = ca.map(EntityRef::from);
    }
    shown
}

impl FromIterator<Authenticator> for IdentityAuthenticators {
    fn from_iter<A: IntoIterator<Item = Authenticator>>(authenticators: A) -> Self {
        let mut shown = Self::default();
        for authenticator in authenticators {
            let id = authenticator.id;
            match authenticator.credential {
                Credential::Cert(cert) => {
                    let fingerprint = cert.fingerprint;
                    shown.cert = Some(CertSummary { fingerprint, id });
                },
                Credential::Updb(updb) => {
                    let username = updb.username;
                    shown.updb = Some(UpdbSummary { id, username });
                },
            }
        }
        shown
    }
}

impl FromIterator<(Enrollment, Option<EnrollmentSecrets>)> for IdentityEnrollments {
    fn from_iter<E>(enrollments: E) -> Self
    where
        E: IntoIterator<Item = (Enrollment, Option<EnrollmentSecrets>)>,
    {
        let mut shown = Self::default();
        for (enrollment, secrets) in enrollments {
            let Some(method) = enrollment.purpose.method() else {
                continue;
            };
            let ca_id = enrollment.purpose.ca().cloned();
            let secrets = secrets.map(|secrets| (secrets.token, secrets.jwt));
            let (token, jwt) = secrets.unzip();
            let place = match method {
                EnrollmentMethod::Ott => &mut shown.ott,
                EnrollmentMethod::OttCa { .. } => &mut shown.ottca,
                EnrollmentMethod::Updb { .. } => &mut shown.updb,
            };
            *place = Some(PendingEnrollment {
                ca: None,
                ca_id,
                expires_at: enrollment.expires_at.into(),
                id: enrollment.id,
                jwt,
                token,
            });
        }
        shown
    }
}
