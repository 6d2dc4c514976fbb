//! Edge-router policies on the wire.

mod request;

pub use request::{EdgeRouterPolicyBody, EdgeRouterPolicyMerge};

use crate::entity::Base;
use crate::link::Links;
use crate::role::{NamedRole, shown};
use crate::schema;
use portcullis_domain::ids::{EdgeRouterPolicyId, IdentityId, RouterId};
use portcullis_domain::roles::{Roles, Semantic};
use portcullis_domain::view::EdgeRouterPolicyView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An edge-router policy. Lists of selectors are `null` when they are empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EdgeRouterPolicyDetail {
    /// The members that every entity has.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<EdgeRouterPolicyId>,
    /// The use of which routers.
    #[schemars(with = "Option<Vec<String>>")]
    pub edge_router_roles: Option<Roles<RouterId>>,
    /// The same, as it is shown to people.
    pub edge_router_roles_display: Vec<NamedRole>,
    /// To whom it is granted.
    #[schemars(with = "Option<Vec<String>>")]
    pub identity_roles: Option<Roles<IdentityId>>,
    /// The same, as it is shown to people.
    pub identity_roles_display: Vec<NamedRole>,
    /// Whether it belongs to a router that is a tunneler too.
    #[serde(default)]
    pub is_system: bool,
    /// Its unique name.
    pub name: String,
    /// How many of the attributes of a list an entity has to carry.
    #[schemars(with = "schema::word::Semantic")]
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
            edge_router_roles: shown(spec.edge_router_roles),
            identity_roles_display: NamedRole::list(&spec.identity_roles, &view.identities),
            identity_roles: shown(spec.identity_roles),
            is_system: spec.is_system,
            name: spec.name,
            semantic: spec.semantic,
        }
    }
}
