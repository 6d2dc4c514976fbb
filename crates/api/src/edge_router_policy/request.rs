//! Requests about edge-router policies, read by the server and written by clients.

use crate::decode::{Decode, DecodeError, Members};
use crate::role::{GivenRoles, required_semantic, semantic};
use portcullis_domain::ids::{IdentityId, RouterId};
use portcullis_domain::policies::{EdgeRouterPolicyPatch, EdgeRouterPolicySpec};
use portcullis_domain::roles::{Roles, Semantic};
use portcullis_domain::tags::Tags;
use serde::Serialize;

/// Name of the body in errors.
const PARAMETER: &str = "policy";

/// The body of POST `/edge-router-policies` and PUT `/edge-router-policies/{id}`. What is
/// left out is set to its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeRouterPolicyBody {
    /// The use of which routers.
    pub edge_router_roles: Roles<RouterId>,
    /// To whom it is granted.
    pub identity_roles: Roles<IdentityId>,
    /// The name.
    pub name: String,
    /// How many of the attributes of a list an entity has to carry.
    pub semantic: Semantic,
    /// What users attach to it.
    pub tags: Tags,
}

/// The body of PATCH `/edge-router-policies/{id}`. What is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeRouterPolicyMerge {
    /// New list of routers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge_router_roles: Option<Roles<RouterId>>,
    /// New list of identities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity_roles: Option<Roles<IdentityId>>,
    /// A new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New semantic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic: Option<Semantic>,
    /// New tags, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl Decode for EdgeRouterPolicyBody {
    const PARAMETER: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let routers = GivenRoles::take(members, "edgeRouterRoles")?;
        let identities = GivenRoles::take(members, "identityRoles")?;
        let name = members.required_string("name")?;
        let semantic = required_semantic(members)?;
        let tags = members.tags()?.unwrap_or_default();
        Ok(Self {
            name,
            semantic,
            tags,
            edge_router_roles: routers.read()?.unwrap_or_default(),
            identity_roles: identities.read()?.unwrap_or_default(),
        })
    }
}

impl Decode for EdgeRouterPolicyMerge {
    const PARAMETER: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let routers = GivenRoles::take(members, "edgeRouterRoles")?;
        let identities = GivenRoles::take(members, "identityRoles")?;
        let name = members.optional_string("name")?;
        let semantic = semantic(members)?;
        let tags = members.tags()?;
        Ok(Self {
            name,
            semantic,
            tags,
            edge_router_roles: routers.read()?,
            identity_roles: identities.read()?,
        })
    }
}

impl From<EdgeRouterPolicyBody> for EdgeRouterPolicySpec {
    fn from(body: EdgeRouterPolicyBody) -> Self {
        Self {
            name: body.name,
            semantic: body.semantic,
            identity_roles: body.identity_roles,
            edge_router_roles: body.edge_router_roles,
            is_system: false,
            tags: body.tags,
        }
    }
}

impl From<EdgeRouterPolicyMerge> for EdgeRouterPolicyPatch {
    fn from(merge: EdgeRouterPolicyMerge) -> Self {
        Self {
            name: merge.name,
            semantic: merge.semantic,
            identity_roles: merge.identity_roles,
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
                json!({"name": "p", "semantic": "AnyOf", "identityRoles": ["#all", "@y"]}),
                "identityRoles",
                "[#all @y]",
            ),
        ] {
            match read::<EdgeRouterPolicyBody>(&body).unwrap_err() {
                DecodeError::Field(error) => {
                    assert_eq!((&*error.field, &*error.value), (field, value), "{body}");
                },
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = EdgeRouterPolicyBody {
            edge_router_roles: Roles::of_one(RouterId::from_wire("r")),
            identity_roles: Roles::All,
            name: "p".to_owned(),
            semantic: Semantic::AnyOf,
            tags: Tags::default(),
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(written["edgeRouterRoles"], json!(["@r"]));
        assert_eq!(read::<EdgeRouterPolicyBody>(&written).unwrap(), sent);
        let spec = EdgeRouterPolicySpec::from(sent.clone());
        assert_eq!(spec.identity_roles, Roles::All);
        let sent = EdgeRouterPolicyMerge {
            edge_router_roles: Some(Roles::default()),
            ..EdgeRouterPolicyMerge::default()
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(written, json!({"edgeRouterRoles": []}));
        let read = read::<EdgeRouterPolicyMerge>(&written).unwrap();
        let patch = EdgeRouterPolicyPatch::from(read);
        assert_eq!(patch.edge_router_roles, Some(Roles::default()));
        assert_eq!(patch.identity_roles, None);
    }
}
