//! Tables of access policies.

use super::managed::StoredSpec;
use super::values::{UniqueValue, references, unlink_role};
use super::{EDGE_ROUTER_POLICY, SERVICE_EDGE_ROUTER_POLICY, SERVICE_POLICY, UniqueIndex};
use crate::key::Kind;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::ids::{EdgeRouterPolicyId, ServiceEdgeRouterPolicyId, ServicePolicyId};
use portcullis_domain::policies::{
    EdgeRouterPolicy, EdgeRouterPolicySpec, ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicySpec,
    ServicePolicy, ServicePolicySpec,
};

impl StoredSpec for ServicePolicySpec {
    type Id = ServicePolicyId;
    const KIND: Kind = SERVICE_POLICY;
    const NAME: Option<UniqueIndex> = Some(UniqueIndex::ServicePolicyName);

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn references(&self) -> Vec<UniqueValue> {
        references(self.identity_roles.ids())
            .chain(references(self.service_roles.ids()))
            .chain(references(self.posture_check_roles.ids()))
            .collect()
    }

    fn unlink(&mut self, gone: &UniqueValue) -> bool {
        unlink_role(&mut self.identity_roles, gone)
            || unlink_role(&mut self.service_roles, gone)
            || unlink_role(&mut self.posture_check_roles, gone)
    }

    fn change(change: EntityChange<ServicePolicy>) -> Change {
        Change::ServicePolicy(change)
    }
}

impl StoredSpec for EdgeRouterPolicySpec {
    type Id = EdgeRouterPolicyId;
    const KIND: Kind = EDGE_ROUTER_POLICY;
    const NAME: Option<UniqueIndex> = Some(UniqueIndex::EdgeRouterPolicyName);

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn references(&self) -> Vec<UniqueValue> {
        references(self.identity_roles.ids())
            .chain(references(self.edge_router_roles.ids()))
            .collect()
    }

    fn unlink(&mut self, gone: &UniqueValue) -> bool {
        unlink_role(&mut self.identity_roles, gone)
            || unlink_role(&mut self.edge_router_roles, gone)
    }

    fn change(change: EntityChange<EdgeRouterPolicy>) -> Change {
        Change::EdgeRouterPolicy(change)
    }
}

impl StoredSpec for ServiceEdgeRouterPolicySpec {
    type Id = ServiceEdgeRouterPolicyId;
    const KIND: Kind = SERVICE_EDGE_ROUTER_POLICY;
    const NAME: Option<UniqueIndex> = Some(UniqueIndex::ServiceEdgeRouterPolicyName);

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn references(&self) -> Vec<UniqueValue> {
        references(self.service_roles.ids())
            .chain(references(self.edge_router_roles.ids()))
            .collect()
    }

    fn unlink(&mut self, gone: &UniqueValue) -> bool {
        unlink_role(&mut self.service_roles, gone) || unlink_role(&mut self.edge_router_roles, gone)
    }

    fn change(change: EntityChange<ServiceEdgeRouterPolicy>) -> Change {
        Change::ServiceEdgeRouterPolicy(change)
    }
}
