//! Connections to the controller and to routers.

use super::shortened;
use crate::plane::Plane;
use crate::session::Session;
use portcullis_domain::ids::{IdentityId, RouterId};
use portcullis_events::{Body, Connect, ConnectDestination, ConnectSource, Namespace};
use portcullis_wire::control::connect_event::ConnectTime;
use std::net::SocketAddr;

/// A router has opened a channel to this controller. It knows the controller by the first address that
/// routers are told.
pub(crate) fn publish_router(plane: &Plane, session: &Session, from: SocketAddr) {
    plane.app.publish(Namespace::Connect, || {
        let addresses = plane.app.network().control_addresses();
        let address = addresses.first().map(String::as_str).unwrap_or_default();
        let without_scheme = address.split_once(':').map(|(_, rest)| rest);
        Body::Connect(Connect {
            source: ConnectSource::Router,
            destination: ConnectDestination::Controller,
            source_id: session.id().as_str().into(),
            source_address: from.to_string().into(),
            destination_id: plane.controller_id().into(),
            destination_address: without_scheme.unwrap_or_default().into(),
        })
    });
}

/// An identity has connected to a router, as that says.
pub(crate) fn of_identity(identity: &IdentityId, router: &RouterId, said: &ConnectTime) -> Body {
    Body::Connect(Connect {
        source: ConnectSource::Identity,
        destination: ConnectDestination::Router,
        source_id: identity.as_str().into(),
        source_address: shortened(&said.source_address),
        destination_id: router.as_str().into(),
        destination_address: shortened(&said.destination_address),
    })
}
