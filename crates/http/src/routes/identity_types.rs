//! Types of identities.

use crate::error::ApiError;
use crate::list::{ListPayload, parameters};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, RequestContext, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::identity::IdentityTypeDetail;
use portcullis_app::identities::{self, ReadTypes};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use portcullis_domain::identity::IdentityType;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<ReadTypes, ListPayload, _, _>(Method::GET, "/identity-types", list)
            .responds(ResponseSpec::list::<IdentityTypeDetail>()),
        guarded::<ReadTypes, NoBody, _, _>(Method::GET, "/identity-types/{id}", detail)
            .responds(ResponseSpec::detail::<IdentityTypeDetail>()),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<ReadTypes>, ListPayload>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, query, .. } = &call.context;
    let page = identities::list_types(&state.app, &call.permit, &parameters(query))?;
    Ok(ApiResponse::list(
        page.map(|kind| to_detail(&call, kind)),
        &kinds::IDENTITY_TYPES,
    ))
}

async fn detail(call: Call<Permit<ReadTypes>, NoBody>) -> Result<ApiResponse, ApiError> {
    let kind = identities::read_type(&call.permit, call.context.id())?;
    Ok(ApiResponse::detail(&to_detail(&call, kind)))
}

fn to_detail<B>(call: &Call<Permit<ReadTypes>, B>, kind: IdentityType) -> IdentityTypeDetail {
    IdentityTypeDetail::new(kind, call.context.state.app.store_created_at())
}
