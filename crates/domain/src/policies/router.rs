//! Edge-router and service-edge-router policies.

use crate::FieldError;
use crate::ids::{EdgeRouterPolicyId, IdentityId, RouterId, ServiceEdgeRouterPolicyId, ServiceId};
use crate::managed::{Managed, Spec};
use crate::name::validate_name;
use crate::patch::assign;
use crate::roles::{RoleSelectors, Semantic};
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// Grants identities the use of edge routers.
pub type EdgeRouterPolicy = Managed<EdgeRouterPolicyId, EdgeRouterPolicySpec>;

/// Grants that services are used through edge routers.
pub type ServiceEdgeRouterPolicy = Managed<ServiceEdgeRouterPolicyId, ServiceEdgeRouterPolicySpec>;

/// Specification of an edge-router policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeRouterPolicySpec {
    /// Unique among edge-router policies.
    pub name: String,
    /// Whether all attributes of a list have to match, or any.
    pub semantic: Semantic,
    #[serde(default, skip_serializing_if = "RoleSelectors::is_empty")]
    pub identity_roles: RoleSelectors<IdentityId>,
    #[serde(default, skip_serializing_if = "RoleSelectors::is_empty")]
    pub edge_router_roles: RoleSelectors<RouterId>,
    /// Whether it belongs to a router with a tunneler and is deleted with it; immutable.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_system: bool,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// Members of an edge-router policy to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgeRouterPolicySpecPatch {
    pub name: Option<String>,
    pub semantic: Option<Semantic>,
    pub identity_roles: Option<RoleSelectors<IdentityId>>,
    pub edge_router_roles: Option<RoleSelectors<RouterId>>,
    pub tags: Option<Tags>,
}

/// Editable members of a service-edge-router policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceEdgeRouterPolicySpec {
    /// Unique among service-edge-router policies.
    pub name: String,
    /// Whether all attributes of a list have to match, or any.
    pub semantic: Semantic,
    #[serde(default, skip_serializing_if = "RoleSelectors::is_empty")]
    pub service_roles: RoleSelectors<ServiceId>,
    #[serde(default, skip_serializing_if = "RoleSelectors::is_empty")]
    pub edge_router_roles: RoleSelectors<RouterId>,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// Members of a service-edge-router policy to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceEdgeRouterPolicySpecPatch {
    pub name: Option<String>,
    pub semantic: Option<Semantic>,
    pub service_roles: Option<RoleSelectors<ServiceId>>,
    pub edge_router_roles: Option<RoleSelectors<RouterId>>,
    pub tags: Option<Tags>,
}

impl EdgeRouterPolicySpec {
    /// A policy with this name that selects nobody and nothing yet, by any of the attributes in its lists.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            semantic: Semantic::AnyOf,
            identity_roles: RoleSelectors::default(),
            edge_router_roles: RoleSelectors::default(),
            is_system: false,
            tags: Tags::default(),
        }
    }

    /// The system policy of a router with a tunneler: its identity, which has the router's id, may
    /// use the router.
    pub fn for_tunneler(router: &RouterId) -> Self {
        Self {
            identity_roles: RoleSelectors::from_id(IdentityId::from_wire(router.as_str())),
            edge_router_roles: RoleSelectors::from_id(router.clone()),
            is_system: true,
            ..Self::named(format!("edge-router-{router}-system"))
        }
    }
}

impl ServiceEdgeRouterPolicySpec {
    /// A policy with this name that selects nothing yet, by any of the attributes in its lists.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            semantic: Semantic::AnyOf,
            service_roles: RoleSelectors::default(),
            edge_router_roles: RoleSelectors::default(),
            tags: Tags::default(),
        }
    }
}

impl Spec for EdgeRouterPolicySpec {
    type Patch = EdgeRouterPolicySpecPatch;

    fn apply(&mut self, patch: EdgeRouterPolicySpecPatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.semantic, patch.semantic);
        assign(&mut self.identity_roles, patch.identity_roles);
        assign(&mut self.edge_router_roles, patch.edge_router_roles);
        assign(&mut self.tags, patch.tags);
    }

    fn normalize(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        validate_name(&self.name)?;
        if let Some(before) = before {
            self.is_system = before.is_system;
        }
        Ok(())
    }
}

impl Spec for ServiceEdgeRouterPolicySpec {
    type Patch = ServiceEdgeRouterPolicySpecPatch;

    fn apply(&mut self, patch: ServiceEdgeRouterPolicySpecPatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.semantic, patch.semantic);
        assign(&mut self.service_roles, patch.service_roles);
        assign(&mut self.edge_router_roles, patch.edge_router_roles);
        assign(&mut self.tags, patch.tags);
    }

    fn normalize(&mut self, _before: Option<&Self>) -> Result<(), FieldError> {
        validate_name(&self.name)
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
        let spec = EdgeRouterPolicySpec::for_tunneler(&router);
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
        let system = EdgeRouterPolicySpec::for_tunneler(&RouterId::from_wire("r1"));
        let mut policy = EdgeRouterPolicy::new(id, system.clone(), now).unwrap();
        let ordinary = EdgeRouterPolicySpec {
            is_system: false,
            ..system
        };
        policy.replace(ordinary, now).unwrap();
        assert!(policy.spec.is_system);
    }

    #[test]
    fn patch_changes_the_given_members() {
        let router = RouterId::from_wire("r1");
        let mut spec = EdgeRouterPolicySpec::for_tunneler(&router);
        spec.apply(EdgeRouterPolicySpecPatch {
            semantic: Some(Semantic::AllOf),
            ..EdgeRouterPolicySpecPatch::default()
        });
        let changed = EdgeRouterPolicySpec {
            semantic: Semantic::AllOf,
            ..EdgeRouterPolicySpec::for_tunneler(&router)
        };
        assert_eq!(spec, changed);

        let services = RoleSelectors::from_id(ServiceId::from_wire("s"));
        let mut spec = ServiceEdgeRouterPolicySpec::named("p");
        let before = spec.clone();
        spec.apply(ServiceEdgeRouterPolicySpecPatch {
            service_roles: Some(services.clone()),
            ..ServiceEdgeRouterPolicySpecPatch::default()
        });
        let changed = ServiceEdgeRouterPolicySpec {
            service_roles: services,
            ..before
        };
        assert_eq!(spec, changed);
        assert_eq!(spec.normalize(None), Ok(()));
        spec.name.clear();
        assert_eq!(spec.normalize(None).unwrap_err().field, "name");
    }
}
