//! The lists of policies.

use super::{ListedSpec, RuledSpec};
use crate::listing::listed::{Around, Record, text};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{EntityId, Number};
use portcullis_domain::policies::{
    EdgeRouterPolicy, EdgeRouterPolicySpec, ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicySpec,
    ServicePolicy, ServicePolicySpec,
};
use portcullis_domain::roles::Roles;
use portcullis_domain::service::Service;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value, VisitElement, VisitRow};
use portcullis_index::{AccessGuard, Catalog, PolicyKind, Projections, Side, Slot};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::Entity;
use std::ops::ControlFlow;
use std::sync::RwLockReadGuard;

/// Service policies.
pub static SERVICE_POLICIES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("type"),
    Symbol::string("semantic"),
    Symbol::set("identityRoles"),
    Symbol::set("serviceRoles"),
    Symbol::set("postureCheckRoles"),
    Symbol::references("identities", &super::super::IDENTITIES),
    Symbol::references("services", &super::SERVICES),
]);

/// Edge-router policies.
pub static EDGE_ROUTER_POLICIES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("semantic"),
    Symbol::set("identityRoles"),
    Symbol::set("edgeRouterRoles"),
]);

/// Service-edge-router policies.
pub static SERVICE_EDGE_ROUTER_POLICIES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("semantic"),
    Symbol::set("serviceRoles"),
    Symbol::set("edgeRouterRoles"),
]);

impl RuledSpec for ServicePolicySpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<ServicePolicy> {
        guard.service_policies()
    }
}

impl ListedSpec for ServicePolicySpec {
    const SCHEMA: &'static Schema = &SERVICE_POLICIES;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<ServicePolicy>> {
        projections.service_policies()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "type" => text(self.grant.name()),
            "semantic" => text(self.semantic.name()),
            _ => Value::Missing,
        }
    }

    fn elements(
        entity: &ServicePolicy,
        around: Around<'_>,
        set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let spec = &entity.spec;
        match set {
            "identityRoles" => each_selector(&spec.identity_roles, visit),
            "serviceRoles" => each_selector(&spec.service_roles, visit),
            "postureCheckRoles" => each_selector(&spec.posture_check_roles, visit),
            "identities" => {
                each_selected::<Identity>(around, entity, Side::Identities, &mut |one| {
                    visit(one.id.as_str())
                })
            },
            _ => each_selected::<Service>(around, entity, Side::Services, &mut |one| {
                visit(one.id.as_str())
            }),
        }
    }

    fn referenced(
        entity: &ServicePolicy,
        around: Around<'_>,
        set: &str,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        match set {
            "identities" => {
                each_selected::<Identity>(around, entity, Side::Identities, &mut |one| {
                    visit(&Record {
                        entity: one,
                        around,
                    })
                })
            },
            _ => each_selected::<Service>(around, entity, Side::Services, &mut |one| {
                visit(&Record {
                    entity: one,
                    around,
                })
            }),
        }
    }
}

impl RuledSpec for EdgeRouterPolicySpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<EdgeRouterPolicy> {
        guard.edge_router_policies()
    }
}

impl ListedSpec for EdgeRouterPolicySpec {
    const SCHEMA: &'static Schema = &EDGE_ROUTER_POLICIES;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<EdgeRouterPolicy>> {
        projections.edge_router_policies()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "semantic" => text(self.semantic.name()),
            _ => Value::Missing,
        }
    }

    fn is_system(&self) -> bool {
        self.is_system
    }

    fn elements(
        entity: &EdgeRouterPolicy,
        _around: Around<'_>,
        set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        match set {
            "identityRoles" => each_selector(&entity.spec.identity_roles, visit),
            _ => each_selector(&entity.spec.edge_router_roles, visit),
        }
    }
}

impl RuledSpec for ServiceEdgeRouterPolicySpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<ServiceEdgeRouterPolicy> {
        guard.service_edge_router_policies()
    }
}

impl ListedSpec for ServiceEdgeRouterPolicySpec {
    const SCHEMA: &'static Schema = &SERVICE_EDGE_ROUTER_POLICIES;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<ServiceEdgeRouterPolicy>> {
        projections.service_edge_router_policies()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "semantic" => text(self.semantic.name()),
            _ => Value::Missing,
        }
    }

    fn elements(
        entity: &ServiceEdgeRouterPolicy,
        _around: Around<'_>,
        set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        match set {
            "serviceRoles" => each_selector(&entity.spec.service_roles, visit),
            _ => each_selector(&entity.spec.edge_router_roles, visit),
        }
    }
}

fn each_selector<I: EntityId>(roles: &Roles<I>, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
    roles.selectors().try_for_each(|selector| visit(&selector))
}

/// Shows those whom a service policy selects on a side, as far as their records can be read and
/// somebody waits for it.
fn each_selected<E: Entity>(
    around: Around<'_>,
    policy: &ServicePolicy,
    side: Side,
    visit: &mut dyn FnMut(&E) -> ControlFlow<()>,
) -> ControlFlow<()> {
    selected(around.projections, policy, side)
        .into_iter()
        .try_for_each(|number| {
            if (around.is_over)() {
                return ControlFlow::Break(());
            }
            let key = RecordKey::root(E::KIND, number.0);
            match around.rows.get::<E>(&key) {
                Ok(Some(entity)) => visit(&entity),
                Ok(None) | Err(_) => ControlFlow::Continue(()),
            }
        })
}

/// The records of those whom a service policy selects on a side, which is one of two.
fn selected(projections: &Projections, policy: &ServicePolicy, side: Side) -> Vec<Number> {
    let guard = projections.access();
    let Some(slot) = guard.service_policies().slot_by_id(policy.id.as_str()) else {
        return Vec::new();
    };
    let slots = guard
        .access()
        .selected(PolicyKind::Service, slot, side, guard.kinds());
    let numbers =
        |number: &dyn Fn(u32) -> Option<Number>| slots.iter().filter_map(number).collect();
    match side {
        Side::Identities => numbers(&|bit| guard.identities().number(Slot::from_bit(bit))),
        _ => numbers(&|bit| guard.services().number(Slot::from_bit(bit))),
    }
}
