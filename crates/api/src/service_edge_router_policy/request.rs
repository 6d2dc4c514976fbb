//! Requests about service-edge-router policies, read by the server and written by clients.

use crate::decode::{Decode, DecodeError, Members};
use crate::role::{GivenRoles, required_semantic, semantic};
use portcullis_domain::ids::{RouterId, ServiceId};
use portcullis_domain::policies::{ServiceEdgeRouterPolicyPatch, ServiceEdgeRouterPolicySpec};
use portcullis_domain::roles::{Roles, Semantic};
use portcullis_domain::tags::Tags;
use serde::Serialize;

/// Name of the body in errors.
const PARAMETER: &str = "policy";

/// The body of POST `/service-edge-router-policies` and PUT `/service-edge-router-policies/{id}`. What is
/// left out is set to its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceEdgeRouterPolicyBody {
    /// Through which routers.
    pub edge_router_roles: Roles<RouterId>,
    /// The name.
    pub name: String,
    /// How many of the attributes of a list an entity has to carry.
    pub semantic: Semantic,
    /// The use of which services.
    pub service_roles: Roles<ServiceId>,
    /// What users attach to it.
    pub tags: Tags,
}

/// The body of PATCH `/service-edge-router-policies/{id}`. What is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceEdgeRouterPolicyMerge {
    /// New list of routers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge_router_roles: Option<Roles<RouterId>>,
    /// A new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New semantic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic: Option<Semantic>,
    /// New list of services.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_roles: Option<Roles<ServiceId>>,
    /// New tags, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl Decode for ServiceEdgeRouterPolicyBody {
    const PARAMETER: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let routers = GivenRoles::take(members, "edgeRouterRoles")?;
        let name = members.required_string("name")?;
        let semantic = required_semantic(members)?;
        let services = GivenRoles::take(members, "serviceRoles")?;
        let tags = members.tags()?.unwrap_or_default();
        Ok(Self {
            name,
            semantic,
            tags,
            edge_router_roles: routers.read()?.unwrap_or_default(),
            service_roles: services.read()?.unwrap_or_default(),
        })
    }
}

impl Decode for ServiceEdgeRouterPolicyMerge {
    const PARAMETER: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let routers = GivenRoles::take(members, "edgeRouterRoles")?;
        let name = members.optional_string("name")?;
        let semantic = semantic(members)?;
        let services = GivenRoles::take(members, "serviceRoles")?;
        let tags = members.tags()?;
        Ok(Self {
            name,
            semantic,
            tags,
            edge_router_roles: routers.read()?,
            service_roles: services.read()?,
        })
    }
}

impl From<ServiceEdgeRouterPolicyBody> for ServiceEdgeRouterPolicySpec {
    fn from(body: ServiceEdgeRouterPolicyBody) -> Self {
        Self {
            name: body.name,
            semantic: body.semantic,
            service_roles: body.service_roles,
            edge_router_roles: body.edge_router_roles,
            tags: body.tags,
        }
    }
}

impl From<ServiceEdgeRouterPolicyMerge> for ServiceEdgeRouterPolicyPatch {
    fn from(merge: ServiceEdgeRouterPolicyMerge) -> Self {
        Self {
            name: merge.name,
            semantic: merge.semantic,
            service_roles: merge.service_roles,
            edge_router_roles: merge.edge_router_roles,
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
