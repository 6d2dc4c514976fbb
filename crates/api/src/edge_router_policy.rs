//! Wire types of edge router policies.

mod request;

pub use request::{EdgeRouterPolicyCreate, EdgeRouterPolicyPatch};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use crate::role::{NamedRole, none_if_empty};
use portcullis_domain::ids::{EdgeRouterPolicyId, IdentityId, RouterId};
use portcullis_domain::roles::{RoleSelectors, Semantic};
use portcullis_domain::view::EdgeRouterPolicyView;
use serde::{Deserialize, Serialize};

/// An edge router policy. Lists of selectors are `null` if they are empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EdgeRouterPolicyDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<EdgeRouterPolicyId>,
    /// Selectors of the edge routers that the policy applies to.
    #[schemars(with = "Option<Vec<String>>")]
    pub edge_router_roles: Option<RoleSelectors<RouterId>>,
    /// The same selectors with entity names, for display.
    pub edge_router_roles_display: Vec<NamedRole>,
    /// Selectors of the identities that the policy applies to.
    #[schemars(with = "Option<Vec<String>>")]
    pub identity_roles: Option<RoleSelectors<IdentityId>>,
    /// The same selectors with entity names, for display.
    pub identity_roles_display: Vec<NamedRole>,
    /// Whether it was created for a router that acts as a tunneler.
    #[serde(default)]
    pub is_system: bool,
    /// Unique name.
    pub name: String,
    /// Whether an entity needs all role attributes of a list (`AllOf`) or one of them (`AnyOf`).
    #[schemars(with = "crate::schema::word::Semantic")]
    pub semantic: Semantic,
}

impl From<EdgeRouterPolicyView> for EdgeRouterPolicyDetail {
    fn from(view: EdgeRouterPolicyView) -> Self {
        let policy = view.policy;
        let spec = policy.spec;
        Self {
            base: Base {
                links: Links::of_edge_router_policy(&policy.id),
                created_at: policy.created_at.into(),
                id: policy.id,
                tags: spec.tags,
                updated_at: policy.updated_at.into(),
            },
            edge_router_roles_display: NamedRole::list(&spec.edge_router_roles, &view.edge_routers),
            edge_router_roles: none_if_empty(spec.edge_router_roles),
            identity_roles_display: NamedRole::list(&spec.identity_roles, &view.identities),
            identity_roles: none_if_empty(spec.identity_roles),
            is_system: spec.is_system,
            name: spec.name,
            semantic: spec.semantic,
        }
    }
}
