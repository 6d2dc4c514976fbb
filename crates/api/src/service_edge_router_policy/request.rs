//! Bodies of service edge router policy requests.

use crate::decode::{Decode, DecodeError, Members};
use crate::role::{UnparsedRoles, required_semantic, semantic};
use portcullis_domain::ids::{RouterId, ServiceId};
use portcullis_domain::policies::{ServiceEdgeRouterPolicySpec, ServiceEdgeRouterPolicySpecPatch};
use portcullis_domain::roles::{RoleSelectors, Semantic};
use portcullis_domain::tags::Tags;
use serde::Serialize;

/// Name of the body in errors.
const PARAMETER: &str = "policy";

/// The body of POST `/service-edge-router-policies` and PUT `/service-edge-router-policies/{id}`.
/// Absent members are set to their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceEdgeRouterPolicyCreate {
    /// Selectors of the edge routers that the policy applies to.
    pub edge_router_roles: RoleSelectors<RouterId>,
    pub name: String,
    /// Whether an entity needs all role attributes of a list (`AllOf`) or one of them (`AnyOf`).
    pub semantic: Semantic,
    /// Selectors of the services that the policy applies to.
    pub service_roles: RoleSelectors<ServiceId>,
    pub tags: Tags,
}

/// The body of PATCH `/service-edge-router-policies/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceEdgeRouterPolicyPatch {
    /// Replaces the selectors of edge routers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge_router_roles: Option<RoleSelectors<RouterId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic: Option<Semantic>,
    /// Replaces the selectors of services.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_roles: Option<RoleSelectors<ServiceId>>,
    /// Replaces all tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl ServiceEdgeRouterPolicyCreate {
    /// A policy with this name that selects nothing yet, by any of the attributes in its lists.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            edge_router_roles: RoleSelectors::default(),
            name: name.into(),
            semantic: Semantic::AnyOf,
            service_roles: RoleSelectors::default(),
            tags: Tags::default(),
        }
    }
}

impl Decode for ServiceEdgeRouterPolicyCreate {
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

impl Decode for ServiceEdgeRouterPolicyPatch {
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

impl From<ServiceEdgeRouterPolicyCreate> for ServiceEdgeRouterPolicySpec {
    fn from(create: ServiceEdgeRouterPolicyCreate) -> Self {
        Self {
            name: create.name,
            semantic: create.semantic,
            service_roles: create.service_roles,
            edge_router_roles: create.edge_router_roles,
            tags: create.tags,
        }
    }
}

impl From<ServiceEdgeRouterPolicyPatch> for ServiceEdgeRouterPolicySpecPatch {
    fn from(patch: ServiceEdgeRouterPolicyPatch) -> Self {
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
            match read::<ServiceEdgeRouterPolicyCreate>(&body).unwrap_err() {
                DecodeError::Field(error) => {
                    assert_eq!((&*error.field, &*error.value), (field, value), "{body}");
                },
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = ServiceEdgeRouterPolicyCreate {
            edge_router_roles: RoleSelectors::from_id(RouterId::from_wire("r")),
            service_roles: RoleSelectors::All,
            name: "p".to_owned(),
            semantic: Semantic::AnyOf,
            tags: Tags::default(),
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(written["edgeRouterRoles"], json!(["@r"]));
        assert_eq!(
            read::<ServiceEdgeRouterPolicyCreate>(&written).unwrap(),
            sent
        );
        let spec = ServiceEdgeRouterPolicySpec::from(sent.clone());
        assert_eq!(spec.service_roles, RoleSelectors::All);
        let sent = ServiceEdgeRouterPolicyPatch {
            edge_router_roles: Some(RoleSelectors::default()),
            ..ServiceEdgeRouterPolicyPatch::default()
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(written, json!({"edgeRouterRoles": []}));
        let read = read::<ServiceEdgeRouterPolicyPatch>(&written).unwrap();
        let patch = ServiceEdgeRouterPolicySpecPatch::from(read);
        assert_eq!(patch.edge_router_roles, Some(RoleSelectors::default()));
        assert_eq!(patch.service_roles, None);
    }
}
