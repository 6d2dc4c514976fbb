//! What routers and controller are compared about.

use super::look::Look;
use crate::plane::Plane;
use portcullis_app::AppError;
use portcullis_app::fabric::{self as selected, OpenChannel};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::{CircuitId, IdentityId, LinkId, RouterId, TerminatorId};
use portcullis_fabric::{Fabric, Moment};
use portcullis_validation as validation;
use portcullis_validation::{
    Answer, Compared, ComparedCircuit, ComparedLink, Comparison, HeldTerminator,
    IdentityDisagreement, Known, KnownCircuit, KnownConnection, KnownLink, KnownTerminator,
    LinkConnection, Router,
};
use std::collections::BTreeSet;

/// Circuits that are looked through before others get to see the network.
const BATCH: usize = 1024;

/// A kind of things that routers tell.
pub(super) trait Subject: 'static {
    type Id: Ord + Clone + Send + Sync + 'static;
    /// A thing as the controller knows it.
    type Known: PartialEq + Send + Sync + 'static;
    type Entry: Compared + Send + 'static;

    /// What routers are asked for.
    const INSPECTIONS: &'static [&'static str];

    /// What the controller knows of a router. Blocks.
    fn look(
        plane: &Plane,
        permit: &Permit<OpenChannel>,
        router: &Router,
    ) -> Result<Look<Self>, AppError>
    where
        Self: Sized;

    fn compare(
        plane: &Plane,
        router: &Router,
        known: &Known<Self::Id, Self::Known>,
        answer: Answer<'_>,
    ) -> Comparison<Self::Entry>;

    fn id(entry: &Self::Entry) -> &Self::Id;

    /// Whether routers may rightly have it still.
    fn has_just_ended(_plane: &Plane, _id: &Self::Id) -> bool {
        false
    }
}

pub(super) struct Links;

impl Subject for Links {
    type Id = LinkId;
    type Known = KnownLink;
    type Entry = ComparedLink;

    const INSPECTIONS: &'static [&'static str] = &[validation::LINKS];

    fn look(
        plane: &Plane,
        _permit: &Permit<OpenChannel>,
        router: &Router,
    ) -> Result<Look<Self>, AppError> {
        let known = plane.network.read(|fabric| links_of(fabric, &router.id));
        Ok(Look::settled(known))
    }

    fn compare(
        plane: &Plane,
        router: &Router,
        known: &Known<LinkId, KnownLink>,
        answer: Answer<'_>,
    ) -> Comparison<ComparedLink> {
        let is_connected = |id: &RouterId| plane.sessions.get(id).is_some();
        let known = known.iter().map(|(id, link)| {
            let since = plane.network.link_since(id);
            let since = since.map(|since| plane.wall_time(since));
            let link = KnownLink {
                since,
                ..link.clone()
            };
            (id.clone(), link)
        });
        validation::compare_links(router, &known.collect(), is_connected, answer)
    }

    fn id(entry: &ComparedLink) -> &LinkId {
        &entry.link
    }
}

fn links_of(fabric: &Fabric, router: &RouterId) -> Known<LinkId, KnownLink> {
    let network = fabric.network();
    let Some(slot) = network.find_router(router) else {
        return Known::new();
    };
    let links = network
        .links()
        .filter(|link| link.source == slot || link.destination == slot);
    let known = links.filter_map(|link| {
        let connections = link.connections.list.iter();
        let known = KnownLink {
            source: network.router_id(link.source)?.clone(),
            destination: network.router_id(link.destination)?.clone(),
            iteration: link.iteration,
            connections_iteration: link.connections.iteration,
            connections: connections
                .map(|connection| LinkConnection {
                    kind: connection.kind.clone(),
                    local_address: connection.local_address.clone(),
                    remote_address: connection.remote_address.clone(),
                })
                .collect(),
            since: None,
        };
        Some((LinkId::from_wire(link.id.as_str()), known))
    });
    known.collect()
}

pub(super) struct Circuits;

impl Subject for Circuits {
    type Id = CircuitId;
    /// Since when there is the circuit.
    type Known = Moment;
    type Entry = ComparedCircuit;

