//! Enrollments.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, RequestContext, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::enrollment::{EnrollmentCreate, EnrollmentDetail, EnrollmentRefresh};
use portcullis_app::enrollments::{self, Create, CreateEnrollment, Delete, Read, Update};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::IdentityId;

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/enrollments/{id}";
    vec![
        guarded::<Read, ListPayload, _, _>(Method::GET, "/enrollments", list)
            .responds(ResponseSpec::list::<EnrollmentDetail>()),
        guarded::<Create, Json<EnrollmentCreate>, _, _>(Method::POST, "/enrollments", create),
        guarded::<Read, NoBody, _, _>(Method::GET, ONE, detail)
            .responds(ResponseSpec::detail::<EnrollmentDetail>()),
        guarded::<Delete, NoBody, _, _>(Method::DELETE, ONE, delete),
        guarded::<Update, Json<EnrollmentRefresh>, _, _>(
            Method::POST,
            "/enrollments/{id}/refresh",
            refresh,
        )
        .responds(ResponseSpec::empty()),
        guarded::<Read, ListPayload, _, _>(Method::GET, "/identities/{id}/enrollments", list_of)
            .responds(ResponseSpec::list::<EnrollmentDetail>()),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::ENROLLMENTS, |call, request, emit| {
        let app = &call.context.state.app;
        enrollments::list(app, &call.permit, request, &mut |view| {
            emit(EnrollmentDetail::from(view))
        })
    })
    .await
}

async fn list_of(call: Call<Permit<Read>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::ENROLLMENTS, |call, request, emit| {
        let app = &call.context.state.app;
        let identity = IdentityId::from_wire(call.context.id());
        enrollments::list_of(app, &call.permit, &identity, request, &mut |view| {
            emit(EnrollmentDetail::from(view))
        })
    })
    .await
}

async fn create(
    call: Call<Permit<Create>, Json<EnrollmentCreate>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let input = CreateEnrollment {
        method: body.to_method(),
        identity: body.identity_id,
        expires_at: body.expires_at.into(),
    };
    let id = enrollments::create(&call.context.state.app, &call.permit, input).await?;
    Ok(ApiResponse::created("enrollments", id.as_str()))
}

async fn detail(call: Call<Permit<Read>, NoBody>) -> Result<ApiResponse, ApiError> {
    let view = enrollments::read(
        &call.context.state.app,
        &call.permit,
        &call.context.entity_id(),
    )?;
    Ok(ApiResponse::detail(&EnrollmentDetail::from(view)))
}

async fn delete(call: Call<Permit<Delete>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    enrollments::delete(&state.app, &call.permit, &call.context.entity_id()).await?;
    Ok(ApiResponse::empty())
}

async fn refresh(
    call: Call<Permit<Update>, Json<EnrollmentRefresh>>,
) -> Result<ApiResponse, ApiError> {
    let Json(EnrollmentRefresh { expires_at }) = call.body;
    let RequestContext { state, .. } = &call.context;
    let expires_at = expires_at.into();
    let id = call.context.entity_id();
    enrollments::refresh(&state.app, &call.permit, &id, expires_at)
        .await
        .map_err(ApiError::without_not_found_cause)?;
    Ok(ApiResponse::empty())
}
