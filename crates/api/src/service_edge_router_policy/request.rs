//! Bodies of service edge router policy requests.

use crate::decode::{Decode, DecodeError, Members};
use crate::role::{UnparsedRoles, required_semantic, semantic};
use portcullis_domain::ids::{RouterId, ServiceId};
use portcullis_domain::policies::{ServiceEdgeRouterPolicyPatch, ServiceEdgeRouterPolicySpec};
use portcullis_domain::roles::{Roles, Semantic};
use portcullis_domain::tags::Tags;
use serde::Serialize;

/// Name of the body in errors.
const PARAMETER: &str = "policy";

/// The body of POST `/service-edge-router-policies` and PUT `/service-edge-router-policies/{id}`.
/// Absent members are set to their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceEdgeRouterPolicyBody {
    /// Selectors of the edge routers that the policy applies to.
    pub edge_router_roles: Roles<RouterId>,
    pub name: String,
    /// Whether an entity needs all role attributes of a list (`AllOf`) or one of them (`AnyOf`).
    pub semantic: Semantic,
    /// Selectors of the services that the policy applies to.
    pub service_roles: Roles<ServiceId>,
    pub tags: Tags,
}

/// The body of PATCH `/service-edge-router-policies/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceEdgeRouterPolicyMerge {
    /// Replaces the selectors of edge routers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge_router_roles: Option<Roles<RouterId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic: Option<Semantic>,
    /// Replaces the selectors of services.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_roles: Option<Roles<ServiceId>>,
    /// Replaces all tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl Decode for ServiceEdgeRouterPolicyBody {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let routers = UnparsedRoles::take(members, "edgeRouterRoles")?;
        let name = members.required_string("name")?;
        let semantic = required_semantic(members)?;
        let services = UnparsedRoles::take(members, "serviceRoles")?;
        let tags = members.tags()?.unwrap_or_default();
        Ok(Self {
            name,
            semantic,
            tags,
            edge_router_roles: routers.parse()?.unwrap_or_default(),
            service_roles: services.parse()?.unwrap_or_default(),
        })
    }
}

impl Decode for ServiceEdgeRouterPolicyMerge {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let routers = UnparsedRoles::take(members, "edgeRouterRoles")?;
        let name = members.optional_string("name")?;
        let semantic = semantic(members)?;
        let services = UnparsedRoles::take(members, "serviceRoles")?;
        let tags = members.tags()?;
        Ok(Self {
            name,
            semantic,
            tags,
            edge_router_roles: routers.parse()?,
            service_roles: services.parse()?,
        })
    }
}

impl From<ServiceEdgeRouterPolicyBody> for ServiceEdgeRouterPolicySpec {
    fn from(create: ServiceEdgeRouterPolicyBody) -> Self {
        Self {
            name: create.name,
            semantic: create.semantic,
            service_roles: create.service_roles,
            edge_router_roles: create.edge_router_roles,
            tags: create.tags,
        }
    }
}

impl From<ServiceEdgeRouterPolicyMerge> for ServiceEdgeRouterPolicyPatch {
    fn from(patch: ServiceEdgeRouterPolicyMerge) -> Self {
        Self {
            name: patch.name,
            semantic: patch.semantic,
            service_roles: patch.service_roles,
            edge_router_roles: patch.edge_router_roles,
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
        for (body, field, value) in [
            (json!({"edgeRouterRoles": ["x"]}), "name", "<nil>"),
            (
                json!({"name": "p", "edgeRouterRoles": ["x"]}),
                "semantic",
                "<nil>",
            ),
            (json!({"name": "p", "semantic": "Some"}), "semantic", "Some"),
            (
                json!({"name": "p", "semantic": "AnyOf", "edgeRouterRoles": ["x", "@y"]}),
                "edgeRouterRoles",
                "[x]",
            ),
            (
                json!({"name": "p", "semantic": "AnyOf", "serviceRoles": ["#all", "@y"]}),
                "serviceRoles",
                "[#all @y]",
            ),
        ] {
            match read::<ServiceEdgeRouterPolicyBody>(&body).unwrap_err() {
                DecodeError::Field(error) => {
                    assert_eq!((&*error.field, &*error.value), (field, value), "{body}");
                },
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = ServiceEdgeRouterPolicyBody {
            edge_router_roles: Roles::of_one(RouterId::from_wire("r")),
            service_roles: Roles::All,
            name: "p".to_owned(),
            semantic: Semantic::AnyOf,
            tags: Tags::default(),
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(written["edgeRouterRoles"], json!(["@r"]));
        assert_eq!(read::<ServiceEdgeRouterPolicyBody>(&written).unwrap(), sent);
        let spec = ServiceEdgeRouterPolicySpec::from(sent.clone());
        assert_eq!(spec.service_roles, Roles::All);
        let sent = ServiceEdgeRouterPolicyMerge {
            edge_router_roles: Some(Roles::default()),
            ..ServiceEdgeRouterPolicyMerge::default()
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(written, json!({"edgeRouterRoles": []}));
        let read = read::<ServiceEdgeRouterPolicyMerge>(&written).unwrap();
        let patch = ServiceEdgeRouterPolicyPatch::from(read);
        assert_eq!(patch.edge_router_roles, Some(Roles::default()));
        assert_eq!(patch.service_roles, None);
    }
}
