//! Links.

use super::Subject;
use crate::comparison::look::Look;
use crate::plane::Plane;
use portcullis_app::AppError;
use portcullis_app::fabric::OpenChannel;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::{LinkId, RouterId};
use portcullis_fabric::Fabric;
use portcullis_validation as validation;
use portcullis_validation::{
    Answer, ComparedLink, Comparison, Known, KnownLink, LinkConnection, Router,
};

pub(in crate::comparison) struct Links;

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
        let since = plane.network.links_since(known.keys());
        let known = known.iter().map(|(id, link)| {
            let since = since.get(id).map(|since| plane.wall_time(*since));
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
