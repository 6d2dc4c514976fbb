//! Bodies of identity requests, as clients write them.

use portcullis_domain::tags::{AppData, Tags};
use serde::Serialize;
use std::collections::BTreeMap;

/// The type of every identity that does not belong to a router.
const DEFAULT_TYPE: &str = "Default";

/// The body of POST `/identities`.
///
/// # Examples
///
/// ```
/// use portcullis_api::identity::{IdentityCreate, IdentityCreateEnrollment};
///
/// let mut body = IdentityCreate::named("laptop");
/// body.enrollment = Some(IdentityCreateEnrollment::ott());
/// assert_eq!(
///     serde_json::to_string(&body)?,
///     r#"{"name":"laptop","type":"Default","isAdmin":false,"enrollment":{"ott":true}}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IdentityCreate {
    /// Members shared with the body of PUT.
    #[serde(flatten)]
    pub update: IdentityUpdate,
    /// How the identity obtains its first authenticator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enrollment: Option<IdentityCreateEnrollment>,
}

impl IdentityCreate {
    /// Defaults for everything but the name, without an enrollment.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            update: IdentityUpdate::named(name),
            enrollment: None,
        }
    }
}

/// How an identity obtains its first authenticator; at most one member is set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IdentityCreateEnrollment {
    /// Enrolls with a certificate issued by the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    ott: Option<bool>,
    /// Enrolls with a certificate of a third-party CA.
    #[serde(skip_serializing_if = "Option::is_none")]
    ottca: Option<String>,
    /// Enrolls by choosing a password for a username.
    #[serde(skip_serializing_if = "Option::is_none")]
    updb: Option<String>,
}

impl IdentityCreateEnrollment {
    /// Enrolls with a certificate issued by the network.
    pub fn ott() -> Self {
        Self {
            ott: Some(true),
            ..Self::default()
        }
    }

    /// Enrolls with a certificate of the third-party CA with that id.
    pub fn ottca(ca: impl Into<String>) -> Self {
        Self {
            ottca: Some(ca.into()),
            ..Self::default()
        }
    }

    /// Enrolls by choosing a password for `username`.
    pub fn updb(username: impl Into<String>) -> Self {
        Self {
            updb: Some(username.into()),
            ..Self::default()
        }
    }
}

/// The body of PUT `/identities/{id}`. Absent members are reset to their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IdentityUpdate {
    pub name: String,
    /// Identity type; `Default` unless the identity belongs to a router.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it is an administrator.
    pub is_admin: bool,
    /// Optional members.
    #[serde(flatten)]
    pub options: IdentityOptions,
}

impl IdentityUpdate {
    /// Defaults for everything but the name.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: DEFAULT_TYPE.to_owned(),
            is_admin: false,
            options: IdentityOptions::default(),
        }
    }
}

/// The body of PATCH `/identities/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IdentityPatch {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is an administrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_admin: Option<bool>,
    /// Optional members.
    #[serde(flatten)]
    pub options: IdentityOptions,
}

/// Optional members of an identity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IdentityOptions {
    /// Role attributes, by which policies select it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_attributes: Option<Vec<String>>,
    /// Id of its authentication policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_policy_id: Option<String>,
    /// External id for external signers and third-party CAs; an empty string clears it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Permissions on the management API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    /// Application data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_data: Option<AppData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
    /// Precedence of its terminators: `default`, `required` or `failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_hosting_precedence: Option<String>,
    /// Cost of its terminators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_hosting_cost: Option<u16>,
    /// Precedence by id of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_hosting_precedences: Option<BTreeMap<String, String>>,
    /// Cost by id of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_hosting_costs: Option<BTreeMap<String, u16>>,
}
