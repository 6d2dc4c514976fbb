//! Third-party certificate authorities.

use crate::content_negotiation::Consumes;
use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
#[cfg(feature = "describe")]
use crate::route::BodySpec;
use crate::route::{Call, Json, NoBody, Payload, RequestContext, ResponseSpec, Route, guarded};
use bytes::Bytes;
use http::Method;
use portcullis_api::ca::{CaCreate, CaDetail, CaPatch, CaUpdate};
use portcullis_api::code::Code;
use portcullis_api::decode::DecodeError;
use portcullis_app::AppError;
use portcullis_app::cas::{self, Create, Delete, Read, Update};
use portcullis_app::listing::kinds;
use portcullis_domain::FieldError;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::CaId;

/// RFC 7519 section 10.3.1.
const JWT: &str = "application/jwt";

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/cas/{id}";
    vec![
        guarded::<Read, ListPayload, _, _>(Method::GET, "/cas", list)
            .responds(ResponseSpec::list::<CaDetail>()),
        guarded::<Create, Json<CaCreate>, _, _>(Method::POST, "/cas", create),
        guarded::<Read, NoBody, _, _>(Method::GET, ONE, detail)
            .responds(ResponseSpec::detail::<CaDetail>()),
        guarded::<Update, Json<CaUpdate>, _, _>(Method::PUT, ONE, replace),
        guarded::<Update, Json<CaPatch>, _, _>(Method::PATCH, ONE, patch),
        guarded::<Delete, NoBody, _, _>(Method::DELETE, ONE, delete),
        guarded::<Update, CertificateText, _, _>(Method::POST, "/cas/{id}/verify", verify)
            .responds(ResponseSpec::empty()),
        guarded::<Read, NoBody, _, _>(Method::GET, "/cas/{id}/jwt", token)
            .responds(ResponseSpec::raw())
            .producing(JWT),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

/// A certificate as text. Errors are reported only to callers that may verify it.
#[derive(Debug)]
struct CertificateText(Result<String, DecodeError>);

impl Payload for CertificateText {
    const CONSUMES: Consumes = Consumes::Certificate;
    const MAX_BYTES: usize = 64 * 1024;

    #[cfg(feature = "describe")]
    fn describe() -> BodySpec {
        BodySpec::Text
    }

    fn decode(content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError> {
        Ok(Self(if bytes.is_empty() {
            let reason = "is required: send the certificate as PEM in the body";
            Err(FieldError::new("certificate", reason, "").into())
        } else if content_type == Some("application/json") {
            // Clients expect an error about the body rather than its type.
            let text = "send the certificate with content type text/plain".to_owned();
            Err(DecodeError::Parse(text))
        } else {
            Ok(String::from_utf8_lossy(bytes).into_owned())
        }))
    }
}

async fn list(call: Call<Permit<Read>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::CAS, |call, request, emit| {
        let app = &call.context.state.app;
        cas::list(app, &call.permit, request, &mut |ca| {
            emit(CaDetail::from(ca))
        })
    })
    .await
}

async fn create(call: Call<Permit<Create>, Json<CaCreate>>) -> Result<ApiResponse, ApiError> {
    let Json(CaCreate { cert_pem, replace }) = call.body;
    let spec = replace.spec().map_err(AppError::InvalidField)?;
    let app = &call.context.state.app;
    let id = cas::create(app, &call.permit, spec, &cert_pem).await?;
    Ok(ApiResponse::created("cas", id.as_str()))
}

async fn detail(call: Call<Permit<Read>, NoBody>) -> Result<ApiResponse, ApiError> {
    let ca = cas::read(&call.context.state.app, &call.permit, &id(&call.context))?;
    Ok(ApiResponse::detail(&CaDetail::from(ca)))
}

async fn replace(call: Call<Permit<Update>, Json<CaUpdate>>) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let spec = body.spec().map_err(AppError::InvalidField)?;
    let RequestContext { state, .. } = &call.context;
    cas::replace(&state.app, &call.permit, &id(&call.context), spec).await?;
    Ok(ApiResponse::empty())
}

async fn patch(call: Call<Permit<Update>, Json<CaPatch>>) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let RequestContext { state, .. } = &call.context;
    cas::patch(&state.app, &call.permit, &id(&call.context), body.into()).await?;
    Ok(ApiResponse::empty())
}

async fn delete(call: Call<Permit<Delete>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    cas::delete(&state.app, &call.permit, &id(&call.context)).await?;
    Ok(ApiResponse::empty())
}

async fn verify(call: Call<Permit<Update>, CertificateText>) -> Result<ApiResponse, ApiError> {
    let pem = call.body.0?;
    let RequestContext { state, .. } = &call.context;
    cas::verify(&state.app, &call.permit, &id(&call.context), &pem)
        .await
        .map_err(without_cause)?;
    Ok(ApiResponse::empty())
}

async fn token(call: Call<Permit<Read>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let token = cas::token(&state.app, &call.permit, &id(&call.context)).map_err(without_cause)?;
    Ok(ApiResponse::raw(JWT, token))
}

/// If an authority does not exist, these operations respond with the code alone.
fn without_cause(error: AppError) -> ApiError {
    match error {
        AppError::NotFound { .. } => ApiError::new(Code::NotFound),
        error => error.into(),
    }
}

fn id(context: &RequestContext) -> CaId {
    CaId::from_wire(context.id())
}
