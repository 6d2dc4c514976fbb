//! Cluster operations. This controller belongs to no cluster.

use crate::error::ApiError;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, Payload, ResponseSpec, Route, guarded};
use http::{Method, StatusCode};
use portcullis_api::code::Code;
use portcullis_api::fabric::cluster::{
    ClusterMemberAdd, ClusterMemberRemove, ClusterTransferLeadership,
};
use portcullis_app::fabric::ManageCluster;
use portcullis_domain::access::Permit;
use std::future::{Ready, ready};

pub(super) fn routes() -> Vec<Route> {
    vec![
        refused_route::<NoBody>(Method::GET, "/cluster/list-members"),
        refused_route::<Json<ClusterMemberAdd>>(Method::POST, "/cluster/add-member"),
        refused_route::<Json<ClusterMemberRemove>>(Method::POST, "/cluster/remove-member"),
        refused_route::<Json<ClusterTransferLeadership>>(
            Method::POST,
            "/cluster/transfer-leadership",
        ),
    ]
}

fn refused_route<B: Payload>(method: Method, path: &'static str) -> Route {
    let handler = |_call: Call<Permit<ManageCluster>, B>| -> Ready<Result<ApiResponse, ApiError>> {
        ready(Err(ApiError::new(Code::ServerNotRunningInHaMode)))
    };
    guarded::<ManageCluster, B, _, _>(method, path, handler)
        .responds(ResponseSpec::error(StatusCode::BAD_REQUEST))
}
