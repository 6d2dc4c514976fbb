//! Service-edge-router policies on the wire.

mod request;

pub use request::{ServiceEdgeRouterPolicyBody, ServiceEdgeRouterPolicyMerge};

use crate::entity::Base;
use crate::link::Links;
use crate::role::{NamedRole, shown};
use crate::schema;
use portcullis_domain::ids::{RouterId, ServiceEdgeRouterPolicyId, ServiceId};
use portcullis_domain::roles::{Roles, Semantic};
use portcullis_domain::view::ServiceEdgeRouterPolicyView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A service-edge-router policy. Lists of selectors are `null` when they are empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceEdgeRouterPolicyDetail {
    /// The members that every entity has.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<ServiceEdgeRouterPolicyId>,
    /// Through which routers.
    #[schemars(with = "Option<Vec<String>>")]
    pub edge_router_roles: Option<Roles<RouterId>>,
    /// The same, as it is shown to people.
    pub edge_router_roles_display: Vec<NamedRole>,
    /// Its unique name.
    pub name: String,
    /// How many of the attributes of a list an entity has to carry.
    #[schemars(with = "schema::word::Semantic")]
    pub semantic: Semantic,
    /// The use of which services.
    #[schemars(with = "Option<Vec<String>>")]
    pub service_roles: Option<Roles<ServiceId>>,
    /// The same, as it is shown to people.
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
            edge_router_roles: shown(spec.edge_router_roles),
            service_roles_display: NamedRole::list(&spec.service_roles, &view.services),
            service_roles: shown(spec.service_roles),
            name: spec.name,
            semantic: spec.semantic,
        }
    }
}
