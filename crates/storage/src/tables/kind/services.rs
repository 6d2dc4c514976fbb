//! Tables of services, routers and terminators.

use super::managed::StoredSpec;
use super::values::{UniqueValue, reference, references, unlink_id};
use super::{
    EDGE_ROUTER_POLICY, IDENTITY, ROUTER, SERVICE, SERVICE_EDGE_ROUTER_POLICY, SERVICE_POLICY,
    SESSION, TERMINATOR, UniqueIndex,
};
use crate::key::Kind;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::ids::{RouterId, ServiceId, TerminatorId};
use portcullis_domain::router::{Router, RouterSpec};
use portcullis_domain::service::{Service, ServiceSpec};
use portcullis_domain::terminator::{Terminator, TerminatorSpec};

impl StoredSpec for ServiceSpec {
    type Id = ServiceId;
    const KIND: Kind = SERVICE;
    const NAME: Option<UniqueIndex> = Some(UniqueIndex::ServiceName);
    const CASCADES_TO: &'static [Kind] = &[TERMINATOR, SESSION];
    const UNLINKED_FROM: &'static [Kind] = &[SERVICE_POLICY, SERVICE_EDGE_ROUTER_POLICY, IDENTITY];

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn references(&self) -> Vec<UniqueValue> {
        references(&self.configs).collect()
    }

    fn unlink(&mut self, gone: &UniqueValue) -> bool {
        unlink_id(&mut self.configs, gone)
    }

    fn change(change: EntityChange<Service>) -> Change {
        Change::Service(change)
    }
}

impl StoredSpec for RouterSpec {
    type Id = RouterId;
    const KIND: Kind = ROUTER;
    const NAME: Option<UniqueIndex> = Some(UniqueIndex::RouterName);
    const CASCADES_TO: &'static [Kind] = &[TERMINATOR];
    const UNLINKED_FROM: &'static [Kind] = &[EDGE_ROUTER_POLICY, SERVICE_EDGE_ROUTER_POLICY];

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn further_values(&self) -> Vec<UniqueValue> {
        let fingerprint = self.certificate.iter().map(|own| own.fingerprint.as_str());
        fingerprint
            .map(|fingerprint| UniqueValue::new(UniqueIndex::RouterFingerprint, fingerprint))
            .collect()
    }

    fn references(&self) -> Vec<UniqueValue> {
        references(&self.configs).collect()
    }

    fn unlink(&mut self, gone: &UniqueValue) -> bool {
        unlink_id(&mut self.configs, gone)
    }

    fn change(change: EntityChange<Router>) -> Change {
        Change::Router(change)
    }
}

impl StoredSpec for TerminatorSpec {
    type Id = TerminatorId;
    const KIND: Kind = TERMINATOR;
    const NAME: Option<UniqueIndex> = None;

    fn name(&self) -> Option<&str> {
        None
    }

    fn references(&self) -> Vec<UniqueValue> {
        vec![reference(&self.service), reference(&self.router)]
    }

    fn change(change: EntityChange<Terminator>) -> Change {
        Change::Terminator(change)
    }
}
