//! Bodies of edge router policy requests.

use crate::decode::{Decode, DecodeError, Members};
use crate::role::{UnparsedRoles, required_semantic, semantic};
use portcullis_domain::ids::{IdentityId, RouterId};
use portcullis_domain::policies::{EdgeRouterPolicySpec, EdgeRouterPolicySpecPatch};
use portcullis_domain::roles::{RoleSelectors, Semantic};
use portcullis_domain::tags::Tags;
use serde::Serialize;

/// Name of the body in errors.
const PARAMETER: &str = "policy";

/// The body of POST `/edge-router-policies` and PUT `/edge-router-policies/{id}`. Absent
/// members are set to their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeRouterPolicyCreate {
    /// Selectors of the edge routers that the policy applies to.
    pub edge_router_roles: RoleSelectors<RouterId>,
    /// Selectors of the identities that the policy applies to.
    pub identity_roles: RoleSelectors<IdentityId>,
    pub name: String,
    /// Whether an entity needs all role attributes of a list (`AllOf`) or one of them (`AnyOf`).
    pub semantic: Semantic,
    pub tags: Tags,
}

/// The body of PATCH `/edge-router-policies/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeRouterPolicyPatch {
    /// Replaces the selectors of edge routers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge_router_roles: Option<RoleSelectors<RouterId>>,
    /// Replaces the selectors of identities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity_roles: Option<RoleSelectors<IdentityId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic: Option<Semantic>,
    /// Replaces all tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl EdgeRouterPolicyCreate {
    /// A policy with this name that selects nobody and nothing yet, by any of the attributes in its lists.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            edge_router_roles: RoleSelectors::default(),
            identity_roles: RoleSelectors::default(),
            name: name.into(),
            semantic: Semantic::AnyOf,
            tags: Tags::default(),
        }
    }
}

impl Decode for EdgeRouterPolicyCreate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let routers = UnparsedRoles::take(members, "edgeRouterRoles")?;
        let identities = UnparsedRoles::take(members, "identityRoles")?;
        let name = members.required_string("name")?;
        let semantic = required_semantic(members)?;
        let tags = members.tags()?.unwrap_or_default();
        Ok(Self {
            name,
            semantic,
            tags,
            edge_router_roles: routers.parse()?.unwrap_or_default(),
            identity_roles: identities.parse()?.unwrap_or_default(),
        })
    }
}

impl Decode for EdgeRouterPolicyPatch {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let routers = UnparsedRoles::take(members, "edgeRouterRoles")?;
        let identities = UnparsedRoles::take(members, "identityRoles")?;
        let name = members.optional_string("name")?;
        let semantic = semantic(members)?;
        let tags = members.tags()?;
        Ok(Self {
            name,
            semantic,
            tags,
            edge_router_roles: routers.parse()?,
            identity_roles: identities.parse()?,
        })
    }
}

impl From<EdgeRouterPolicyCreate> for EdgeRouterPolicySpec {
    fn from(create: EdgeRouterPolicyCreate) -> Self {
        Self {
            name: create.name,
            semantic: create.semantic,
            identity_roles: create.identity_roles,
            edge_router_roles: create.edge_router_roles,
            is_system: false,
            tags: create.tags,
        }
    }
}

impl From<EdgeRouterPolicyPatch> for EdgeRouterPolicySpecPatch {
    fn from(patch: EdgeRouterPolicyPatch) -> Self {
        Self {
            name: patch.name,
            semantic: patch.semantic,
            identity_roles: patch.identity_roles,
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
                json!({"name": "p", "semantic": "AnyOf", "identityRoles": ["#all", "@y"]}),
                "identityRoles",
                "[#all @y]",
            ),
        ] {
            match read::<EdgeRouterPolicyCreate>(&body).unwrap_err() {
                DecodeError::Field(error) => {
                    assert_eq!((&*error.field, &*error.value), (field, value), "{body}");
                },
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = EdgeRouterPolicyCreate {
            edge_router_roles: RoleSelectors::from_id(RouterId::from_wire("r")),
            identity_roles: RoleSelectors::All,
            name: "p".to_owned(),
            semantic: Semantic::AnyOf,
            tags: Tags::default(),
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(written["edgeRouterRoles"], json!(["@r"]));
        assert_eq!(read::<EdgeRouterPolicyCreate>(&written).unwrap(), sent);
        let spec = EdgeRouterPolicySpec::from(sent.clone());
        assert_eq!(spec.identity_roles, RoleSelectors::All);
        let sent = EdgeRouterPolicyPatch {
            edge_router_roles: Some(RoleSelectors::default()),
            ..EdgeRouterPolicyPatch::default()
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(written, json!({"edgeRouterRoles": []}));
        let read = read::<EdgeRouterPolicyPatch>(&written).unwrap();
        let patch = EdgeRouterPolicySpecPatch::from(read);
        assert_eq!(patch.edge_router_roles, Some(RoleSelectors::default()));
        assert_eq!(patch.identity_roles, None);
    }
}
