//! Records of routers, services and terminators, as the picture of the network needs them.
//!
//! A change that removes a record has no more than its number, so numbers are remembered with the ids
//! that they had.

use crate::network::LiveFabric;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::ids::{RecordNumber, RouterId, ServiceId, TerminatorId};
use portcullis_domain::router::Router;
use portcullis_domain::service::Service as ServiceRecord;
use portcullis_domain::terminator::Terminator as TerminatorRecord;
use portcullis_fabric::{Fabric, Moment, RouterSpec, Service, Terminator};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// The ids of the records that the network knows.
#[derive(Debug, Default)]
pub(crate) struct Records {
    routers: HashMap<RecordNumber, RouterId>,
    services: HashMap<RecordNumber, ServiceId>,
    terminators: HashMap<RecordNumber, TerminatorId>,
}

/// What a batch of changes does to the network.
#[derive(Debug, Default)]
struct NetworkChanges {
    routers: Vec<(RouterId, Option<RouterSpec>)>,
    services: Vec<(ServiceId, Option<Service>)>,
    terminators: Vec<(TerminatorId, Option<Terminator>)>,
}

impl Records {
    /// Takes changes over into the network, in the order of their commits. Returns the ids of the
    /// routers whose records have changed.
    pub(crate) fn follow(&mut self, changes: &[Change], network: &LiveFabric) -> Vec<RouterId> {
        let changes = self.collect(changes);
        if changes.is_empty() {
            return Vec::new();
        }
        let routers = changes.routers.iter().map(|(id, _)| id.clone()).collect();
        network.change(|fabric, now| changes.apply(fabric, now));
        routers
    }

    /// What has to be removed to begin anew with these records.
    pub(crate) fn missing_from(&self, all: &[Change]) -> Vec<Change> {
        let mut present = (HashSet::new(), HashSet::new(), HashSet::new());
        for change in all {
            match change {
                Change::Router(change) => present.0.insert(change.number),
                Change::Service(change) => present.1.insert(change.number),
                Change::Terminator(change) => present.2.insert(change.number),
                _ => false,
            };
        }
        let (routers, services, terminators) = present;
        let terminators = gone(&self.terminators, &terminators).map(Change::Terminator);
        let services = gone(&self.services, &services).map(Change::Service);
        let routers = gone(&self.routers, &routers).map(Change::Router);
        terminators.chain(services).chain(routers).collect()
    }

    fn collect(&mut self, changes: &[Change]) -> NetworkChanges {
        let mut collected = NetworkChanges::default();
        for change in changes {
            match change {
                Change::Router(change) => {
                    let id = |router: &Router| router.id.clone();
                    let news = resolve(&mut self.routers, change, id, router);
                    collected.routers.extend(news);
                },
                Change::Service(change) => {
                    let id = |service: &ServiceRecord| service.id.clone();
                    let news = resolve(&mut self.services, change, id, service);
                    collected.services.extend(news);
                },
                Change::Terminator(change) => {
                    let id = |terminator: &TerminatorRecord| terminator.id.clone();
                    let news = resolve(&mut self.terminators, change, id, terminator);
                    collected.terminators.extend(news);
                },
                _ => {},
            }
        }
        collected
    }
}

/// The removal of each record that is known and not present.
fn gone<Id, E>(
    known: &HashMap<RecordNumber, Id>,
    present: &HashSet<RecordNumber>,
) -> impl Iterator<Item = EntityChange<E>> {
    let gone = known.keys().filter(|number| !present.contains(number));
    gone.map(|number| EntityChange {
        owner: None,
        number: *number,
        before: None,
        entity: None,
    })
}

/// The id of what has changed, and what the network is to know of it; `None` for a record that is not
/// known and gone.
fn resolve<Id: Clone, E, T>(
    known: &mut HashMap<RecordNumber, Id>,
    change: &EntityChange<E>,
    id: impl FnOnce(&E) -> Id,
    convert: impl FnOnce(&E) -> T,
) -> Option<(Id, Option<T>)> {
    let Some(entity) = change.entity.as_deref() else {
        return Some((known.remove(&change.number)?, None));
    };
    let id = id(entity);
    known.insert(change.number, id.clone());
    Some((id, Some(convert(entity))))
}

impl NetworkChanges {
    const fn is_empty(&self) -> bool {
        self.routers.is_empty() && self.services.is_empty() && self.terminators.is_empty()
    }

    fn apply(self, fabric: &mut Fabric, now: Moment) {
        for (id, router) in self.routers {
            match router {
                Some(spec) => {
                    fabric.set_router(id, spec, now);
                },
                None => fabric.remove_router(&id, now),
            }
        }
        for (id, service) in self.services {
            match service {
                Some(service) => fabric.set_service(id, service),
                None => fabric.remove_service(&id),
            }
        }
        for (id, terminator) in self.terminators {
            match terminator {
                Some(terminator) => fabric.set_terminator(terminator),
                None => fabric.remove_terminator(&id),
            }
        }
    }
}

const fn router(router: &Router) -> RouterSpec {
    RouterSpec {
        cost: router.spec.cost,
        no_traversal: router.spec.no_traversal,
    }
}

fn service(service: &ServiceRecord) -> Service {
    let max_idle = Duration::from_millis(service.spec.max_idle_time_millis);
    Service {
        strategy: service.spec.terminator_strategy,
        encryption_required: service.spec.encryption_required,
        max_idle: (!max_idle.is_zero()).then_some(max_idle),
    }
}

fn terminator(terminator: &TerminatorRecord) -> Terminator {
    let spec = &terminator.spec;
    Terminator {
        id: terminator.id.clone(),
        service: spec.service.clone(),
        router: spec.router.clone(),
        binding: spec.binding.clone(),
        address: spec.address.clone(),
        instance: spec.instance_id.clone(),
        cost: spec.cost,
        precedence: spec.precedence,
        host: spec.host_id.clone().unwrap_or_default(),
        peer_data: Arc::new(spec.peer_data.clone()),
    }
}
