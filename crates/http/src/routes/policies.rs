//! Service policies, edge-router policies and service-edge-router policies.

use super::managed::{self, Replacement, ResourceBodies};
use crate::error::ApiError;
use crate::route::Route;
use portcullis_api::edge_router_policy::{
    EdgeRouterPolicyCreate, EdgeRouterPolicyDetail, EdgeRouterPolicyPatch,
};
use portcullis_api::service_edge_router_policy::{
    ServiceEdgeRouterPolicyCreate, ServiceEdgeRouterPolicyDetail, ServiceEdgeRouterPolicyPatch,
};
use portcullis_api::service_policy::{
    ServicePolicyCreate, ServicePolicyDetail, ServicePolicyPatch,
};
use portcullis_app::App;
use portcullis_domain::policies::{
    EdgeRouterPolicySpec, EdgeRouterPolicySpecPatch, ServiceEdgeRouterPolicySpec,
    ServiceEdgeRouterPolicySpecPatch, ServicePolicySpec, ServicePolicySpecPatch,
};

pub(super) fn routes() -> Vec<Route> {
    [
        managed::routes::<ServicePolicySpec>(),
        managed::routes::<EdgeRouterPolicySpec>(),
        managed::routes::<ServiceEdgeRouterPolicySpec>(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Declares the bodies of policies.
macro_rules! policy_resources {
    ($($spec:ty, $body:ty, $patch_body:ty, $patch:ty, $detail:ty;)+) => {$(
        impl ResourceBodies for $spec {
            type Spec = Self;
            type CreateBody = $body;
            type UpdateBody = $body;
            type PatchBody = $patch_body;
            type Detail = $detail;

            fn from_create(_app: &App, body: $body) -> Result<Self, ApiError> {
                Ok(body.into())
            }

            fn from_update(body: $body) -> Result<Replacement<Self>, ApiError> {
                Ok(Replacement::Full(body.into()))
            }

            fn to_patch(body: $patch_body) -> Result<$patch, ApiError> {
                Ok(body.into())
            }
        }
    )+};
}

policy_resources! {
    ServicePolicySpec,
        ServicePolicyCreate, ServicePolicyPatch, ServicePolicySpecPatch, ServicePolicyDetail;
    EdgeRouterPolicySpec,
        EdgeRouterPolicyCreate, EdgeRouterPolicyPatch, EdgeRouterPolicySpecPatch,
        EdgeRouterPolicyDetail;
    ServiceEdgeRouterPolicySpec, ServiceEdgeRouterPolicyCreate,
        ServiceEdgeRouterPolicyPatch, ServiceEdgeRouterPolicySpecPatch,
        ServiceEdgeRouterPolicyDetail;
}
