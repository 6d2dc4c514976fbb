//! Types of posture checks.

use crate::error::ApiError;
use crate::list::{ListPayload, parameters};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, RequestContext, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::posture_check_type::PostureCheckTypeDetail;
use portcullis_app::listing::kinds;
use portcullis_app::posture_checks::{self, ReadTypes};
use portcullis_domain::access::Permit;
use portcullis_domain::posture_check::CheckSupport;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<ReadTypes, ListPayload, _, _>(Method::GET, "/posture-check-types", list)
            .responds(ResponseSpec::list::<PostureCheckTypeDetail>()),
        guarded::<ReadTypes, NoBody, _, _>(Method::GET, "/posture-check-types/{id}", detail)
            .responds(ResponseSpec::detail::<PostureCheckTypeDetail>()),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<ReadTypes>, ListPayload>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, query, .. } = &call.context;
    let page = posture_checks::list_types(&state.app, &call.permit, &parameters(query))?;
    let page = page.map(|kind| to_detail(&call, kind));
    // This list has always had a charset.
    let response = ApiResponse::list(page, &kinds::POSTURE_CHECK_TYPES);
    Ok(response.with_content_type("application/json; charset=utf-8"))
}

async fn detail(call: Call<Permit<ReadTypes>, NoBody>) -> Result<ApiResponse, ApiError> {
    let kind = posture_checks::read_type(&call.permit, call.context.id())?;
    Ok(ApiResponse::detail(&to_detail(&call, kind)))
}

fn to_detail<B>(call: &Call<Permit<ReadTypes>, B>, kind: CheckSupport) -> PostureCheckTypeDetail {
    PostureCheckTypeDetail::new(kind, call.context.state.app.store_created_at())
}
