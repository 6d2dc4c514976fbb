//! The managed kinds with their request types.

use super::Resource;
use portcullis_api::config::{ConfigCreate, ConfigDetail, ConfigMerge, ConfigReplace};
use portcullis_api::config_type::{
    ConfigTypeCreate, ConfigTypeDetail, ConfigTypeMerge, ConfigTypeReplace,
};
use portcullis_api::edge_router::{EdgeRouterBody, EdgeRouterDetail, EdgeRouterMerge};
use portcullis_api::edge_router_policy::{
    EdgeRouterPolicyBody, EdgeRouterPolicyDetail, EdgeRouterPolicyMerge,
};
use portcullis_api::posture_check::{PostureCheckBody, PostureCheckDetail, PostureCheckMerge};
use portcullis_api::router::{RouterBody, RouterMerge};
use portcullis_api::service::{ServiceCreate, ServiceDetail, ServiceMerge};
use portcullis_api::service_edge_router_policy::{
    ServiceEdgeRouterPolicyBody, ServiceEdgeRouterPolicyDetail, ServiceEdgeRouterPolicyMerge,
};
use portcullis_api::service_policy::{ServicePolicyBody, ServicePolicyDetail, ServicePolicyMerge};
use portcullis_api::terminator::{
    TerminatorCreate, TerminatorDetail, TerminatorMerge, TerminatorReplace,
};
use portcullis_api::transit_router::TransitRouterDetail;
use portcullis_domain::ids::{
    ConfigId, ConfigTypeId, EdgeRouterPolicyId, PostureCheckId, RouterId,
    ServiceEdgeRouterPolicyId, ServiceId, ServicePolicyId, TerminatorId,
};

/// Declares the path of each kind and its id, POST, PUT and PATCH types.
macro_rules! resources {
    ($($detail:ty: $path:literal, $id:ty, $create:ty, $replace:ty, $merge:ty;)+) => {$(
        impl Resource for $detail {
            const PATH: &'static str = $path;
            type Id = $id;
            type Create = $create;
            type Update = $replace;
            type Merge = $merge;
        }
    )+};
}

resources! {
    ServiceDetail: "services", ServiceId, ServiceCreate, ServiceCreate, ServiceMerge;
    ConfigDetail: "configs", ConfigId, ConfigCreate, ConfigReplace, ConfigMerge;
    ConfigTypeDetail: "config-types", ConfigTypeId,
        ConfigTypeCreate, ConfigTypeReplace, ConfigTypeMerge;
    ServicePolicyDetail: "service-policies", ServicePolicyId,
        ServicePolicyBody, ServicePolicyBody, ServicePolicyMerge;
    EdgeRouterPolicyDetail: "edge-router-policies", EdgeRouterPolicyId,
        EdgeRouterPolicyBody, EdgeRouterPolicyBody, EdgeRouterPolicyMerge;
    ServiceEdgeRouterPolicyDetail: "service-edge-router-policies", ServiceEdgeRouterPolicyId,
        ServiceEdgeRouterPolicyBody, ServiceEdgeRouterPolicyBody, ServiceEdgeRouterPolicyMerge;
    PostureCheckDetail: "posture-checks", PostureCheckId,
        PostureCheckBody, PostureCheckBody, PostureCheckMerge;
    EdgeRouterDetail: "edge-routers", RouterId, EdgeRouterBody, EdgeRouterBody, EdgeRouterMerge;
    TransitRouterDetail: "transit-routers", RouterId, RouterBody, RouterBody, RouterMerge;
    TerminatorDetail: "terminators", TerminatorId,
        TerminatorCreate, TerminatorReplace, TerminatorMerge;
}
