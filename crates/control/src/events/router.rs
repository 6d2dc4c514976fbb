//! Routers that come and go.

use crate::plane::Plane;
use portcullis_domain::clock::Timestamp;
use portcullis_events::{Body, Namespace, RouterStatus};
use portcullis_fabric::RouterEvent;

pub(super) fn publish(plane: &Plane, time: Timestamp, event: &RouterEvent) {
    if plane.app.wants_events(Namespace::Router) {
        let status = RouterStatus {
            router_id: event.router.as_str().into(),
            is_online: event.is_online,
        };
        plane.app.publish_at(time, Body::Router(status));
    }
}
