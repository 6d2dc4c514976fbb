//! Requests as connections of identities.

use crate::app::App;
use portcullis_domain::access::Caller;
use portcullis_events::{Body, Connect, ConnectDestination, ConnectSource, Namespace};

/// Tells that a caller has reached the controller, from where and at which host, as the origin of its request says.
pub fn publish_request(app: &App, caller: &Caller) {
    app.publish(Namespace::Connect, || {
        let controller = &app.network().serving_state().controller.id;
        Body::Connect(Connect {
            source: ConnectSource::Identity,
            destination: ConnectDestination::Controller,
            source_id: caller.identity.as_str().into(),
            source_address: caller.origin.peer.to_string().into(),
            destination_id: controller.as_str().into(),
            destination_address: caller.origin.target.clone().unwrap_or_default(),
        })
    });
}
