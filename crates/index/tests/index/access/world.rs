//! Catalogs and access that follow changes one by one.

use super::view::View;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::identity::Identity;
use portcullis_domain::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_index::{
    AccessIndex, Catalog, CatalogEntry, Policy, PolicyKind, SelectableCatalogs, Slot,
};

#[derive(Default)]
pub(crate) struct World {
    identities: Catalog<Identity>,
    services: Catalog<Service>,
    routers: Catalog<Router>,
    checks: Catalog<PostureCheck>,
    service_policies: Catalog<ServicePolicy>,
    edge_router_policies: Catalog<EdgeRouterPolicy>,
    service_edge_router_policies: Catalog<ServiceEdgeRouterPolicy>,
    access: AccessIndex,
}

impl World {
    pub(crate) fn apply(&mut self, change: &Change) {
        let kinds = SelectableCatalogs {
            identities: &self.identities,
            services: &self.services,
            routers: &self.routers,
            posture_checks: &self.checks,
        };
        let access = &mut self.access;
        match change {
            Change::Identity(change) => put(&mut self.identities, change),
            Change::Service(change) => put(&mut self.services, change),
            Change::Router(change) => put(&mut self.routers, change),
            Change::PostureCheck(change) => put(&mut self.checks, change),
            Change::ServicePolicy(change) => {
                let (slot, policy) = say(&mut self.service_policies, change);
                let policy = policy.map(Policy::Service);
                rule(access, kinds, PolicyKind::Service, slot, policy);
            },
            Change::EdgeRouterPolicy(change) => {
                let (slot, policy) = say(&mut self.edge_router_policies, change);
                let policy = policy.map(Policy::EdgeRouter);
                rule(access, kinds, PolicyKind::EdgeRouter, slot, policy);
            },
            Change::ServiceEdgeRouterPolicy(change) => {
                let (slot, policy) = say(&mut self.service_edge_router_policies, change);
                let policy = policy.map(Policy::ServiceEdgeRouter);
                rule(access, kinds, PolicyKind::ServiceEdgeRouter, slot, policy);
            },
            other => panic!("{other:?} is not about access"),
        }
    }

    pub(crate) fn view(&self) -> View<'_> {
        View {
            access: &self.access,
            kinds: SelectableCatalogs {
                identities: &self.identities,
                services: &self.services,
                routers: &self.routers,
                posture_checks: &self.checks,
            },
            service_policies: &self.service_policies,
            edge_router_policies: &self.edge_router_policies,
            service_edge_router_policies: &self.service_edge_router_policies,
        }
    }
}

/// Writes a policy to its catalog. Returns the slot that it has or had.
fn say<'p, E: CatalogEntry>(
    policies: &mut Catalog<E>,
    change: &'p EntityChange<E>,
) -> (Slot, Option<&'p E>) {
    let before = policies.slot(change.number);
    put(policies, change);
    let slot = policies.slot(change.number).or(before).unwrap();
    (slot, change.entity.as_deref())
}

fn rule(
    access: &mut AccessIndex,
    kinds: SelectableCatalogs<'_>,
    kind: PolicyKind,
    slot: Slot,
    policy: Option<Policy<'_>>,
) {
    match policy {
        Some(policy) => access.put(slot, policy, kinds),
        None => access.remove(kind, slot),
    }
}

fn put<E: CatalogEntry>(catalog: &mut Catalog<E>, change: &EntityChange<E>) {
    match &change.entity {
        Some(entity) => catalog.put(change.number, None, entity),
        None => assert!(catalog.remove(change.number)),
    }
}
