//! Access with the catalogs that it is about, whoever keeps them.

use super::naive::{Kind, Names};
use portcullis_domain::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};
use portcullis_index::{
    AccessGuard, AccessIndex, Catalog, CatalogEntry, PolicyKind, SelectableCatalogs, Slot,
};

#[derive(Clone, Copy)]
pub(crate) struct View<'v> {
    pub(crate) access: &'v AccessIndex,
    pub(crate) kinds: SelectableCatalogs<'v>,
    pub(crate) service_policies: &'v Catalog<ServicePolicy>,
    pub(crate) edge_router_policies: &'v Catalog<EdgeRouterPolicy>,
    pub(crate) service_edge_router_policies: &'v Catalog<ServiceEdgeRouterPolicy>,
}

impl<'v> View<'v> {
    pub(crate) fn of(guard: &'v AccessGuard<'_>) -> Self {
        Self {
            access: guard.access(),
            kinds: guard.kinds(),
            service_policies: guard.service_policies(),
            edge_router_policies: guard.edge_router_policies(),
            service_edge_router_policies: guard.service_edge_router_policies(),
        }
    }

    pub(crate) fn slot(&self, kind: Kind, id: &str) -> Slot {
        match kind {
            Kind::Identity => self.kinds.identities.slot_by_id(id),
            Kind::Service => self.kinds.services.slot_by_id(id),
            Kind::Router | Kind::Transit => self.kinds.routers.slot_by_id(id),
            Kind::Check => self.kinds.posture_checks.slot_by_id(id),
        }
        .unwrap()
    }

    pub(crate) fn policy_slot(&self, kind: PolicyKind, name: &str) -> Slot {
        match kind {
            PolicyKind::Service => self.service_policies.slot_by_id(name),
            PolicyKind::EdgeRouter => self.edge_router_policies.slot_by_id(name),
            PolicyKind::ServiceEdgeRouter => self.service_edge_router_policies.slot_by_id(name),
        }
        .unwrap()
    }

    /// The ids of entities.
    pub(crate) fn ids(&self, kind: Kind, slots: impl IntoIterator<Item = u32>) -> Names {
        match kind {
            Kind::Identity => ids(self.kinds.identities, slots),
            Kind::Service => ids(self.kinds.services, slots),
            Kind::Router | Kind::Transit => ids(self.kinds.routers, slots),
            Kind::Check => ids(self.kinds.posture_checks, slots),
        }
    }

    /// The ids of policies.
    pub(crate) fn names(&self, kind: PolicyKind, slots: impl IntoIterator<Item = u32>) -> Names {
        match kind {
            PolicyKind::Service => ids(self.service_policies, slots),
            PolicyKind::EdgeRouter => ids(self.edge_router_policies, slots),
            PolicyKind::ServiceEdgeRouter => ids(self.service_edge_router_policies, slots),
        }
    }

    /// How many entities and policies there are.
    pub(crate) fn len(&self) -> usize {
        let entities = self.kinds.identities.len()
            + self.kinds.services.len()
            + self.kinds.routers.len()
            + self.kinds.posture_checks.len();
        entities
            + self.service_policies.len()
            + self.edge_router_policies.len()
            + self.service_edge_router_policies.len()
    }
}

fn ids<E: CatalogEntry>(catalog: &Catalog<E>, slots: impl IntoIterator<Item = u32>) -> Names {
    slots
        .into_iter()
        .map(|slot| catalog.id(Slot::from_bit(slot)).unwrap().to_owned())
        .collect()
}
