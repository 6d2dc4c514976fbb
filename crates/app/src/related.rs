//! What is related to an entity by policies or by reference, as the lists below an entity show it.
//!
//! What does not exist is related to nothing, and its lists are empty.

use crate::app::App;
use crate::error::AppError;
use crate::identities;
use crate::listing::kinds::RuledSpec;
use crate::listing::{Asked, Paging, Sight};
use crate::managed::{self, For, Made, Of, Read};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::{ConfigId, ConfigTypeId, Number, RouterId, ServiceId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::service::Service;
use portcullis_domain::view::IdentityView;
use portcullis_index::{AccessGuard, PolicyKind, Side, Slot};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{CONFIG, Found, IndexedId, Rows, SERVICE, TERMINATOR, reference};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// What policies relate to other things.
#[expect(
    private_bounds,
    reason = "how a kind is listed is no business of whoever asks for a list"
)]
pub trait Related: Made + RuledSpec {}

impl<S: Made + RuledSpec> Related for S {}

/// A way to find those whom policies relate to the entity with an id, by their slots.
#[derive(Debug, Clone, Copy)]
pub enum Relation {
    /// They simply are.
    Plain(fn(&AccessGuard<'_>, &str) -> RoaringBitmap),
    /// They are by what is granted: one thing, or anything.
    Granted(fn(&AccessGuard<'_>, &str, Option<ServiceGrant>) -> RoaringBitmap),
}

/// A way to find the records that refer to the entity with an id, or that it refers to.
pub type Reference = fn(Rows<'_>, &str) -> Result<BTreeSet<Number>, AppError>;

impl Relation {
    /// Finds them; `grant` restricts those who are related by a grant.
    fn find(self, guard: &AccessGuard<'_>, id: &str, grant: Option<ServiceGrant>) -> RoaringBitmap {
        match self {
            Self::Plain(find) => find(guard, id),
            Self::Granted(find) => find(guard, id, grant),
        }
    }
}

/// Lists what policies relate to the entity with an id; `grant` restricts those who are related by a
/// grant.
pub fn list<S: Related>(
    app: &App,
    permit: &Permit<Read<S>>,
    asked: &Asked<'_>,
    (relation, id, grant): (Relation, &str, Option<ServiceGrant>),
    show: &mut dyn FnMut(S::View) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = asked.of_roles::<Of<S>>()?;
    let find = |guard: &AccessGuard<'_>| relation.find(guard, id, grant);
    let sight = Sight::of_all(asked).of_ruled(&find);
    managed::answer::<S>(app, permit.caller(), &listing, &sight, show)
}

/// Lists the identities that policies relate to the entity with an id.
pub fn list_identities(
    app: &App,
    permit: &Permit<identities::Read>,
    asked: &Asked<'_>,
    (relation, id, grant): (Relation, &str, Option<ServiceGrant>),
    show: &mut dyn FnMut(IdentityView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let find = |guard: &AccessGuard<'_>| relation.find(guard, id, grant);
    identities::list_selected(app, permit, asked, &find, show)
}

/// Lists what refers to the entity with an id, or what it refers to.
pub fn list_referring<S: Made>(
    app: &App,
    permit: &Permit<impl For<Read<S>>>,
    asked: &Asked<'_>,
    (reference, id): (Reference, &str),
    show: &mut dyn FnMut(S::View) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = asked.of_roles::<Of<S>>()?;
    let among = reference(app.snapshot()?.rows(), id)?;
    let sight = Sight::of_all(asked).of_numbers(&among);
    managed::answer::<S>(app, permit.caller(), &listing, &sight, show)
}

/// The services with which an identity may do something.
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

/// The identities that may do something with a service.
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

/// Declares relations between the entities of a catalog and those of another kind.
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
        selecting(guard, PolicyKind::Service, Side::Identities, slot)
    };
    /// The edge-router policies that select an identity.
    edge_router_policies_of_identity: identities, |guard, slot| {
        selecting(guard, PolicyKind::EdgeRouter, Side::Identities, slot)
    };
    /// The edge routers through which a service may be used.
    routers_of_service: services, |guard, slot| {
        guard.access().routers_of_service(slot, guard.kinds())
    };
    /// The service policies that select a service.
    service_policies_of_service: services, |guard, slot| {
        selecting(guard, PolicyKind::Service, Side::Services, slot)
    };
    /// The service-edge-router policies that select a service.
    service_edge_router_policies_of_service: services,
        |guard, slot| {
            selecting(guard, PolicyKind::ServiceEdgeRouter, Side::Services, slot)
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
        selecting(guard, PolicyKind::EdgeRouter, Side::EdgeRouters, slot)
    };
    /// The service-edge-router policies that select an edge router.
    service_edge_router_policies_of_router: routers,
        |guard, slot| {
            selecting(guard, PolicyKind::ServiceEdgeRouter, Side::EdgeRouters, slot)
        };
    /// The identities that a service policy selects.
    identities_of_service_policy: service_policies, |guard, slot| {
        selected(guard, PolicyKind::Service, slot, Side::Identities)
    };
    /// The services that a service policy selects.
    services_of_service_policy: service_policies, |guard, slot| {
        selected(guard, PolicyKind::Service, slot, Side::Services)
    };
    /// The posture checks that a service policy selects.
    posture_checks_of_service_policy: service_policies, |guard, slot| {
        selected(guard, PolicyKind::Service, slot, Side::PostureChecks)
    };
    /// The identities that an edge-router policy selects.
    identities_of_edge_router_policy: edge_router_policies, |guard, slot| {
        selected(guard, PolicyKind::EdgeRouter, slot, Side::Identities)
    };
    /// The edge routers that an edge-router policy selects.
    routers_of_edge_router_policy: edge_router_policies, |guard, slot| {
        selected(guard, PolicyKind::EdgeRouter, slot, Side::EdgeRouters)
    };
    /// The services that a service-edge-router policy selects.
    services_of_service_edge_router_policy: service_edge_router_policies,
        |guard, slot| {
            selected(guard, PolicyKind::ServiceEdgeRouter, slot, Side::Services)
        };
    /// The edge routers that a service-edge-router policy selects.
    routers_of_service_edge_router_policy: service_edge_router_policies,
        |guard, slot| {
            selected(guard, PolicyKind::ServiceEdgeRouter, slot, Side::EdgeRouters)
        };
}

fn selecting(guard: &AccessGuard<'_>, kind: PolicyKind, side: Side, slot: Slot) -> RoaringBitmap {
    guard.access().selecting(kind, side, slot, guard.kinds())
}

fn selected(guard: &AccessGuard<'_>, kind: PolicyKind, policy: Slot, side: Side) -> RoaringBitmap {
    guard.access().selected(kind, policy, side, guard.kinds())
}

/// The configurations of a service.
pub fn configs_of_service(rows: Rows<'_>, id: &str) -> Result<BTreeSet<Number>, AppError> {
    let service: Option<Found<Service>> = rows.find(&reference(&ServiceId::from_wire(id)))?;
    let configs = service.map(|found| found.entity.spec.configs);
    located(rows, configs.into_iter().flatten())
}

/// The configurations of a type.
pub fn configs_of_type(rows: Rows<'_>, id: &str) -> Result<BTreeSet<Number>, AppError> {
    referring(rows, &ConfigTypeId::from_wire(id), CONFIG)
}

/// The services that have a configuration.
pub fn services_of_config(rows: Rows<'_>, id: &str) -> Result<BTreeSet<Number>, AppError> {
    referring(rows, &ConfigId::from_wire(id), SERVICE)
}

/// The terminators of a service.
pub fn terminators_of_service(rows: Rows<'_>, id: &str) -> Result<BTreeSet<Number>, AppError> {
    referring(rows, &ServiceId::from_wire(id), TERMINATOR)
}

/// The terminators of a router.
pub fn terminators_of_router(rows: Rows<'_>, id: &str) -> Result<BTreeSet<Number>, AppError> {
    referring(rows, &RouterId::from_wire(id), TERMINATOR)
}

/// The records of a kind that refer to an entity.
fn referring<I: IndexedId>(
    rows: Rows<'_>,
    id: &I,
    kind: Kind,
) -> Result<BTreeSet<Number>, AppError> {
    let referrers = match rows.locate(&reference(id))? {
        Some(key) => rows.referrers(&key, kind, usize::MAX)?,
        None => Vec::new(),
    };
    Ok(referrers.iter().map(|key| Number(key.id().1)).collect())
}

/// The records of some entities, as far as they are there.
fn located<I: IndexedId>(
    rows: Rows<'_>,
    ids: impl IntoIterator<Item = I>,
) -> Result<BTreeSet<Number>, AppError> {
    let mut numbers = BTreeSet::new();
    for id in ids {
        if let Some(key) = rows.locate(&reference(&id))? {
            numbers.insert(Number(key.id().1));
        }
    }
    Ok(numbers)
}
