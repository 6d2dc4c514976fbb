//! Identities.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{
    Call, Json, NoBody, OptionalJson, RequestContext, ResponseSpec, Route, guarded,
};
use http::Method;
use portcullis_api::identity::{
    DisableParams, IdentityCreateRequest, IdentityDetail, IdentityPatchRequest,
    IdentityUpdateRequest,
};
use portcullis_api::policy_advice::PolicyAdvice;
use portcullis_api::service_config::{ServiceConfigAssignments, ServiceConfigDetail};
use portcullis_api::trace::{TraceDetail, TraceUpdate};
use portcullis_app::identities::{self, Assignment, Create, Delete, Read, Update};
use portcullis_app::listing::kinds;
use portcullis_app::{managed, policy_advice};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::ServiceId;
use portcullis_domain::service::ServiceSpec;

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/identities/{id}";
    const SERVICE_CONFIGS: &str = "/identities/{id}/service-configs";
    vec![
        guarded::<Read, ListPayload, _, _>(Method::GET, "/identities", list)
            .responds(ResponseSpec::list::<IdentityDetail>()),
        guarded::<Create, Json<IdentityCreateRequest>, _, _>(Method::POST, "/identities", create),
        guarded::<Read, NoBody, _, _>(Method::GET, ONE, detail)
            .responds(ResponseSpec::detail::<IdentityDetail>()),
        guarded::<Update, Json<IdentityUpdateRequest>, _, _>(Method::PUT, ONE, replace),
        guarded::<Update, Json<IdentityPatchRequest>, _, _>(Method::PATCH, ONE, patch),
        guarded::<Delete, NoBody, _, _>(Method::DELETE, ONE, delete),
        guarded::<Update, Json<DisableParams>, _, _>(
            Method::POST,
            "/identities/{id}/disable",
            disable,
        )
        .responds(ResponseSpec::empty()),
        guarded::<Update, NoBody, _, _>(Method::POST, "/identities/{id}/enable", enable)
            .responds(ResponseSpec::empty()),
        guarded::<Update, Json<TraceUpdate>, _, _>(Method::PUT, "/identities/{id}/trace", trace)
            .responds(ResponseSpec::detail::<TraceDetail>()),
        guarded::<Read, NoBody, _, _>(Method::GET, SERVICE_CONFIGS, service_configs)
            .responds(ResponseSpec::list::<ServiceConfigDetail>()),
        guarded::<Update, Json<ServiceConfigAssignments>, _, _>(
            Method::POST,
            SERVICE_CONFIGS,
            assign_service_configs,
        )
        .responds(ResponseSpec::empty()),
        guarded::<Update, OptionalJson<ServiceConfigAssignments>, _, _>(
            Method::DELETE,
            SERVICE_CONFIGS,
            withdraw_service_configs,
        ),
        guarded::<managed::Read<ServiceSpec>, NoBody, _, _>(
            Method::GET,
            "/identities/{id}/policy-advice/{serviceId}",
            policy_advice,
        )
        .responds(ResponseSpec::detail::<PolicyAdvice>()),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::IDENTITIES, |call, request, emit| {
        let app = &call.context.state.app;
        identities::list(app, &call.permit, request, &mut |view| {
            emit(IdentityDetail::from(view))
        })
    })
    .await
}

async fn create(
    call: Call<Permit<Create>, Json<IdentityCreateRequest>>,
) -> Result<ApiResponse, ApiError> {
    let Json(IdentityCreateRequest {
        spec, enrollment, ..
    }) = call.body;
    let app = &call.context.state.app;
    let id = identities::create(app, &call.permit, spec, enrollment).await?;
    Ok(ApiResponse::created("identities", id.as_str()))
}

async fn detail(call: Call<Permit<Read>, NoBody>) -> Result<ApiResponse, ApiError> {
    let view = identities::read(
        &call.context.state.app,
        &call.permit,
        &call.context.entity_id(),
    )?;
    Ok(ApiResponse::detail(&IdentityDetail::from(view)))
}

