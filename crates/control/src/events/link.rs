//! Links.

use crate::plane::Plane;
use portcullis_domain::clock::Timestamp;
use portcullis_events::{Body, Link, LinkConnection, LinkKind, Namespace};
use portcullis_fabric::{self as fabric, FaultKind, LinkEvent, LinkId, Network};
use std::sync::Arc;

pub(super) fn publish(plane: &Plane, time: Timestamp, event: LinkEvent) {
    if !plane.app.wants_events(Namespace::Link) {
        return;
    }
    let link = match event {
        LinkEvent::Added(link) | LinkEvent::Redialed(link) => {
            described(plane, LinkKind::New, &link)
        },
        LinkEvent::Known(link) => described(plane, LinkKind::Known, &link),
        LinkEvent::Removed { link, fault } => {
            // Whoever counts links has to know of each one that is gone.
            let kind = fault.map_or(LinkKind::Fault, kind);
            described(plane, kind, &link)
        },
        LinkEvent::DestinationUnconnected(link) => named(LinkKind::DisconnectedDestination, &link),
        LinkEvent::ConnectionsChanged(link) => Link {
            connections: connections(&link),
            ..named(LinkKind::ConnectionsChanged, &link.id)
        },
        LinkEvent::UnknownFaulted { link, kind: fault } => named(kind(fault), &link),
        LinkEvent::Refused { .. } => return,
    };
    plane.app.publish_at(time, Body::Link(link));
}

const fn kind(fault: FaultKind) -> LinkKind {
    match fault {
        FaultKind::Fault => LinkKind::Fault,
        FaultKind::Duplicate => LinkKind::Duplicate,
    }
}

/// Tells which link it is, and nothing of it.
fn named(kind: LinkKind, id: &LinkId) -> Link {
    Link {
        kind,
        link_id: id.into(),
        source_router_id: None,
        destination_router_id: None,
        protocol: None,
        dial_address: None,
        cost: None,
        connections: Vec::new(),
    }
}

fn described(plane: &Plane, kind: LinkKind, link: &fabric::Link) -> Link {
    let (source, destination) = plane.network.read(|fabric| {
        let ends = [link.source, link.destination];
        let [source, destination] = ends.map(|end| id(fabric.network(), end));
        (source, destination)
    });
    Link {
        source_router_id: source,
        destination_router_id: destination,
        protocol: Some(link.protocol.as_str().into()),
        dial_address: Some(link.dial_address.as_str().into()),
        cost: Some(i32::try_from(link.static_cost).unwrap_or(i32::MAX)),
        connections: connections(link),
        ..named(kind, &link.id)
    }
}

fn id(network: &Network, router: fabric::RouterSlot) -> Option<Arc<str>> {
    let id = network.past_router_id(router);
    id.map(|id| id.as_str().into())
}

fn connections(link: &fabric::Link) -> Vec<LinkConnection> {
    let list = link.connections.list.iter();
    list.map(|connection| LinkConnection {
        id: connection.kind.as_str().into(),
        local_address: connection.local_address.as_str().into(),
        remote_address: connection.remote_address.as_str().into(),
    })
    .collect()
}
