//! The lists of policies.

use super::{ListableSpec, PolicyRelatedSpec};
use crate::listing::listable::{RecordRow, RowContext, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{EntityId, RecordNumber};
use portcullis_domain::policies::{
    EdgeRouterPolicy, EdgeRouterPolicySpec, ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicySpec,
    ServicePolicy, ServicePolicySpec,
};
use portcullis_domain::roles::RoleSelectors;
use portcullis_domain::service::Service;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value, VisitElement, VisitRow};
use portcullis_index::{AccessGuard, Catalog, PolicyKind, PolicySide, Projections, Slot};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::Entity;
use std::ops::ControlFlow;

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

impl PolicyRelatedSpec for ServicePolicySpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<ServicePolicy> {
        guard.service_policies()
    }
}

impl ListableSpec for ServicePolicySpec {
    const SCHEMA: &'static Schema = &SERVICE_POLICIES;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<ServicePolicy>> {
        projections.service_policies()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "type" => text_value(self.grant.name()),
            "semantic" => text_value(self.semantic.name()),
            _ => Value::Missing,
        }
    }

    fn elements(
        entity: &ServicePolicy,
        context: RowContext<'_>,
        set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let spec = &entity.spec;
        match set {
            "identityRoles" => visit_selectors(&spec.identity_roles, visit),
            "serviceRoles" => visit_selectors(&spec.service_roles, visit),
            "postureCheckRoles" => visit_selectors(&spec.posture_check_roles, visit),
            "identities" => {
                visit_selected::<Identity>(context, entity, PolicySide::Identities, &mut |one| {
                    visit(one.id.as_str())
                })
            },
            _ => visit_selected::<Service>(context, entity, PolicySide::Services, &mut |one| {
                visit(one.id.as_str())
            }),
        }
    }

    fn referenced(
        entity: &ServicePolicy,
        context: RowContext<'_>,
        set: &str,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        match set {
            "identities" => {
                visit_selected::<Identity>(context, entity, PolicySide::Identities, &mut |one| {
                    visit(&RecordRow {
                        entity: one,
                        context,
                    })
                })
            },
            _ => visit_selected::<Service>(context, entity, PolicySide::Services, &mut |one| {
                visit(&RecordRow {
                    entity: one,
                    context,
                })
            }),
        }
    }
}

impl PolicyRelatedSpec for EdgeRouterPolicySpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<EdgeRouterPolicy> {
        guard.edge_router_policies()
    }
}

impl ListableSpec for EdgeRouterPolicySpec {
    const SCHEMA: &'static Schema = &EDGE_ROUTER_POLICIES;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<EdgeRouterPolicy>> {
        projections.edge_router_policies()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "semantic" => text_value(self.semantic.name()),
            _ => Value::Missing,
        }
    }

    fn is_system(policy: &EdgeRouterPolicy) -> bool {
        policy.spec.is_system
    }

    fn elements(
        entity: &EdgeRouterPolicy,
        _around: RowContext<'_>,
        set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        match set {
            "identityRoles" => visit_selectors(&entity.spec.identity_roles, visit),
            _ => visit_selectors(&entity.spec.edge_router_roles, visit),
        }
    }
}

impl PolicyRelatedSpec for ServiceEdgeRouterPolicySpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<ServiceEdgeRouterPolicy> {
        guard.service_edge_router_policies()
    }
}

impl ListableSpec for ServiceEdgeRouterPolicySpec {
    const SCHEMA: &'static Schema = &SERVICE_EDGE_ROUTER_POLICIES;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<ServiceEdgeRouterPolicy>> {
        projections.service_edge_router_policies()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "semantic" => text_value(self.semantic.name()),
            _ => Value::Missing,
        }
    }

    fn elements(
        entity: &ServiceEdgeRouterPolicy,
        _around: RowContext<'_>,
        set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        match set {
            "serviceRoles" => visit_selectors(&entity.spec.service_roles, visit),
            _ => visit_selectors(&entity.spec.edge_router_roles, visit),
        }
    }
}

fn visit_selectors<I: EntityId>(
    roles: &RoleSelectors<I>,
    visit: &mut VisitElement<'_>,
) -> ControlFlow<()> {
    roles.selectors().try_for_each(|selector| visit(&selector))
}

/// Visits the entities that a service policy selects on a side, as far as their records can be
/// read, until the client is gone.
fn visit_selected<E: Entity>(
    context: RowContext<'_>,
    policy: &ServicePolicy,
    side: PolicySide,
    visit: &mut dyn FnMut(&E) -> ControlFlow<()>,
) -> ControlFlow<()> {
    selected_numbers(context.projections, policy, side)
        .into_iter()
        .try_for_each(|number| {
            if (context.is_cancelled)() {
                return ControlFlow::Break(());
            }
            let key = RecordKey::root(E::KIND, number.0);
            match context.rows.get::<E>(&key) {
                Ok(Some(entity)) => visit(&entity),
                Ok(None) | Err(_) => ControlFlow::Continue(()),
            }
        })
}

/// The record numbers of the entities that a service policy selects on a side.
fn selected_numbers(
    projections: &Projections,
    policy: &ServicePolicy,
    side: PolicySide,
) -> Vec<RecordNumber> {
    let guard = projections.access();
    let Some(slot) = guard.service_policies().slot_by_id(policy.id.as_str()) else {
        return Vec::new();
    };
    let slots = guard
        .access()
        .selected(PolicyKind::Service, slot, side, guard.kinds());
    let numbers =
        |number: &dyn Fn(u32) -> Option<RecordNumber>| slots.iter().filter_map(number).collect();
    match side {
        PolicySide::Identities => numbers(&|bit| guard.identities().number(Slot::from_bit(bit))),
        _ => numbers(&|bit| guard.services().number(Slot::from_bit(bit))),
    }
}
