//! The caller's own authenticators.

use super::authenticators::{updb_patch, updb_replacement};
use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, RequestContext, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::authenticator::{
    AuthenticatorDetail, AuthenticatorPatch, AuthenticatorUpdate, IdentityExtendCerts,
    IdentityExtendEnrollmentRequest, IdentityExtendValidateEnrollmentRequest, WithCurrentPassword,
};
use portcullis_app::authenticators::{self, ReadOwn, Renew, UpdateOwn, UpdbCredentialPatch};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use secrecy::SecretString;

type Replacement = Json<WithCurrentPassword<AuthenticatorUpdate>>;

type Patch = Json<WithCurrentPassword<AuthenticatorPatch>>;

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/current-identity/authenticators";
    const ONE: &str = "/current-identity/authenticators/{id}";
    vec![
        guarded::<ReadOwn, ListPayload, _, _>(Method::GET, ALL, list)
            .responds(ResponseSpec::list::<AuthenticatorDetail>()),
        guarded::<ReadOwn, NoBody, _, _>(Method::GET, ONE, detail)
            .responds(ResponseSpec::detail::<AuthenticatorDetail>()),
        guarded::<UpdateOwn, Replacement, _, _>(Method::PUT, ONE, replace),
        guarded::<UpdateOwn, Patch, _, _>(Method::PATCH, ONE, patch),
        guarded::<Renew, Json<IdentityExtendEnrollmentRequest>, _, _>(
            Method::POST,
            "/current-identity/authenticators/{id}/extend",
            extend,
        )
        .responds(ResponseSpec::detail::<IdentityExtendCerts>()),
        guarded::<Renew, Json<IdentityExtendValidateEnrollmentRequest>, _, _>(
            Method::POST,
            "/current-identity/authenticators/{id}/extend-verify",
            confirm,
        )
        .responds(ResponseSpec::empty()),
    ]
}

async fn list(call: Call<Permit<ReadOwn>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::AUTHENTICATORS, |call, request, emit| {
        let app = &call.context.state.app;
        authenticators::list_own(app, &call.permit, request, &mut |view| {
            emit(AuthenticatorDetail::of_caller(view))
        })
    })
    .await
}

async fn detail(call: Call<Permit<ReadOwn>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let view = authenticators::read_own(&state.app, &call.permit, &call.context.entity_id())?;
    Ok(ApiResponse::detail(&AuthenticatorDetail::of_caller(view)))
}

async fn replace(call: Call<Permit<UpdateOwn>, Replacement>) -> Result<ApiResponse, ApiError> {
    let Json(WithCurrentPassword {
        current_password,
        change,
    }) = call.body;
    let change = updb_replacement(change);
    update(&call.context, &call.permit, current_password, change).await
}

async fn patch(call: Call<Permit<UpdateOwn>, Patch>) -> Result<ApiResponse, ApiError> {
    let Json(WithCurrentPassword {
        current_password,
        change,
    }) = call.body;
    let change = updb_patch(change);
    update(&call.context, &call.permit, current_password, change).await
}

async fn update(
    context: &RequestContext,
    permit: &Permit<UpdateOwn>,
    current: SecretString,
    change: UpdbCredentialPatch,
) -> Result<ApiResponse, ApiError> {
    let app = &context.state.app;
    authenticators::update_own(app, permit, &context.entity_id(), current, change).await?;
    Ok(ApiResponse::empty())
}

async fn extend(
    call: Call<Permit<Renew>, Json<IdentityExtendEnrollmentRequest>>,
) -> Result<ApiResponse, ApiError> {
    let Json(IdentityExtendEnrollmentRequest { client_cert_csr }) = call.body;
    let RequestContext {
        state, connection, ..
    } = &call.context;
    let (id, chain) = (call.context.entity_id(), connection.certificates());
    let renewal =
        authenticators::extend(&state.app, &call.permit, &id, &chain, &client_cert_csr).await;
    let authorities = state.app.network().bundle_pem();
    Ok(ApiResponse::detail(&IdentityExtendCerts::new(
        renewal.map_err(ApiError::without_not_found_cause)?,
        authorities,
    )))
}

async fn confirm(
    call: Call<Permit<Renew>, Json<IdentityExtendValidateEnrollmentRequest>>,
) -> Result<ApiResponse, ApiError> {
    let Json(IdentityExtendValidateEnrollmentRequest { client_cert }) = call.body;
    let RequestContext { state, .. } = &call.context;
    authenticators::confirm(
        &state.app,
        &call.permit,
        &call.context.entity_id(),
        &client_cert,
    )
    .await
    .map_err(ApiError::without_not_found_cause)?;
    Ok(ApiResponse::empty())
}
