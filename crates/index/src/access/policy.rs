//! Kinds of policies and their selectors.

use super::resolved_selectors::ResolvedSelectors;
use super::{PolicySide, Selectable, SelectableCatalogs};
use crate::catalog::Catalog;
use portcullis_domain::policies::{
    EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServiceGrant, ServicePolicy,
};
use portcullis_domain::roles::{RoleSelectors, Semantic};

/// A kind of policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyKind {
    /// Grants services to identities.
    Service,
    /// Lets identities connect to edge routers.
    EdgeRouter,
    /// Lets services be used through edge routers.
    ServiceEdgeRouter,
}

/// A policy of any kind.
#[derive(Debug, Clone, Copy)]
pub enum Policy<'p> {
    Service(&'p ServicePolicy),
    EdgeRouter(&'p EdgeRouterPolicy),
    ServiceEdgeRouter(&'p ServiceEdgeRouterPolicy),
}

impl Policy<'_> {
    pub const fn kind(self) -> PolicyKind {
        match self {
            Self::Service(_) => PolicyKind::Service,
            Self::EdgeRouter(_) => PolicyKind::EdgeRouter,
            Self::ServiceEdgeRouter(_) => PolicyKind::ServiceEdgeRouter,
        }
    }

    /// Whether it grants `Bind`.
    pub(super) fn grants_bind(self) -> bool {
        matches!(self, Self::Service(policy) if policy.spec.grant == ServiceGrant::Bind)
    }

    /// Its resolved selectors by side.
    pub(super) fn resolve_lists(
        self,
        kinds: SelectableCatalogs<'_>,
    ) -> Vec<(PolicySide, ResolvedSelectors)> {
        match self {
            Self::Service(policy) => {
                let spec = &policy.spec;
                vec![
                    resolve_list(spec.semantic, &spec.identity_roles, kinds.identities),
                    resolve_list(spec.semantic, &spec.service_roles, kinds.services),
                    resolve_list(
                        spec.semantic,
                        &spec.posture_check_roles,
                        kinds.posture_checks,
                    ),
                ]
            },
            Self::EdgeRouter(policy) => {
                let spec = &policy.spec;
                vec![
                    resolve_list(spec.semantic, &spec.identity_roles, kinds.identities),
                    resolve_list(spec.semantic, &spec.edge_router_roles, kinds.routers),
                ]
            },
            Self::ServiceEdgeRouter(policy) => {
                let spec = &policy.spec;
                vec![
                    resolve_list(spec.semantic, &spec.service_roles, kinds.services),
                    resolve_list(spec.semantic, &spec.edge_router_roles, kinds.routers),
                ]
            },
        }
    }
}

fn resolve_list<E: Selectable>(
    semantic: Semantic,
    roles: &RoleSelectors<E::Id>,
    catalog: &Catalog<E>,
) -> (PolicySide, ResolvedSelectors) {
    (
        E::SIDE,
        ResolvedSelectors::resolve(semantic, roles, catalog),
    )
}
