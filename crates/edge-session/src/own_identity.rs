//! The identity of the session.

use portcullis_api::identity::IdentityDetail;
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{IdentityId, ServiceId};
use portcullis_domain::tags::AppData;
use std::collections::BTreeMap;

/// The identity that the session belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnIdentity {
    pub id: IdentityId,
    pub name: String,
    /// Data of the application, for templates in configurations.
    pub app_data: AppData,
    pub default_precedence: Precedence,
    pub default_cost: u16,
    /// Precedence of its terminators of single services.
    pub precedences: BTreeMap<ServiceId, Precedence>,
    /// Cost of its terminators of single services.
    pub costs: BTreeMap<ServiceId, u16>,
}

impl OwnIdentity {
    /// How the identity hosts a service, unless a configuration says otherwise.
    pub fn hosting(&self, service: &ServiceId) -> (Precedence, u16) {
        let precedence = self.precedences.get(service).copied();
        let cost = self.costs.get(service).copied();
        (
            precedence.unwrap_or(self.default_precedence),
            cost.unwrap_or(self.default_cost),
        )
    }
}

impl From<IdentityDetail> for OwnIdentity {
    fn from(detail: IdentityDetail) -> Self {
        Self {
            id: detail.base.id,
            name: detail.name,
            app_data: detail.app_data,
            default_precedence: detail.default_hosting_precedence,
            default_cost: detail.default_hosting_cost,
            precedences: detail.service_hosting_precedences,
            costs: detail.service_hosting_costs,
        }
    }
}
