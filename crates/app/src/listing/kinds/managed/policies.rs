//! The lists of policies.

use super::{ListableSpec, PolicyRelatedSpec};
use crate::listing::listable::{PolicyRelated, RecordRow, RowContext, text_value};
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
use portcullis_filter::{Schema, Value, VisitElement, VisitRow, symbols};
use portcullis_index::{AccessGuard, Catalog, PolicyKind, Projections, Selectable, Slot};
use portcullis_storage::key::RecordKey;
use std::ops::ControlFlow;

symbols! {
    pub(crate) enum ServicePolicySymbol;
    /// Service policies.
    pub static SERVICE_POLICIES: Schema::entity;
    Name => string("name"),
    Type => string("type"),
    Semantic => string("semantic"),
    IdentityRoles => set("identityRoles"),
    ServiceRoles => set("serviceRoles"),
    PostureCheckRoles => set("postureCheckRoles"),
    Identities => references("identities", &super::super::IDENTITIES),
    Services => references("services", &super::SERVICES),
}

symbols! {
    pub(crate) enum EdgeRouterPolicySymbol;
    /// Edge-router policies.
    pub static EDGE_ROUTER_POLICIES: Schema::entity;
    Name => string("name"),
    Semantic => string("semantic"),
    IdentityRoles => set("identityRoles"),
    EdgeRouterRoles => set("edgeRouterRoles"),
}

symbols! {
    pub(crate) enum ServiceEdgeRouterPolicySymbol;
    /// Service-edge-router policies.
    pub static SERVICE_EDGE_ROUTER_POLICIES: Schema::entity;
    Name => string("name"),
    Semantic => string("semantic"),
    ServiceRoles => set("serviceRoles"),
    EdgeRouterRoles => set("edgeRouterRoles"),
}

impl PolicyRelatedSpec for ServicePolicySpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<ServicePolicy> {
        guard.service_policies()
    }
}

impl ListableSpec for ServicePolicySpec {
    type Symbol = ServicePolicySymbol;
    const SCHEMA: &'static Schema = &SERVICE_POLICIES;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<ServicePolicy>> {
        projections.service_policies()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: ServicePolicySymbol) -> Value<'_> {
        match symbol {
            ServicePolicySymbol::Name => text_value(&self.name),
            ServicePolicySymbol::Type => text_value(self.grant.name()),
            ServicePolicySymbol::Semantic => text_value(self.semantic.name()),
            ServicePolicySymbol::IdentityRoles
            | ServicePolicySymbol::ServiceRoles
            | ServicePolicySymbol::PostureCheckRoles
            | ServicePolicySymbol::Identities
            | ServicePolicySymbol::Services => Value::Missing,
        }
    }

    fn elements(
        entity: &ServicePolicy,
        context: RowContext<'_>,
        set: ServicePolicySymbol,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let spec = &entity.spec;
        match set {
            ServicePolicySymbol::IdentityRoles => visit_selectors(&spec.identity_roles, visit),
            ServicePolicySymbol::ServiceRoles => visit_selectors(&spec.service_roles, visit),
            ServicePolicySymbol::PostureCheckRoles => {
                visit_selectors(&spec.posture_check_roles, visit)
            },
            ServicePolicySymbol::Identities => {
                visit_selected::<Identity>(context, entity, &mut |identity| {
                    visit(identity.entity.id.as_str())
                })
            },
            _ => visit_selected::<Service>(context, entity, &mut |service| {
                visit(service.entity.id.as_str())
            }),
        }
    }

    fn referenced(
        entity: &ServicePolicy,
        context: RowContext<'_>,
        set: ServicePolicySymbol,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        match set {
            ServicePolicySymbol::Identities => {
                visit_selected::<Identity>(context, entity, &mut |row| visit(row))
            },
            _ => visit_selected::<Service>(context, entity, &mut |row| visit(row)),
        }
    }
}

/// Declares the list of a kind of policy over edge routers, whose other roles are in one set.
macro_rules! list_router_policies {
    (
        $schema:ident: $symbol:ident, $spec:ident: $policy:ident, $catalog:ident,
        $set:ident => $roles:ident, $entity:ident => $is_system:expr
    ) => {
        impl PolicyRelatedSpec for $spec {
            fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<$policy> {
                guard.$catalog()
            }
        }

        impl ListableSpec for $spec {
            type Symbol = $symbol;
            const SCHEMA: &'static Schema = &$schema;

            fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<$policy>> {
                projections.$catalog()
            }

            fn tags(&self) -> &Tags {
                &self.tags
            }

            fn value(&self, symbol: $symbol) -> Value<'_> {
                match symbol {
                    $symbol::Name => text_value(&self.name),
                    $symbol::Semantic => text_value(self.semantic.name()),
                    $symbol::$set | $symbol::EdgeRouterRoles => Value::Missing,
                }
            }

            fn is_system($entity: &$policy) -> bool {
                $is_system
            }

            fn elements(
                policy: &$policy,
                _context: RowContext<'_>,
                set: $symbol,
                visit: &mut VisitElement<'_>,
            ) -> ControlFlow<()> {
                match set {
                    $symbol::$set => visit_selectors(&policy.spec.$roles, visit),
                    _ => visit_selectors(&policy.spec.edge_router_roles, visit),
                }
            }
        }
    };
}

list_router_policies!(
    EDGE_ROUTER_POLICIES: EdgeRouterPolicySymbol,
    EdgeRouterPolicySpec: EdgeRouterPolicy, edge_router_policies,
    IdentityRoles => identity_roles, policy => policy.spec.is_system
);

list_router_policies!(
    SERVICE_EDGE_ROUTER_POLICIES: ServiceEdgeRouterPolicySymbol,
    ServiceEdgeRouterPolicySpec: ServiceEdgeRouterPolicy, service_edge_router_policies,
    ServiceRoles => service_roles, _policy => false
);

fn visit_selectors<I: EntityId>(
    roles: &RoleSelectors<I>,
    visit: &mut VisitElement<'_>,
) -> ControlFlow<()> {
    roles.selectors().try_for_each(|selector| visit(&selector))
}

/// Visits the entities of a kind that a service policy selects, as far as their records can be
/// read, until the client is gone.
fn visit_selected<E: PolicyRelated<Entry = E> + Selectable>(
    context: RowContext<'_>,
    policy: &ServicePolicy,
    visit: &mut dyn FnMut(&RecordRow<'_, E>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    selected_numbers::<E>(context.projections, policy)
        .into_iter()
        .try_for_each(|number| {
            if (context.is_cancelled)() {
                return ControlFlow::Break(());
            }
            let key = RecordKey::root(E::KIND, number.0);
            match context.rows.get::<E>(&key) {
                Ok(Some(entity)) => visit(&RecordRow::new(&entity, context)),
                Ok(None) | Err(_) => ControlFlow::Continue(()),
            }
        })
}

/// The record numbers of the entities of a kind that a service policy selects.
fn selected_numbers<E: PolicyRelated<Entry = E> + Selectable>(
    projections: &Projections,
    policy: &ServicePolicy,
) -> Vec<RecordNumber> {
    let guard = projections.access();
    let Some(slot) = guard.service_policies().slot_by_id(policy.id.as_str()) else {
        return Vec::new();
    };
    let slots = guard
        .access()
        .selected(PolicyKind::Service, slot, E::SIDE, guard.kinds());
    let catalog = E::catalog_with_access(&guard);
    let slots = slots.iter().map(Slot::from_bit);
    slots.filter_map(|slot| catalog.number(slot)).collect()
}
