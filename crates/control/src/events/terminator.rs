//! Terminators whose router comes or goes.

use crate::plane::Plane;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::ServiceId;
use portcullis_events::{Body, Namespace, TerminatorStatus};
use portcullis_fabric::{Fabric, Moment, RouterEvent, TerminatorCounts};
use std::collections::BTreeMap;

/// Tells of each terminator at a router.
pub(super) fn publish(plane: &Plane, (at, time): (Moment, Timestamp), event: &RouterEvent) {
    if !plane.app.wants_events(Namespace::Terminator) {
        return;
    }
    let statuses = plane.network.read(|fabric| statuses(fabric, at, event));
    for status in statuses {
        plane.app.publish_at(time, Body::Terminator(status));
    }
}

fn statuses(fabric: &Fabric, at: Moment, event: &RouterEvent) -> Vec<TerminatorStatus> {
    let terminators = fabric.terminators();
    let mut counts: BTreeMap<&ServiceId, Option<TerminatorCounts>> = BTreeMap::new();
    let here = terminators.at_router(&event.router);
    here.map(|terminator| {
        let service = &terminator.service;
        let counts = *counts.entry(service).or_insert_with(|| {
            let is_known = fabric.has_service(service);
            is_known.then(|| terminators.count(service, fabric.network()))
        });
        let cost = terminators.cost(&terminator.id, at);
        TerminatorStatus {
            is_router_online: event.is_online,
            service_id: service.as_str().into(),
            terminator_id: terminator.id.as_str().into(),
            router_id: terminator.router.as_str().into(),
            host_id: terminator.host.as_str().into(),
            instance_id: terminator.instance.as_str().into(),
            precedence: name(terminator.precedence),
            static_cost: terminator.cost,
            dynamic_cost: cost.map(|cost| cost.dynamic).unwrap_or_default(),
            total: counts.map(|counts| counts.all),
            usable_default: counts.map(|counts| counts.usable_default),
            usable_required: counts.map(|counts| counts.usable_required),
        }
    })
    .collect()
}

const fn name(precedence: Precedence) -> &'static str {
    match precedence {
        Precedence::Default => "default",
        Precedence::Required => "required",
        Precedence::Failed => "failed",
    }
}
