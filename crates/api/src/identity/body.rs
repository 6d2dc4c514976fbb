//! Requests about identities, as clients write them.

use portcullis_domain::tags::{AppData, Tags};
use serde::Serialize;
use std::collections::BTreeMap;

/// The type that every identity has that is not a router's.
const DEFAULT_TYPE: &str = "Default";

/// The body of POST `/identities`.
///
/// # Examples
///
/// ```
/// use portcullis_api::identity::{EnrollmentChoice, IdentityCreate};
///
/// let mut body = IdentityCreate::named("laptop");
/// body.enrollment = Some(EnrollmentChoice::ott());
/// assert_eq!(
///     serde_json::to_string(&body)?,
///     r#"{"name":"laptop","type":"Default","isAdmin":false,"enrollment":{"ott":true}}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IdentityCreate {
    /// Members shared with a replacement.
    #[serde(flatten)]
    pub update: IdentityUpdate,
    /// How the identity obtains its first credential.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enrollment: Option<EnrollmentChoice>,
}

impl IdentityCreate {
    /// A request with defaults for everything but the name, and without an enrollment.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            update: IdentityUpdate::named(name),
            enrollment: None,
        }
    }
}

/// How an identity obtains its first credential; one member at most is set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EnrollmentChoice {
    /// By a certificate of the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    ott: Option<bool>,
    /// By a certificate of a third-party authority.
    #[serde(skip_serializing_if = "Option::is_none")]
    ottca: Option<String>,
    /// By choosing a password for a username.
    #[serde(skip_serializing_if = "Option::is_none")]
    updb: Option<String>,
}

impl EnrollmentChoice {
    /// By a certificate of the network.
    pub fn ott() -> Self {
        Self {
            ott: Some(true),
            ..Self::default()
        }
    }

    /// By a certificate of the third-party authority of that id.
    pub fn ottca(ca: impl Into<String>) -> Self {
        Self {
            ottca: Some(ca.into()),
            ..Self::default()
        }
    }

    /// By choosing a password for `username`.
    pub fn updb(username: impl Into<String>) -> Self {
        Self {
            updb: Some(username.into()),
            ..Self::default()
        }
    }
}

/// The body of PUT `/identities/{id}`. What is left out is set back to its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IdentityUpdate {
    /// The name.
    pub name: String,
    /// The type; `Default` unless it is a router's.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it is an administrator.
    pub is_admin: bool,
    /// What may be left out.
    #[serde(flatten)]
    pub options: IdentityOptions,
}

impl IdentityUpdate {
    /// A request with defaults for everything but the name.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: DEFAULT_TYPE.to_owned(),
            is_admin: false,
            options: IdentityOptions::default(),
        }
    }
}

/// The body of PATCH `/identities/{id}`. What is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IdentityPatch {
    /// A new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is an administrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_admin: Option<bool>,
    /// Everything else.
    #[serde(flatten)]
    pub options: IdentityOptions,
}

/// Members of an identity that every request may leave out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IdentityOptions {
    /// The words by which policies select it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_attributes: Option<Vec<String>>,
    /// Id of its authentication policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_policy_id: Option<String>,
    /// What links it to an external signer; the empty text takes the link away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// What it may do on the management API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    /// What its application keeps with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_data: Option<AppData>,
    /// What users attach to it.
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

/// The body of POST `/identities/{id}/disable`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DisableParams {
    /// For how many minutes; 0 until it is enabled again.
    pub duration_minutes: i64,
}