    const INSPECTIONS: &'static [&'static str] = &validation::CIRCUIT_INSPECTIONS;

    /// The established circuits whose path has the router. Those that are being dialed may be at any router.
    fn look(
        plane: &Plane,
        _permit: &Permit<OpenChannel>,
        router: &Router,
    ) -> Result<Look<Self>, AppError> {
        let mut look = Look::settled(Known::new());
        let mut last = None;
        loop {
            let (seen, next) = plane.network.read(|fabric| {
                let slot = fabric.network().find_router(&router.id);
                let (mut seen, mut next) = (0, None);
                for circuit in fabric.circuits_after(last.as_ref()).take(BATCH) {
                    seen += 1;
                    next = Some(circuit.names.circuit.clone());
                    let is_on_path =
                        slot.is_some_and(|slot| circuit.path.routers().contains(&slot));
                    let id = || CircuitId::from_wire(circuit.names.circuit.as_str());
                    if !circuit.is_open {
                        look.unsettled.insert(id());
                    } else if is_on_path {
                        look.known.insert(id(), circuit.created);
                    }
                }
                (seen, next)
            });
            if seen < BATCH {
                return Ok(look);
            }
            last = next;
        }
    }

    fn compare(
        plane: &Plane,
        router: &Router,
        known: &Known<CircuitId, Moment>,
        answer: Answer<'_>,
    ) -> Comparison<ComparedCircuit> {
        let controller = plane.app.network().serving_state().controller.id.clone();
        let known = known.iter().map(|(id, created)| {
            let circuit = KnownCircuit {
                path: vec![router.id.clone()],
                since: Some(plane.wall_time(*created)),
            };
            (id.clone(), circuit)
        });
        validation::compare_circuits(router, &controller, &known.collect(), answer)
    }

    fn id(entry: &ComparedCircuit) -> &CircuitId {
        &entry.circuit
    }

    fn has_just_ended(plane: &Plane, id: &CircuitId) -> bool {
        plane.network.has_just_ended(id)
    }
}

pub(super) struct Identities;

impl Subject for Identities {
    type Id = IdentityId;
    type Known = KnownConnection;
    type Entry = IdentityDisagreement;

    const INSPECTIONS: &'static [&'static str] = &[validation::IDENTITY_CONNECTIONS];

    fn look(
        plane: &Plane,
        _permit: &Permit<OpenChannel>,
        router: &Router,
    ) -> Result<Look<Self>, AppError> {
        let connected = plane.identities.at(&router.id).into_iter();
        let known = connected.map(|(identity, since)| {
            let since = Some(since);
            (identity, KnownConnection { since })
        });
        Ok(Look::settled(known.collect()))
    }

    fn compare(
        _plane: &Plane,
        router: &Router,
        known: &Known<IdentityId, KnownConnection>,
        answer: Answer<'_>,
    ) -> Comparison<IdentityDisagreement> {
        validation::compare_identities(router, known, answer)
    }

    fn id(entry: &IdentityDisagreement) -> &IdentityId {
        entry.identity()
    }
}

pub(super) struct SdkTerminators;

impl Subject for SdkTerminators {
    type Id = TerminatorId;
    type Known = KnownTerminator;
    type Entry = HeldTerminator;

    const INSPECTIONS: &'static [&'static str] = &[validation::SDK_TERMINATORS];

    fn look(
        plane: &Plane,
        permit: &Permit<OpenChannel>,
        router: &Router,
    ) -> Result<Look<Self>, AppError> {
        Ok(Look::settled(terminators(plane, permit, router)?))
    }

    fn compare(
        _plane: &Plane,
        router: &Router,
        known: &Known<TerminatorId, KnownTerminator>,
        answer: Answer<'_>,
    ) -> Comparison<HeldTerminator> {
        validation::compare_sdk_terminators(router, known.values(), answer)
    }

    fn id(entry: &HeldTerminator) -> &TerminatorId {
        &entry.terminator
    }
}

/// Those that a router holds as a tunneler.
pub(super) struct TunnelTerminators;

impl Subject for TunnelTerminators {
    type Id = TerminatorId;
    type Known = KnownTerminator;
    type Entry = HeldTerminator;

    const INSPECTIONS: &'static [&'static str] = &[validation::ERT_TERMINATORS];

    fn look(
        plane: &Plane,
        permit: &Permit<OpenChannel>,
        router: &Router,
    ) -> Result<Look<Self>, AppError> {
        Ok(Look::settled(terminators(plane, permit, router)?))
    }

    fn compare(
        _plane: &Plane,
        router: &Router,
        known: &Known<TerminatorId, KnownTerminator>,
        answer: Answer<'_>,
    ) -> Comparison<HeldTerminator> {
        validation::compare_ert_terminators(router, known.values(), answer)
    }

    fn id(entry: &HeldTerminator) -> &TerminatorId {
        &entry.terminator
    }
}

/// The terminators of a router by the store. Names of services do not matter where it is only compared
/// which there are.
fn terminators(
    plane: &Plane,
    permit: &Permit<OpenChannel>,
    router: &Router,
) -> Result<Known<TerminatorId, KnownTerminator>, AppError> {
    let found = selected::terminators_at(&plane.app, permit, &router.id)?;
    let known = found.into_iter().map(|terminator| {
        let known = KnownTerminator {
            id: terminator.id.clone(),
            service: terminator.spec.service,
            service_name: String::new(),
            router: router.id.clone(),
            router_name: router.name.clone(),
            binding: terminator.spec.binding,
            address: terminator.spec.address,
            host: None,
            created_at: terminator.created_at,
        };
        (terminator.id, known)
    });
    Ok(known.collect())
}

impl<S: Subject> Look<S> {
    fn settled(known: Known<S::Id, S::Known>) -> Self {
        Self {
            known,
            unsettled: BTreeSet::new(),
        }
    }
}
