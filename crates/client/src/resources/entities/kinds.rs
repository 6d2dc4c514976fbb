//! The managed kinds with their request types.

use super::Resource;
use portcullis_api::config::{ConfigCreate, ConfigDetail, ConfigPatch, ConfigUpdate};
use portcullis_api::config_type::{
    ConfigTypeCreate, ConfigTypeDetail, ConfigTypePatch, ConfigTypeUpdate,
};
use portcullis_api::edge_router::{EdgeRouterCreate, EdgeRouterDetail, EdgeRouterPatch};
use portcullis_api::edge_router_policy::{
    EdgeRouterPolicyCreate, EdgeRouterPolicyDetail, EdgeRouterPolicyPatch,
};
use portcullis_api::posture_check::{PostureCheckCreate, PostureCheckDetail, PostureCheckPatch};
use portcullis_api::router::{TransitRouterCreate, TransitRouterPatch};
use portcullis_api::service::{ServiceCreate, ServiceDetail, ServicePatch};
use portcullis_api::service_edge_router_policy::{
    ServiceEdgeRouterPolicyCreate, ServiceEdgeRouterPolicyDetail, ServiceEdgeRouterPolicyPatch,
};
use portcullis_api::service_policy::{
    ServicePolicyCreate, ServicePolicyDetail, ServicePolicyPatch,
};
use portcullis_api::terminator::{
    TerminatorCreate, TerminatorDetail, TerminatorPatch, TerminatorUpdate,
};
use portcullis_api::transit_router::TransitRouterDetail;
use portcullis_domain::ids::{
    ConfigId, ConfigTypeId, EdgeRouterPolicyId, PostureCheckId, RouterId,
    ServiceEdgeRouterPolicyId, ServiceId, ServicePolicyId, TerminatorId,
};

/// Declares the path of each kind and its id, POST, PUT and PATCH types.
macro_rules! resources {
    ($($detail:ty: $path:literal, $id:ty, $create:ty, $update:ty, $patch:ty;)+) => {$(
        impl Resource for $detail {
            const PATH: &'static str = $path;
            type Id = $id;
            type Create = $create;
            type Update = $update;
            type Patch = $patch;
        }
    )+};
}

resources! {
    ServiceDetail: "services", ServiceId, ServiceCreate, ServiceCreate, ServicePatch;
    ConfigDetail: "configs", ConfigId, ConfigCreate, ConfigUpdate, ConfigPatch;
    ConfigTypeDetail: "config-types", ConfigTypeId,
        ConfigTypeCreate, ConfigTypeUpdate, ConfigTypePatch;
    ServicePolicyDetail: "service-policies", ServicePolicyId,
        ServicePolicyCreate, ServicePolicyCreate, ServicePolicyPatch;
    EdgeRouterPolicyDetail: "edge-router-policies", EdgeRouterPolicyId,
        EdgeRouterPolicyCreate, EdgeRouterPolicyCreate, EdgeRouterPolicyPatch;
    ServiceEdgeRouterPolicyDetail: "service-edge-router-policies", ServiceEdgeRouterPolicyId,
        ServiceEdgeRouterPolicyCreate, ServiceEdgeRouterPolicyCreate, ServiceEdgeRouterPolicyPatch;
    PostureCheckDetail: "posture-checks", PostureCheckId,
        PostureCheckCreate, PostureCheckCreate, PostureCheckPatch;
    EdgeRouterDetail: "edge-routers", RouterId, EdgeRouterCreate, EdgeRouterCreate, EdgeRouterPatch;
    TransitRouterDetail: "transit-routers", RouterId, TransitRouterCreate, TransitRouterCreate, TransitRouterPatch;
    TerminatorDetail: "terminators", TerminatorId,
        TerminatorCreate, TerminatorUpdate, TerminatorPatch;
}
