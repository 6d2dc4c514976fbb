//! Whether an identity can use a service, and what of it is missing, on the wire.

use crate::entity::is_false;
use crate::link::EntityRef;
use portcullis_domain::ids::{IdentityId, ServiceId};
use portcullis_domain::view::{CommonRouter, PolicyAdviceView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether an identity can use a service, and what of it is missing. What is 0 or false is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyAdvice {
    /// The edge routers that both may use; `null` for none.
    pub common_routers: Option<Vec<RouterEntityRef>>,
    /// The identity.
    pub identity: EntityRef,
    /// Id of the identity.
    #[schemars(with = "String")]
    pub identity_id: IdentityId,
    /// How many edge routers the identity may use.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub identity_router_count: u32,
    /// Whether the identity may offer the service.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_bind_allowed: bool,
    /// Whether the identity may connect to the service.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_dial_allowed: bool,
    /// The service.
    pub service: EntityRef,
    /// Id of the service.
    #[schemars(with = "String")]
    pub service_id: ServiceId,
    /// Through how many edge routers the service may be used.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub service_router_count: u32,
}

/// A reference to an edge router that says whether it is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RouterEntityRef {
    /// The reference.
    #[serde(flatten)]
    pub router: EntityRef,
    /// Whether it is connected.
    pub is_online: bool,
}

impl From<PolicyAdviceView> for PolicyAdvice {
    fn from(view: PolicyAdviceView) -> Self {
        let routers: Vec<_> = view.common_routers.into_iter().map(Into::into).collect();
        Self {
            common_routers: Some(routers).filter(|routers| !routers.is_empty()),
            identity_id: view.identity.id.clone(),
            identity: view.identity.into(),
            identity_router_count: view.identity_router_count,
            is_bind_allowed: view.grants.bind,
            is_dial_allowed: view.grants.dial,
            service_id: view.service.id.clone(),
            service: view.service.into(),
            service_router_count: view.service_router_count,
        }
    }
}

impl From<CommonRouter> for RouterEntityRef {
    fn from(common: CommonRouter) -> Self {
        Self {
            router: common.router.into(),
            is_online: common.is_online,
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over references"
)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
