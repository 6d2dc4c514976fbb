//! Policies about the use of edge routers.

use crate::FieldError;
use crate::ids::{EdgeRouterPolicyId, IdentityId, RouterId, ServiceEdgeRouterPolicyId, ServiceId};
use crate::managed::{Managed, Spec};
use crate::name::check_name;
use crate::patch::assign;
use crate::roles::{Roles, Semantic};
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// Grants identities the use of edge routers.
pub type EdgeRouterPolicy = Managed<EdgeRouterPolicyId, EdgeRouterPolicySpec>;

/// Grants that services are used through edge routers.
pub type ServiceEdgeRouterPolicy = Managed<ServiceEdgeRouterPolicyId, ServiceEdgeRouterPolicySpec>;

/// What is decided about an edge-router policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeRouterPolicySpec {
    /// Its name, unique among edge-router policies.
    pub name: String,
    /// How many of the attributes of a list an entity has to carry.
    pub semantic: Semantic,
    /// To whom it is granted.
    #[serde(default, skip_serializing_if = "Roles::is_empty")]
    pub identity_roles: Roles<IdentityId>,
    /// The use of which routers.
    #[serde(default, skip_serializing_if = "Roles::is_empty")]
    pub edge_router_roles: Roles<RouterId>,
    /// Whether it belongs to a router that is a tunneler too, and goes with it; never changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_system: bool,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// The members of an edge-router policy to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgeRouterPolicyPatch {
    /// New name.
    pub name: Option<String>,
    /// New semantic.
    pub semantic: Option<Semantic>,
    /// New list of identities.
    pub identity_roles: Option<Roles<IdentityId>>,
    /// New list of routers.
    pub edge_router_roles: Option<Roles<RouterId>>,
    /// New tags, all of them.
    pub tags: Option<Tags>,
}

/// What administrators decide about a service-edge-router policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceEdgeRouterPolicySpec {
    /// Its name, unique among service-edge-router policies.
    pub name: String,
    /// How many of the attributes of a list an entity has to carry.
    pub semantic: Semantic,
    /// The use of which services.
    #[serde(default, skip_serializing_if = "Roles::is_empty")]
    pub service_roles: Roles<ServiceId>,
    /// Through which routers.
    #[serde(default, skip_serializing_if = "Roles::is_empty")]
    pub edge_router_roles: Roles<RouterId>,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// The members of a service-edge-router policy to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceEdgeRouterPolicyPatch {
    /// New name.
    pub name: Option<String>,
    /// New semantic.
    pub semantic: Option<Semantic>,
    /// New list of services.
    pub service_roles: Option<Roles<ServiceId>>,
    /// New list of routers.
    pub edge_router_roles: Option<Roles<RouterId>>,
    /// New tags, all of them.
    pub tags: Option<Tags>,
}

impl EdgeRouterPolicySpec {
    /// The policy of a router that is a tunneler too: its identity, which has the router's id, may
    /// use the router itself.
    pub fn of_tunneler(router: &RouterId) -> Self {
        Self {
            name: format!("edge-router-{router}-system"),
            semantic: Semantic::AnyOf,
            identity_roles: Roles::of_one(IdentityId::from_wire(router.as_str())),
            edge_router_roles: Roles::of_one(router.clone()),
            is_system: true,
            tags: Tags::default(),
        }
    }
}

impl Spec for EdgeRouterPolicySpec {
    type Patch = EdgeRouterPolicyPatch;

    fn apply(&mut self, patch: EdgeRouterPolicyPatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.semantic, patch.semantic);
        assign(&mut self.identity_roles, patch.identity_roles);
        assign(&mut self.edge_router_roles, patch.edge_router_roles);
        assign(&mut self.tags, patch.tags);
    }

    fn settle(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        check_name(&self.name)?;
        if let Some(before) = before {
            self.is_system = before.is_system;
        }
        Ok(())
    }
}

impl Spec for ServiceEdgeRouterPolicySpec {
    type Patch = ServiceEdgeRouterPolicyPatch;

    fn apply(&mut self, patch: ServiceEdgeRouterPolicyPatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.semantic, patch.semantic);
        assign(&mut self.service_roles, patch.service_roles);
        assign(&mut self.edge_router_roles, patch.edge_router_roles);
        assign(&mut self.tags, patch.tags);
    }

    fn settle(&mut self, _before: Option<&Self>) -> Result<(), FieldError> {
        check_name(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;
    use crate::roles::RoleAttributes;

    #[test]
    fn a_tunneler_may_use_itself_and_nothing_else() {
        let router = RouterId::from_wire("r1");
        let spec = EdgeRouterPolicySpec::of_tunneler(&router);
        let own = IdentityId::from_wire("r1");
        let none = RoleAttributes::default();
        let (identities, routers) = (&spec.identity_roles, &spec.edge_router_roles);
        assert!(identities.selects(spec.semantic, &own, &none));
        assert!(routers.selects(spec.semantic, &router, &none));
        let other = IdentityId::from_wire("r2");
        assert!(!identities.selects(spec.semantic, &other, &none));
    }

    #[test]
    fn no_change_makes_a_policy_a_system_policy_or_an_ordinary_one() {
        let id = EdgeRouterPolicyId::from_wire("p");
        let now = Timestamp::UNIX_EPOCH;
        let system = EdgeRouterPolicySpec::of_tunneler(&RouterId::from_wire("r1"));
        let mut policy = EdgeRouterPolicy::new(id, system.clone(), now).unwrap();
        let ordinary = EdgeRouterPolicySpec {
            is_system: false,
            ..system
        };
        policy.replace(ordinary, now).unwrap();
        assert!(policy.spec.is_system);
    }
}
