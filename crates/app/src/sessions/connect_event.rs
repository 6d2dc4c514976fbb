//! Requests as connections of identities.

use crate::app::App;
use portcullis_domain::access::Caller;
use portcullis_events::{Body, Connect, ConnectDestination, ConnectSource, Namespace};
use std::net::SocketAddr;

/// Tells that a caller has reached the controller from an address, at the host that its request names.
pub fn publish_request(app: &App, caller: &Caller, from: SocketAddr, host: &str) {
    app.publish(Namespace::Connect, || {
        let controller = &app.network().serving_state().controller.id;
        Body::Connect(Connect {
            source: ConnectSource::Identity,
            destination: ConnectDestination::Controller,
            source_id: caller.identity.as_str().into(),
            source_address: from.to_string().into(),
            destination_id: controller.as_str().into(),
            destination_address: host.into(),
        })
    });
}
