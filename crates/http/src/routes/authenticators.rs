//! Authenticators.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, RequestContext, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::authenticator as wire;
use portcullis_api::authenticator::{
    AuthenticatorCreate, AuthenticatorDetail, AuthenticatorPatch, AuthenticatorUpdate,
    RequestExtendAuthenticator,
};
use portcullis_api::enrollment::EnrollmentRefresh;
use portcullis_app::authenticators::{
    self, Create, CreateAuthenticator, Delete, NewCredential, ReEnroll, Read, Update,
    UpdbCredentialPatch,
};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::IdentityId;

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/authenticators";
    const ONE: &str = "/authenticators/{id}";
    vec![
        guarded::<Read, ListPayload, _, _>(Method::GET, ALL, list)
            .responds(ResponseSpec::list::<AuthenticatorDetail>()),
        guarded::<Create, Json<AuthenticatorCreate>, _, _>(Method::POST, ALL, create),
        guarded::<Read, NoBody, _, _>(Method::GET, ONE, detail)
            .responds(ResponseSpec::detail::<AuthenticatorDetail>()),
        guarded::<Update, Json<AuthenticatorUpdate>, _, _>(Method::PUT, ONE, replace),
        guarded::<Update, Json<AuthenticatorPatch>, _, _>(Method::PATCH, ONE, patch),
        guarded::<Delete, NoBody, _, _>(Method::DELETE, ONE, delete),
        guarded::<Update, Json<RequestExtendAuthenticator>, _, _>(
            Method::POST,
            "/authenticators/{id}/request-extend",
            request_extension,
        )
        .responds(ResponseSpec::empty()),
        guarded::<ReEnroll, Json<EnrollmentRefresh>, _, _>(
            Method::POST,
            "/authenticators/{id}/re-enroll",
            re_enroll,
        ),
        guarded::<Read, ListPayload, _, _>(Method::GET, "/identities/{id}/authenticators", list_of)
            .responds(ResponseSpec::list::<AuthenticatorDetail>()),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::AUTHENTICATORS, |call, request, emit| {
        let app = &call.context.state.app;
        authenticators::list(app, &call.permit, request, &mut |view| {
            emit(AuthenticatorDetail::from(view))
        })
    })
    .await
}

async fn list_of(call: Call<Permit<Read>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::AUTHENTICATORS, |call, request, emit| {
        let app = &call.context.state.app;
        let identity = IdentityId::from_wire(call.context.id());
        authenticators::list_of(app, &call.permit, &identity, request, &mut |view| {
            emit(AuthenticatorDetail::from(view))
        })
    })
    .await
}

async fn detail(call: Call<Permit<Read>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let view = authenticators::read(&state.app, &call.permit, &call.context.entity_id())?;
    Ok(ApiResponse::detail(&AuthenticatorDetail::from(view)))
}

async fn create(
    call: Call<Permit<Create>, Json<AuthenticatorCreate>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let input = CreateAuthenticator {
        identity: body.identity_id,
        credential: match body.credential {
            wire::NewCredential::Cert { cert_pem } => NewCredential::Cert(cert_pem),
            wire::NewCredential::Updb { username, password } => {
                NewCredential::Updb { username, password }
            },
        },
        tags: body.tags,
    };
    let id = authenticators::create(&call.context.state.app, &call.permit, input).await?;
    Ok(ApiResponse::created("authenticators", id.as_str()))
}

async fn replace(
    call: Call<Permit<Update>, Json<AuthenticatorUpdate>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    update(&call.context, &call.permit, updb_replacement(body)).await
}

async fn patch(
    call: Call<Permit<Update>, Json<AuthenticatorPatch>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    update(&call.context, &call.permit, updb_patch(body)).await
}

async fn update(
    context: &RequestContext,
    permit: &Permit<Update>,
    change: UpdbCredentialPatch,
) -> Result<ApiResponse, ApiError> {
    authenticators::update(&context.state.app, permit, &context.entity_id(), change).await?;
    Ok(ApiResponse::empty())
}

/// Converts a replacement, which sets every field.
pub(super) fn updb_replacement(body: AuthenticatorUpdate) -> UpdbCredentialPatch {
    UpdbCredentialPatch {
        username: Some(body.username),
        password: Some(body.password),
        tags: Some(body.tags),
    }
}

pub(super) fn updb_patch(body: AuthenticatorPatch) -> UpdbCredentialPatch {
    UpdbCredentialPatch {
        username: body.username,
        password: body.password,
        tags: body.tags,
    }
}

async fn delete(call: Call<Permit<Delete>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    authenticators::delete(&state.app, &call.permit, &call.context.entity_id()).await?;
    Ok(ApiResponse::empty())
}

async fn request_extension(
    call: Call<Permit<Update>, Json<RequestExtendAuthenticator>>,
) -> Result<ApiResponse, ApiError> {
    let Json(RequestExtendAuthenticator { roll_keys }) = call.body;
    let RequestContext { state, .. } = &call.context;
    let id = call.context.entity_id();
    authenticators::request_extension(&state.app, &call.permit, &id, roll_keys).await?;
    Ok(ApiResponse::empty())
}

async fn re_enroll(
    call: Call<Permit<ReEnroll>, Json<EnrollmentRefresh>>,
) -> Result<ApiResponse, ApiError> {
    let Json(EnrollmentRefresh { expires_at }) = call.body;
    let RequestContext { state, .. } = &call.context;
    let id = call.context.entity_id();
    let enrollment =
        authenticators::re_enroll(&state.app, &call.permit, &id, expires_at.into()).await?;
    Ok(ApiResponse::created("enrollments", enrollment.as_str()))
}
