//! Tables of services, routers and terminators.

use super::managed::StoredSpec;
use super::values::{UniqueValue, reference, references, unlink_id};
use super::{
    EDGE_ROUTER_POLICY, IDENTITY, SERVICE_EDGE_ROUTER_POLICY, SERVICE_POLICY, SESSION, TERMINATOR,
    UniqueIndex,
};
use crate::key::Kind;
use portcullis_domain::router::RouterSpec;
use portcullis_domain::service::ServiceSpec;
use portcullis_domain::terminator::TerminatorSpec;

impl StoredSpec for ServiceSpec {
    const CASCADES_TO: &'static [Kind] = &[TERMINATOR, SESSION];
    const UNLINKED_FROM: &'static [Kind] = &[SERVICE_POLICY, SERVICE_EDGE_ROUTER_POLICY, IDENTITY];

    fn references(&self) -> Vec<UniqueValue> {
        references(&self.configs).collect()
    }

    fn unlink(&mut self, gone: &UniqueValue) -> bool {
        unlink_id(&mut self.configs, gone)
    }
}

impl StoredSpec for RouterSpec {
    const CASCADES_TO: &'static [Kind] = &[TERMINATOR];
    const UNLINKED_FROM: &'static [Kind] = &[EDGE_ROUTER_POLICY, SERVICE_EDGE_ROUTER_POLICY];

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
}

impl StoredSpec for TerminatorSpec {
    fn references(&self) -> Vec<UniqueValue> {
        let mut targets = vec![reference(&self.service), reference(&self.router)];
        if let Some(host) = &self.host {
            targets.push(reference(&host.identity));
            targets.extend(host.session.as_ref().map(reference));
        }
        targets
    }
}
