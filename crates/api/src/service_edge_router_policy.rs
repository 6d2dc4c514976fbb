//! Wire types of service edge router policies.

mod request;

pub use request::{ServiceEdgeRouterPolicyCreate, ServiceEdgeRouterPolicyPatch};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use crate::role::{NamedRole, none_if_empty};
use portcullis_domain::ids::{RouterId, ServiceEdgeRouterPolicyId, ServiceId};
use portcullis_domain::roles::{RoleSelectors, Semantic};
use portcullis_domain::view::ServiceEdgeRouterPolicyView;
use serde::{Deserialize, Serialize};

/// A service edge router policy. Lists of selectors are `null` if they are empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceEdgeRouterPolicyDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<ServiceEdgeRouterPolicyId>,
    /// Selectors of the edge routers that the policy applies to.
    #[schemars(with = "Option<Vec<String>>")]
    pub edge_router_roles: Option<RoleSelectors<RouterId>>,
    /// The same selectors with entity names, for display.
    pub edge_router_roles_display: Vec<NamedRole>,
    /// Unique name.
    pub name: String,
    /// Whether an entity needs all role attributes of a list (`AllOf`) or one of them (`AnyOf`).
    #[schemars(with = "crate::schema::word::Semantic")]
    pub semantic: Semantic,
    /// Selectors of the services that the policy applies to.
    #[schemars(with = "Option<Vec<String>>")]
    pub service_roles: Option<RoleSelectors<ServiceId>>,
    /// The same selectors with entity names, for display.
    pub service_roles_display: Vec<NamedRole>,
}

impl From<ServiceEdgeRouterPolicyView> for ServiceEdgeRouterPolicyDetail {
    fn from(view: ServiceEdgeRouterPolicyView) -> Self {
        let policy = view.policy;
        let spec = policy.spec;
        Self {
            base: Base {
                links: Links::of_service_edge_router_policy(&policy.id),
                created_at: policy.created_at.into(),
                id: policy.id,
                tags: spec.tags,
                updated_at: policy.updated_at.into(),
            },
            edge_router_roles_display: NamedRole::list(&spec.edge_router_roles, &view.edge_routers),
            edge_router_roles: none_if_empty(spec.edge_router_roles),
            service_roles_display: NamedRole::list(&spec.service_roles, &view.services),
            service_roles: none_if_empty(spec.service_roles),
            name: spec.name,
            semantic: spec.semantic,
        }
    }
}
