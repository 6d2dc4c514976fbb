//! Lists of entities related to another one by policies or by reference.
//!
//! For an entity that does not exist these lists are empty.

use crate::app::App;
use crate::error::AppError;
use crate::identities;
use crate::listing::kinds::PolicyRelatedSpec;
use crate::listing::{ListRequest, ListScope, Paging};
use crate::managed::{self, Entity, Read, Resource};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::{ConfigId, ConfigTypeId, RecordNumber, RouterId, ServiceId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::service::Service;
use portcullis_domain::view::IdentityView;
use portcullis_index::{AccessGuard, PolicyKind, PolicySide, Slot};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{CONFIG, Found, IndexedId, Rows, SERVICE, TERMINATOR, reference};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// A kind that policies relate to others.
#[expect(private_bounds, reason = "listing is internal to this crate")]
pub trait RelatedResource: Resource + PolicyRelatedSpec {}

impl<S: Resource + PolicyRelatedSpec> RelatedResource for S {}

/// Finds the slots of the entities that policies relate to the one with an id.
#[derive(Debug, Clone, Copy)]
pub enum Relation {
    /// Unconditionally.
    Plain(fn(&AccessGuard<'_>, &str) -> RoaringBitmap),
    /// By a grant: `Dial`, `Bind` or either.
    Granted(fn(&AccessGuard<'_>, &str, Option<ServiceGrant>) -> RoaringBitmap),
}

/// Finds the records that refer to the entity with an id, or that it refers to.
pub type ReferenceFinder = fn(Rows<'_>, &str) -> Result<BTreeSet<RecordNumber>, AppError>;

impl Relation {
    /// `grant` only restricts [`Self::Granted`].
    fn find(self, guard: &AccessGuard<'_>, id: &str, grant: Option<ServiceGrant>) -> RoaringBitmap {
        match self {
            Self::Plain(find) => find(guard, id),
            Self::Granted(find) => find(guard, id, grant),
        }
    }
}

/// Lists the entities that policies relate to the one with an id; `grant` only restricts relations
/// by grant.
pub fn list<S: RelatedResource>(
    app: &App,
    permit: &Permit<Read<S>>,
    request: &ListRequest<'_>,
    (relation, id, grant): (Relation, &str, Option<ServiceGrant>),
    show: &mut dyn FnMut(S::View) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = request.parse_with_roles::<Entity<S>>()?;
    let find = |guard: &AccessGuard<'_>| relation.find(guard, id, grant);
    let scope = ListScope::all(request).restricted_by_policies(&find);
    managed::list_in_scope::<S>(app, permit.caller(), &listing, &scope, show)
}

/// Lists the identities that policies relate to the entity with an id.
pub fn list_identities(
    app: &App,
    permit: &Permit<identities::Read>,
    request: &ListRequest<'_>,
    (relation, id, grant): (Relation, &str, Option<ServiceGrant>),
    show: &mut dyn FnMut(IdentityView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let find = |guard: &AccessGuard<'_>| relation.find(guard, id, grant);
    identities::list_selected(app, permit, request, &find, show)
}

/// Lists the entities that refer to the one with an id, or that it refers to.
pub fn list_by_reference<S: Resource>(
    app: &App,
    permit: &Permit<Read<S>>,
    request: &ListRequest<'_>,
    (reference, id): (ReferenceFinder, &str),
    show: &mut dyn FnMut(S::View) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = request.parse_with_roles::<Entity<S>>()?;
    let numbers = reference(app.snapshot()?.rows(), id)?;
    let scope = ListScope::all(request).restricted_to_numbers(&numbers);
    managed::list_in_scope::<S>(app, permit.caller(), &listing, &scope, show)
}

/// The services that an identity may dial or bind.
pub fn services_of_identity(
    guard: &AccessGuard<'_>,
    id: &str,
    grant: Option<ServiceGrant>,
) -> RoaringBitmap {
    let identity = guard.identities().slot_by_id(id);
    identity.map_or_else(RoaringBitmap::new, |identity| {
        guard.access().services(grant, identity, guard.kinds())
    })
}

/// The identities that may dial or bind a service.
pub fn identities_of_service(
    guard: &AccessGuard<'_>,
    id: &str,
    grant: Option<ServiceGrant>,
) -> RoaringBitmap {
    let service = guard.services().slot_by_id(id);
    service.map_or_else(RoaringBitmap::new, |service| {
        guard.access().identities(grant, service, guard.kinds())
    })
}

/// Declares relations from the entities of a catalog to those of another kind.
macro_rules! relations {
    ($($(#[$doc:meta])* $name:ident: $from:ident, |$guard:ident, $slot:ident| $slots:expr;)+) => {$(
        $(#[$doc])*
        pub fn $name($guard: &AccessGuard<'_>, id: &str) -> RoaringBitmap {
            let slot = $guard.$from().slot_by_id(id);
            slot.map_or_else(RoaringBitmap::new, |$slot| $slots)
        }
    )+};
}

relations! {
    /// The edge routers to which an identity may connect.
    routers_of_identity: identities, |guard, slot| {
        guard.access().routers_of_identity(slot, guard.kinds())
    };
    /// The service policies that select an identity.
    service_policies_of_identity: identities, |guard, slot| {
        policies_selecting(guard, PolicyKind::Service, PolicySide::Identities, slot)
    };
    /// The edge-router policies that select an identity.
    edge_router_policies_of_identity: identities, |guard, slot| {
        policies_selecting(guard, PolicyKind::EdgeRouter, PolicySide::Identities, slot)
    };
    /// The edge routers through which a service may be used.
    routers_of_service: services, |guard, slot| {
        guard.access().routers_of_service(slot, guard.kinds())
    };
    /// The service policies that select a service.
    service_policies_of_service: services, |guard, slot| {
        policies_selecting(guard, PolicyKind::Service, PolicySide::Services, slot)
    };
    /// The service-edge-router policies that select a service.
    service_edge_router_policies_of_service: services,
        |guard, slot| {
            policies_selecting(guard, PolicyKind::ServiceEdgeRouter, PolicySide::Services, slot)
        };
    /// The identities that may connect to an edge router.
    identities_of_router: routers, |guard, slot| {
        guard.access().identities_of_router(slot, guard.kinds())
    };
    /// The services that may be used through an edge router.
    services_of_router: routers, |guard, slot| {
        guard.access().services_of_router(slot, guard.kinds())
    };
    /// The edge-router policies that select an edge router.
    edge_router_policies_of_router: routers, |guard, slot| {
        policies_selecting(guard, PolicyKind::EdgeRouter, PolicySide::EdgeRouters, slot)
    };
    /// The service-edge-router policies that select an edge router.
    service_edge_router_policies_of_router: routers,
        |guard, slot| {
            policies_selecting(guard, PolicyKind::ServiceEdgeRouter, PolicySide::EdgeRouters, slot)
        };
    /// The identities that a service policy selects.
    identities_of_service_policy: service_policies, |guard, slot| {
        selected_by_policy(guard, PolicyKind::Service, slot, PolicySide::Identities)
    };
    /// The services that a service policy selects.
    services_of_service_policy: service_policies, |guard, slot| {
        selected_by_policy(guard, PolicyKind::Service, slot, PolicySide::Services)
    };
    /// The posture checks that a service policy selects.
    posture_checks_of_service_policy: service_policies, |guard, slot| {
        selected_by_policy(guard, PolicyKind::Service, slot, PolicySide::PostureChecks)
    };
    /// The identities that an edge-router policy selects.
    identities_of_edge_router_policy: edge_router_policies, |guard, slot| {
        selected_by_policy(guard, PolicyKind::EdgeRouter, slot, PolicySide::Identities)
    };
    /// The edge routers that an edge-router policy selects.
    routers_of_edge_router_policy: edge_router_policies, |guard, slot| {
        selected_by_policy(guard, PolicyKind::EdgeRouter, slot, PolicySide::EdgeRouters)
    };
    /// The services that a service-edge-router policy selects.
    services_of_service_edge_router_policy: service_edge_router_policies,
        |guard, slot| {
            selected_by_policy(guard, PolicyKind::ServiceEdgeRouter, slot, PolicySide::Services)
        };
    /// The edge routers that a service-edge-router policy selects.
    routers_of_service_edge_router_policy: service_edge_router_policies,
        |guard, slot| {
            selected_by_policy(guard, PolicyKind::ServiceEdgeRouter, slot, PolicySide::EdgeRouters)
        };
}

fn policies_selecting(
    guard: &AccessGuard<'_>,
    kind: PolicyKind,
    side: PolicySide,
    slot: Slot,
) -> RoaringBitmap {
    guard.access().selecting(kind, side, slot, guard.kinds())
}

fn selected_by_policy(
    guard: &AccessGuard<'_>,
    kind: PolicyKind,
    policy: Slot,
    side: PolicySide,
) -> RoaringBitmap {
    guard.access().selected(kind, policy, side, guard.kinds())
}

/// The configurations of a service.
pub fn configs_of_service(rows: Rows<'_>, id: &str) -> Result<BTreeSet<RecordNumber>, AppError> {
    let service: Option<Found<Service>> = rows.find(&reference(&ServiceId::from_wire(id)))?;
    let configs = service.map(|found| found.entity.spec.configs);
    find_numbers(rows, configs.into_iter().flatten())
}

/// The configurations of a type.
pub fn configs_of_type(rows: Rows<'_>, id: &str) -> Result<BTreeSet<RecordNumber>, AppError> {
    find_referrers(rows, &ConfigTypeId::from_wire(id), CONFIG)
}

/// The services that have a configuration.
pub fn services_of_config(rows: Rows<'_>, id: &str) -> Result<BTreeSet<RecordNumber>, AppError> {
    find_referrers(rows, &ConfigId::from_wire(id), SERVICE)
}

/// The terminators of a service.
pub fn terminators_of_service(
    rows: Rows<'_>,
    id: &str,
) -> Result<BTreeSet<RecordNumber>, AppError> {
    find_referrers(rows, &ServiceId::from_wire(id), TERMINATOR)
}

/// The terminators of a router.
pub fn terminators_of_router(rows: Rows<'_>, id: &str) -> Result<BTreeSet<RecordNumber>, AppError> {
    find_referrers(rows, &RouterId::from_wire(id), TERMINATOR)
}

/// The records of a kind that refer to an entity.
fn find_referrers<I: IndexedId>(
    rows: Rows<'_>,
    id: &I,
    kind: Kind,
) -> Result<BTreeSet<RecordNumber>, AppError> {
    let referrers = match rows.locate(&reference(id))? {
        Some(key) => rows.referrers(&key, kind, usize::MAX)?,
        None => Vec::new(),
    };
    Ok(referrers
        .iter()
        .map(|key| RecordNumber(key.id().1))
        .collect())
}

/// The record numbers of entities, as far as they exist.
fn find_numbers<I: IndexedId>(
    rows: Rows<'_>,
    ids: impl IntoIterator<Item = I>,
) -> Result<BTreeSet<RecordNumber>, AppError> {
    let mut numbers = BTreeSet::new();
    for id in ids {
        if let Some(key) = rows.locate(&reference(&id))? {
            numbers.insert(RecordNumber(key.id().1));
        }
    }
    Ok(numbers)
}
