//! What each kind of policy selects.

use super::selection::Selection;
use super::{Kinds, Selectable, Side};
use crate::catalog::Catalog;
use portcullis_domain::policies::{
    EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServiceGrant, ServicePolicy,
};
use portcullis_domain::roles::{Roles, Semantic};

/// A kind of policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyKind {
    /// Which identities may dial or bind which services.
    Service,
    /// Which identities may connect to which edge routers.
    EdgeRouter,
    /// Which services may be used through which edge routers.
    ServiceEdgeRouter,
}

/// A policy, whatever its kind.
#[derive(Debug, Clone, Copy)]
pub enum Policy<'p> {
    /// Of the kind [`PolicyKind::Service`].
    Service(&'p ServicePolicy),
    /// Of the kind [`PolicyKind::EdgeRouter`].
    EdgeRouter(&'p EdgeRouterPolicy),
    /// Of the kind [`PolicyKind::ServiceEdgeRouter`].
    ServiceEdgeRouter(&'p ServiceEdgeRouterPolicy),
}

impl Policy<'_> {
    /// Its kind.
    pub const fn kind(self) -> PolicyKind {
        match self {
            Self::Service(_) => PolicyKind::Service,
            Self::EdgeRouter(_) => PolicyKind::EdgeRouter,
            Self::ServiceEdgeRouter(_) => PolicyKind::ServiceEdgeRouter,
        }
    }

    /// Whether it grants to bind services.
    pub(super) fn grants_binding(self) -> bool {
        matches!(self, Self::Service(policy) if policy.spec.grant == ServiceGrant::Bind)
    }

    /// What it selects on each of its sides.
    pub(super) fn lists(self, kinds: Kinds<'_>) -> Vec<(Side, Selection)> {
        match self {
            Self::Service(policy) => {
                let spec = &policy.spec;
                vec![
                    list(spec.semantic, &spec.identity_roles, kinds.identities),
                    list(spec.semantic, &spec.service_roles, kinds.services),
                    list(
                        spec.semantic,
                        &spec.posture_check_roles,
                        kinds.posture_checks,
                    ),
                ]
            },
            Self::EdgeRouter(policy) => {
                let spec = &policy.spec;
                vec![
                    list(spec.semantic, &spec.identity_roles, kinds.identities),
                    list(spec.semantic, &spec.edge_router_roles, kinds.routers),
                ]
            },
            Self::ServiceEdgeRouter(policy) => {
                let spec = &policy.spec;
                vec![
                    list(spec.semantic, &spec.service_roles, kinds.services),
                    list(spec.semantic, &spec.edge_router_roles, kinds.routers),
                ]
            },
        }
    }
}

fn list<E: Selectable>(
    semantic: Semantic,
    roles: &Roles<E::Id>,
    catalog: &Catalog<E>,
) -> (Side, Selection) {
    (E::SIDE, Selection::resolve(semantic, roles, catalog))
}
