//! Service policies, edge-router policies and service-edge-router policies.

use super::managed::{self, Edge, Replaced, Served, Shaped};
use crate::error::ApiError;
use crate::route::Route;
use portcullis_api::edge_router_policy::{
    EdgeRouterPolicyBody, EdgeRouterPolicyDetail, EdgeRouterPolicyMerge,
};
use portcullis_api::service_edge_router_policy::{
    ServiceEdgeRouterPolicyBody, ServiceEdgeRouterPolicyDetail, ServiceEdgeRouterPolicyMerge,
};
use portcullis_api::service_policy::{ServicePolicyBody, ServicePolicyDetail, ServicePolicyMerge};
use portcullis_app::listing::{Schema, kinds};
use portcullis_domain::policies::{
    EdgeRouterPolicyPatch, EdgeRouterPolicySpec, ServiceEdgeRouterPolicyPatch,
    ServiceEdgeRouterPolicySpec, ServicePolicyPatch, ServicePolicySpec,
};

pub(super) fn routes() -> Vec<Route> {
    [
        managed::routes::<ServicePolicySpec, Edge>(),
        managed::routes::<EdgeRouterPolicySpec, Edge>(),
        managed::routes::<ServiceEdgeRouterPolicySpec, Edge>(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Declares how a kind of policies is served.
macro_rules! served {
    ($($spec:ty, $path:literal, $symbols:path, $body:ty, $merge:ty, $patch:ty, $detail:ty;)+) => {$(
        impl Served for $spec {
            const COLLECTION: &'static str = $path;
            const ALL: &'static str = concat!("/", $path);
            const ONE: &'static str = concat!("/", $path, "/{id}");
            const SYMBOLS: &'static Schema = &$symbols;
        }

        impl Shaped for $spec {
            type Creation = $body;
            type Replacement = $body;
            type Merge = $merge;
            type Detail = $detail;

            fn created(body: $body) -> Result<Self, ApiError> {
                Ok(body.into())
            }

            fn replaced(body: $body) -> Result<Replaced<Self>, ApiError> {
                Ok(Replaced::Whole(body.into()))
            }

            fn merged(body: $merge) -> Result<$patch, ApiError> {
                Ok(body.into())
            }
        }
    )+};
}

served! {
    ServicePolicySpec, "service-policies", kinds::SERVICE_POLICIES,
        ServicePolicyBody, ServicePolicyMerge, ServicePolicyPatch, ServicePolicyDetail;
    EdgeRouterPolicySpec, "edge-router-policies", kinds::EDGE_ROUTER_POLICIES,
        EdgeRouterPolicyBody, EdgeRouterPolicyMerge, EdgeRouterPolicyPatch,
        EdgeRouterPolicyDetail;
    ServiceEdgeRouterPolicySpec, "service-edge-router-policies",
        kinds::SERVICE_EDGE_ROUTER_POLICIES, ServiceEdgeRouterPolicyBody,
        ServiceEdgeRouterPolicyMerge, ServiceEdgeRouterPolicyPatch,
        ServiceEdgeRouterPolicyDetail;
}
