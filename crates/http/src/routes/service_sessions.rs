//! Service sessions, for their holders and for administrators.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, RequestContext, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::session::{SessionCreate, SessionDetail, SessionRoutePath};
use portcullis_app::listing::kinds;
use portcullis_app::service_sessions::{
    self, Create, CreateServiceSession, Delete, DeleteOwn, Read, ReadOwn,
};
use portcullis_domain::access::Permit;
use portcullis_domain::view::SessionView;

const ALL: &str = "/sessions";
const ONE: &str = "/sessions/{id}";
const ROUTE_PATH: &str = "/sessions/{id}/route-path";

pub(super) fn routes() -> Vec<Route> {
    let client = [
        guarded::<Create, Json<SessionCreate>, _, _>(Method::POST, ALL, create)
            .responds(ResponseSpec::created_with::<SessionDetail>()),
        guarded::<ReadOwn, ListPayload, _, _>(Method::GET, ALL, list_own)
            .responds(ResponseSpec::list::<SessionDetail>()),
        guarded::<ReadOwn, NoBody, _, _>(Method::GET, ONE, detail_own)
            .responds(ResponseSpec::detail::<SessionDetail>()),
        guarded::<DeleteOwn, NoBody, _, _>(Method::DELETE, ONE, delete_own),
    ];
    let management = [
        guarded::<Read, ListPayload, _, _>(Method::GET, ALL, list)
            .responds(ResponseSpec::list::<SessionDetail>()),
        guarded::<Read, NoBody, _, _>(Method::GET, ONE, detail)
            .responds(ResponseSpec::detail::<SessionDetail>()),
        guarded::<Read, NoBody, _, _>(Method::GET, ROUTE_PATH, route_path)
            .responds(ResponseSpec::detail::<SessionRoutePath>()),
        guarded::<Delete, NoBody, _, _>(Method::DELETE, ONE, delete),
    ];
    let client = client.map(|route| route.only(&[Api::Client]));
    let management = management.map(|route| route.only(&[Api::Management]));
    client.into_iter().chain(management).collect()
}

async fn create(call: Call<Permit<Create>, Json<SessionCreate>>) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let request = CreateServiceSession {
        service: body.service_id,
        grant: body.grant,
        tags: body.tags,
    };
    let app = &call.context.state.app;
    let new = service_sessions::create(app, &call.permit, request).await?;
    let detail = SessionDetail::for_holder(new.view, new.token);
    Ok(ApiResponse::created_with(&detail))
}

async fn list_own(call: Call<Permit<ReadOwn>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::SESSIONS, |call, request, emit| {
        let app = &call.context.state.app;
        service_sessions::list_own(app, &call.permit, request, &mut |view| {
            emit(to_holder_detail(view))
        })
    })
    .await
}

async fn detail_own(call: Call<Permit<ReadOwn>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let view = service_sessions::read_own(&state.app, &call.permit, &call.context.entity_id())?;
    Ok(ApiResponse::detail(&to_holder_detail(view)))
}

async fn delete_own(call: Call<Permit<DeleteOwn>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    service_sessions::delete_own(&state.app, &call.permit, &call.context.entity_id()).await?;
    Ok(ApiResponse::empty())
}

async fn list(call: Call<Permit<Read>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::SESSIONS, |call, request, emit| {
        let app = &call.context.state.app;
        service_sessions::list(app, &call.permit, request, &mut |view| {
            emit(SessionDetail::for_administrator(view))
        })
    })
    .await
}

async fn detail(call: Call<Permit<Read>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let view = service_sessions::read(&state.app, &call.permit, &call.context.entity_id())?;
    Ok(ApiResponse::detail(&SessionDetail::for_administrator(view)))
}

async fn route_path(call: Call<Permit<Read>, NoBody>) -> Result<ApiResponse, ApiError> {
    let route_path = service_sessions::read_route_path(&call.permit, &call.context.entity_id());
    Ok(ApiResponse::detail(&SessionRoutePath { route_path }))
}

async fn delete(call: Call<Permit<Delete>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    service_sessions::delete(&state.app, &call.permit, &call.context.entity_id()).await?;
    Ok(ApiResponse::empty())
}

/// A session as shown to its holder later: without the token, which is signed only on creation.
fn to_holder_detail(view: SessionView) -> SessionDetail {
    let stand_in = view.session.id.as_str().into();
    SessionDetail::for_holder(view, stand_in)
}
