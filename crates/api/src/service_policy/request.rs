//! Requests about service policies, read by the server and written by clients.

use super::PolicyType;
use crate::decode::{Decode, DecodeError, Members};
use crate::role::{GivenRoles, required_semantic, semantic};
use portcullis_domain::ids::{IdentityId, PostureCheckId, ServiceId};
use portcullis_domain::policies::{ServiceGrant, ServicePolicyPatch, ServicePolicySpec};
use portcullis_domain::roles::{Roles, Semantic};
use portcullis_domain::tags::Tags;
use serde::Serialize;

/// Name of the body in errors.
const PARAMETER: &str = "policy";

/// What a policy that grants nothing is reported under.
const TYPE_FIELD: &str = "policyType";

/// The body of POST `/service-policies` and PUT `/service-policies/{id}`. What is left out is set to
/// its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServicePolicyBody {
    /// To whom it is granted.
    pub identity_roles: Roles<IdentityId>,
    /// The name.
    pub name: String,
    /// What has to be passed for it.
    pub posture_check_roles: Roles<PostureCheckId>,
    /// How many of the attributes of a list an entity has to carry.
    pub semantic: Semantic,
    /// The use of which services.
    pub service_roles: Roles<ServiceId>,
    /// What users attach to it.
    pub tags: Tags,
    /// What it grants.
    #[serde(rename = "type")]
    pub grant: ServiceGrant,
}

/// The body of PATCH `/service-policies/{id}`. What is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServicePolicyMerge {
    /// New list of identities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity_roles: Option<Roles<IdentityId>>,
    /// A new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New list of posture checks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posture_check_roles: Option<Roles<PostureCheckId>>,
    /// New semantic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic: Option<Semantic>,
    /// New list of services.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_roles: Option<Roles<ServiceId>>,
    /// New tags, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
    /// What it is to grant.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub grant: Option<ServiceGrant>,
}

impl Decode for ServicePolicyBody {
    const PARAMETER: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let identities = GivenRoles::take(members, "identityRoles")?;
        let name = members.required_string("name")?;
        let checks = GivenRoles::take(members, "postureCheckRoles")?;
        let semantic = required_semantic(members)?;
        let services = GivenRoles::take(members, "serviceRoles")?;
        let tags = members.tags()?.unwrap_or_default();
        let kind = PolicyType::take_required(members)?;
        Ok(Self {
            name,
            semantic,
            tags,
            grant: kind.grant(TYPE_FIELD)?,
            identity_roles: identities.read()?.unwrap_or_default(),
            posture_check_roles: checks.read()?.unwrap_or_default(),
            service_roles: services.read()?.unwrap_or_default(),
        })
    }
}

impl Decode for ServicePolicyMerge {
    const PARAMETER: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let identities = GivenRoles::take(members, "identityRoles")?;
        let name = members.optional_string("name")?;
        let checks = GivenRoles::take(members, "postureCheckRoles")?;
        let semantic = semantic(members)?;
        let services = GivenRoles::take(members, "serviceRoles")?;
        let tags = members.tags()?;
        let kind = PolicyType::take(members)?;
        Ok(Self {
            name,
            semantic,
            tags,
            grant: kind.map(|kind| kind.grant(TYPE_FIELD)).transpose()?,
            identity_roles: identities.read()?,
            posture_check_roles: checks.read()?,
            service_roles: services.read()?,
        })
    }
}

impl From<ServicePolicyBody> for ServicePolicySpec {
    fn from(body: ServicePolicyBody) -> Self {
        Self {
            name: body.name,
            grant: body.grant,
            semantic: body.semantic,
            identity_roles: body.identity_roles,
            service_roles: body.service_roles,
            posture_check_roles: body.posture_check_roles,
            tags: body.tags,
        }
    }
}

impl From<ServicePolicyMerge> for ServicePolicyPatch {
    fn from(merge: ServicePolicyMerge) -> Self {
        Self {
            name: merge.name,
            grant: merge.grant,
            semantic: merge.semantic,
            identity_roles: merge.identity_roles,
            service_roles: merge.service_roles,
            posture_check_roles: merge.posture_check_roles,
            tags: merge.tags,
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
            match read::<ServicePolicyBody>(&body).unwrap_err() {
                DecodeError::Field(error) => {
                    assert_eq!((&*error.field, &*error.value), (field, value), "{body}");
                },
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
        let merge = read::<ServicePolicyMerge>(&json!({"type": "Invalid"}));
        assert!(matches!(merge, Err(DecodeError::Field(error)) if error.field == "policyType"));
    }

    #[test]
    fn what_is_left_out_selects_nothing_or_stays() {
        let body = json!({"name": "p", "semantic": "AnyOf", "type": "Dial"});
        let spec: ServicePolicySpec = read::<ServicePolicyBody>(&body).unwrap().into();
        assert!(spec.identity_roles.is_empty() && spec.service_roles.is_empty());
        assert_eq!(spec.grant, ServiceGrant::Dial);
        let merge: ServicePolicyMerge = read(&json!({"postureCheckRoles": []})).unwrap();
        let patch = ServicePolicyPatch::from(merge);
        assert_eq!(patch.posture_check_roles, Some(Roles::default()));
        let nothing = ServicePolicyPatch {
            posture_check_roles: None,
            ..patch
        };
        assert_eq!(nothing, ServicePolicyPatch::default());
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = ServicePolicyBody {
            identity_roles: Roles::All,
            name: "p".to_owned(),
            posture_check_roles: Roles::default(),
            semantic: Semantic::AllOf,
            service_roles: Roles::of_one(ServiceId::from_wire("s")),
            tags: Tags::default(),
            grant: ServiceGrant::Bind,
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(
            (&written["type"], &written["serviceRoles"]),
            (&json!("Bind"), &json!(["@s"]))
        );
        assert_eq!(read::<ServicePolicyBody>(&written).unwrap(), sent);
        let sent = ServicePolicyMerge {
            service_roles: Some(sent.service_roles),
            grant: Some(ServiceGrant::Dial),
            ..ServicePolicyMerge::default()
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(read::<ServicePolicyMerge>(&written).unwrap(), sent);
    }
}