async fn replace(
    call: Call<Permit<Update>, Json<IdentityUpdateRequest>>,
) -> Result<ApiResponse, ApiError> {
    let Json(IdentityUpdateRequest { spec, kind }) = call.body;
    let RequestContext { state, .. } = &call.context;
    identities::replace(
        &state.app,
        &call.permit,
        &call.context.entity_id(),
        spec,
        kind,
    )
    .await?;
    Ok(ApiResponse::empty())
}

async fn patch(
    call: Call<Permit<Update>, Json<IdentityPatchRequest>>,
) -> Result<ApiResponse, ApiError> {
    let Json(IdentityPatchRequest { patch }) = call.body;
    let RequestContext { state, .. } = &call.context;
    identities::patch(&state.app, &call.permit, &call.context.entity_id(), patch).await?;
    Ok(ApiResponse::empty())
}

async fn delete(call: Call<Permit<Delete>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    identities::delete(&state.app, &call.permit, &call.context.entity_id()).await?;
    Ok(ApiResponse::empty())
}

async fn disable(call: Call<Permit<Update>, Json<DisableParams>>) -> Result<ApiResponse, ApiError> {
    let Json(params) = call.body;
    let RequestContext { state, .. } = &call.context;
    identities::disable(
        &state.app,
        &call.permit,
        &call.context.entity_id(),
        params.duration(),
    )
    .await?;
    Ok(ApiResponse::empty())
}

async fn enable(call: Call<Permit<Update>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    identities::enable(&state.app, &call.permit, &call.context.entity_id()).await?;
    Ok(ApiResponse::empty())
}

async fn trace(call: Call<Permit<Update>, Json<TraceUpdate>>) -> Result<ApiResponse, ApiError> {
    let Json(TraceUpdate { spec }) = call.body;
    let RequestContext { state, .. } = &call.context;
    let trace =
        identities::trace(&state.app, &call.permit, &call.context.entity_id(), spec).await?;
    Ok(ApiResponse::detail_without_meta(&TraceDetail::from(trace)))
}

async fn service_configs(call: Call<Permit<Read>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let assignments =
        identities::service_configs(&state.app, &call.permit, &call.context.entity_id())?;
    Ok(ApiResponse::complete_list(&ServiceConfigDetail::list(
        assignments,
    )))
}

async fn assign_service_configs(
    call: Call<Permit<Update>, Json<ServiceConfigAssignments>>,
) -> Result<ApiResponse, ApiError> {
    let Json(assigned) = call.body;
    let RequestContext { state, .. } = &call.context;
    let (id, assigned) = (call.context.entity_id(), assignments(assigned));
    identities::assign_service_configs(&state.app, &call.permit, &id, assigned).await?;
    Ok(ApiResponse::empty())
}

async fn withdraw_service_configs(
    call: Call<Permit<Update>, OptionalJson<ServiceConfigAssignments>>,
) -> Result<ApiResponse, ApiError> {
    let OptionalJson(withdrawn) = call.body;
    let RequestContext { state, .. } = &call.context;
    let withdrawn = assignments(withdrawn.unwrap_or_default());
    let id = call.context.entity_id();
    identities::withdraw_service_configs(&state.app, &call.permit, &id, withdrawn).await?;
    Ok(ApiResponse::empty())
}

fn assignments(body: ServiceConfigAssignments) -> Vec<Assignment> {
    let assignments = body.0.into_iter();
    assignments
        .map(|assignment| (assignment.service_id, assignment.config_id))
        .collect()
}

async fn policy_advice(
    call: Call<Permit<managed::Read<ServiceSpec>>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    let RequestContext {
        state, parameters, ..
    } = &call.context;
    let service = parameters.get("serviceId").cloned().unwrap_or_default();
    let service = ServiceId::from_wire(service);
    let advice = policy_advice::read(
        &state.app,
        &call.permit,
        &call.context.entity_id(),
        &service,
    )?;
    Ok(ApiResponse::detail_without_meta(&PolicyAdvice::from(
        advice,
    )))
}
