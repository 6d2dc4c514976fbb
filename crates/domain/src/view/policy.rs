//! Policies with the names of the entities they refer to.

use super::NamesById;
use crate::ids::{IdentityId, PostureCheckId, RouterId, ServiceId};
use crate::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};

/// A service policy with the names of the entities it refers to.
#[derive(Debug, Clone, PartialEq)]
pub struct ServicePolicyView {
    pub policy: ServicePolicy,
    pub identities: NamesById<IdentityId>,
    pub services: NamesById<ServiceId>,
    pub posture_checks: NamesById<PostureCheckId>,
}

/// An edge-router policy with the names of the entities it refers to.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeRouterPolicyView {
    pub policy: EdgeRouterPolicy,
    pub identities: NamesById<IdentityId>,
    pub edge_routers: NamesById<RouterId>,
}

/// A service-edge-router policy with the names of the entities it refers to.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceEdgeRouterPolicyView {
    pub policy: ServiceEdgeRouterPolicy,
    pub services: NamesById<ServiceId>,
    pub edge_routers: NamesById<RouterId>,
}
