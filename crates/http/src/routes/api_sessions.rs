//! API sessions, for administrators.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, RequestContext, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_app::listing::kinds;
use portcullis_app::sessions::{self, AdminSessionView, Delete, Read};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::ApiSessionId;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<Read, ListPayload, _, _>(Method::GET, "/api-sessions", list)
            .responds(ResponseSpec::list::<ApiSessionDetail>()),
        guarded::<Read, NoBody, _, _>(Method::GET, "/api-sessions/{id}", detail)
            .responds(ResponseSpec::detail::<ApiSessionDetail>()),
        guarded::<Delete, NoBody, _, _>(Method::DELETE, "/api-sessions/{id}", delete),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::API_SESSIONS, |call, asked, show| {
        let app = &call.context.state.app;
        sessions::list(app, &call.permit, asked, &mut |session| {
            show(to_detail(session))
        })
    })
    .await
    // This list has always had a charset.
    .map(|response| response.with_content_type("application/json; charset=utf-8"))
}

async fn detail(call: Call<Permit<Read>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let id = ApiSessionId::from_wire(call.context.id());
    let session = sessions::read(&state.app, &call.permit, &id)?;
    Ok(ApiResponse::detail(&to_detail(session)))
}

async fn delete(call: Call<Permit<Delete>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let id = ApiSessionId::from_wire(call.context.id());
    sessions::delete(&state.app, &call.permit, &id).await?;
    Ok(ApiResponse::empty())
}

fn to_detail(session: AdminSessionView) -> ApiSessionDetail {
    ApiSessionDetail::for_administrator(session.view, session.token_placeholder.into())
}
