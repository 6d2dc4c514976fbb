//! What is related to an entity by policies, as the lists below an entity show it.
//!
//! Each function answers [`Among`]: those of another kind that are related to the entity with an id.
//! What does not exist is related to nothing, and its lists are empty.

use crate::app::App;
use crate::error::AppError;
use crate::identities;
use crate::listing::{Asked, Paging};
use crate::managed::{self, Made, Read, numbers};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::{ConfigId, ConfigTypeId, Number, ServiceId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::service::Service;
use portcullis_domain::view::IdentityView;
use portcullis_index::{AccessGuard, PolicyKind, Side, Slot};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{CONFIG, Found, IndexedId, Rows, SERVICE, TERMINATOR, reference};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Those of a kind that are related to something.
#[derive(Debug, Clone)]
pub struct Among(BTreeSet<Number>);

/// A way to find those who are related to the entity with an id.
#[derive(Debug, Clone, Copy)]
pub enum Relation {
    /// They simply are.
    Plain(fn(&App, &str) -> Result<Among, AppError>),
    /// They are by what is granted: one thing, or anything.
    Granted(fn(&App, &str, Option<ServiceGrant>) -> Result<Among, AppError>),
}

/// Lists what is related to something.
pub fn list<S: Made>(
    app: &App,
    permit: &Permit<Read<S>>,
    asked: &Asked<'_>,
    among: &Among,
    show: &mut dyn FnMut(S::View) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    managed::list_among(app, permit, asked, &among.0, show)
}

/// Lists the identities that are related to something.
pub fn list_identities(
    app: &App,
    permit: &Permit<identities::Read>,
    asked: &Asked<'_>,
    among: &Among,
    show: &mut dyn FnMut(IdentityView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    identities::list_among(app, permit, asked, &among.0, show)
}

/// The services with which an identity may do something.
pub fn services_of_identity(
    app: &App,
    id: &str,
    grant: Option<ServiceGrant>,
) -> Result<Among, AppError> {
    let guard = app.require_lists()?.access();
    let slots = guard.identities().slot_by_id(id).map(|identity| {
        each(grant, |grant| {
            guard.access().services(grant, identity, guard.kinds())
        })
    });
    let slots = slots.into_iter().flatten();
    Ok(Among(numbers(guard.services(), slots)))
}

/// The identities that may do something with a service.
pub fn identities_of_service(
    app: &App,
    id: &str,
    grant: Option<ServiceGrant>,
) -> Result<Among, AppError> {
    let guard = app.require_lists()?.access();
    let slots = guard.services().slot_by_id(id).map(|service| {
        each(grant, |grant| {
            guard.access().identities(grant, service, guard.kinds())
        })
    });
    let slots = slots.into_iter().flatten();
    Ok(Among(numbers(guard.identities(), slots)))
}

/// Declares relations that hold between an entity on one side and a catalog on another.
macro_rules! relations {
    ($($(#[$doc:meta])* $name:ident: $from:ident -> $to:ident, |$guard:ident, $slot:ident| $slots:expr;)+) => {$(
        $(#[$doc])*
        pub fn $name(app: &App, id: &str) -> Result<Among, AppError> {
            let $guard = app.require_lists()?.access();
            let slots = $guard.$from().slot_by_id(id).map(|$slot| $slots);
            Ok(Among(numbers($guard.$to(), slots)))
        }
    )+};
}

relations! {
    /// The edge routers to which an identity may connect.
    routers_of_identity: identities -> routers, |guard, slot| {
        guard.access().routers_of_identity(slot, guard.kinds())
    };
    /// The service policies that select an identity.
    service_policies_of_identity: identities -> service_policies, |guard, slot| {
        selecting(&guard, PolicyKind::Service, Side::Identities, slot)
    };
    /// The edge-router policies that select an identity.
    edge_router_policies_of_identity: identities -> edge_router_policies, |guard, slot| {
        selecting(&guard, PolicyKind::EdgeRouter, Side::Identities, slot)
    };
    /// The edge routers through which a service may be used.
    routers_of_service: services -> routers, |guard, slot| {
        guard.access().routers_of_service(slot, guard.kinds())
    };
    /// The service policies that select a service.
    service_policies_of_service: services -> service_policies, |guard, slot| {
        selecting(&guard, PolicyKind::Service, Side::Services, slot)
    };
    /// The service-edge-router policies that select a service.
    service_edge_router_policies_of_service: services -> service_edge_router_policies,
        |guard, slot| {
            selecting(&guard, PolicyKind::ServiceEdgeRouter, Side::Services, slot)
        };
    /// The identities that may connect to an edge router.
    identities_of_router: routers -> identities, |guard, slot| {
        guard.access().identities_of_router(slot, guard.kinds())
    };
    /// The services that may be used through an edge router.
    services_of_router: routers -> services, |guard, slot| {
        guard.access().services_of_router(slot, guard.kinds())
    };
    /// The edge-router policies that select an edge router.
    edge_router_policies_of_router: routers -> edge_router_policies, |guard, slot| {
        selecting(&guard, PolicyKind::EdgeRouter, Side::EdgeRouters, slot)
    };
    /// The service-edge-router policies that select an edge router.
    service_edge_router_policies_of_router: routers -> service_edge_router_policies,
        |guard, slot| {
            selecting(&guard, PolicyKind::ServiceEdgeRouter, Side::EdgeRouters, slot)
        };
    /// The identities that a service policy selects.
    identities_of_service_policy: service_policies -> identities, |guard, slot| {
        selected(&guard, PolicyKind::Service, slot, Side::Identities)
    };
    /// The services that a service policy selects.
    services_of_service_policy: service_policies -> services, |guard, slot| {
        selected(&guard, PolicyKind::Service, slot, Side::Services)
    };
    /// The posture checks that a service policy selects.
    posture_checks_of_service_policy: service_policies -> posture_checks, |guard, slot| {
        selected(&guard, PolicyKind::Service, slot, Side::PostureChecks)
    };
    /// The identities that an edge-router policy selects.
    identities_of_edge_router_policy: edge_router_policies -> identities, |guard, slot| {
        selected(&guard, PolicyKind::EdgeRouter, slot, Side::Identities)
    };
    /// The edge routers that an edge-router policy selects.
    routers_of_edge_router_policy: edge_router_policies -> routers, |guard, slot| {
        selected(&guard, PolicyKind::EdgeRouter, slot, Side::EdgeRouters)
    };
    /// The services that a service-edge-router policy selects.
    services_of_service_edge_router_policy: service_edge_router_policies -> services,
        |guard, slot| {
            selected(&guard, PolicyKind::ServiceEdgeRouter, slot, Side::Services)
        };
    /// The edge routers that a service-edge-router policy selects.
    routers_of_service_edge_router_policy: service_edge_router_policies -> routers,
        |guard, slot| {
            selected(&guard, PolicyKind::ServiceEdgeRouter, slot, Side::EdgeRouters)
        };
}

/// The slots for one grant, or for each of them.
fn each(
    grant: Option<ServiceGrant>,
    slots: impl Fn(ServiceGrant) -> RoaringBitmap,
) -> Vec<RoaringBitmap> {
    match grant {
        Some(grant) => vec![slots(grant)],
        None => ServiceGrant::ALL.map(slots).to_vec(),
    }
}

fn selecting(guard: &AccessGuard<'_>, kind: PolicyKind, side: Side, slot: Slot) -> RoaringBitmap {
    guard.access().selecting(kind, side, slot, guard.kinds())
}

fn selected(guard: &AccessGuard<'_>, kind: PolicyKind, policy: Slot, side: Side) -> RoaringBitmap {
    guard.access().selected(kind, policy, side, guard.kinds())
}

/// The configurations of a service.
pub fn configs_of_service(app: &App, id: &str) -> Result<Among, AppError> {
    let view = app.snapshot()?;
    let id = ServiceId::from_wire(id);
    let service: Option<Found<Service>> = view.rows().find(&reference(&id))?;
    let configs = service.map(|found| found.entity.spec.configs);
    located(view.rows(), configs.into_iter().flatten())
}

/// The configurations of a type.
pub fn configs_of_type(app: &App, id: &str) -> Result<Among, AppError> {
    referring(app, &ConfigTypeId::from_wire(id), CONFIG)
}

/// The services that have a configuration.
pub fn services_of_config(app: &App, id: &str) -> Result<Among, AppError> {
    referring(app, &ConfigId::from_wire(id), SERVICE)
}

/// The terminators of a service.
pub fn terminators_of_service(app: &App, id: &str) -> Result<Among, AppError> {
    referring(app, &ServiceId::from_wire(id), TERMINATOR)
}

/// The records of a kind that refer to an entity.
fn referring<I: IndexedId>(app: &App, id: &I, kind: Kind) -> Result<Among, AppError> {
    let view = app.snapshot()?;
    let rows = view.rows();
    let referrers = match rows.locate(&reference(id))? {
        Some(key) => rows.referrers(&key, kind, usize::MAX)?,
        None => Vec::new(),
    };
    let numbers = referrers.iter().map(|key| Number(key.id().1));
    Ok(Among(numbers.collect()))
}

/// The records of some entities, as far as they are there.
fn located<I: IndexedId>(
    rows: Rows<'_>,
    ids: impl IntoIterator<Item = I>,
) -> Result<Among, AppError> {
    let mut numbers = BTreeSet::new();
    for id in ids {
        if let Some(key) = rows.locate(&reference(&id))? {
            numbers.insert(Number(key.id().1));
        }
    }
    Ok(Among(numbers))
}
