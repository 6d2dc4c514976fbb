//! Policies with the names of the entities they refer to.

use super::Names;
use crate::ids::{IdentityId, PostureCheckId, RouterId, ServiceId};
use crate::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};

/// A service policy with the names of the entities it refers to.
#[derive(Debug, Clone, PartialEq)]
pub struct ServicePolicyView {
    pub policy: ServicePolicy,
    pub identities: Names<IdentityId>,
    pub services: Names<ServiceId>,
    pub posture_checks: Names<PostureCheckId>,
}

/// An edge-router policy with the names of the entities it refers to.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeRouterPolicyView {
    pub policy: EdgeRouterPolicy,
    pub identities: Names<IdentityId>,
    pub edge_routers: Names<RouterId>,
}

/// A service-edge-router policy with the names of the entities it refers to.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceEdgeRouterPolicyView {
    pub policy: ServiceEdgeRouterPolicy,
    pub services: Names<ServiceId>,
    pub edge_routers: Names<RouterId>,
}
