//! Access policies for identities, services and routers.
//!
//! | Policy | Says that |
//! |---|---|
//! | [`ServicePolicy`] | identities may dial or bind services, if they pass posture checks |
//! | [`EdgeRouterPolicy`] | identities may connect to edge routers |
//! | [`ServiceEdgeRouterPolicy`] | services may be used through edge routers |

mod router;
mod service;

pub use router::{
    EdgeRouterPolicy, EdgeRouterPolicySpec, EdgeRouterPolicySpecPatch, ServiceEdgeRouterPolicy,
    ServiceEdgeRouterPolicySpec, ServiceEdgeRouterPolicySpecPatch,
};
pub use service::{ServiceGrant, ServicePolicy, ServicePolicySpec, ServicePolicySpecPatch};
