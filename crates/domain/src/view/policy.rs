//! Policies together with the names of those whom they name.

use super::Names;
use crate::ids::{IdentityId, PostureCheckId, RouterId, ServiceId};
use crate::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};

/// A service policy and the names of those whom it names.
#[derive(Debug, Clone, PartialEq)]
pub struct ServicePolicyView {
    /// The policy.
    pub policy: ServicePolicy,
    /// Names of the identities.
    pub identities: Names<IdentityId>,
    /// Names of the services.
    pub services: Names<ServiceId>,
    /// Names of the posture checks.
    pub posture_checks: Names<PostureCheckId>,
}

/// An edge-router policy and the names of those whom it names.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeRouterPolicyView {
    /// The policy.
    pub policy: EdgeRouterPolicy,
    /// Names of the identities.
    pub identities: Names<IdentityId>,
    /// Names of the routers.
    pub edge_routers: Names<RouterId>,
}

/// A service-edge-router policy and the names of those whom it names.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceEdgeRouterPolicyView {
    /// The policy.
    pub policy: ServiceEdgeRouterPolicy,
    /// Names of the services.
    pub services: Names<ServiceId>,
    /// Names of the routers.
    pub edge_routers: Names<RouterId>,
}
