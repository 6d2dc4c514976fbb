//! Circuits.
//!
//! A circuit that was adopted after a restart is not told of as created, since it was before; its end is.

use crate::plane::Plane;
use crate::translate;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::TerminatorId;
use portcullis_events::{Body, Circuit, CircuitKind, CircuitPath, Namespace};
use portcullis_fabric::{
    CircuitEvent, CircuitNames, CircuitSnapshot, EndAddresses, FailedAttempt, FailureCause, Moment,
    Path, Right, Target,
};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn publish(plane: &Plane, (at, time): (Moment, Timestamp), event: &CircuitEvent) {
    if !plane.app.wants_events(Namespace::Circuit) {
        return;
    }
    let circuit = match event {
        CircuitEvent::Created(circuit) => {
            let kind = CircuitKind::Created {
                took: at.since(circuit.created),
                path_cost: circuit.cost,
            };
            established(plane, kind, circuit)
        },
        CircuitEvent::PathChanged(circuit) => {
            let age = at.since(circuit.created);
            established(plane, CircuitKind::PathUpdated { age }, circuit)
        },
        CircuitEvent::Ended { circuit, .. } => {
            let age = at.since(circuit.created);
            established(plane, CircuitKind::Deleted { age }, circuit)
        },
        CircuitEvent::Failed { attempt, cause } => failed(plane, at, attempt, *cause),
        CircuitEvent::Adopted(_) => return,
    };
    plane.app.publish_at(time, Body::Circuit(circuit));
}

fn established(plane: &Plane, kind: CircuitKind, circuit: &CircuitSnapshot) -> Circuit {
    let CircuitSnapshot {
        names,
        right,
        target,
        ..
    } = circuit;
    let tags = match target {
        Some(target) => tags(right, Some(target)),
        // As its routers have told.
        None => (*circuit.tags).clone(),
    };
    Circuit {
        path: path(plane, &circuit.path, names, &circuit.addresses),
        terminator_id: terminator_id(target.as_ref().map(|target| &target.terminator)),
        instance_id: target
            .as_ref()
            .map(|target| target.instance.as_str())
            .unwrap_or_default()
            .into(),
        ..of(kind, names, right, tags)
    }
}

fn failed(plane: &Plane, at: Moment, attempt: &FailedAttempt, cause: FailureCause) -> Circuit {
    let FailedAttempt { names, right, .. } = attempt;
    let course = attempt.course.as_ref();
    let kind = CircuitKind::Failed {
        took: at.since(attempt.began),
        path_cost: course.map(|course| course.cost),
        cause: cause.name(),
    };
    let target = course.map(|course| &*course.target);
    Circuit {
        path: course
            .map(|course| path(plane, &course.path, names, &course.addresses))
            .unwrap_or_default(),
        terminator_id: terminator_id(target.map(|target| &target.terminator)),
        instance_id: attempt.instance.as_str().into(),
        ..of(kind, names, right, tags(right, target))
    }
}

/// What is known of a circuit before there is a terminator.
fn of(
    kind: CircuitKind,
    names: &CircuitNames,
    right: &Right,
    tags: BTreeMap<String, String>,
) -> Circuit {
    Circuit {
        kind,
        circuit_id: (&names.circuit).into(),
        client_id: right.client.as_str().into(),
        service_id: right.service.as_str().into(),
        terminator_id: Arc::default(),
        instance_id: Arc::default(),
        path: CircuitPath::default(),
        tags: Some(tags),
    }
}

fn terminator_id(id: Option<&TerminatorId>) -> Arc<str> {
    id.map(TerminatorId::as_str).unwrap_or_default().into()
}

fn tags(right: &Right, target: Option<&Target>) -> BTreeMap<String, String> {
    let host = target.map(|target| target.host.as_str());
    let host = host.filter(|host| !host.is_empty());
    translate::tags(&right.client, host, &right.service)
}

fn path(plane: &Plane, path: &Path, names: &CircuitNames, addresses: &EndAddresses) -> CircuitPath {
    let nodes = plane.network.read(|fabric| {
        let routers = path.routers().iter();
        let ids = routers.filter_map(|router| fabric.network().past_router_id(*router));
        ids.map(|id| id.as_str().into()).collect()
    });
    let links: Vec<_> = path.links().iter().map(Arc::from).collect();
    CircuitPath {
        nodes: Some(nodes),
        links: (!links.is_empty()).then_some(links),
        ingress_id: (&names.ingress).into(),
        egress_id: (&names.egress).into(),
        initiator_local_address: addresses.initiator_local.clone(),
        initiator_remote_address: addresses.initiator_remote.clone(),
        terminator_local_address: addresses.terminator_local.clone(),
        terminator_remote_address: addresses.terminator_remote.clone(),
    }
}
