//! The caller's own session.

use crate::error::ApiError;
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::service_updates::ServiceUpdates;
use portcullis_app::services::{self, ReadUpdates};
use portcullis_app::sessions::{self, End, ReadOwn};
use portcullis_domain::access::Permit;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<ReadOwn, NoBody, _, _>(Method::GET, "/current-api-session", detail)
            .responds(ResponseSpec::detail::<ApiSessionDetail>()),
        guarded::<End, NoBody, _, _>(Method::DELETE, "/current-api-session", end),
        guarded::<ReadUpdates, NoBody, _, _>(
            Method::GET,
            "/current-api-session/service-updates",
            service_updates,
        )
        .responds(ResponseSpec::detail::<ServiceUpdates>())
        .only(&[Api::Client]),
    ]
}

async fn detail(call: Call<Permit<ReadOwn>, NoBody>) -> Result<ApiResponse, ApiError> {
    let view = sessions::read_own(&call.context.state.app, &call.permit)?;
    // The client presented the token; the store does not have it.
    let token = call.context.session_token();
    Ok(ApiResponse::detail(&ApiSessionDetail::for_holder(
        view, token,
    )))
}

async fn end(call: Call<Permit<End>, NoBody>) -> Result<ApiResponse, ApiError> {
    sessions::end(&call.context.state.app, &call.permit).await?;
    Ok(ApiResponse::empty())
}

async fn service_updates(call: Call<Permit<ReadUpdates>, NoBody>) -> Result<ApiResponse, ApiError> {
    let changed = services::last_change(&call.context.state.app, &call.permit)?;
    Ok(ApiResponse::detail(&ServiceUpdates {
        last_change_at: changed.into(),
    }))
}
