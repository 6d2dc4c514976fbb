//! Policy advice: analysis of the access of an identity to a service.

use crate::describe::JsonSchema;
use crate::link::EntityRef;
use portcullis_domain::ids::{IdentityId, ServiceId};
use portcullis_domain::view::{CommonRouter, PolicyAdviceView};
use serde::{Deserialize, Serialize};

/// Analysis of the access of an identity to a service. Members that are 0 or false are absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyAdvice {
    /// Edge routers that both may use; `null` if there are none.
    pub common_routers: Option<Vec<RouterEntityRef>>,
    /// The identity.
    pub identity: EntityRef,
    /// Id of the identity.
    #[schemars(with = "String")]
    pub identity_id: IdentityId,
    /// Number of edge routers that the identity may use.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub identity_router_count: u32,
    /// Whether the identity may bind (host) the service.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_bind_allowed: bool,
    /// Whether the identity may dial the service.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_dial_allowed: bool,
    /// The service.
    pub service: EntityRef,
    /// Id of the service.
    #[schemars(with = "String")]
    pub service_id: ServiceId,
    /// Number of edge routers through which the service may be used.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub service_router_count: u32,
}

/// A reference to an edge router with its connection state.
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
