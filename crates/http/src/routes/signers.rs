//! External JWT signers.

use super::managed::{self, ResourcePaths as _};
use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, ResponseSpec, Route, guarded, public};
use http::Method;
use portcullis_api::external_jwt_signer::{
    ClientExternalJwtSignerDetail, ExternalJwtSignerCreate, ExternalJwtSignerDetail,
    ExternalJwtSignerPatch,
};
use portcullis_app::managed::{Create, Delete, Update};
use portcullis_app::signers;
use portcullis_domain::access::{ApiSurface, Permit};
use portcullis_domain::signer::SignerSpec;

type S = SignerSpec;

pub(super) fn routes() -> Vec<Route> {
    let (all, one) = (S::COLLECTION_PATH, S::ENTITY_PATH);
    let write = [
        guarded::<Create<S>, Json<ExternalJwtSignerCreate>, _, _>(Method::POST, all, create),
        guarded::<Update<S>, Json<ExternalJwtSignerCreate>, _, _>(Method::PUT, one, replace),
        guarded::<Update<S>, Json<ExternalJwtSignerPatch>, _, _>(Method::PATCH, one, patch),
        guarded::<Delete<S>, NoBody, _, _>(Method::DELETE, one, managed::delete::<S>),
    ]
    .map(|route| route.only(&[Api::Management]));
    let public = public::<ListPayload, _, _>(Method::GET, all, list_enabled)
        .responds(ResponseSpec::list::<ClientExternalJwtSignerDetail>())
        .only(&[Api::Client]);
    managed::read_routes::<S, ExternalJwtSignerDetail>(ApiSurface::Edge)
        .into_iter()
        .chain(write)
        .chain([public])
        .collect()
}

async fn list_enabled(call: Call<(), ListPayload>) -> Result<ApiResponse, ApiError> {
    let schema = &signers::PUBLIC_EXTERNAL_JWT_SIGNERS;
    list::respond(call, schema, |call, request, emit| {
        let app = &call.context.state.app;
        signers::list_enabled(app, request, &mut |signer| {
            emit(ClientExternalJwtSignerDetail::from(signer))
        })
    })
    .await
}

async fn create(
    call: Call<Permit<Create<S>>, Json<ExternalJwtSignerCreate>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (settings, keys) = body.into_parts();
    let app = &call.context.state.app;
    let id = signers::create(app, &call.permit, settings, keys).await?;
    Ok(ApiResponse::created(S::COLLECTION, id.as_str()))
}

async fn replace(
    call: Call<Permit<Update<S>>, Json<ExternalJwtSignerCreate>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (settings, keys) = body.into_parts();
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    signers::replace(app, &call.permit, &id, settings, keys).await?;
    Ok(ApiResponse::empty())
}

async fn patch(
    call: Call<Permit<Update<S>>, Json<ExternalJwtSignerPatch>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (patch, keys) = body.into_parts();
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    signers::patch(app, &call.permit, &id, patch, keys).await?;
    Ok(ApiResponse::empty())
}
