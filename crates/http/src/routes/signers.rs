//! External JWT signers.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, RequestContext, ResponseSpec, Route, guarded, public};
use http::Method;
use portcullis_api::external_jwt_signer::{
    ClientExternalJwtSignerDetail, ExternalJwtSignerCreate, ExternalJwtSignerDetail,
    ExternalJwtSignerPatch,
};
use portcullis_app::listing::kinds;
use portcullis_app::signers::{self, Create, Delete, Read, Update};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::SignerId;

const ALL: &str = "/external-jwt-signers";
const ONE: &str = "/external-jwt-signers/{id}";

pub(super) fn routes() -> Vec<Route> {
    let managed = vec![
        guarded::<Read, ListPayload, _, _>(Method::GET, ALL, list)
            .responds(ResponseSpec::list::<ExternalJwtSignerDetail>()),
        guarded::<Create, Json<ExternalJwtSignerCreate>, _, _>(Method::POST, ALL, create),
        guarded::<Read, NoBody, _, _>(Method::GET, ONE, detail)
            .responds(ResponseSpec::detail::<ExternalJwtSignerDetail>()),
        guarded::<Update, Json<ExternalJwtSignerCreate>, _, _>(Method::PUT, ONE, replace),
        guarded::<Update, Json<ExternalJwtSignerPatch>, _, _>(Method::PATCH, ONE, patch),
        guarded::<Delete, NoBody, _, _>(Method::DELETE, ONE, delete),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]));
    let public = public::<ListPayload, _, _>(Method::GET, ALL, list_enabled)
        .responds(ResponseSpec::list::<ClientExternalJwtSignerDetail>())
        .only(&[Api::Client]);
    managed.chain([public]).collect()
}

async fn list(call: Call<Permit<Read>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::EXTERNAL_JWT_SIGNERS, |call, request, emit| {
        let app = &call.context.state.app;
        signers::list(app, &call.permit, request, &mut |signer| {
            emit(ExternalJwtSignerDetail::from(signer))
        })
    })
    .await
}

async fn list_enabled(call: Call<(), ListPayload>) -> Result<ApiResponse, ApiError> {
    let schema = &kinds::PUBLIC_EXTERNAL_JWT_SIGNERS;
    list::respond(call, schema, |call, request, emit| {
        let app = &call.context.state.app;
        signers::list_enabled(app, request, &mut |signer| {
            emit(ClientExternalJwtSignerDetail::from(signer))
        })
    })
    .await
}

async fn create(
    call: Call<Permit<Create>, Json<ExternalJwtSignerCreate>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (spec, keys) = body.into_parts();
    let app = &call.context.state.app;
    let id = signers::create(app, &call.permit, spec, keys).await?;
    Ok(ApiResponse::created("external-jwt-signers", id.as_str()))
}

async fn detail(call: Call<Permit<Read>, NoBody>) -> Result<ApiResponse, ApiError> {
    let signer = signers::read(&call.context.state.app, &call.permit, &id(&call.context))?;
    Ok(ApiResponse::detail(&ExternalJwtSignerDetail::from(signer)))
}

async fn replace(
    call: Call<Permit<Update>, Json<ExternalJwtSignerCreate>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (spec, keys) = body.into_parts();
    let RequestContext { state, .. } = &call.context;
    signers::replace(&state.app, &call.permit, &id(&call.context), spec, keys).await?;
    Ok(ApiResponse::empty())
}

async fn patch(
    call: Call<Permit<Update>, Json<ExternalJwtSignerPatch>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (patch, keys) = body.into_parts();
    let RequestContext { state, .. } = &call.context;
    signers::patch(&state.app, &call.permit, &id(&call.context), patch, keys).await?;
    Ok(ApiResponse::empty())
}

async fn delete(call: Call<Permit<Delete>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    signers::delete(&state.app, &call.permit, &id(&call.context)).await?;
    Ok(ApiResponse::empty())
}

fn id(context: &RequestContext) -> SignerId {
    SignerId::from_wire(context.id())
}
