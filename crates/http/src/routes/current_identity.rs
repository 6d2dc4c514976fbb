//! The caller's own identity.

use crate::error::ApiError;
use crate::response::{ApiResponse, ResponseContent};
use crate::route::{Call, NoBody, ResponseSpec, Route, guarded};
use bytes::Bytes;
use http::Method;
use portcullis_api::envelope::Envelope;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::json;
use portcullis_app::identities::{self, ReadOwn};
use portcullis_domain::access::Permit;
use portcullis_domain::view::IdentityView;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<ReadOwn, NoBody, _, _>(Method::GET, "/current-identity", detail)
            .responds(ResponseSpec::detail::<IdentityDetail>()),
    ]
}

async fn detail(call: Call<Permit<ReadOwn>, NoBody>) -> Result<ApiResponse, ApiError> {
    let body = identities::read_own(&call.context.state.app, &call.permit, encode)?;
    Ok(ApiResponse::from_json(ResponseContent::Full(body)))
}

fn encode(own: IdentityView) -> Bytes {
    let detail = IdentityDetail::of_caller(own);
    json::to_bytes(&Envelope::without_meta(detail)).into()
}
