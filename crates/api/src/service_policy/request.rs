//! Bodies of service policy requests.

use super::PolicyType;
use crate::decode::{Decode, DecodeError, Members};
use crate::role::{UnparsedRoles, required_semantic, semantic};
use portcullis_domain::ids::{IdentityId, PostureCheckId, ServiceId};
use portcullis_domain::policies::{ServiceGrant, ServicePolicySpec, ServicePolicySpecPatch};
use portcullis_domain::roles::{RoleSelectors, Semantic};
use portcullis_domain::tags::Tags;
use serde::Serialize;

/// Name of the body in errors.
const PARAMETER: &str = "policy";

/// Field under which an invalid type is reported.
const TYPE_FIELD: &str = "policyType";

/// The body of POST `/service-policies` and PUT `/service-policies/{id}`. Absent members are set
/// to their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServicePolicyCreate {
    /// Selectors of the identities that the policy applies to.
    pub identity_roles: RoleSelectors<IdentityId>,
    pub name: String,
    /// Selectors of the posture checks that have to pass.
    pub posture_check_roles: RoleSelectors<PostureCheckId>,
    /// Whether an entity needs all role attributes of a list (`AllOf`) or one of them (`AnyOf`).
    pub semantic: Semantic,
    /// Selectors of the services that the policy applies to.
    pub service_roles: RoleSelectors<ServiceId>,
    pub tags: Tags,
    /// What the policy grants: `Dial` or `Bind`.
    #[serde(rename = "type")]
    pub grant: ServiceGrant,
}

/// The body of PATCH `/service-policies/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServicePolicyPatch {
    /// Replaces the selectors of identities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity_roles: Option<RoleSelectors<IdentityId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Replaces the selectors of posture checks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posture_check_roles: Option<RoleSelectors<PostureCheckId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic: Option<Semantic>,
    /// Replaces the selectors of services.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_roles: Option<RoleSelectors<ServiceId>>,
    /// Replaces all tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
    /// What the policy grants: `Dial` or `Bind`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub grant: Option<ServiceGrant>,
}

impl ServicePolicyCreate {
    /// A policy with this name that selects nobody and nothing yet, by any of the attributes in its lists.
    pub fn new(name: impl Into<String>, grant: ServiceGrant) -> Self {
        Self {
            identity_roles: RoleSelectors::default(),
            name: name.into(),
            posture_check_roles: RoleSelectors::default(),
            semantic: Semantic::AnyOf,
            service_roles: RoleSelectors::default(),
            tags: Tags::default(),
            grant,
        }
    }
}

impl Decode for ServicePolicyCreate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let identities = UnparsedRoles::take(members, "identityRoles")?;
        let name = members.required_string("name")?;
        let checks = UnparsedRoles::take(members, "postureCheckRoles")?;
        let semantic = required_semantic(members)?;
        let services = UnparsedRoles::take(members, "serviceRoles")?;
        let tags = members.tags()?.unwrap_or_default();
        let kind = PolicyType::take_required(members)?;
        Ok(Self {
            name,
            semantic,
            tags,
            grant: kind.to_grant(TYPE_FIELD)?,
            identity_roles: identities.parse()?.unwrap_or_default(),
            posture_check_roles: checks.parse()?.unwrap_or_default(),
            service_roles: services.parse()?.unwrap_or_default(),
        })
    }
}

impl Decode for ServicePolicyPatch {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let identities = UnparsedRoles::take(members, "identityRoles")?;
        let name = members.optional_string("name")?;
        let checks = UnparsedRoles::take(members, "postureCheckRoles")?;
        let semantic = semantic(members)?;
        let services = UnparsedRoles::take(members, "serviceRoles")?;
        let tags = members.tags()?;
        let kind = PolicyType::take(members)?;
        Ok(Self {
            name,
            semantic,
            tags,
            grant: kind.map(|kind| kind.to_grant(TYPE_FIELD)).transpose()?,
            identity_roles: identities.parse()?,
            posture_check_roles: checks.parse()?,
            service_roles: services.parse()?,
        })
    }
}

