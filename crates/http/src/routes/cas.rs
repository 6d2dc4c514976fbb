//! Third-party certificate authorities.

use super::managed::{self, ResourcePaths as _};
use crate::content_negotiation::Consumes;
use crate::error::ApiError;
use crate::path::Api;
use crate::response::ApiResponse;
#[cfg(feature = "describe")]
use crate::route::BodySpec;
use crate::route::{Call, Json, NoBody, Payload, ResponseSpec, Route, guarded};
use bytes::Bytes;
use http::Method;
use portcullis_api::ca::{CaCreate, CaDetail, CaPatch, CaUpdate};
use portcullis_api::decode::DecodeError;
use portcullis_app::AppError;
use portcullis_app::cas;
use portcullis_app::managed::{Create, Delete, Read, Update};
use portcullis_domain::FieldError;
use portcullis_domain::access::{ApiSurface, Permit};
use portcullis_domain::ca::CaSpec;

/// RFC 7519 section 10.3.1.
const JWT: &str = "application/jwt";

type S = CaSpec;

pub(super) fn routes() -> Vec<Route> {
    let (all, one) = (S::COLLECTION_PATH, S::ENTITY_PATH);
    let further = [
        guarded::<Create<S>, Json<CaCreate>, _, _>(Method::POST, all, create),
        guarded::<Update<S>, Json<CaUpdate>, _, _>(Method::PUT, one, replace),
        guarded::<Update<S>, Json<CaPatch>, _, _>(Method::PATCH, one, patch),
        guarded::<Delete<S>, NoBody, _, _>(Method::DELETE, one, managed::delete::<S>),
        guarded::<Update<S>, CertificateText, _, _>(Method::POST, "/cas/{id}/verify", verify)
            .responds(ResponseSpec::empty()),
        guarded::<Read<S>, NoBody, _, _>(Method::GET, "/cas/{id}/jwt", token)
            .responds(ResponseSpec::raw())
            .producing(JWT),
    ]
    .map(|route| route.only(&[Api::Management]));
    managed::read_routes::<S, CaDetail>(ApiSurface::Edge)
        .into_iter()
        .chain(further)
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

async fn create(call: Call<Permit<Create<S>>, Json<CaCreate>>) -> Result<ApiResponse, ApiError> {
    let Json(CaCreate { cert_pem, replace }) = call.body;
    let settings = replace.settings().map_err(AppError::InvalidField)?;
    let app = &call.context.state.app;
    let id = cas::create(app, &call.permit, settings, &cert_pem).await?;
    Ok(ApiResponse::created(S::COLLECTION, id.as_str()))
}

async fn replace(call: Call<Permit<Update<S>>, Json<CaUpdate>>) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let settings = body.settings().map_err(AppError::InvalidField)?;
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    cas::replace(app, &call.permit, &id, settings).await?;
    Ok(ApiResponse::empty())
}

async fn patch(call: Call<Permit<Update<S>>, Json<CaPatch>>) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    cas::patch(app, &call.permit, &id, body.into()).await?;
    Ok(ApiResponse::empty())
}

async fn verify(call: Call<Permit<Update<S>>, CertificateText>) -> Result<ApiResponse, ApiError> {
    let pem = call.body.0?;
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    cas::verify(app, &call.permit, &id, &pem)
        .await
        .map_err(ApiError::without_not_found_cause)?;
    Ok(ApiResponse::empty())
}

async fn token(call: Call<Permit<Read<S>>, NoBody>) -> Result<ApiResponse, ApiError> {
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    let token = cas::token(app, &call.permit, &id).map_err(ApiError::without_not_found_cause)?;
    Ok(ApiResponse::raw(JWT, token))
}
