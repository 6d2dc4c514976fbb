//! The cluster of controllers, in which this one is not.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::route::{Answers, Call, Ignored, Json, Payload, Route, guarded};
use http::{Method, StatusCode};
use portcullis_api::code::Code;
use portcullis_api::fabric::cluster::{AddMember, RemoveMember, TransferLeadership};
use portcullis_app::fabric::ManageCluster;
use portcullis_domain::access::Permit;
use std::future::{Ready, ready};

pub(super) fn routes() -> Vec<Route> {
    vec![
        refused::<Ignored>(Method::GET, "/cluster/list-members"),
        refused::<Json<AddMember>>(Method::POST, "/cluster/add-member"),
        refused::<Json<RemoveMember>>(Method::POST, "/cluster/remove-member"),
        refused::<Json<TransferLeadership>>(Method::POST, "/cluster/transfer-leadership"),
    ]
}

fn refused<B: Payload>(method: Method, path: &'static str) -> Route {
    let answer = |_call: Call<Permit<ManageCluster>, B>| -> Ready<Result<Answer, ApiError>> {
        ready(Err(ApiError::new(Code::ServerNotRunningInHaMode)))
    };
    guarded::<ManageCluster, B, _, _>(method, path, answer)
        .answers(Answers::refusal(StatusCode::BAD_REQUEST))
}