impl From<ServicePolicyCreate> for ServicePolicySpec {
    fn from(create: ServicePolicyCreate) -> Self {
        Self {
            name: create.name,
            grant: create.grant,
            semantic: create.semantic,
            identity_roles: create.identity_roles,
            service_roles: create.service_roles,
            posture_check_roles: create.posture_check_roles,
            tags: create.tags,
        }
    }
}

impl From<ServicePolicyPatch> for ServicePolicySpecPatch {
    fn from(patch: ServicePolicyPatch) -> Self {
        Self {
            name: patch.name,
            grant: patch.grant,
            semantic: patch.semantic,
            identity_roles: patch.identity_roles,
            service_roles: patch.service_roles,
            posture_check_roles: patch.posture_check_roles,
            tags: patch.tags,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read<D: Decode>(body: &Value) -> Result<D, DecodeError> {
        D::from_body(body.to_string().as_bytes())
    }

    #[test]
    fn faults_are_named_in_the_order_of_members_and_selectors_last() {
        let bad = json!(["plain"]);
        for (body, field, value) in [
            (json!({"identityRoles": bad}), "name", "<nil>"),
            (
                json!({"name": "p", "identityRoles": bad}),
                "semantic",
                "<nil>",
            ),
            (
                json!({"name": "p", "semantic": "anyof"}),
                "semantic",
                "anyof",
            ),
            (json!({"name": "p", "semantic": "AnyOf"}), "type", "<nil>"),
            (
                json!({"name": "p", "semantic": "AnyOf", "type": "dial"}),
                "type",
                "dial",
            ),
            (
                json!({"name": "p", "semantic": "AnyOf", "type": "Invalid", "identityRoles": bad}),
                "policyType",
                "Invalid",
            ),
            (
                json!({"name": "p", "semantic": "AnyOf", "type": "Dial", "serviceRoles": bad}),
                "serviceRoles",
                "[plain]",
            ),
            (
                json!({"name": "p", "semantic": "AllOf", "type": "Bind",
                       "postureCheckRoles": ["#all", "@x"]}),
                "postureCheckRoles",
                "[#all @x]",
            ),
        ] {
            match read::<ServicePolicyCreate>(&body).unwrap_err() {
                DecodeError::Field(error) => {
                    assert_eq!((&*error.field, &*error.value), (field, value), "{body}");
                },
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
        let merge = read::<ServicePolicyPatch>(&json!({"type": "Invalid"}));
        assert!(matches!(merge, Err(DecodeError::Field(error)) if error.field == "policyType"));
    }

    #[test]
    fn what_is_left_out_selects_nothing_or_stays() {
        let body = json!({"name": "p", "semantic": "AnyOf", "type": "Dial"});
        let spec: ServicePolicySpec = read::<ServicePolicyCreate>(&body).unwrap().into();
        assert!(spec.identity_roles.is_empty() && spec.service_roles.is_empty());
        assert_eq!(spec.grant, ServiceGrant::Dial);
        let merge: ServicePolicyPatch = read(&json!({"postureCheckRoles": []})).unwrap();
        let patch = ServicePolicySpecPatch::from(merge);
        assert_eq!(patch.posture_check_roles, Some(RoleSelectors::default()));
        let nothing = ServicePolicySpecPatch {
            posture_check_roles: None,
            ..patch
        };
        assert_eq!(nothing, ServicePolicySpecPatch::default());
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = ServicePolicyCreate {
            identity_roles: RoleSelectors::All,
            name: "p".to_owned(),
            posture_check_roles: RoleSelectors::default(),
            semantic: Semantic::AllOf,
            service_roles: RoleSelectors::from_id(ServiceId::from_wire("s")),
            tags: Tags::default(),
            grant: ServiceGrant::Bind,
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(
            (&written["type"], &written["serviceRoles"]),
            (&json!("Bind"), &json!(["@s"]))
        );
        assert_eq!(read::<ServicePolicyCreate>(&written).unwrap(), sent);
        let sent = ServicePolicyPatch {
            service_roles: Some(sent.service_roles),
            grant: Some(ServiceGrant::Dial),
            ..ServicePolicyPatch::default()
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(read::<ServicePolicyPatch>(&written).unwrap(), sent);
    }
}
