//! Authentication policies.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, RequestContext, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::auth_policy::{
    AuthPolicyCreateRequest, AuthPolicyDetail, AuthPolicyPatchRequest,
};
use portcullis_app::auth_policies::{self, Create, Delete, Read, Update};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::AuthPolicyId;

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/auth-policies/{id}";
    vec![
        guarded::<Read, ListPayload, _, _>(Method::GET, "/auth-policies", list)
            .responds(ResponseSpec::list::<AuthPolicyDetail>()),
        guarded::<Create, Json<AuthPolicyCreateRequest>, _, _>(
            Method::POST,
            "/auth-policies",
            create,
        ),
        guarded::<Read, NoBody, _, _>(Method::GET, ONE, detail)
            .responds(ResponseSpec::detail::<AuthPolicyDetail>()),
        guarded::<Update, Json<AuthPolicyCreateRequest>, _, _>(Method::PUT, ONE, replace),
        guarded::<Update, Json<AuthPolicyPatchRequest>, _, _>(Method::PATCH, ONE, patch),
        guarded::<Delete, NoBody, _, _>(Method::DELETE, ONE, delete),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::AUTH_POLICIES, |call, request, emit| {
        let app = &call.context.state.app;
        auth_policies::list(app, &call.permit, request, &mut |policy| {
            emit(AuthPolicyDetail::from(policy))
        })
    })
    .await
}

async fn create(
    call: Call<Permit<Create>, Json<AuthPolicyCreateRequest>>,
) -> Result<ApiResponse, ApiError> {
    let Json(AuthPolicyCreateRequest { spec }) = call.body;
    let app = &call.context.state.app;
    let id = auth_policies::create(app, &call.permit, spec).await?;
    Ok(ApiResponse::created("auth-policies", id.as_str()))
}

async fn detail(call: Call<Permit<Read>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let policy = auth_policies::read(&state.app, &call.permit, &id(&call.context))?;
    Ok(ApiResponse::detail(&AuthPolicyDetail::from(policy)))
}

async fn replace(
    call: Call<Permit<Update>, Json<AuthPolicyCreateRequest>>,
) -> Result<ApiResponse, ApiError> {
    let Json(AuthPolicyCreateRequest { spec }) = call.body;
    let RequestContext { state, .. } = &call.context;
    auth_policies::replace(&state.app, &call.permit, &id(&call.context), spec).await?;
    Ok(ApiResponse::empty())
}

async fn patch(
    call: Call<Permit<Update>, Json<AuthPolicyPatchRequest>>,
) -> Result<ApiResponse, ApiError> {
    let Json(AuthPolicyPatchRequest { patch }) = call.body;
    let RequestContext { state, .. } = &call.context;
    auth_policies::patch(&state.app, &call.permit, &id(&call.context), patch).await?;
    Ok(ApiResponse::empty())
}

async fn delete(call: Call<Permit<Delete>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    auth_policies::delete(&state.app, &call.permit, &id(&call.context)).await?;
    Ok(ApiResponse::empty())
}

fn id(context: &RequestContext) -> AuthPolicyId {
    AuthPolicyId::from_wire(context.id())
}
