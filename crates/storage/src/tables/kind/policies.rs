//! Tables of access policies.

use super::managed::StoredSpec;
use super::values::{UniqueValue, references, unlink_role};
use portcullis_domain::policies::{
    EdgeRouterPolicySpec, ServiceEdgeRouterPolicySpec, ServicePolicySpec,
};

impl StoredSpec for ServicePolicySpec {
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
}

impl StoredSpec for EdgeRouterPolicySpec {
    fn references(&self) -> Vec<UniqueValue> {
        references(self.identity_roles.ids())
            .chain(references(self.edge_router_roles.ids()))
            .collect()
    }

    fn unlink(&mut self, gone: &UniqueValue) -> bool {
        unlink_role(&mut self.identity_roles, gone)
            || unlink_role(&mut self.edge_router_roles, gone)
    }
}

impl StoredSpec for ServiceEdgeRouterPolicySpec {
    fn references(&self) -> Vec<UniqueValue> {
        references(self.service_roles.ids())
            .chain(references(self.edge_router_roles.ids()))
            .collect()
    }

    fn unlink(&mut self, gone: &UniqueValue) -> bool {
        unlink_role(&mut self.service_roles, gone) || unlink_role(&mut self.edge_router_roles, gone)
    }
}
